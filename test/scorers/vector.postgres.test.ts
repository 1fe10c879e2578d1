import { PgVector } from '@mastra/pg';
import { vectorScorer } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalog } from '../fixtures/tools.ts';
import { MODEL, modelEmbed } from './embedders.ts';
import { namesOf } from './scorer-contract.ts';
import { describeVectorStore } from './vector-store-contract.ts';

/** A database with the extension `vector`, e.g. postgres://postgres@127.0.0.1:5432/postgres. */
const url = process.env['PG_VECTOR_URL'];

describe.skipIf(url === undefined)('vectorScorer over PostgreSQL with pgvector (PG_VECTOR_URL)', () => {
  const opened: PgVector[] = [];
  const schemaName = `tool_search_${process.pid}`;
  const connect = (): PgVector => {
    const vector = new PgVector({ id: `vectors-${opened.length}`, connectionString: url ?? '', schemaName, max: 2 });
    opened.push(vector);
    return vector;
  };

  beforeAll(async () => {
    await connect().pool.query('CREATE EXTENSION IF NOT EXISTS vector');
  });

  afterAll(async () => {
    await opened[0]?.pool.query(`DROP SCHEMA IF EXISTS ${schemaName} CASCADE`);
    for (const vector of opened) await vector.disconnect();
  });

  describeVectorStore('the store', connect, {
    async whyNotAtOnce() {
      const { rows } = await connect().pool.query('SELECT version()');
      return /wasm|pglite|emscripten/i.test(rows[0].version) ? 'PGlite has one session for all connections' : undefined;
    },
  });

  it('finds by meaning', async () => {
    const scorer = vectorScorer({ vector: connect(), indexName: 'meaning', embed: modelEmbed, model: MODEL });
    expect((await namesOf(scorer, catalog, 'umbrella needed')).slice(0, 2)).toContain('get-weather-forecast');
  });
});
