import { postgresSource } from 'mastra-tool-search/postgres';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { bagOfWords, recorded } from '../semantic/embeddings/embedders.ts';
import { startPostgres } from '../semantic/pgvector.ts';
import { byWords, foundBy, toTool, vectorDatabase } from './embedded-sources.ts';

const definitions = (count: number, says = 'Does a thing') =>
  Array.from({ length: count }, (_, at) => ({ name: `tool_${at}`, description: `${says} ${at}.`, metadata: { at } }));

describe('sync with vectors', () => {
  const database = vectorDatabase();
  const vectorsThere = async (): Promise<number> =>
    Number((await database.rows(`SELECT count(*)::int AS count FROM ${database.table}_vectors`))[0]?.['count']);

  it('embeds what is new, then what says something else, and forgets what is gone', async () => {
    const { embed, documents } = recorded();
    const source = database.source({ embed, model: 'm', dimension: 1_009, batchSize: 7 });
    await source.migrate();
    expect(await source.sync(definitions(20))).toMatchObject({ added: 20, embedded: 20 });
    expect(await vectorsThere()).toBe(20);
    expect(await source.sync(definitions(20))).toMatchObject({ unchanged: 20, embedded: 0 });
    const others = definitions(20).map((each, at) => (at < 3 ? { ...each, description: 'Another thing.' } : each));
    expect(await source.sync(others.slice(0, 15))).toMatchObject({ updated: 3, deleted: 5, embedded: 3 });
    expect(await vectorsThere()).toBe(15);
    expect(documents()).toHaveLength(23);
  });

  it('does not embed anew what has changed in what is not embedded', async () => {
    const { embed, documents } = recorded();
    const source = database.source({ embed, model: 'm', dimension: 1_009 });
    await source.migrate();
    await source.sync(definitions(5));
    const moved = definitions(5).map((each) => ({ ...each, metadata: { at: 'elsewhere' } }));
    expect(await source.sync(moved)).toMatchObject({ updated: 5, embedded: 0 });
    expect(await source.sync(moved)).toMatchObject({ unchanged: 5, embedded: 0 });
    expect(documents()).toHaveLength(5);
    expect(
      await database.rows(`SELECT count(*)::int AS stale FROM ${database.table} AS kept
      JOIN ${database.table}_vectors AS had USING (tenant, name) WHERE had.tool <> kept.hash`),
    ).toEqual([{ stale: 0 }]);
  });

  it('has the tools where the embedder fails, and the next one makes the vectors that are missing', async () => {
    let left = 2;
    const embed = async (texts: string[]): Promise<number[][]> => {
      if (left-- <= 0) throw new Error('429 Too Many Requests');
      return texts.map(bagOfWords);
    };
    const source = database.source({ embed, model: 'm', dimension: 1_009, batchSize: 5, concurrency: 1 });
    await source.migrate();
    await source.sync(definitions(3, 'Old'));
    const failed = source.sync(definitions(30));
    await expect(failed).rejects.toThrow(/^The tools are stored, but not all of their vectors: 429/);
    await expect(failed).rejects.toMatchObject({ cause: { message: '429 Too Many Requests' } });
    expect(await database.rows(`SELECT count(*)::int AS count FROM ${database.table}`)).toEqual([{ count: 30 }]);
    expect(await vectorsThere()).toBeGreaterThan(3);
    const before = await vectorsThere();
    expect(before).toBeLessThan(30);
    left = 100;
    expect((await source.sync(definitions(30))).unchanged).toBe(30);
    expect(await vectorsThere()).toBe(30);
  });

  it('ends by the signal, without waiting for the embedder, and keeps what is there', async () => {
    const controller = new AbortController();
    let calls = 0;
    const embed = async (texts: string[]): Promise<number[][]> => {
      if (++calls === 1) return texts.map(bagOfWords);
      setImmediate(() => controller.abort(new Error('enough')));
      return new Promise(() => {});
    };
    const source = database.source({ embed, model: 'm', dimension: 1_009, batchSize: 5, concurrency: 1 });
    await source.migrate();
    await expect(source.sync(definitions(12), { signal: controller.signal })).rejects.toThrow('enough');
    expect(await vectorsThere()).toBe(5);
  });

  it('tells how many were embedded, and embeds one text once', async () => {
    const { embed, documents } = recorded();
    const source = database.source({ embed, model: 'm', dimension: 1_009 }, { tenant: 'a' });
    await source.migrate();
    const told: unknown[] = [];
    const tools = [
      { name: 'get_time', description: 'The time.' },
      { name: 'getTime', description: 'The time.' },
    ];
    await source.sync(tools, { onProgress: ({ embedded }) => told.push(embedded) });
    expect(told).toEqual([0, 2]);
    expect(documents()).toEqual(['get time. The time.']);
  });

  it('of a source without vectors leaves those alone that are there', async () => {
    const source = database.source();
    await source.migrate();
    await source.sync(definitions(4));
    const plain = postgresSource({ pool: database.pool, table: database.table, toTool });
    const result = await plain.sync(definitions(3, 'Another'));
    expect(result).toMatchObject({ updated: 3, deleted: 1 });
    expect(result).not.toHaveProperty('embedded');
    expect(await vectorsThere()).toBe(3);
    expect((await foundBy(plain, 'another')).length).toBe(3);
    expect(await source.sync(definitions(3, 'Another'))).toMatchObject({ unchanged: 3, embedded: 3 });
  });

  it('works over a Pool of pg, with prepared statements', async () => {
    const server = await startPostgres();
    const pool = new Pool({ connectionString: server.url, max: 1 });
    try {
      const source = postgresSource({ pool, toTool, embed: byWords });
      await source.migrate();
      expect(await source.sync(definitions(3))).toMatchObject({ added: 3, embedded: 3 });
      // The second one runs what the first has prepared.
      for (const text of ['thing 2', 'thing 1']) expect(await foundBy(source, text)).toHaveLength(3);
      const { rows } = await pool.query(`SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%<=>%'`);
      expect(rows).toHaveLength(1);
    } finally {
      await pool.end();
      await server.stop();
    }
  });

  it('says what to do where nobody migrated with vectors', async () => {
    const plain = database.source(byWords, {});
    const table = database.table;
    await postgresSource({ pool: database.pool, table, toTool }).migrate();
    await expect(plain.sync(definitions(1))).rejects.toMatchObject({
      code: 'storage-unavailable',
      message: expect.stringContaining('await source.migrate()'),
    });
  });
});
