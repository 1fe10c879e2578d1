import fc from 'fast-check';
import { bm25Scorer, type ToolDocument, wordsAndMeaningScorer } from 'mastra-tool-search';
import { rankCandidates } from 'mastra-tool-search/source';
import { describe, expect, it } from 'vitest';
import { Bm25Index } from '../../../src/scorers/bm25/bm25.ts';
import { InvertedIndex } from '../../../src/scorers/bm25/inverted-index.ts';
import { type CatalogStatistics, DEFAULT_SETTINGS, FIELDS } from '../../../src/scorers/bm25/settings.ts';
import { withoutBoilerplate } from '../../../src/scorers/bm25/tool-words.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { actionKinds } from '../../../src/scorers/words/query-words.ts';
import { builtInSynonyms } from '../../../src/scorers/words/thesaurus/synonyms.ts';
import { runToEnd as atOnce } from '../../../src/util/time-slices.ts';
import { contentWords, splitIdentifier, stem, words } from '../../../src/util/words.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { histories, QUERIES } from '../changing-catalogs.ts';
import { naiveFields } from './naive-fields.ts';

const synonyms = builtInSynonyms();
const whole = (documents: readonly ToolDocument[]): Bm25Index =>
  atOnce(Bm25Index.build(documents, DEFAULT_SETTINGS, synonyms));
const part = (documents: readonly ToolDocument[], statistics: CatalogStatistics): Bm25Index =>
  new Bm25Index(
    atOnce(InvertedIndex.build(documents, DEFAULT_SETTINGS.fields, undefined, statistics.averageLengths)),
    DEFAULT_SETTINGS,
    synonyms,
    statistics,
  );

type Guesses = ReadonlyMap<string, readonly string[]>;

/** The words that are guessed for the unknown ones of a query; undefined where a guess leaves out a form of its stem. */
function guessedFor(text: string, documents: readonly ToolDocument[]): Guesses | undefined {
  const index = atOnce(InvertedIndex.build(documents, DEFAULT_SETTINGS.fields));
  const guessed = new Map<string, readonly string[]>();
  for (const word of words(text)) {
    if (index.hasStem(stem(word))) continue;
    const found = index.guesses(word);
    const forms = found.flatMap((each) => index.formsOf(stem(each), ''));
    if (new Set(forms).size > new Set(found).size) return undefined;
    guessed.set(word, found);
  }
  return guessed;
}

/** Counts by key of what each document has. */
function countsOf(documents: readonly Iterable<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const keys of documents) for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/**
 * The statistics of a catalog for a query, counted by plain lists and sets.
 *
 * @param guessed - words that no document has, with the words of the catalog that are guessed for each.
 */
