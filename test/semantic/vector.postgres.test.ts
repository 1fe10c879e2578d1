import { PgVector } from '@mastra/pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { type PostgresServer, startPostgres } from './pgvector.ts';
import { describeVectorStore } from './vector-store-contract.ts';

/** A database with the extension `vector`, e.g. postgres://postgres@127.0.0.1:5432/postgres. */
const given = process.env['PG_VECTOR_URL'];
const whyNotAtOnce = 'PGlite serves all connections in one session: set PG_VECTOR_URL';
/** Connections of each store: what is asked over two at once gets mixed up in one session. */
const max = given === undefined ? 1 : 2;

describe('vectorScorer over PostgreSQL with pgvector', () => {
  let server: PostgresServer | undefined;
  let url = given ?? '';
  const opened: PgVector[] = [];
  const schemaName = `tool_search_${process.pid}`;
  const connect = (): PgVector => {
    const vector = new PgVector({ id: `vectors-${opened.length}`, connectionString: url, schemaName, max });
    opened.push(vector);
    return vector;
  };

  beforeAll(async () => {
    if (given === undefined) {
      server = await startPostgres();
      url = server.url;
    }
    await connect().pool.query('CREATE EXTENSION IF NOT EXISTS vector');
  });

  afterAll(async () => {
    await opened[0]?.pool.query(`DROP SCHEMA IF EXISTS ${schemaName} CASCADE`);
    for (const vector of opened) await vector.disconnect();
    await server?.stop();
  });

  describeVectorStore('the store', connect, given === undefined ? { whyNotAtOnce } : {});
});
