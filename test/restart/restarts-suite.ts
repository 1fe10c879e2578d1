import { afterAll, beforeAll, describe, it } from 'vitest';
import { part, runsAll } from '../support/breadth.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import type { Kind } from './cases.ts';
import { COLUMNS, measure } from './matrix.ts';
import { rows, works } from './rows.ts';

/** Checks the rows of one kind of agent. A file for each, so that they run side by side. */
export function testRestarts(kind: Kind): void {
  let redis: RedisServer | undefined;
  beforeAll(async () => {
    redis = noRedis ? undefined : await startRedis();
  });
  afterAll(() => redis?.stop());

  // What goes on in a new process says the most.
  const chosen = part(runsAll ? rows : rows.filter((row) => row.process === 'a new one'), 'values');
  const ofKind = chosen.filter((row) => row.kind === kind);
  describe.concurrent(`a waiting call of a loaded tool (${kind})`, () => {
    it.for(ofKind)(
      'goes on as docs/restarts.md says, with $store and process: $process',
      { timeout: 180_000 },
      async (row, { expect, skip }) => {
        if (row.store === 'redisStore' && noRedis) skip(noRedis);
        const problems = await measure(row, redis?.url);
        for (const column of COLUMNS) {
          const found = problems.get(column) ?? [];
          if (works(row, column)) expect(found, column).toEqual([]);
          else expect(found.length, column).toBeGreaterThan(0);
        }
      },
    );
  });
}
