import { postgresSource } from 'mastra-tool-search/postgres';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { type Database, describeDatabases, itOnServer } from './databases.ts';
import { toTool, vectorDatabase } from './embedded-sources.ts';

const PARTS = ['', '_words', '_tenants', '_meta'] as const;
const STATES = ['ours', 'missing', 'foreign'] as const;
type State = (typeof STATES)[number];

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
const TOOLS = [
  { name: 'send_mail', description: 'Sends a mail.' },
  { name: 'read_mail', description: 'Reads a mail.' },
];
const refusal = {
  code: 'storage-unavailable',
  message: expect.stringMatching(
    / that postgresSource\(\) needs, .*Nothing was changed\. Rename .* option "table"\.$/s,
  ),
};

/** Runs statements that may be several: PGlite takes one at a time. */
async function all(database: Database, text: string): Promise<void> {
  for (const statement of text.split(';').filter((one) => one.trim() !== '')) await database.rows(statement);
}

/** Everything in the database whose name begins so, with what is in it. */
async function everything(database: Database, name: string): Promise<string> {
  const relations = await database.rows(
    `SELECT oid, relnamespace::regnamespace AS schema, relname, relkind, relfilenode, obj_description(oid, 'pg_class') AS comment,
      (SELECT json_agg(attname ORDER BY attnum) FROM pg_attribute WHERE attrelid = pg_class.oid) AS columns
      FROM pg_class WHERE relname LIKE '${name}%' ORDER BY oid`,
  );
  const others = await database.rows(
    `SELECT oid, typname AS name, '' AS source FROM pg_type WHERE typname LIKE '${name}%'
      UNION ALL SELECT oid, proname, prosrc FROM pg_proc WHERE proname LIKE '${name}%'
      UNION ALL SELECT oid, tgname, '' FROM pg_trigger WHERE tgname LIKE '${name}%' ORDER BY oid`,
  );
  const rows: unknown[] = [];
  for (const { schema, relname, relkind } of relations)
    if (relkind === 'r' || relkind === 'v' || relkind === 'm')
      rows.push(await database.rows(`SELECT * FROM ${schema}."${relname}" AS kept ORDER BY kept::text`));
  return JSON.stringify([relations, others, rows]);
}

