// A real PostgreSQL with the documents in it: a table for each size, and a tenant for each labelled set.
import { postgresSource } from 'mastra-tool-search/postgres';
import { Pool } from 'pg';
import { startPostgres } from '../../support/postgres-server.ts';
import type { LabelledTool } from '../retrieval/sets.ts';
import type { LoadFigures } from './figures.ts';

/** Those of a small server; everything else is Debian's. */
const SETTINGS = ['shared_buffers=1GB', 'max_wal_size=4GB', 'random_page_cost=1.1'];
/** What this bench has loaded, for a run that finds the data of one before. */
const LOADED = 'CREATE TABLE IF NOT EXISTS loaded ("table" text, tenant text, documents int, seconds real)';
const MEGABYTE = 1_048_576;

type Source = ReturnType<typeof postgresSource>;
type Progress = (line: string) => void;

export class Database {
  readonly #pool: Pool;
  readonly #server: Awaited<ReturnType<typeof startPostgres>>;
  readonly #progress: Progress;

  private constructor(server: Awaited<ReturnType<typeof startPostgres>>, progress: Progress) {
    this.#server = server;
    this.#pool = new Pool({ connectionString: server.url, max: 4 });
    this.#progress = progress;
  }

  /** @param folder - where the data stay; without it they go with the server. */
  static async open(folder: string | undefined, progress: Progress): Promise<Database> {
    const server = await startPostgres({ ...(folder === undefined ? {} : { folder }), settings: SETTINGS });
    const database = new Database(server, progress);
    await database.#pool.query(LOADED);
    return database;
  }

  get url(): string {
    return this.#server.url;
  }

  async close(): Promise<void> {
    await this.#pool.end();
    await this.#server.stop();
  }

  source(table: string, tenant: string): Source {
    const toTool = (): never => {
      throw new Error('Nothing is loaded here.');
    };
    return postgresSource({ pool: this.#pool, table, tenant, toTool });
  }

  /** Loads what is not there yet. */
  async load(table: string, tenant: string, tools: Iterable<LabelledTool>): Promise<LoadFigures> {
    const before = await this.#loaded(table, tenant);
    const load = before ?? (await this.#sync(table, tenant, tools));
    return { ...load, megabytes: await this.#megabytes(table) };
  }

  async #sync(table: string, tenant: string, tools: Iterable<LabelledTool>): Promise<Omit<LoadFigures, 'megabytes'>> {
    const source = this.source(table, tenant);
    await source.migrate();
    const start = performance.now();
    let told = 0;
    const onProgress = ({ read: done }: { readonly read: number }): void => {
      const seconds = (performance.now() - start) / 1_000;
      if (done - told < 20_000) return;
      told = done;
      this.#progress(`${table}: ${done.toLocaleString('en')}, ${Math.round(done / seconds)} a second`);
    };
    const { added } = await source.sync(tools, { tenant, onProgress });
    const seconds = (performance.now() - start) / 1_000;
    // As PostgreSQL does by itself a minute later.
    await this.#pool.query('VACUUM ANALYZE');
    await this.#pool.query('INSERT INTO loaded VALUES ($1, $2, $3, $4)', [table, tenant, added, seconds]);
    return { documents: added, seconds };
  }

  async #loaded(table: string, tenant: string): Promise<Omit<LoadFigures, 'megabytes'> | undefined> {
    const { rows } = await this.#pool.query(
      'SELECT documents, seconds FROM loaded WHERE "table" = $1 AND tenant = $2',
      [table, tenant],
    );
    return rows[0] as Omit<LoadFigures, 'megabytes'> | undefined;
  }

  async #megabytes(table: string): Promise<number> {
    const { rows } = await this.#pool.query(
      `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
       WHERE relkind = 'r' AND (relname = $1 OR starts_with(relname, $1 || '_'))`,
      [table],
    );
    return Number(rows[0]?.bytes ?? 0) / MEGABYTE;
  }
}
