import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { tablesOf } from '../../src/postgres/schema.ts';
import { withTenant } from '../../src/postgres/tenant-lock.ts';
import { describeDatabases, itOnServer } from './databases.ts';
import { writerIn } from './writers.ts';

/** A promise, and what resolves it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describeDatabases('the lock of a tenant', (database) => {
  it('lets one work at a time, for each tenant, whichever pool it has', async () => {
    const table = database.freshTable();
    await writerIn(database, table);
    const working = new Map<string, number>();
    const pools = [database.pool, database.another()];
    const work = (at: number): Promise<number> =>
      withTenant(
        pools[at % 2] as typeof database.pool,
        tablesOf(table),
        `tenant ${at % 3}`,
        undefined,
        async (session) => {
          const key = `tenant ${at % 3}`;
          const count = (working.get(key) ?? 0) + 1;
          working.set(key, count);
          await session.query('SELECT 1');
          working.set(key, count - 1);
          return count;
        },
      );
    expect(await Promise.all(Array.from({ length: 12 }, (_, at) => work(at)))).toEqual(Array(12).fill(1));
  });

  it('is waited for until the signal is aborted', async () => {
    const table = database.freshTable();
    await writerIn(database, table);
    const [begun, end] = [gate(), gate()];
    const holding = withTenant(database.another(), tablesOf(table), 'a', undefined, () => {
      begun.open();
      return end.opened;
    });
    await begun.opened;
    const abort = new AbortController();
    const waiting = withTenant(database.pool, tablesOf(table), 'a', abort.signal, async () => 'never');
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(await withTenant(database.pool, tablesOf(table), 'b', undefined, async () => 'at once')).toBe('at once');
    const after = withTenant(database.pool, tablesOf(table), 'a', undefined, async () => 'afterwards');
    end.open();
    await holding;
    expect(await after).toBe('afterwards');
  });

  itOnServer(database, 'takes no session while it waits, so that a pool of one still serves', async () => {
    const table = database.freshTable();
    await writerIn(database, table);
    const [begun, end] = [gate(), gate()];
    const holding = withTenant(database.pool, tablesOf(table), 'a', undefined, () => {
      begun.open();
      return end.opened;
    });
    await begun.opened;
    const small = new Pool({ connectionString: database.url, max: 1 });
    const waiting = [1, 2, 3].map((at) => withTenant(small, tablesOf(table), 'a', undefined, async () => at));
    for (let look = 0; look < 5; look++) expect((await small.query('SELECT 7 AS seven')).rows).toEqual([{ seven: 7 }]);
    end.open();
    await holding;
    expect(await Promise.all(waiting)).toEqual([1, 2, 3]);
    await small.end();
  });

  it('is free again after a fault of the work', async () => {
    const table = database.freshTable();
    await writerIn(database, table);
    const broken = withTenant(database.pool, tablesOf(table), 'a', undefined, async () =>
      Promise.reject(new Error('broken')),
    );
    await expect(broken).rejects.toThrow('broken');
    expect(await withTenant(database.another(), tablesOf(table), 'a', undefined, async () => 'free')).toBe('free');
  });
});