describeDatabases('the tables of a source beside those of others', (database) => {
  const made = (table: string) => postgresSource({ pool: database.pool, table, toTool });
  const drop = (table: string) => database.rows(`DROP TABLE IF EXISTS ${table} CASCADE`);
  const counts = async (name: string) => ({
    words: await database.rows(`SELECT word, documents::int FROM ${name}_words ORDER BY word`),
    tenants: await database.rows(`SELECT documents::int, lengths FROM ${name}_tenants`),
    versions: await database.rows(`SELECT version FROM ${name}_meta`),
  });
  /** What a source has that nobody disturbed. */
  const undisturbed = async () => {
    const name = database.freshTable();
    await made(name).migrate();
    await made(name).sync(TOOLS);
    return counts(name);
  };

  const cases = STATES.flatMap((tools) => STATES.map((words) => ({ tools, words })));
  it.each(cases)('are made again or refused where the tools are $tools and the words $words', async (given) => {
    const wanted = await undisturbed();
    let at = 0;
    for (const tenants of STATES)
      for (const meta of STATES) {
        const name = database.freshTable();
        const states: readonly State[] = [given.tools, given.words, tenants, meta];
        await made(name).migrate();
        await made(name).sync(TOOLS);
        for (const [part, state] of states.entries()) if (state !== 'ours') await drop(`${name}${PARTS[part]}`);
        for (const [part, state] of states.entries())
          if (state === 'foreign') await all(database, FOREIGN[at++ % FOREIGN.length]?.(`${name}${PARTS[part]}`) ?? '');
        const before = await everything(database, name);
        if (states.includes('foreign')) {
          await expect(made(name).migrate(), `${states}`).rejects.toMatchObject(refusal);
          expect(await everything(database, name), `${states}`).toBe(before);
          continue;
        }
        expect(await made(name).migrate(), `${states}`).toEqual({ from: given.tools === 'ours' ? 1 : 0, to: 1 });
        expect(await made(name).migrate(), `${states}`).toEqual({ from: 1, to: 1 });
        expect(await made(name).sync(TOOLS)).toMatchObject(given.tools === 'ours' ? { unchanged: 2 } : { added: 2 });
        expect(await counts(name), `${states}`).toEqual(wanted);
      }
  });

  it.each(FOREIGN.map((_, at) => at))('are not made beside something else of their name (%i)', async (at) => {
    for (const part of PARTS) {
      const name = database.freshTable();
      await all(database, FOREIGN[at]?.(`${name}${part}`) ?? '');
      const before = await everything(database, name);
      await expect(made(name).migrate()).rejects.toMatchObject(refusal);
      expect(await everything(database, name)).toBe(before);
    }
  });

  it('are those of somebody else who says so in their comment', async () => {
    const name = database.freshTable();
    await made(name).migrate();
    await drop(name);
    await database.rows(`COMMENT ON TABLE ${name}_words IS 'Of the dictionary.'`);
    await database.rows(`INSERT INTO ${name}_words VALUES ('', 'mine', 1)`);
    await expect(made(name).migrate()).rejects.toThrow(`The table ${name}_words ("Of the dictionary.") has a name`);
    expect(await database.rows(`SELECT word FROM ${name}_words`)).toEqual([{ word: 'mine' }]);
  });

  it('are known without a comment, as releases before made them', async () => {
    const name = database.freshTable();
    await made(name).migrate();
    for (const part of PARTS) await database.rows(`COMMENT ON TABLE ${name}${part} IS NULL`);
    await drop(name);
    expect(await made(name).migrate()).toEqual({ from: 0, to: 1 });
    expect(await made(name).sync(TOOLS)).toMatchObject({ added: 2 });
  });

  it.each(['by_word', 'by_server'])(
    'are not made where an index of theirs has the name of a table: %s',
    async (part) => {
      const name = database.freshTable();
      await database.rows(`CREATE TABLE ${name}_${part} (mine text)`);
      await expect(made(name).migrate()).rejects.toMatchObject(refusal);
    },
  );

  it('are not made where somebody else has a function of their name', async () => {
    const name = database.freshTable();
    const body = `RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`;
    await database.rows(`CREATE FUNCTION ${name}_count_update() ${body}`);
    const before = await everything(database, name);
    await expect(made(name).migrate()).rejects.toThrow(`The function ${name}_count_update() has a name`);
    expect(await everything(database, name)).toBe(before);
  });

  it('get their triggers and counts again where somebody dropped those', async () => {
    const name = database.freshTable();
    await made(name).migrate();
    await database.rows(`DROP FUNCTION ${name}_count_insert CASCADE`);
    await made(name).sync(TOOLS);
    expect(await made(name).migrate()).toEqual({ from: 1, to: 1 });
    expect(await counts(name)).toEqual(await undisturbed());
  });

  it('stay with a view of somebody else over them', async () => {
    const name = database.freshTable();
    await made(name).migrate();
    await database.rows(`CREATE VIEW ${name}_mine AS SELECT word FROM ${name}_words`);
    await drop(name);
    expect(await made(name).migrate()).toEqual({ from: 0, to: 1 });
    expect(await database.rows(`SELECT * FROM ${name}_mine`)).toEqual([]);
  });

  itOnServer(
    database,
    'are made before those of a later schema of the search path, and not behind earlier ones',
    async () => {
      const [name, other] = [database.freshTable(), database.freshTable()];
      await database.rows('CREATE SCHEMA IF NOT EXISTS later');
      await database.rows(`CREATE TABLE later.${name}_words (mine text)`);
      await database.rows(`CREATE TABLE public.${other}_tenants (mine text)`);
      await made(`later.${other}`).migrate();
      await drop(`later.${other}_words`);
      const pool = new Pool({ connectionString: database.url, options: '-c search_path=public,later', max: 2 });
      await postgresSource({ pool, table: name, toTool }).migrate();
      expect(await database.rows(`SELECT to_regclass('public.${name}_words')::text AS there`)).toEqual([
        { there: `${name}_words` },
      ]);
      await expect(postgresSource({ pool, table: other, toTool }).migrate()).rejects.toThrow(`${other}_tenants`);
      await drop(`public.${other}_tenants`);
      await expect(postgresSource({ pool, table: other, toTool }).migrate()).rejects.toMatchObject({
        code: 'storage-unavailable',
        message: expect.stringContaining(`Name the schema: table: 'later.${other}'.`),
      });
      expect(await made(`later.${other}`).migrate()).toEqual({ from: 1, to: 1 });
      expect(await postgresSource({ pool, table: other, toTool }).migrate()).toEqual({ from: 1, to: 1 });
      await pool.end();
    },
  );

  it('are made once where several processes repair them at once', async () => {
    const name = database.freshTable();
    await made(name).migrate();
    await made(name).sync(TOOLS);
    for (const part of ['_words', '_meta']) await drop(`${name}${part}`);
    const pools = Array.from({ length: 4 }, () => database.another());
    const sources = [...pools, ...pools].map((pool) => postgresSource({ pool, table: name, toTool }));
    expect(await Promise.all(sources.map((source) => source.migrate()))).toEqual(Array(8).fill({ from: 1, to: 1 }));
    expect(await counts(name)).toEqual(await undisturbed());
  });

  it('lose nothing to a sync in which they are not the own ones', async () => {
    const name = database.freshTable();
    await database.rows(`CREATE TABLE ${name} (tenant text, name text, hash text)`);
    await database.rows(`INSERT INTO ${name} VALUES ('', 'mine', 'x')`);
    await expect(made(name).sync([])).rejects.toMatchObject({
      message: expect.stringContaining('Nothing was written.'),
    });
    await expect(made(name).remove({ tenant: '' })).rejects.toThrow('Nothing was written.');
    expect(await database.rows(`SELECT name FROM ${name}`)).toEqual([{ name: 'mine' }]);
  });
});

