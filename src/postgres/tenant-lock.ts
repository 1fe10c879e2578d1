import { setTimeout } from 'node:timers/promises';
import type { PostgresPool, PostgresPooledSession, PostgresSession } from './client.ts';
import type { Tables } from './schema.ts';

/** Milliseconds between two attempts to take a lock. */
const PAUSE = 100;

/** The locks that this process holds, by pool: PostgreSQL grants a session the lock that it already holds once more. */
const held = new WeakMap<PostgresPool, Set<string>>();

/**
 * Runs work in a session that holds PostgreSQL's advisory lock of the tenant; the lock ends with the session. A waiting caller
 * holds no session, so that a small pool still serves searches.
 *
 * @throws the reason of the signal, if it aborts before the lock is free.
 */
export async function withTenant<Result>(
  pool: PostgresPool,
  tables: Tables,
  tenant: string,
  signal: AbortSignal | undefined,
  work: (session: PostgresSession) => Promise<Result>,
): Promise<Result> {
  const mine = held.get(pool) ?? new Set();
  held.set(pool, mine);
  const key = `${tables.tools} ${tenant}`;
  for (;;) {
    signal?.throwIfAborted();
    if (!mine.has(key)) {
      mine.add(key);
      try {
        const done = await inSession(pool, (session) => ifFree(session, tables, tenant, work));
        if (done) return done.result;
      } finally {
        mine.delete(key);
      }
    }
    await setTimeout(PAUSE, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
  }
}

/** Runs the work if the lock is free; returns undefined if not. */
async function ifFree<Result>(
  session: PostgresSession,
  { tools }: Tables,
  tenant: string,
  work: (session: PostgresSession) => Promise<Result>,
): Promise<{ result: Result } | undefined> {
  // The lock contains the OID of the table, so that all spellings of its name share one lock.
  const lock = (action: string): PromiseLike<{ readonly rows: readonly Record<string, unknown>[] }> =>
    session.query(`SELECT ${action}(hashtextextended($1, '${tools}'::regclass::oid::bigint)) AS done`, [tenant]);
  if ((await lock('pg_try_advisory_lock')).rows[0]?.['done'] !== true) return undefined;
  let isDone = false;
  try {
    const result = await work(session);
    isDone = true;
    return { result };
  } finally {
    // If the work failed, its error matters, not one of unlocking: a lost session holds no lock.
    await (isDone ? lock('pg_advisory_unlock') : Promise.resolve(lock('pg_advisory_unlock')).catch(() => {}));
  }
}

/** Runs work in a session of a pool; a pool without `connect` is a session itself. */
async function inSession<Result>(
  pool: PostgresPool,
  work: (session: PostgresSession) => Promise<Result>,
): Promise<Result> {
  if (typeof pool.connect !== 'function') return work(pool);
  const session = await pool.connect();
  const isHeard = listen(session);
  try {
    const result = await work(session);
    isHeard();
    session.release();
    return result;
  } catch (error) {
    isHeard();
    // The session may still hold the lock, so the pool has to close it.
    session.release(error instanceof Error ? error : true);
    throw error;
  }
}

/** Handles `error` events of a lost connection, which would end the process; the next statement fails anyway. */
function listen(session: PostgresPooledSession): () => void {
  const emitter = session as {
    on?(event: 'error', listener: () => void): void;
    off?: (event: 'error', listener: () => void) => void;
  };
  const listener = (): void => {};
  emitter.on?.('error', listener);
  return () => emitter.off?.('error', listener);
}
