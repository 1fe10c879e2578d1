import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { READ_TYPESCRIPT } from '../support/new-process.ts';
import { countsOf } from './counts.ts';
import { type Database, describeDatabases, itOnServer } from './databases.ts';
import { versionedTools } from './versioned-tools.ts';
import { contentsOf, writerIn } from './writers.ts';

const SCRIPT = fileURLToPath(new URL('./sync-process.ts', import.meta.url));
const COUNT = 200;

/** Another process that syncs a version of the tools. */
function syncIn(database: Database, table: string, version: number): ChildProcess {
  const args = [...READ_TYPESCRIPT, '--no-warnings', SCRIPT, database.url, table, String(version), String(COUNT)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** What a fresh table has after one sync of these tools. */
async function freshContents(database: Database, tools: Parameters<typeof versionedTools>): Promise<unknown> {
  const table = database.freshTable();
  await (await writerIn(database, table)).sync(versionedTools(...tools));
  return contentsOf(database, table);
}

async function expectCountsToBeRight(database: Database, table: string): Promise<void> {
  const { kept, counted } = await countsOf(database, table);
  expect(kept).toEqual(counted);
}

describeDatabases('several syncs', (database) => {
  itOnServer(
    database,
    'leave the old or the new version of each tool where a process is killed in the middle',
    async () => {
      const table = database.freshTable();
      const source = await writerIn(database, table);
      const newer = await freshContents(database, [2, COUNT]);
      const rowsOf = (contents: unknown): unknown[] => (contents as { tools: unknown[] }).tools;
      for (const batches of [1, 3, 6]) {
        await source.sync(versionedTools(1, COUNT));
        const before = rowsOf(await contentsOf(database, table));
        const child = syncIn(database, table, 2);
        let seen = 0;
        for await (const _ of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
          if (++seen === batches) break;
        }
        child.kill('SIGKILL');
        await once(child, 'exit');
        // A statement that was under way may still end: PostgreSQL then sees that nobody listens.
        const known = new Set([...before, ...rowsOf(newer)].map((row) => JSON.stringify(row)));
        const after = rowsOf(await contentsOf(database, table));
        expect(after.length).toBeGreaterThanOrEqual(COUNT);
        expect(after.filter((row) => !known.has(JSON.stringify(row)))).toEqual([]);
        const healed = await source.sync(versionedTools(2, COUNT));
        expect(healed.added + healed.updated).toBeLessThan(COUNT);
        expect(await contentsOf(database, table)).toEqual(newer);
        await expectCountsToBeRight(database, table);
      }
    },
  );

  itOnServer(database, 'of two processes at once end with the tools of one of them', async () => {
    const table = database.freshTable();
    await writerIn(database, table);
    const versions = [await freshContents(database, [1, COUNT]), await freshContents(database, [2, COUNT])];
    for (let round = 0; round < 3; round++) {
      const children = [syncIn(database, table, 1), syncIn(database, table, 2)];
      for (const child of children) child.stdout?.resume();
      const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number));
      expect(codes).toEqual([0, 0]);
      const found = JSON.stringify(await contentsOf(database, table));
      expect(versions.map((version) => JSON.stringify(version) === found)).toContain(true);
      await expectCountsToBeRight(database, table);
    }
  });

  itOnServer(database, 'go on after the session is ended from outside: the next one heals', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    const end = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()`;
    let ended: PromiseLike<unknown> | undefined;
    const onProgress = (): void => {
      ended ??= database.another().query(end);
    };
    const ending = source.sync(versionedTools(1, COUNT), { batchSize: 5, onProgress });
    await expect(ending).rejects.toThrow();
    await ended;
    await source.sync(versionedTools(1, COUNT));
    expect(await contentsOf(database, table)).toEqual(await freshContents(database, [1, COUNT]));
  });

  it('that are aborted, broken off or at once, leave what the last one was given', async () => {
    const one = fc.record({
      version: fc.integer({ min: 1, max: 3 }),
      count: fc.integer({ min: 0, max: 30 }),
      batchSize: fc.integer({ min: 1, max: 12 }),
      end: fc.constantFrom('whole', 'whole', 'aborted', 'broken'),
      after: fc.integer({ min: 1, max: 4 }),
      isOther: fc.boolean(),
    });
    const last = fc.record({ version: fc.integer({ min: 1, max: 3 }), count: fc.integer({ min: 0, max: 30 }) });
    const pools = [database.pool, database.another()];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(one, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
        last,
        async (rounds, end) => {
          const table = database.freshTable();
          const sources = await Promise.all(pools.map((pool) => writerIn(database, table, pool)));
          for (const round of rounds) {
            const endings = round.map(async ({ version, count, batchSize, after, isOther, ...how }) => {
              const abort = new AbortController();
              async function* tools() {
                for (const [at, tool] of versionedTools(version, count).entries()) {
                  if (how.end === 'broken' && at === after * batchSize) throw new Error('broken off');
                  yield tool;
                }
              }
              let batches = 0;
              const onProgress = (): void => {
                if (how.end === 'aborted' && ++batches === after) abort.abort(new Error('aborted'));
              };
              const source = sources[isOther ? 1 : 0];
              await source?.sync(tools(), { batchSize, signal: abort.signal, onProgress });
            });
            for (const ending of await Promise.allSettled(endings)) {
              if (ending.status === 'rejected') expect(ending.reason.message).toMatch(/^(?:broken off|aborted)$/);
            }
            await expectCountsToBeRight(database, table);
          }
          await sources[0]?.sync(versionedTools(end.version, end.count));
          expect(await contentsOf(database, table)).toEqual(await freshContents(database, [end.version, end.count]));
        },
      ),
      { numRuns: 20 },
    );
  });
});