describe('the vectors of a source beside a table of somebody else', () => {
  const database = vectorDatabase();
  const embed = { embed: (texts: string[]) => texts.map(() => [1, 2, 3]), model: 'three' };

  it.each(['drops', 'has'])('are refused, and the others not changed, where the source %s its tools', async (does) => {
    const source = database.source(embed);
    const { table } = database;
    const plain = postgresSource({ pool: database.pool, table, toTool });
    await plain.migrate();
    if (does === 'drops') await database.rows(`DROP TABLE ${table} CASCADE`);
    await database.rows(`CREATE TABLE ${table}_vectors (vector text)`);
    await database.rows(`INSERT INTO ${table}_vectors VALUES ('mine')`);
    await expect(source.migrate()).rejects.toMatchObject(refusal);
    expect(await database.rows(`SELECT to_regclass('${table}') IS NULL AS gone`)).toEqual([{ gone: does === 'drops' }]);
    // Without vectors, their name is of no concern.
    await plain.migrate();
    expect(await plain.sync(TOOLS)).toMatchObject({ added: 2 });
    expect(await database.rows(`SELECT vector FROM ${table}_vectors`)).toEqual([{ vector: 'mine' }]);
  });

  it('go with the tools that somebody dropped, and come again', async () => {
    const source = database.source(embed);
    const { table } = database;
    await source.migrate();
    await source.sync(TOOLS);
    await database.rows(`DROP TABLE ${table} CASCADE`);
    expect(await source.migrate()).toEqual({ from: 0, to: 1 });
    expect(await source.sync(TOOLS)).toMatchObject({ added: 2, embedded: 2 });
  });
});
