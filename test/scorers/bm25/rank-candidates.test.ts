import { expect, it } from 'vitest';
import { bm25Scorer } from '../../../src/scorers/bm25/bm25.ts';
import { rankCandidates } from '../../../src/scorers/bm25/candidates.ts';
import { withoutBoilerplate } from '../../../src/scorers/bm25/tool-words.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { catalog } from '../../fixtures/tools.ts';
import { atOnce } from '../at-once.ts';
import { statisticsOf } from './statistics-of.ts';

const documents = atOnce(withoutBoilerplate(catalog));
const query = parseQuery('get the weather of a city');

it('ranks a few candidates as the default scorer ranks them among all', async () => {
  const index = await bm25Scorer().index(catalog);
  const all = await index.search(query);
  const some = documents.filter(({ name }, at) => at % 3 === 0 || name === all[0]?.name);
  const ranked = await rankCandidates(query, some, statisticsOf(catalog));
  const scores = new Map(all.map(({ name, score }) => [name, score]));
  expect(ranked.length).toBeGreaterThan(3);
  for (const { name, score } of ranked) expect(score).toBeCloseTo(scores.get(name) ?? 0, 9);
  expect(ranked.map(({ name }) => name)).toEqual(
    all.flatMap(({ name }) => (some.some((document) => document.name === name) ? [name] : [])),
  );
});

it('says how sure it is, and why', async () => {
  const [best, ...others] = await rankCandidates(query, documents, statisticsOf(catalog));
  expect(best?.confidence).toBeGreaterThan(0.5);
  for (const { confidence } of others) expect(confidence).toBeLessThanOrEqual(best?.confidence ?? 0);
  expect(best?.words?.find(({ word }) => word === 'weather')).toMatchObject({ found: 'weather', by: 'word' });
});

it('takes the candidates for all there is, where no statistics are given', async () => {
  const index = await bm25Scorer().index(catalog);
  const ranked = await rankCandidates(query, catalog);
  expect(ranked.map(({ name, score }) => ({ name, score }))).toEqual(await index.search(query));
});

it('finds nothing among no candidates, and by no words', async () => {
  expect(await rankCandidates(query, [], statisticsOf(catalog))).toEqual([]);
  expect(await rankCandidates(parseQuery('?'), documents, statisticsOf(catalog))).toEqual([]);
});
