import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { part } from '../support/breadth.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { COLUMNS, measure } from './matrix.ts';
import { restartsTable, rows, works } from './rows.ts';

let redis: RedisServer | undefined;
beforeAll(async () => {
  redis = noRedis ? undefined : await startRedis();
});
afterAll(() => redis?.stop());

// What goes on in a new process says the most; what is kept in one, only where it stays.
const chosen = part(
  rows.filter((row) => row.process === 'a new one' || row.store === 'in-memory'),
  'values',
);

describe.concurrent('a waiting call of a loaded tool', () => {
  it.for(chosen)(
    'goes on as docs/restarts.md says: $kind, with $store and process: $process',
    async (row, { expect, skip }) => {
      if (noRedis && row.store === 'redisStore') skip(noRedis);
      const problems = await measure(row, redis?.url);
      const surprises = COLUMNS.flatMap((column) => {
        const found = problems.get(column) ?? [];
        if (works(row, column)) return found.map((problem) => `${column}: ${problem}`);
        return found.length > 0 ? [] : [`${column}: works`];
      });
      expect(surprises).toEqual([]);
    },
  );
});

it('the table of docs/restarts.md is what works() says (to update it: node test/restart/write-table.ts)', () => {
  const page = readFileSync(new URL('../../docs/restarts.md', import.meta.url), 'utf8');
  expect(page).toContain(restartsTable());
});
