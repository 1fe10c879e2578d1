import fc from 'fast-check';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { pairwise } from '../support/breadth.ts';
import { noPostgres } from '../support/postgres-server.ts';
import { mainDatabase, miscounted, refusal, TOOLS } from './databases.ts';

const PARTS = ['', '_words', '_tenants', '_meta'] as const;
const STATES = ['ours', 'missing', 'foreign'] as const;
/** What somebody else may have under a name. */
const FOREIGN: readonly ((name: string) => string)[] = [
  (name) => `CREATE TABLE ${name} (word text, mine text); INSERT INTO ${name} VALUES ('a', 'b')`,
  (name) => `CREATE VIEW ${name} AS SELECT 1 AS mine`,
  (name) => `CREATE MATERIALIZED VIEW ${name} AS SELECT 1 AS mine`,
  (name) => `CREATE SEQUENCE ${name}`,
  (name) => `CREATE TYPE ${name} AS ENUM ('mine')`,
  (name) => `CREATE TYPE ${name} AS (mine text)`,
  (name) => `CREATE DOMAIN ${name} AS text`,
  (name) => `CREATE TABLE ${name}_x (mine text); CREATE INDEX ${name} ON ${name}_x (mine)`,
];

const database = mainDatabase();
const { rows, freshTable, migrated } = database;

