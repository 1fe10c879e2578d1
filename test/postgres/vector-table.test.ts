import { PGlite } from '@electric-sql/pglite';
import { postgresSource } from 'mastra-tool-search/postgres';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { vectorType } from '../../src/postgres/schema.ts';
import { noPostgres, startPostgres } from '../support/postgres-server.ts';
import { byWords, toTool, vectorDatabase } from './embedded-sources.ts';

const oneOf = (dimension: number) => ({
  embed: (texts: string[]) => texts.map(() => Array.from({ length: dimension }, (_, at) => at + 1)),
  model: `model-${dimension}`,
});

describe('the table of vectors', () => {
  const database = vectorDatabase();
  const typeThere = async (): Promise<unknown> =>
    (
      await database.rows(`SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute
        WHERE attrelid = '${database.table}_vectors'::regclass AND attname = 'vector'`)
    )[0]?.['type'];

  it('has the length of what the model returns, and an index', async () => {
    const source = database.source(oneOf(5));
    expect(await source.migrate()).toEqual({ from: 0, to: 1 });
    expect(await source.migrate()).toEqual({ from: 1, to: 1 });
    expect(await typeThere()).toBe('vector(5)');
    const [index] = await database.rows(
      `SELECT indexdef FROM pg_indexes WHERE indexname = '${database.table}_by_vector'`,
    );
    expect(index?.['indexdef']).toContain('USING hnsw (vector vector_cosine_ops)');
  });

  it('has numbers of two bytes where a vector is long', async () => {
    const source = database.source(oneOf(2_500));
    await source.migrate();
    expect(await typeThere()).toBe('halfvec(2500)');
    expect(await source.sync([{ name: 'a', description: 'b' }])).toMatchObject({ embedded: 1 });
    const query = { text: 'q', keywords: ['q'], required: [] };
    expect((await source.search(query, { limit: 1 })).map(({ name }) => name)).toEqual(['a']);
    expect([2_000, 2_001].map(vectorType)).toEqual(['vector', 'halfvec']);
  });

  it('is made anew for vectors of another length, and kept for the same', async () => {
    const source = database.source(oneOf(5));
    const { table } = database;
    await source.migrate();
    await source.sync([{ name: 'a', description: 'b' }]);
    await source.migrate();
    expect(await database.rows(`SELECT name FROM ${table}_vectors`)).toEqual([{ name: 'a' }]);
    const other = postgresSource({ pool: database.pool, table, toTool, embed: oneOf(6) });
    await expect(other.sync([{ name: 'a', description: 'b' }])).rejects.toThrow('expected 5 dimensions, not 6');
    await Promise.all([other.migrate(), other.migrate()]);
    expect(await typeThere()).toBe('vector(6)');
    expect(await other.sync([{ name: 'a', description: 'b' }])).toMatchObject({ unchanged: 1, embedded: 1 });
  });

  it('comes to tables that are there already', async () => {
    const source = database.source();
    const { table } = database;
    const plain = postgresSource({ pool: database.pool, table, toTool });
    await plain.migrate();
    await plain.sync([{ name: 'a', description: 'b' }]);
    expect(await source.migrate()).toEqual({ from: 1, to: 1 });
    expect(await source.sync([{ name: 'a', description: 'b' }])).toMatchObject({ unchanged: 1, embedded: 1 });
  });

  it('never takes the place of a table that is another one', async () => {
    const source = database.source(oneOf(5));
    await database.rows(`CREATE TABLE ${database.table}_vectors (mine text)`);
    await expect(source.migrate()).rejects.toThrow('_vectors has a name that postgresSource() needs');
    expect(await database.rows(`SELECT mine FROM ${database.table}_vectors`)).toEqual([]);
  });

  it('is in the schema of the others', async () => {
    await database.rows('CREATE SCHEMA IF NOT EXISTS app');
    const source = database.source(oneOf(5), { table: 'app.tools' });
    await source.migrate();
    expect(await source.sync([{ name: 'a', description: 'b' }])).toMatchObject({ embedded: 1 });
    expect(await database.rows('SELECT name FROM app.tools_vectors')).toEqual([{ name: 'a' }]);
  });

  it('needs an embedder that works, or the dimension', async () => {
    const embed = () => Promise.reject(new Error('down'));
    await expect(database.source({ embed, model: 'm' }).migrate()).rejects.toThrow('down');
    await database.source({ embed, model: 'm', dimension: 3 }).migrate();
    expect(await typeThere()).toBe('vector(3)');
    const long = { embed: (texts: string[]) => texts.map(() => new Array<number>(4_001).fill(1)), model: 'm' };
    await expect(database.source(long).migrate()).rejects.toThrow(
      '"embed.dimension" must be a whole number from 1 to 4000',
    );
  });
});

describe('a database without pgvector', () => {
  const says = {
    code: 'storage-unavailable',
    message: expect.stringContaining('"embed" needs the extension pgvector'),
  };

  it('is told of by migrate(), which makes nothing then', async () => {
    const pool = await PGlite.create();
    await expect(postgresSource({ pool, toTool, embed: byWords }).migrate()).rejects.toMatchObject(says);
    expect((await pool.query(`SELECT to_regclass('tool_search') AS there`)).rows).toEqual([{ there: null }]);
    await pool.close();
  });

  it.skipIf(noPostgres)(`is told of by a server too${noPostgres ? ` (${noPostgres})` : ''}`, async () => {
    const server = await startPostgres();
    const pool = new Pool({ connectionString: server.url, max: 2 });
    pool.on('error', () => {});
    const { rows } = await pool.query(`SELECT 1 FROM pg_available_extensions WHERE name = 'vector'`);
    const migrated = postgresSource({ pool, toTool, embed: byWords }).migrate();
    // Where pgvector is installed, the table is made.
    if (rows.length > 0) expect(await migrated).toEqual({ from: 0, to: 1 });
    else await expect(migrated).rejects.toMatchObject(says);
    await pool.end();
    await server.stop();
  });
});