function statisticsOf(documents: readonly ToolDocument[], text = '', guessed: Guesses = new Map()): CatalogStatistics {
  const fields = naiveFields(documents);
  const all = fields.map((of) => new Set(FIELDS.flatMap((field) => of[field])));
  const stems = all.map((has) => new Set([...has].map(stem)));
  const said = [...synonyms.phrases(words(text))].flatMap((phrase) => phrase.synonyms.map((each) => each.stems));
  const phrases = said.filter(({ length }) => length > 1);
  const averageOf = (field: (typeof FIELDS)[number]): number =>
    fields.reduce((sum, of) => sum + Math.min(255, new Set(of[field]).size), 0) / documents.length;
  const guesses = [...guessed].map(([word, found]) => {
    const roots = [...new Set(found.map(stem))];
    return [
      word,
      { stems: roots, documents: stems.filter((has) => roots.some((root) => has.has(root))).length },
    ] as const;
  });
  return {
    documents: documents.length,
    averageLengths: Object.fromEntries(FIELDS.map((field) => [field, averageOf(field)])),
    stems: countsOf(
      stems.map((has) => [
        ...has,
        ...phrases.filter((phrase) => phrase.every((each) => has.has(each))).map((phrase) => phrase.join(' ')),
      ]),
    ),
    words: countsOf(all),
    instructions: countsOf(documents.map(({ instructions = '' }) => contentWords(words(instructions)).map(stem))),
    guesses: new Map(guesses),
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

/** Names that rank with their scores, but those that were asked for: they score by the best of the others. */
const rankingOf = (index: Bm25Index, text: string): [string, string][] => {
  const query = parseQuery(text);
  const others = index.search(query).filter(({ name }) => !index.explain(query, name)?.isNamed);
  return others.map(({ name, score }) => [name, score.toPrecision(10)]);
};

const catalogs = histories.map(([first = []]) => first);
const asked = fc.oneof(
  fc.constantFrom(...QUERIES),
  fc.uniqueArray(fc.constantFrom(...QUERIES), { minLength: 2, maxLength: 3 }).map((list) => list.join(' ')),
);

describe('an index of a part of a catalog, with the statistics of all of it', () => {
  it('gives each of its documents the score, and the best ones the confidence, that the index of all gives it', () => {
    fc.assert(
      fc.property(catalogs, asked, fc.infiniteStream(fc.boolean()), (documents, text, choices) => {
        fc.pre(documents.length > 0);
        const all = whole(documents);
        const guessed = guessedFor(text, documents);
        fc.pre(guessed !== undefined);
        const statistics = statisticsOf(documents, text, guessed);
        const distinctive = atOnce(withoutBoilerplate(documents));
        const some = distinctive.filter(() => choices.next().value);
        const names = new Set(some.map(({ name }) => name));
        expect(rankingOf(part(some, statistics), text)).toEqual(
          rankingOf(all, text).filter(([name]) => names.has(name)),
        );

        const query = parseQuery(text);
        const ranking = all.search(query).map(({ name }) => name);
        // What ranks far behind tells how much of the ranking is noise.
        const ranked = distinctive.filter(({ name }) => ranking.includes(name) || choices.next().value);
        const index = part(ranked, statistics);
        const shown = ranking.slice(0, 5);
        const digits = (list: readonly number[]): string[] => list.map((each) => each.toPrecision(10));
        expect(index.search(query).map(({ name }) => name)).toEqual(ranking);
        expect(digits(index.confidence(query, shown))).toEqual(digits(all.confidence(query, shown)));
      }),
      { numRuns: 250 },
    );
  });

  it('finds nothing by a word that none of its documents has, and everything by the others', () => {
    const stems = { heron: 10, stork: 20, read: 300 };
    const averageLengths = { name: 2 };
    const statistics = { documents: 1_000, averageLengths, stems: new Map(Object.entries(stems)) };
    const index = part([document('read_heron'), document('feed_pelican')], statistics);
    const scoreOf = (text: string): number => index.search(parseQuery(text))[0]?.score ?? 0;
    expect(index.search(parseQuery('stork'))).toEqual([]);
    // A word that other documents have is lacking here; one that none has makes no difference.
    expect(scoreOf('heron read stork')).toBeLessThan(scoreOf('heron read'));
    expect(scoreOf('heron read xylophone')).toBeCloseTo(scoreOf('heron read'), 9);
  });
});

describe('rankCandidates()', () => {
  const documents = atOnce(withoutBoilerplate(catalog));
  const query = parseQuery('get the weather of a city');

  it('ranks candidates as the default scorer does, of which they are all without statistics', async () => {
    const all = await (await wordsAndMeaningScorer().index(catalog)).search(query);
    const alone = await rankCandidates(query, catalog);
    expect(alone.map(({ name, score }) => ({ name, score }))).toEqual(all);
  });

  it('weighs the words of a few candidates as the scorer of words does among all', async () => {
    const index = await bm25Scorer().index(catalog);
    const all = await index.search(query);
    const some = documents.filter(({ name }, at) => at % 3 === 0 || name === all[0]?.name);
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
    const [best, ...others] = await rankCandidates(query, documents, statistics);
    expect(best?.confidence).toBeGreaterThan(0.5);
    for (const { confidence } of others) expect(confidence).toBeLessThanOrEqual(best?.confidence ?? 0);
    expect(best?.words?.find(({ word }) => word === 'weather')).toMatchObject({ found: 'weather', by: 'word' });
    expect(await rankCandidates(query, [], statistics)).toEqual([]);
    expect(await rankCandidates(parseQuery('?'), documents, statistics)).toEqual([]);
  });
});
