import { afterAll, beforeAll } from 'vitest';
import { part } from '../support/breadth.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import type { Kind } from './cases.ts';
import { COLUMNS, measure, type Row } from './matrix.ts';
import { rows, works } from './rows.ts';

/** The rows of one kind of agent that are checked. A test file for each kind, so that they run side by side. */
export function rowsOf(kind: Kind): readonly Row[] {
  // What goes on in a new process says the most; what is kept in one, only where it stays.
  const chosen = part(
    rows.filter((row) => row.process === 'a new one' || row.store === 'in-memory'),
    'values',
  );
  return chosen.filter((row) => row.kind === kind);
}

/** Starts Redis for the tests of a file, where there is one. Returns what is otherwise than docs/restarts.md says. */
export function surprisesOver(): (row: Row) => Promise<readonly string[]> {
  let redis: RedisServer | undefined;
  beforeAll(async () => {
    redis = noRedis ? undefined : await startRedis();
  });
  afterAll(() => redis?.stop());

  return async (row) => {
    const problems = await measure(row, redis?.url);
    return COLUMNS.flatMap((column) => {
      const found = problems.get(column) ?? [];
      if (works(row, column)) return found.map((problem) => `${column}: ${problem}`);
      return found.length > 0 ? [] : [`${column}: works`];
    });
  };
}

/** Why a row cannot be checked here. */
export function reasonToSkip({ store }: Row): string | undefined {
  return store === 'redisStore' ? noRedis : undefined;
}
