import path from 'node:path';
import { expect, it } from 'vitest';
import { toolDocument } from '../../src/catalog/document.ts';
import { bm25Scorer } from '../../src/scorers/bm25/bm25.ts';
import { withoutBoilerplate } from '../../src/scorers/bm25/tool-words.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { figuresOf } from '../bench/retrieval/measure.ts';
import { readSet } from '../bench/retrieval/sets.ts';
import { Documents } from '../bench/source/documents.ts';
import { document } from '../fixtures/tools.ts';
import { atOnce } from '../scorers/at-once.ts';
import { describeDatabases } from './databases.ts';
import { definitionOf, requestOf, sourceIn } from './readers.ts';

const set = readSet(path.resolve('test/fixtures/mcp-dev'));
const documentsOf = (count: number) =>
  [...new Documents(set.tools).take(count)].map((each) => toolDocument(each.id, each as never).document);

describeDatabases('a search', (database) => {
  // Beyond 4,500 tools with a word, the database looks for several words at once.
  it.each([
    { kind: 'a small catalog', count: set.tools.length },
    ...(database.isServer ? [{ kind: 'a larger one', count: 6_000 }] : []),
  ])('ranks $kind nearly as the process does', async ({ count }) => {
    const source = await sourceIn(database);
    const documents = atOnce(withoutBoilerplate(documentsOf(count)));
    await source.fill(documents.map(definitionOf), 'a');
    const index = await bm25Scorer().index(documents);
    let [here, there, queries] = [0, 0, 0];
    for (const labelled of set.queries.filter((_, at) => at % 2 === 0)) {
      const query = parseQuery(labelled.query);
      const found = await source.search(query, { ...requestOf('a'), limit: 10 });
      const expected = (await index.search(query)).slice(0, 10);
      here += figuresOf(
        expected.map(({ name }) => name),
        labelled,
      ).ndcg10;
      there += figuresOf(
        found.map(({ name }) => name),
        labelled,
      ).ndcg10;
      queries++;
    }
    expect(here / queries).toBeGreaterThan(0.4);
    expect(there / queries).toBeGreaterThan(here / queries - 0.02);
  });

  it('finds all that fit, far behind those that it ranks, always in one order', async () => {
    const source = await sourceIn(database);
    const tools = Array.from({ length: 600 }, (_, at) => document(`heron_${at}`, `Feeds the heron of pond ${at % 7}.`));
    await source.fill(tools.map(definitionOf), 'a');
    const search = async (limit: number) => source.search(parseQuery('feed heron'), { ...requestOf('a'), limit });
    const all = await search(1_000);
    expect(new Set(all.map(({ name }) => name)).size).toBe(600);
    for (const limit of [1, 199, 200, 201, 350, 599]) {
      expect((await search(limit)).map(({ name, score }) => [name, score])).toEqual(
        all.slice(0, limit).map(({ name, score }) => [name, score]),
      );
    }
  });

  it('guesses what a word means, as the process does', async () => {
    const source = await sourceIn(database);
    const documents = [
      document('get_weather', 'The weather of a city.'),
      document('translate_text', 'Translates a text to another language.'),
      document('send_email', 'Sends an email with attachments.'),
      document('list_calendars', 'Lists calendars.'),
    ];
    await source.fill(documents.map(definitionOf), 'a');
    const index = await bm25Scorer().index(documents);
    for (const text of ['wether', 'weahter', 'transl', 'langauge', 'emial', 'calender', 'atachments', 'xylophone']) {
      const expected = (await index.search(parseQuery(text))).map(({ name }) => name);
      const found = await source.search(parseQuery(text), { ...requestOf('a'), limit: 10 });
      expect(found.map(({ name }) => name)).toEqual(expected);
      expect(expected).toHaveLength(text === 'xylophone' ? 0 : 1);
    }
  });
});
