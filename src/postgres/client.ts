/**
 * The part of a PostgreSQL client that `postgresSource` uses: a `Pool` of `pg`, or a database of PGlite. Whatever has no
 * `connect` must be one session.
 *
 * @example
 * ```ts
 * import { Pool } from 'pg';
 *
 * const pool: PostgresPool = new Pool({ connectionString: 'postgres://localhost/tools' });
 * ```
 */
export interface PostgresPool extends PostgresSession {
  /** Takes a session out of the pool. It goes back by its `release`. */
  connect?(): PromiseLike<PostgresPooledSession>;
}

/**
 * What runs statements.
 *
 * @example
 * ```ts
 * const versionOf = async (session: PostgresSession) => (await session.query('SELECT version()')).rows[0];
 * ```
 */
export interface PostgresSession {
  /** Runs one statement, with its values for `$1`, `$2` and so on. */
  query(text: string, values?: unknown[]): PromiseLike<PostgresResult>;
}

/**
 * A session out of a pool.
 *
 * @example
 * ```ts
 * const giveBack = (session: PostgresPooledSession, error?: Error) => session.release(error);
 * ```
 */
export interface PostgresPooledSession extends PostgresSession {
  /** Gives the session back; with an error, the pool closes it. */
  release(error?: Error | boolean): void;
}

/**
 * What a statement returns.
 *
 * @example
 * ```ts
 * const first = ({ rows }: PostgresResult) => rows[0];
 * ```
 */
export interface PostgresResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}
