import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { PostgresPool } from '../../src/postgres/client.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../support/postgres-server.ts';

/** A database of the suite around it. */
export interface Database {
  /** What the source is given. */
  readonly pool: PostgresPool;
  /** Whether it has sessions that do something at once. */
  readonly isServer: boolean;
  /** Looks past the source, and writes as others do. */
  rows(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** The name of tables that no other test has. */
  freshTable(): string;
  /** A pool of its own, as another process has; of PGlite the same. */
  another(): PostgresPool;
  /** Where other processes find it: of a server alone. */
  readonly url: string;
}

let tables = 0;

/** Tests what needs sessions that do something at once. */
export function itOnServer({ isServer }: Database, ...test: [name: string, work: () => Promise<void>]): void {
  if (isServer) it(...test);
}

/** Describes the same for a PostgreSQL of its own and for PGlite. */
export function describeDatabases(title: string, tests: (database: Database) => void): void {
  describe.skipIf(noPostgres)(`${title} (PostgreSQL${noPostgres ? `: ${noPostgres}` : ''})`, () => {
    let server: PostgresServer;
    const pools: Pool[] = [];
    const open = (): Pool => {
      const pool = new Pool({ connectionString: server.url, max: 4 });
      // Sessions that wait in the pool end with the server.
      pool.on('error', () => {});
      pools.push(pool);
      return pool;
    };
    beforeAll(async () => {
      server = await startPostgres();
      open();
    });
    afterAll(async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await server?.stop();
    });
    tests(databaseOf(() => pools[0] as Pool, { isServer: true, another: open, url: () => server.url }));
  });

  describe(`${title} (PGlite)`, () => {
    let database: PGlite;
    beforeAll(async () => {
      database = await PGlite.create({ extensions: { vector } });
    });
    afterAll(() => database?.close());
    tests(databaseOf(() => database, { isServer: false, another: () => database, url: () => '' }));
  });
}

function databaseOf(
  pool: () => PostgresPool,
  { isServer, another, url }: { isServer: boolean; another: () => PostgresPool; url: () => string },
): Database {
  return {
    get pool() {
      return pool();
    },
    isServer,
    rows: async (text, values) => [...(await pool().query(text, values)).rows],
    freshTable: () => `tools_${++tables}`,
    another,
    get url() {
      return url();
    },
  };
}
