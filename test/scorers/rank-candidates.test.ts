import { wordsAndMeaningScorer } from 'mastra-tool-search';
import { rankCandidates } from 'mastra-tool-search/source';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { catalog, document } from '../fixtures/tools.ts';

// With the statistics of a whole catalog, candidates rank as among all of it: test/postgres/search.test.ts.
describe('rankCandidates()', () => {
  const query = parseQuery('get the weather of a city');

  it('ranks candidates as the default scorer does, of which they are all without statistics', async () => {
    const all = await (await wordsAndMeaningScorer().index(catalog)).search(query);
    const alone = await rankCandidates(query, catalog);
    expect(alone.map(({ name, score }) => ({ name, score }))).toEqual(all);
  });

  it('weighs words by what statistics say of the whole catalog', async () => {
    const two = ['read_page', 'heron_page'].map((name) => document(name, 'Of a page.'));
    const rankedWhere = async (stems: Record<string, number>) => {
      const known = { documents: 10_000, averageLengths: { name: 2 }, stems: new Map(Object.entries(stems)) };
      const found = await rankCandidates(parseQuery('read heron'), two, known);
      const weights = found.flatMap(({ words = [] }) =>
        words.flatMap(({ word, score }) => (score ? [[word, score]] : [])),
      );
      return { best: found[0]?.name, weights: Object.fromEntries(weights) as Record<string, number> };
    };
    const [rare, common] = [await rankedWhere({ read: 9_000, heron: 3 }), await rankedWhere({ read: 3, heron: 9_000 })];
    expect([rare.best, common.best]).toEqual(['heron_page', 'read_page']);
    expect(rare.weights['heron']).toBeGreaterThan(2 * (common.weights['heron'] ?? Number.NaN));
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
    const [best, ...others] = await rankCandidates(query, catalog);
    expect(best?.confidence).toBeGreaterThan(0.5);
    for (const { confidence } of others) expect(confidence).toBeLessThanOrEqual(best?.confidence ?? 0);
    expect(best?.words?.find(({ word }) => word === 'weather')).toMatchObject({ found: 'weather', by: 'word' });
    expect(await rankCandidates(query, [])).toEqual([]);
    expect(await rankCandidates(parseQuery('?'), catalog)).toEqual([]);
  });
});
