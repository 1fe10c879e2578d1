import { expect, it } from 'vitest';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { catalog } from '../fixtures/tools.ts';
import { describeDatabases } from './databases.ts';
import { definitionOf, requestOf, sourceIn } from './readers.ts';

describeDatabases('tools that an earlier release has stored', (database) => {
  it('are found as before, with the same scores, until the next sync takes them apart', async () => {
    const table = database.freshTable();
    const source = await sourceIn(database, table);
    await source.fill(catalog.map(definitionOf), 'a');
    const search = async () => {
      const found = [];
      for (const text of ['get the weather', 'send a message to a channel', 'read file', 'restart_server'])
        found.push(await source.search(parseQuery(text), { ...requestOf('a'), limit: 10, explain: true }));
      return found;
    };
    const apart = async () =>
      (await database.rows(`SELECT count(document->>'terms')::int AS apart FROM ${table}`))[0]?.['apart'];
    const expected = await search();
    expect(expected.flat().length).toBeGreaterThan(10);
    expect(await apart()).toBe(catalog.length);
    // As they were written: without the words, and under the hash of another form.
    await database.rows(`UPDATE ${table} SET document = (document::jsonb - 'terms')::json, hash = ''`);
    expect(await apart()).toBe(0);
    expect(await search()).toEqual(expected);
    await source.fill(catalog.map(definitionOf), 'a');
    expect(await apart()).toBe(catalog.length);
    expect(await search()).toEqual(expected);
  });
});
