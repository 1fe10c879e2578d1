import { setTimeout } from 'node:timers/promises';
import type { PostgresPool, PostgresPooledSession, PostgresSession } from './client.ts';
import type { Tables } from './schema.ts';

/** Milliseconds between two looks whether a lock is free. */
const PAUSE = 100;

/** The locks that this process holds, by the pool. A session of its own would get its own lock twice. */
const held = new WeakMap<PostgresPool, Set<string>>();

/**
 * Does some work in a session of its own, while nobody else works on the tenant in this way. The lock is PostgreSQL's, and
 * ends with the session. Who waits holds no session, so that a small pool still serves searches.
 *
 * @throws the reason of the signal, where it is aborted first.
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

/** Does the work where the lock is free; undefined where it is not. */
async function ifFree<Result>(
  session: PostgresSession,
  { tools }: Tables,
  tenant: string,
  work: (session: PostgresSession) => Promise<Result>,
): Promise<{ result: Result } | undefined> {
  // The number of the table, so that its name has one lock in whatever way it is written.
  const lock = (action: string): PromiseLike<{ readonly rows: readonly Record<string, unknown>[] }> =>
    session.query(`SELECT ${action}(hashtextextended($1, '${tools}'::regclass::oid::bigint)) AS done`, [tenant]);
  if ((await lock('pg_try_advisory_lock')).rows[0]?.['done'] !== true) return undefined;
  let isDone = false;
  try {
    const result = await work(session);
    isDone = true;
    return { result };
  } finally {
    // A session that is gone has no lock any more, and its own error says more.
    await (isDone ? lock('pg_advisory_unlock') : Promise.resolve(lock('pg_advisory_unlock')).catch(() => {}));
  }
}

/** Does something in a session of a pool; a pool that is one session is used as it is. */
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
    // It may still hold the lock: the pool is to close it.
    session.release(error instanceof Error ? error : true);
    throw error;
  }
}

/** Hears of a lost connection, which would else end the process: the next statement fails anyway. */
function listen(session: PostgresPooledSession): () => void {
  const emitter = session as {
    on?(event: 'error', listener: () => void): void;
    off?: (event: 'error', listener: () => void) => void;
  };
  const listener = (): void => {};
  emitter.on?.('error', listener);
  return () => emitter.off?.('error', listener);
}
