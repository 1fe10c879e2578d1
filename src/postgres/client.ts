import { hash } from 'node:crypto';
import { ToolSearchError } from '../errors.ts';
import { unlessAborted } from '../util/timeout.ts';
import type { Tables } from './schema.ts';

/**
 * The part of a PostgreSQL client that `postgresSource` uses: a `Pool` of `pg`, or a database of PGlite. An object without
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
  /** Takes a session out of the pool; its `release` returns it. */
  connect?(): PromiseLike<PostgresPooledSession>;
}

/**
 * Runs SQL statements.
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

/** Runs a statement, and returns its rows. */
export type RunStatement = <Row>(
  text: string,
  values: readonly unknown[],
  abortSignal?: AbortSignal,
) => Promise<readonly Row[]>;

/** A named statement, which a `Pool` of pg prepares once per connection. PGlite does not support it. */
interface NamedQuery {
  query(config: { name: string; text: string; values: unknown[] }): PromiseLike<PostgresResult>;
}

/**
 * Returns a function that runs statements over a pool; a `Pool` of pg prepares them.
 *
 * @param prepares - false for a pooler that does not keep prepared statements, such as an old PgBouncer.
 */
export function runOver(pool: PostgresPool, prepares: boolean): RunStatement {
  const isNamed = prepares && 'totalCount' in pool;
  const query = async (text: string, values: unknown[]): Promise<PostgresResult> => {
    if (!isNamed) return pool.query(text, values);
    const name = `tool_search_${hash('sha256', text, 'hex').slice(0, 16)}`;
    return (pool as unknown as NamedQuery).query({ name, text, values });
  };
  return async <Row>(text: string, values: readonly unknown[], abortSignal?: AbortSignal): Promise<readonly Row[]> => {
    abortSignal?.throwIfAborted();
    const answer = await unlessAborted(query(text, [...values]), abortSignal);
    abortSignal?.throwIfAborted();
    return (answer?.rows ?? []) as readonly Row[];
  };
}

/** Wraps a session so that its statements run one after another. */
export function inTurn(session: PostgresSession): PostgresSession {
  let last: Promise<unknown> = Promise.resolve();
  return {
    query(text, values) {
      const result = last.then(() => session.query(text, values));
      last = result.catch(() => {});
      return result;
    },
  };
}

/** PostgreSQL's codes for a missing table, schema and column. */
const NOT_THERE: ReadonlySet<unknown> = new Set(['42P01', '3F000', '42703']);

/** Turns an error about missing tables or columns into one that names `migrate()`; returns other errors unchanged. */
export function withRemedy(error: unknown, { tools }: Tables): unknown {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  if (!NOT_THERE.has(code)) return error;
  return new ToolSearchError(
    'storage-unavailable',
    `The tables of ${tools} are not there, or are those of an older release. Call \`await source.migrate()\` once, e.g. when you deploy.`,
    { cause: error },
  );
}
