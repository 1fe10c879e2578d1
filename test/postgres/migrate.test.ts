import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/postgres/migrate.ts';
import { tablesOf, VERSION } from '../../src/postgres/schema.ts';
import { describeDatabases } from './databases.ts';

describeDatabases('the migration', (database) => {
  it('makes the tables, and finds nothing to do when it is called again', async () => {
    const tables = tablesOf(database.freshTable());
    expect(await migrate(database.pool, tables)).toEqual({ from: 0, to: VERSION });
    expect(await migrate(database.pool, tables)).toEqual({ from: VERSION, to: VERSION });
    for (const table of [tables.tools, tables.words, tables.tenants]) {
      expect(await database.rows(`SELECT * FROM ${table}`)).toEqual([]);
    }
  });

  it('happens once where ten callers ask for it at once', async () => {
    const tables = tablesOf(database.freshTable());
    const pools = Array.from({ length: 5 }, () => database.another());
    const all = await Promise.all([...pools, ...pools].map((pool) => migrate(pool, tables)));
    expect(new Set(all.map(({ to }) => to))).toEqual(new Set([VERSION]));
    expect(await database.rows(`SELECT version FROM ${tables.meta}`)).toEqual([{ version: VERSION }]);
  });

  it('makes tables in another schema, whose triggers count whatever schema the writer looks in', async () => {
    await database.rows('CREATE SCHEMA IF NOT EXISTS "app"');
    const name = `app.${database.freshTable()}`;
    const tables = tablesOf(name);
    await migrate(database.pool, tables);
    await migrate(database.pool, tables);
    await database.rows(insertion(name, 'one', "'word':1A"));
    expect(await database.rows(`SELECT word, documents::int FROM ${tables.words}`)).toEqual([
      { word: 'word', documents: 1 },
    ]);
  });

  it.each(['all', 'the first'])('makes tables again where somebody dropped %s', async (which) => {
    const name = database.freshTable();
    const tables = tablesOf(name);
    await migrate(database.pool, tables);
    await database.rows(insertion(name, 'one', "'word':1A"));
    const { tools, words, tenants, meta } = tables;
    await database.rows(`DROP TABLE ${(which === 'all' ? [tools, words, tenants, meta] : [tools]).join()}`);
    expect(await migrate(database.pool, tables)).toEqual({ from: 0, to: VERSION });
    for (const table of [tools, words, tenants]) expect(await database.rows(`SELECT * FROM ${table}`)).toEqual([]);
  });

  it('leaves nothing behind where it fails', async () => {
    const name = database.freshTable();
    await database.rows(`CREATE TABLE ${name}_words (something text)`);
    await expect(migrate(database.pool, tablesOf(name))).rejects.toThrow(`The table ${name}_words has a name that`);
    expect(await database.rows(`SELECT to_regclass('${name}') AS there`)).toEqual([{ there: null }]);
  });

  it('refuses the tables of a newer release', async () => {
    const tables = tablesOf(database.freshTable());
    await migrate(database.pool, tables);
    await database.rows(`INSERT INTO ${tables.meta} (version) VALUES (99)`);
    await expect(migrate(database.pool, tables)).rejects.toMatchObject({
      code: 'storage-unavailable',
      message: expect.stringContaining('version 99'),
    });
  });
});

describe('the name of the tables', () => {
  it.each(['tools', 'Tools_2', 'app.tools', '_x'])('may be %s', (name) => {
    expect(tablesOf(name).words).toBe(`"${name.replace('.', '"."')}_words"`);
  });

  it.each(['', 'a b', '2tools', 'a.b.c', 'tools"; DROP TABLE x; --', 'tööls', 'a\n', 'x'.repeat(41), 7, undefined])(
    'may not be %j',
    (name) => {
      expect(() => tablesOf(name)).toThrow('"table" must be a name of at most 40 letters');
    },
  );
});

/** A statement that writes a row without the source. */
function insertion(table: string, name: string, words: string): string {
  return `INSERT INTO ${table} (tenant, name, hash, server, spelling, definition, document, lengths, words)
    VALUES ('', '${name}', '', '', '${name}', '{}', '{}', '{1,0,0,0,0,0,0,2}', $words$${words}$words$)`;
}
