import { readFileSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { RequestContext } from '@mastra/core/request-context';
import { bm25Scorer, type ToolSource } from 'mastra-tool-search';
import { type PostgresEmbedOptions, type PostgresPool, postgresSource } from 'mastra-tool-search/postgres';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { Pool } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { describeToolSource } from '../catalog/tool-source-contract.ts';
import { catalog, document } from '../fixtures/tools.ts';
import { bagOfWords, MODEL, modelEmbed, recorded } from '../semantic/embeddings/embedders.ts';
import {
  byWords,
  contentsOf,
  definitionOf,
  miscounted,
  pgliteDatabase,
  queryOf,
  refusal,
  TOOLS,
  tenantOfContext,
  toTool,
} from './databases.ts';

const database = pgliteDatabase();
const { rows, freshTable, migrated } = database;
const foundBy = async (source: ToolSource, text: string, limit = 10): Promise<readonly string[]> =>
  (await source.search(queryOf(text), { limit })).map(({ name }) => name);
const numbered = (count: number, says = 'Does a thing') =>
  Array.from({ length: count }, (_, at) => ({ name: `tool_${at}`, description: `${says} ${at}.`, metadata: { at } }));

describeToolSource(
  'postgresSource() with vectors',
  async () => {
    const source = await migrated({ embed: byWords, tenant: tenantOfContext });
    return {
      source,
      fill: async (tools, tenant) => void (await source.sync(tools, { tenant })),
      enter: (requestContext, tenant) => requestContext.set('tenant', tenant),
    };
  },
  { runs: 4 },
);

describe('migrate() over PGlite', () => {
  const plainOf = (table: string) => database.source({ table });
  const embedOf = (dimension: number) => ({
    embed: (texts: string[]) => texts.map(() => Array.from({ length: dimension }, (_, at) => at + 1)),
    model: `model-${dimension}`,
  });
  const vectorsOf = (table: string, dimension = 5) => database.source({ table, embed: embedOf(dimension) });
  const typeOf = async (table: string): Promise<unknown> =>
    (
      await rows(`SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute
        WHERE attrelid = '${table}_vectors'::regclass AND attname = 'vector'`)
    )[0]?.['type'];

  it('tables are made, also where two ask at once', async () => {
    const source = database.source();
    const both = await Promise.all([source.migrate(), source.migrate()]);
    expect(both.map(({ to }) => to)).toEqual([1, 1]);
    expect(await source.migrate()).toEqual({ from: 1, to: 1 });
  });

  it('vectors have the length of what the model returns and an index, and are made anew for another length', async () => {
    const table = freshTable();
    // They come to tables that are there already.
    await plainOf(table).migrate();
    await plainOf(table).sync(TOOLS);
    for (const _ of ['made', 'kept']) {
      expect(await vectorsOf(table).migrate()).toEqual({ from: 1, to: 1 });
      await vectorsOf(table).sync(TOOLS);
      expect(await rows(`SELECT name FROM ${table}_vectors ORDER BY name`)).toHaveLength(2);
    }
    expect(await typeOf(table)).toBe('vector(5)');
    const [index] = await rows(`SELECT indexdef FROM pg_indexes WHERE indexname = '${table}_by_vector'`);
    expect(index?.['indexdef']).toContain('USING hnsw (vector vector_cosine_ops)');
    const longer = vectorsOf(table, 6);
    await expect(longer.sync(TOOLS)).rejects.toThrow('expected 5 dimensions, not 6');
    await Promise.all([longer.migrate(), longer.migrate()]);
    expect(await typeOf(table)).toBe('vector(6)');
    expect(await longer.sync(TOOLS)).toMatchObject({ unchanged: 2, embedded: 2 });
    // They go with the tools that somebody dropped.
    await rows(`DROP TABLE ${table} CASCADE`);
    expect(await longer.migrate()).toEqual({ from: 0, to: 1 });
    expect(await longer.sync(TOOLS)).toMatchObject({ added: 2, embedded: 2 });
  });

  it('vectors have numbers of two bytes above 2,000, and are in the schema of the other tables', async () => {
    await rows('CREATE SCHEMA IF NOT EXISTS app');
    for (const [dimension, type] of [
      [2_000, 'vector(2000)'],
      [2_001, 'halfvec(2001)'],
    ] as const) {
      const table = `app.${freshTable()}`;
      const source = await migrated({ table, embed: embedOf(dimension) });
      expect(await typeOf(table)).toBe(type);
      expect(await source.sync(TOOLS)).toMatchObject({ embedded: 2 });
      expect(await source.search(queryOf('q'), { limit: 5 })).toHaveLength(2);
      expect(await rows(`SELECT name FROM ${table}_vectors`)).toHaveLength(2);
    }
  });

  it.each(['drops', 'has'])(
    'no table of somebody else becomes that of the vectors, where the source %s its tools',
    async (does) => {
      const table = freshTable();
      await plainOf(table).migrate();
      if (does === 'drops') await rows(`DROP TABLE ${table} CASCADE`);
      await rows(`CREATE TABLE ${table}_vectors (vector text); INSERT INTO ${table}_vectors VALUES ('mine')`);
      await expect(vectorsOf(table).migrate()).rejects.toMatchObject(refusal);
      expect(await rows(`SELECT to_regclass('${table}') IS NULL AS gone`)).toEqual([{ gone: does === 'drops' }]);
      // Without vectors, their name is of no concern.
      await plainOf(table).migrate();
      expect(await plainOf(table).sync(TOOLS)).toMatchObject({ added: 2 });
      expect(await rows(`SELECT vector FROM ${table}_vectors`)).toEqual([{ vector: 'mine' }]);
    },
  );

  it('vectors need pgvector, and an embedder that works or the dimension', async () => {
    const embed = () => Promise.reject(new Error('down'));
    await expect(database.source({ embed: { embed, model: 'm' } }).migrate()).rejects.toThrow('down');
    const table = freshTable();
    await migrated({ table, embed: { embed, model: 'm', dimension: 3 } });
    expect(await typeOf(table)).toBe('vector(3)');
    await expect(vectorsOf(freshTable(), 4_001).migrate()).rejects.toThrow(
      '"embed.dimension" must be a whole number from 1 to 4000',
    );
    const none = freshTable();
    const pool: PostgresPool = {
      query: async (text, values) => {
        if (text.startsWith('CREATE EXTENSION')) throw new Error('extension "vector" is not available');
        return text.includes('FROM pg_extension') ? { rows: [] } : database.pool.query(text, values);
      },
    };
    await expect(database.source({ pool, table: none, embed: byWords }).migrate()).rejects.toMatchObject({
      code: 'storage-unavailable',
      message: expect.stringContaining('"embed" needs the extension pgvector'),
    });
    expect(await rows(`SELECT to_regclass('${none}') AS there`)).toEqual([{ there: null }]);
  });

  it('a reader sees the tools of the tenant alone that the database knows, with the policies of the page', async () => {
    const page = readFileSync(new URL('../../docs/postgres-source.md', import.meta.url), 'utf8');
    let known = '';
    const asReader = (text: string, values?: unknown[]) =>
      (database.pool as unknown as PGlite).transaction(async (session) => {
        await session.query(`SELECT set_config('role', 'tool_reader', true), set_config('app.tenant', $1, true)`, [
          known,
        ]);
        return session.query<Record<string, unknown>>(text, values);
      });
    const source = await migrated({
      table: 'tool_search',
      readPool: { query: asReader },
      tenant: tenantOfContext,
    });
    await rows(/```sql\n(.*?)```/s.exec(page)?.[1] ?? '');
    for (const tenant of ['acme', 'other'])
      await source.sync([{ name: `send_${tenant}_mail`, description: `Sends a mail of ${tenant}.` }], { tenant });
    /** What the source finds and gets for a tenant, while the database takes the reader for another one. */
    const seen = async (by: string, tenant: string) => {
      known = by;
      const request = { requestContext: new Map([['tenant', tenant]]) as never, limit: 10 };
      const found = await source.search(queryOf('send mail'), request);
      const got = await source.get([`send_${tenant}_mail`], request);
      return [...found.map(({ name }) => name), ...Object.keys(got)];
    };
    expect(await seen('acme', 'acme')).toEqual(['send_acme_mail', 'send_acme_mail']);
    expect(await seen('acme', 'other')).toEqual([]);
    expect(await seen('', 'acme')).toEqual([]);
    await expect(asReader('DELETE FROM tool_search')).rejects.toThrow('permission denied');
  });
});

describe('sync() over PGlite', () => {
  it('waits for the one at work in the only session, and may be aborted', async () => {
    const table = freshTable();
    const source = await migrated({ table });
    await Promise.all([3, 5, 4].map((count) => source.sync(numbered(count), { batchSize: 2 })));
    expect(await miscounted(database, table)).toEqual([]);
    const abort = new AbortController();
    const onProgress = () => abort.abort(new Error('enough'));
    const broken = source.sync(numbered(9, 'Another'), { batchSize: 2, signal: abort.signal, onProgress });
    await expect(broken).rejects.toThrow('enough');
    const fresh = freshTable();
    for (const each of [table, fresh]) await (await migrated({ table: each })).sync(numbered(6, 'Last'));
    expect(await contentsOf(database, table)).toEqual(await contentsOf(database, fresh));
  });
});

describe('sync() with vectors', () => {
  const countOf = async (table: string): Promise<number> => (await rows(`SELECT FROM ${table}_vectors`)).length;
  const of = (embed: PostgresEmbedOptions['embed'], more: Partial<PostgresEmbedOptions> = {}) =>
    ({ embed, model: 'm', dimension: 1_009, ...more }) as PostgresEmbedOptions;

  it('embeds what is new, then what says something else, one text once, and forgets what is gone', async () => {
    const { embed, documents } = recorded();
    const source = await migrated({ embed: of(embed, { batchSize: 7 }) });
    expect(await source.sync(numbered(20))).toMatchObject({ added: 20, embedded: 20 });
    expect(await source.sync(numbered(20))).toMatchObject({ unchanged: 20, embedded: 0 });
    const others = numbered(15).map((each, at) => (at < 3 ? { ...each, description: 'Another thing.' } : each));
    expect(await source.sync(others)).toMatchObject({ updated: 3, deleted: 5, embedded: 3 });
    expect([await countOf(source.table), documents().length]).toEqual([15, 23]);
    // What has changed in what is not embedded.
    const moved = others.map((each) => ({ ...each, metadata: { at: 'elsewhere' } }));
    expect(await source.sync(moved)).toMatchObject({ updated: 15, embedded: 0 });
    const stale = `SELECT FROM ${source.table} JOIN ${source.table}_vectors AS had USING (tenant, name) WHERE had.tool <> hash`;
    expect(await rows(stale)).toEqual([]);
    const told: unknown[] = [];
    const alike = ['get_time', 'getTime'].map((name) => ({ name, description: 'The time.' }));
    await source.sync(alike, { onProgress: ({ embedded }) => told.push(embedded) });
    // One batch, what is gone, what was embedded.
    expect(told).toEqual([0, 0, 2]);
    expect(documents().slice(23)).toEqual(['get time. The time.']);
  });

  it('has the tools where the embedder fails or is not waited for, and the next one makes what is missing', async () => {
    let left = 2;
    const failing = async (texts: string[]): Promise<number[][]> => {
      if (left-- <= 0) throw new Error('429 Too Many Requests');
      return texts.map(bagOfWords);
    };
    const table = freshTable();
    const source = await migrated({ table, embed: of(failing, { batchSize: 5, concurrency: 1 }) });
    await source.sync(numbered(3, 'Old'));
    const failed = source.sync(numbered(30));
    await expect(failed).rejects.toThrow(/^The tools are stored, but not all of their vectors: 429/);
    await expect(failed).rejects.toMatchObject({ cause: { message: '429 Too Many Requests' } });
    expect(await rows(`SELECT FROM ${table}`)).toHaveLength(30);
    const before = await countOf(table);
    expect(before > 3 && before < 30).toBe(true);
    left = 100;
    expect((await source.sync(numbered(30))).unchanged).toBe(30);
    expect(await countOf(table)).toBe(30);

    const abort = new AbortController();
    let calls = 0;
    const hanging = async (texts: string[]): Promise<number[][]> => {
      if (++calls === 1) return texts.map(bagOfWords);
      setImmediate(() => abort.abort(new Error('enough')));
      return new Promise(() => {});
    };
    const other = freshTable();
    const slow = await migrated({ table: other, embed: of(hanging, { batchSize: 5, concurrency: 1 }) });
    await expect(slow.sync(numbered(12), { signal: abort.signal })).rejects.toThrow('enough');
    expect(await countOf(other)).toBe(5);
  });

  it('has the vectors of the others where the embedder refuses the text of one tool, which is reported', async () => {
    const refusing = async (texts: string[]): Promise<number[][]> => {
      if (texts.some((text) => text.includes('7'))) throw new Error('a text that nobody can embed');
      return texts.map(bagOfWords);
    };
    const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const source = await migrated({ embed: of(refusing) });
    expect(await source.sync(numbered(12))).toMatchObject({ embedded: 11 });
    expect(await countOf(source.table)).toBe(11);
    expect(String(warnings.mock.calls)).toContain('refused the text of one tool');
    warnings.mockRestore();
  });

  it('of a source without vectors leaves those alone that are there; with them, needs the table', async () => {
    const plain = await migrated();
    const source = database.source({ table: plain.table, embed: byWords });
    const remedy = { code: 'storage-unavailable', message: expect.stringContaining('await source.migrate()') };
    await expect(source.sync(numbered(1))).rejects.toMatchObject(remedy);
    await source.migrate();
    await source.sync(numbered(4));
    const result = await plain.sync(numbered(3, 'Another'));
    expect(result).toMatchObject({ updated: 3, deleted: 1 });
    expect(result).not.toHaveProperty('embedded');
    expect(await countOf(plain.table)).toBe(3);
    expect(await foundBy(plain, 'another')).toHaveLength(3);
    expect(await source.sync(numbered(3, 'Another'))).toMatchObject({ unchanged: 3, embedded: 3 });
  });

  it('works over a Pool of pg, with prepared statements, and a model that names itself', async () => {
    const server = new PGLiteSocketServer({ db: database.pool as unknown as PGlite, port: 0, maxConnections: 20 });
    await server.start();
    const url = `postgres://postgres@${server.getServerConn()}/postgres?sslmode=disable`;
    const pool = new Pool({ connectionString: url, max: 1 });
    const doEmbed = async ({ values }: { values: string[] }) => ({ embeddings: values.map(bagOfWords) });
    const table = freshTable();
    const source = await migrated({ pool, table, embed: { provider: 'acme', modelId: 'small', doEmbed } as never });
    expect(await source.sync(numbered(3))).toMatchObject({ added: 3, embedded: 3 });
    expect(await rows(`SELECT DISTINCT model FROM ${table}_vectors`)).toEqual([{ model: 'acme/small' }]);
    // The second one runs what the first has prepared.
    for (const text of ['thing 2', 'thing 1']) expect(await foundBy(source, text)).toHaveLength(3);
    const prepared = `SELECT FROM pg_prepared_statements WHERE statement LIKE '%<=>%${table}%'`;
    expect((await pool.query(prepared)).rows).toHaveLength(1);
    await pool.end();
    await server.stop();
  });
});

describe('a search with vectors', () => {
  it('finds by a real model what shares no word with the query', async () => {
    const source = await migrated({ embed: { embed: modelEmbed, model: MODEL } });
    await source.sync(catalog.map(definitionOf));
    for (const [query, name] of [
      ['umbrella needed', 'get-weather-forecast'],
      ['how hot is it outside', 'get-current-weather'],
      ['reboot the machine', 'restart_server'],
    ] as const) {
      expect((await foundBy(source, query)).slice(0, 3)).toContain(name);
    }
    expect((await foundBy(source, 'restart_server'))[0]).toBe('restart_server');
  });

  it('ranks, scores and is as sure as hybridScorer() is over the same tools', async () => {
    const source = await migrated({ embed: byWords });
    await source.sync(catalog.map(definitionOf));
    const semantic = semanticScorer({ embed: (texts) => texts.map(bagOfWords), minSimilarity: 0 });
    const index = await hybridScorer([bm25Scorer(), semantic]).index(catalog);
    // The database counts with other digits: what is equal here may differ there by very little.
    const ranked = (matches: readonly { name: string; score: number }[]) =>
      matches.map(({ name, score }) => `${score.toFixed(3)} ${name}`).sort();
    for (const text of ['get the weather', 'send a message to a channel', 'list +pods', 'send_email', 'xylophone']) {
      const query = queryOf(text);
      const expected = await index.search(query);
      const found = await source.search(query, { limit: 1_000 });
      expect(ranked(found)).toEqual(ranked(expected));
      const names = expected.map(({ name }) => name);
      const sure = ((await index.confidence?.(query, names)) ?? []).map((each) => each.toFixed(3));
      expect(found.map(({ confidence = 0 }) => confidence.toFixed(3))).toEqual(sure);
    }
  });

  it('answers with the beginning of a longer answer, also behind the 200 that it ranks', async () => {
    const source = await migrated({ embed: byWords });
    const herons = Array.from({ length: 220 }, (_, at) =>
      document(`heron_${at}`, `Feeds the heron of pond ${at % 7}.`),
    );
    const others = Array.from({ length: 20 }, (_, at) => document(`pool_${at}`, `Cleans the pool ${at}.`));
    await source.sync([...herons, ...others].map(definitionOf));
    const all = await foundBy(source, 'feed heron', 1_000);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(220);
    for (const limit of [1, 199, 201, 219])
      expect(await foundBy(source, 'feed heron', limit)).toEqual(all.slice(0, limit));
  });

  it('is answered by words where the embedder fails, is late or returns no vector, and the fault is told once', async () => {
    const table = freshTable();
    await (await migrated({ table, embed: byWords })).sync(TOOLS);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const down = () => Promise.reject(new Error('429 Too Many Requests'));
    const returning = (vector: number[]) => async (texts: string[]) => texts.map(() => vector);
    const faults = [];
    for (const embed of [
      down,
      () => new Promise<never>(() => {}),
      ...[[0, 0], [1, 2, 3], [Number.NaN]].map(returning),
    ]) {
      const calls = vi.fn(embed);
      const told: unknown[] = [];
      const onFault = (error: unknown) => {
        told.push(error);
        throw new Error('deaf');
      };
      const timeout = embed.length === 0 && embed !== down ? 50 : 3_000;
      const source = database.source({ table, embed: { ...byWords, embed: calls, timeout, onFault } });
      for (let time = 0; time < 2; time++) expect(await foundBy(source, 'sends')).toEqual(['send_mail']);
      expect([told.length, calls.mock.calls.length]).toEqual([1, 1]);
      faults.push(...told);
    }
    expect(faults.slice(0, 2)).toEqual([new Error('429 Too Many Requests'), new Error('it took longer than 50 ms')]);
    expect(warn).not.toHaveBeenCalled();
    const deaf = database.source({ table, embed: { ...byWords, embed: down } });
    expect(await foundBy(deaf, 'sends')).toEqual(['send_mail']);
    const says = '[tool-search] postgresSource() searched without vectors: 429 Too Many Requests';
    expect(warn).toHaveBeenCalledWith(says);
    warn.mockRestore();
  });

  it('compares vectors of the model that asks alone', async () => {
    const table = freshTable();
    // No word of the query is in a tool: what is found is found by its vector.
    const embed = (texts: string[]) => texts.map((text) => bagOfWords(text === 'tapir' ? 'quokka' : text));
    const asOld = await migrated({ table, embed: { ...byWords, embed } });
    const asNew = database.source({ table, embed: { ...byWords, embed, model: 'new' } });
    const tools = [{ name: 'alpha', description: 'Zebra quokka.' }];
    await asOld.sync(tools);
    const found = async () => [await foundBy(asOld, 'tapir'), await foundBy(asNew, 'tapir')];
    expect(await found()).toEqual([['alpha'], []]);
    expect(await asNew.sync(tools)).toMatchObject({ unchanged: 1, embedded: 1 });
    expect(await found()).toEqual([[], ['alpha']]);
  });

  it('takes the nearest tools of a large tenant from the index, those of a small one from all of its vectors', async () => {
    /** Tools with the same words, whose vectors are spread over the circle. */
    const vectorOf = (text: string): number[] => {
      const angle = Number(text.match(/\d+/)?.[0] ?? 0) / 2_000;
      return [Math.cos(angle), Math.sin(angle), ...new Array<number>(6).fill(0.01)];
    };
    const table = freshTable();
    const asked: string[] = [];
    const readPool: PostgresPool = {
      query(text, values) {
        asked.push(text);
        return database.pool.query(text, values);
      },
    };
    const embed = { embed: (texts: string[]) => texts.map(vectorOf), model: 'circle', dimension: 8 };
    const source = await migrated({ table, readPool, embed, tenant: tenantOfContext });
    const many = (count: number, step: number) =>
      Array.from({ length: count }, (_, at) => ({ name: `t${at * step}`, description: 'Nothing.' }));
    await source.sync(many(1_000, 10), { tenant: 'large' });
    await source.sync(many(100, 100), { tenant: 'small' });
    // More than 10,000 take a while.
    await rows(`UPDATE ${table}_tenants SET documents = 10001 WHERE tenant = 'large'`);
    const nearest = async (tenant: string) => {
      asked.length = 0;
      const requestContext = new RequestContext([['tenant', tenant]] as never);
      const found = await source.search(queryOf('q 5000'), { limit: 5, requestContext });
      const isByIndex = asked.some((text) => text.includes('hnsw.ef_search'));
      return [isByIndex, ...found.map(({ name }) => Number(name.slice(1))).toSorted((one, other) => one - other)];
    };
    expect(await nearest('large')).toEqual([true, 4_980, 4_990, 5_000, 5_010, 5_020]);
    expect(await nearest('small')).toEqual([false, 4_800, 4_900, 5_000, 5_100, 5_200]);
    expect(await rows(`SELECT current_setting('hnsw.ef_search') AS ef`)).toEqual([{ ef: '40' }]);
  });
});

const embed = (texts: string[]): number[][] => texts.map(() => [1]);
it.each([
  { given: embed, says: '"embed" is a function alone' },
  { given: 'openai/small', says: '"embed" must be an embedding model' },
  { given: null, says: '"embed" must be an embedding model' },
  { given: {}, says: '"embed" must be a function' },
  { given: { embed }, says: '"embed.model" must be the name' },
  ...[0, 4_001].map((dimension) => ({ given: { embed, model: 'm', dimension }, says: '"embed.dimension" must be a' })),
  { given: { embed, model: 'm', weight: 1 }, says: '"embed.weight" must be a number above 0 and below 1' },
  { given: { embed, model: 'm', minSimilarity: 1 }, says: '"minSimilarity" must be' },
  { given: { embed, model: 'm', timeout: 0 }, says: '"embed.timeout" must be milliseconds' },
  { given: { embed, model: 'm', onFault: 'log' }, says: '"embed.onFault" must be a function' },
  { given: { embed, model: 'm', dimensions: 3 }, says: 'Did you mean "dimension"' },
])('the option embed is refused: $says', ({ given, says }) => {
  const pool = { query: async () => ({ rows: [] }) };
  expect(() => postgresSource({ pool, toTool, embed: given as never })).toThrow(says);
});
