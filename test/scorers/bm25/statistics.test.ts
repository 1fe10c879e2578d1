import { bm25Scorer, type ToolDocument, wordsAndMeaningScorer } from 'mastra-tool-search';
import { rankCandidates } from 'mastra-tool-search/source';
import { describe, expect, it } from 'vitest';
import { type CatalogStatistics, FIELDS } from '../../../src/scorers/bm25/settings.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { actionKinds } from '../../../src/scorers/words/query-words.ts';
import { contentWords, splitIdentifier, stem, words } from '../../../src/util/words.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { naiveFields } from './naive-fields.ts';

/** Counts by key of what each document has. */
function countsOf(documents: readonly Iterable<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const keys of documents) for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The statistics of a catalog, counted by plain lists and sets. */
function statisticsOf(documents: readonly ToolDocument[]): CatalogStatistics {
  const fields = naiveFields(documents);
  const all = fields.map((of) => new Set(FIELDS.flatMap((field) => of[field])));
  const stems = all.map((has) => new Set([...has].map(stem)));
  const averageOf = (field: (typeof FIELDS)[number]): number =>
    fields.reduce((sum, of) => sum + Math.min(255, new Set(of[field]).size), 0) / documents.length;
  return {
    documents: documents.length,
    averageLengths: Object.fromEntries(FIELDS.map((field) => [field, averageOf(field)])),
    stems: countsOf(stems),
    words: countsOf(all),
    instructions: countsOf(documents.map(({ instructions = '' }) => contentWords(words(instructions)).map(stem))),
    guesses: new Map(),
    servers: serversOf(documents),
  };
}

/** The servers that a query may name. */
function serversOf(documents: readonly ToolDocument[]): ReadonlySet<string> {
  const firstOf = ({ name }: ToolDocument): string => splitIdentifier(name)[0] ?? '';
  const tellingOf = (server: string): string[] =>
    splitIdentifier(server).filter((word) => !['mcp', 'server', 'api'].includes(word));
  const untold = documents.filter(({ server }) => server === '');
  const isBeginning = (word: string): boolean => {
    const count = untold.filter((each) => firstOf(each) === word).length;
    return count > 1 && count <= 0.8 * documents.length && !actionKinds().has(stem(word));
  };
  const serverOf = (each: ToolDocument): readonly string[] =>
    each.server === '' ? [firstOf(each)].filter(isBeginning) : tellingOf(each.server);
  const names = documents.map(serverOf).filter(({ length }) => length > 0);
  const isTelling = (name: readonly string[]): boolean =>
    name.every((word) => {
      const having = documents.filter((each) => splitIdentifier(each.name).map(stem).includes(stem(word)));
      const own = having.filter((each) => serverOf(each).join('') === name.join(''));
      return own.length >= 0.8 * having.length;
    });
  return new Set(names.filter(isTelling).map((name) => name.join('')));
}

// An index of a part of a catalog, with the statistics of all of it, is what postgresSource() has: test/postgres/search.test.ts.
describe('rankCandidates()', () => {
  const query = parseQuery('get the weather of a city');

  it('ranks candidates as the default scorer does, of which they are all without statistics', async () => {
    const all = await (await wordsAndMeaningScorer().index(catalog)).search(query);
    const alone = await rankCandidates(query, catalog);
    expect(alone.map(({ name, score }) => ({ name, score }))).toEqual(all);
  });

  it('weighs the words of a few candidates as the scorer of words does among all', async () => {
    const index = await bm25Scorer().index(catalog);
    const all = await index.search(query);
    const some = catalog.filter(({ name }, at) => at % 3 === 0 || name === all[0]?.name);
    const ranked = await rankCandidates(query, some, statisticsOf(catalog));
    expect(ranked[0]?.name).toBe(all[0]?.name);
    expect(ranked.length).toBeGreaterThan(3);
    for (const { name, words = [], features = [], score } of ranked) {
      const expected = await index.explain?.(query, name);
      expect(words.map((word) => word.score)).toEqual(
        (expected?.words ?? []).map((word) => expect.closeTo(word.score, 9)),
      );
      expect(features.reduce((sum, feature) => sum + feature.score, 0)).toBeCloseTo(score, 9);
    }
  });

  it('ranks what means the same above what has a word that says little', async () => {
    const found = [
      document('get_forecast', 'Current conditions: temperature, wind and precipitation.'),
      document('create_invoice', 'Will issue an invoice to a customer.'),
    ];
    const umbrella = parseQuery('will I need an umbrella');
    const statistics = { documents: 10_000, averageLengths: { name: 2 }, stems: new Map([['will', 4_000]]) };
    for (const known of [undefined, statistics]) {
      const [best] = await rankCandidates(umbrella, found, known);
      expect(best?.name).toBe('get_forecast');
      expect(best?.features?.find(({ feature }) => feature === 'meaning')?.score).toBeGreaterThan(0);
    }
  });

  it('says how sure it is, and why, and finds nothing among no candidates, and by no words', async () => {
    const statistics = statisticsOf(catalog);
    const [best, ...others] = await rankCandidates(query, catalog, statistics);
    expect(best?.confidence).toBeGreaterThan(0.5);
    for (const { confidence } of others) expect(confidence).toBeLessThanOrEqual(best?.confidence ?? 0);
    expect(best?.words?.find(({ word }) => word === 'weather')).toMatchObject({ found: 'weather', by: 'word' });
    expect(await rankCandidates(query, [], statistics)).toEqual([]);
    expect(await rankCandidates(parseQuery('?'), catalog, statistics)).toEqual([]);
  });
});
