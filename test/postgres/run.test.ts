import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import { runOver } from '../../src/postgres/client.ts';
import { describeDatabases } from './databases.ts';

describeDatabases('a statement', (database) => {
  it('is prepared once in a session of a pool of pg, and nowhere else', async () => {
    const text = `SELECT $1::int + 1 AS sum, ${database.isServer} AS is_server`;
    const run = runOver(database.pool, true);
    for (const value of [1, 2, 3])
      expect(await run<{ sum: number }>(text, [value])).toMatchObject([{ sum: value + 1 }]);
    const prepared = 'SELECT statement FROM pg_prepared_statements WHERE statement = $1';
    expect(await runOver(database.pool, false)(prepared, [text])).toHaveLength(database.isServer ? 1 : 0);
  });

  it('is not prepared where that is not wanted', async () => {
    const text = 'SELECT $1::int + 2 AS sum';
    const run = runOver(database.pool, false);
    expect(await run(text, [1])).toEqual([{ sum: 3 }]);
    expect(await database.rows('SELECT 1 FROM pg_prepared_statements WHERE statement = $1', [text])).toEqual([]);
  });

  it('is waited for until the request is aborted', async () => {
    const run = runOver(database.pool, true);
    const waits = database.isServer ? 'SELECT pg_advisory_lock(1)' : 'SELECT 1';
    await expect(run(waits, [], AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    if (database.isServer) {
      const holder = await (database.pool as Pool).connect();
      await holder.query('SELECT pg_advisory_lock(1)');
      await expect(run(waits, [], AbortSignal.timeout(100))).rejects.toThrow('timeout');
      await holder.query('SELECT pg_advisory_unlock(1)');
      holder.release();
    }
    expect(await run('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
  });

  it('fails as the database says', async () => {
    await expect(runOver(database.pool, true)('SELECT nonsense', [])).rejects.toMatchObject({ code: '42703' });
  });
});