describe('the tables of a source', () => {
  const made = (table: string) => database.source({ table });
  const drop = (table: string) => rows(`DROP TABLE IF EXISTS ${table} CASCADE`);

  /** Everything in the database whose name begins so, with what is in it. */
  async function everything(name: string): Promise<string> {
    const relations = await rows(
      `SELECT oid, relnamespace::regnamespace AS schema, relname, relkind, relfilenode, obj_description(oid, 'pg_class') AS comment,
        (SELECT json_agg(attname ORDER BY attnum) FROM pg_attribute WHERE attrelid = pg_class.oid) AS columns
        FROM pg_class WHERE relname LIKE '${name}%' ORDER BY oid`,
    );
    const others = await rows(
      `SELECT oid, typname AS name, '' AS source FROM pg_type WHERE typname LIKE '${name}%'
        UNION ALL SELECT oid, proname, prosrc FROM pg_proc WHERE proname LIKE '${name}%'
        UNION ALL SELECT oid, tgname, '' FROM pg_trigger WHERE tgname LIKE '${name}%' ORDER BY oid`,
    );
    const kept: unknown[] = [];
    for (const { schema, relname, relkind } of relations)
      if (['r', 'v', 'm'].includes(String(relkind)))
        kept.push(await rows(`SELECT * FROM ${schema}."${relname}" AS kept ORDER BY kept::text`));
    return JSON.stringify([relations, others, kept]);
  }

  /** Migrates where somebody else has a name, and expects that nothing is changed. */
  async function expectRefusal(table: string, says: object = refusal): Promise<void> {
    const before = await everything(table);
    await expect(made(table).migrate(), table).rejects.toMatchObject(says);
    expect(await everything(table)).toBe(before);
  }

  /** Expects what a source has that nobody disturbed. */
  async function expectWhole(table: string): Promise<void> {
    expect(await made(table).migrate()).toEqual({ from: 1, to: 1 });
    expect(await made(table).sync(TOOLS)).toMatchObject({ deleted: 0 });
    expect(await rows(`SELECT version FROM ${table}_meta`)).toEqual([{ version: 1 }]);
    expect(await rows(`SELECT documents::int FROM ${table}_words WHERE word = 'mail'`)).toEqual([{ documents: 2 }]);
    expect(await miscounted(database, table)).toEqual([]);
  }

  it('are made once by whoever asks at once, in the schema and the spelling of the option', async () => {
    await rows('CREATE SCHEMA IF NOT EXISTS "App"');
    for (const [table, quoted] of [
      [freshTable(), undefined],
      ['App.Tools_x', '"App"."Tools_x"'],
    ] as const) {
      const pools = [database.pool, database.another(), database.another()];
      const all = await Promise.all([...pools, ...pools].map((pool) => database.source({ table, pool }).migrate()));
      expect(new Set(all.map(({ to }) => to))).toEqual(new Set([1]));
      expect(all).toContainEqual({ from: 0, to: 1 });
      if (quoted === undefined) await expectWhole(table);
      // The triggers count whatever schema the writer looks in.
      else {
        expect(await made(table).sync(TOOLS)).toMatchObject({ added: 2 });
        expect(await rows(`SELECT documents::int FROM "App"."Tools_x_words" WHERE word = 'mail'`)).toEqual([
          { documents: 2 },
        ]);
      }
    }
  });

  const states = pairwise({ tools: STATES, words: STATES, tenants: STATES, meta: STATES });
  it('are made again where they are missing, or refused where the name is taken, whatever is left of them', async () => {
    let kind = 0;
    for (const each of states) {
      const table = freshTable();
      const of = [each.tools, each.words, each.tenants, each.meta].map((state, at) => [state, PARTS[at]] as const);
      await (await migrated({ table })).sync(TOOLS);
      for (const [state, part] of of) if (state !== 'ours') await drop(`${table}${part}`);
      for (const [state, part] of of)
        if (state === 'foreign') await rows(FOREIGN[kind++ % FOREIGN.length]?.(`${table}${part}`) ?? '');
      if (of.some(([state]) => state === 'foreign')) await expectRefusal(table);
      else {
        expect(await made(table).migrate(), `${of}`).toEqual({ from: each.tools === 'ours' ? 1 : 0, to: 1 });
        await expectWhole(table);
      }
    }
    for (const missing of [PARTS, PARTS.slice(0, 1), PARTS.slice(1, 3), PARTS.slice(3)]) {
      const table = freshTable();
      await (await migrated({ table })).sync(TOOLS);
      await drop(missing.map((part) => `${table}${part}`).join());
      expect(await made(table).migrate()).toEqual({ from: missing.includes('') ? 0 : 1, to: 1 });
      await expectWhole(table);
    }
  });

  it('are not made beside something else of a name that they need', async () => {
    for (const [at, foreign] of FOREIGN.entries()) {
      const table = freshTable();
      await rows(foreign(`${table}${PARTS[at % PARTS.length]}`));
      await expectRefusal(table);
    }
    for (const index of ['by_word', 'by_server']) {
      const table = freshTable();
      await rows(`CREATE TABLE ${table}_${index} (mine text)`);
      await expectRefusal(table);
    }
    const table = freshTable();
    await rows(`CREATE FUNCTION ${table}_count_update() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);
    await expectRefusal(table, { message: expect.stringContaining(`The function ${table}_count_update() has a name`) });
  });

  it('are known without a comment, as releases before made them, and are not ours with that of somebody else', async () => {
    const [bare, theirs] = [freshTable(), freshTable()];
    for (const table of [bare, theirs]) {
      await migrated({ table });
      if (table === bare) for (const part of PARTS) await rows(`COMMENT ON TABLE ${table}${part} IS NULL`);
      else await rows(`COMMENT ON TABLE ${table}_words IS 'Of the dictionary.'`);
      await drop(table);
    }
    expect(await made(bare).migrate()).toEqual({ from: 0, to: 1 });
    await expectWhole(bare);
    await expectRefusal(theirs, {
      message: expect.stringContaining(`The table ${theirs}_words ("Of the dictionary.") has a name`),
    });
  });

  it('get their triggers and counts again where somebody dropped those, and stay with a view over them', async () => {
    const table = freshTable();
    await migrated({ table });
    await rows(
      `DROP FUNCTION ${table}_count_insert CASCADE; CREATE VIEW ${table}_mine AS SELECT word FROM ${table}_words`,
    );
    await made(table).sync(TOOLS);
    await expectWhole(table);
    await drop(table);
    expect(await made(table).migrate()).toEqual({ from: 0, to: 1 });
    expect(await rows(`SELECT * FROM ${table}_mine`)).toEqual([]);
  });

  it('are made again once where several processes do it at once', async () => {
    const table = freshTable();
    await (await migrated({ table })).sync(TOOLS);
    for (const part of ['_words', '_meta']) await drop(`${table}${part}`);
    const pools = Array.from({ length: 4 }, () => database.another());
    const all = [...pools, ...pools].map((pool) => database.source({ table, pool }).migrate());
    expect(await Promise.all(all)).toEqual(Array(8).fill({ from: 1, to: 1 }));
    await expectWhole(table);
  });

  it('of a newer release are refused; and of somebody else, also by a sync, which writes nothing', async () => {
    const newer = freshTable();
    await migrated({ table: newer });
    await rows(`INSERT INTO ${newer}_meta (version) VALUES (99)`);
    await expectRefusal(newer, { code: 'storage-unavailable', message: expect.stringContaining('version 99') });
    const theirs = freshTable();
    await rows(
      `CREATE TABLE ${theirs} (tenant text, name text, hash text); INSERT INTO ${theirs} VALUES ('', 'mine', 'x')`,
    );
    await expect(made(theirs).sync([])).rejects.toThrow('Nothing was written.');
    await expect(made(theirs).remove({ tenant: '' })).rejects.toThrow('Nothing was written.');
    expect(await rows(`SELECT name FROM ${theirs}`)).toEqual([{ name: 'mine' }]);
  });

  it.skipIf(noPostgres)(
    'are made before those of a later schema of the search path, and not behind earlier ones',
    async () => {
      const [table, other] = [freshTable(), freshTable()];
      await rows(
        `CREATE SCHEMA later; CREATE TABLE later.${table}_words (mine text); CREATE TABLE public.${other}_tenants (mine text)`,
      );
      const named = await migrated({ table: `later.${other}` });
      await drop(`later.${other}_words`);
      const pool = new Pool({ connectionString: database.url, options: '-c search_path=public,later', max: 2 });
      await migrated({ pool, table });
      expect(await rows(`SELECT to_regclass('public.${table}_words')::text AS there`)).toEqual([
        { there: `${table}_words` },
      ]);
      const unnamed = database.source({ pool, table: other });
      await expect(unnamed.migrate()).rejects.toThrow(`${other}_tenants`);
      await drop(`public.${other}_tenants`);
      await expect(unnamed.migrate()).rejects.toMatchObject({
        code: 'storage-unavailable',
        message: expect.stringContaining(`Name the schema: table: 'later.${other}'.`),
      });
      for (const source of [named, unnamed]) expect(await source.migrate()).toEqual({ from: 1, to: 1 });
      await pool.end();
    },
  );

  it('are counted right after whatever statements, whoever writes them', async () => {
    const table = freshTable();
    await migrated({ table });
    const [tenant, name] = [fc.constantFrom('', 'a', 'b'), fc.constantFrom('one', 'two', 'three')];
    const words = fc.subarray(['alpha', 'beta', 'gamma']).map((list) => list.join(' '));
    const insertion = fc
      .tuple(
        fc.uniqueArray(fc.tuple(tenant, name, words, fc.nat(255)), {
          ...{ minLength: 1, maxLength: 6, selector: ([first, second]) => `${first} ${second}` },
        }),
        fc.constantFrom('NOTHING', 'UPDATE SET words = excluded.words, lengths = excluded.lengths'),
      )
      .map(([list, conflict]) => {
        const values = list.map(
          ([owner, called, has, length]) =>
            `('${owner}', '${called}', '', '', '', '{}', '{}', '{${length},0,0,0,0,0,0,1}', '${has}')`,
        );
        return `INSERT INTO ${table} (tenant, name, hash, server, spelling, definition, document, lengths, words)
          VALUES ${values.join()} ON CONFLICT (tenant, name) DO ${conflict}`;
      });
    const statement = fc.oneof(
      { weight: 3, arbitrary: insertion },
      fc.tuple(words, tenant).map(([has, owner]) => `UPDATE ${table} SET words = '${has}' WHERE tenant = '${owner}'`),
      name.map((called) => `UPDATE ${table} SET tenant = 'c' || tenant WHERE name = '${called}'`),
      name.map((called) => `DELETE FROM ${table} WHERE name = '${called}'`),
      fc.constantFrom(`TRUNCATE ${table}`, `INSERT INTO ${table} SELECT * FROM ${table} WHERE false`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 8 }), async (statements) => {
        await rows(`TRUNCATE ${table}`);
        // A row that moves may find its place taken.
        for (const each of statements) await rows(each).catch((error) => expect(error.code).toBe('23505'));
        expect(await miscounted(database, table)).toEqual([]);
      }),
      { numRuns: 30 },
    );
    // Ten writers at once, whose tenants are in two orders; and one that takes its changes back.
    await rows(`TRUNCATE ${table}`);
    const writers = Array.from({ length: 10 }, (_, at) => {
      const values = ['a', 'b'].map(
        (owner) => `('${owner}', 'tool_${at}', '', '', '', '{}', '{}', '{1}', 'alpha beta')`,
      );
      return rows(`INSERT INTO ${table} VALUES ${(at % 2 ? values : values.reverse()).join()}`);
    });
    await Promise.all(writers);
    const undone = rows(`DO $$ BEGIN DELETE FROM ${table}; RAISE EXCEPTION 'taken back'; END $$`);
    await expect(undone).rejects.toThrow('taken back');
    expect(await rows(`SELECT documents::int FROM ${table}_tenants`)).toEqual([{ documents: 10 }, { documents: 10 }]);
  });
});
