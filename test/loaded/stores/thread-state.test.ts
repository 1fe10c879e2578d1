import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { LibSQLStore } from '@mastra/libsql';
import { PostgresStore } from '@mastra/pg';
import fc from 'fast-check';
import type { LoadedToolStore } from 'mastra-tool-search';
import { threadStateStore } from 'mastra-tool-search/thread-state';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clockAt, dateClock } from '../../support/date-clock.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { describeStore, type StoreRig } from './store-contract.ts';

const KEEP = { ttl: 0 };
let folder: string;
let files = 0;

/** A Mastra instance as an app makes it, with a database file, and what closes it. */
function withFile(): { mastra: Mastra; storage: LibSQLStore } {
  const name = `${files++}.db`;
  const storage = new LibSQLStore({ id: name, url: `file:${join(folder, name)}` });
  return { mastra: new Mastra({ storage, logger: false }), storage };
}

/** The contract over a storage that is opened anew for each store. */
function describeOver(
  what: string,
  open: () => { mastra: Mastra; storage?: { close(): Promise<unknown> } },
  closes = true,
): void {
  const create = (): StoreRig => {
    const { mastra, storage } = open();
    return {
      store: threadStateStore({ mastra }),
      advance: (milliseconds) => {
        dateClock.time += milliseconds;
      },
      close: async () => {
        vi.useRealTimers();
        await storage?.close();
      },
    };
  };
  const closed = async (): Promise<LoadedToolStore> => {
    const { mastra, storage } = open();
    const store = threadStateStore({ mastra });
    await store.add('scope', ['a'], KEEP);
    await storage?.close();
    return store;
  };
  describeStore(`threadStateStore() over ${what}`, create, { runs: 8, ...(closes && { closed }) });
}

let server: PostgresServer | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thread-state-'));
  server = noPostgres === undefined ? await startPostgres() : undefined;
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server?.stop();
});

const inMemory = () => ({ mastra: new Mastra({ storage: new InMemoryStore(), logger: false }) });
describeOver('the in-memory storage of Mastra', inMemory, false);
describeOver('a LibSQL file', withFile);
describe.skipIf(noPostgres !== undefined)(`over PostgreSQL${noPostgres ? `, skipped: ${noPostgres}` : ''}`, () => {
  describeOver('PostgreSQL', () => {
    const storage = new PostgresStore({ id: `storage-${files++}`, connectionString: server?.url ?? '' });
    return { mastra: new Mastra({ storage, logger: false }), storage };
  });
});

describe('threadStateStore()', () => {
  it('loses nothing that several stores of one process add at once, and leaves the tasks of a thread alone', async () => {
    const { mastra } = withFile();
    const domain = await mastra.getStorage()?.getStore('threadState');
    const task = { threadId: 'one', type: 'task' };
    await domain?.setState({ ...task, value: ['write tests'] });
    const stores = Array.from({ length: 4 }, () => threadStateStore({ mastra }));
    const names = Array.from({ length: 40 }, (_, n) => `tool${n}`);
    await Promise.all(names.map((name, n) => stores[n % 4]?.add('one', [name], KEEP)));
    expect([...((await stores[0]?.get('one')) ?? [])].sort()).toEqual([...names].sort());
    await stores[0]?.clear('one');
    expect(await domain?.getState(task)).toEqual(['write tests']);
  });

  /** A storage that counts what is written, at the time zero. */
  function counting() {
    const values = new Map<string, unknown>();
    const counts = { set: 0, delete: 0 };
    const clock = clockAt(0);
    const domain = {
      getState: async ({ threadId }: { threadId: string }) => values.get(threadId),
      async setState({ threadId, value }: { threadId: string; value: unknown }) {
        counts.set += 1;
        values.set(threadId, value);
      },
      async deleteState({ threadId }: { threadId: string }) {
        counts.delete += 1;
        values.delete(threadId);
      },
    };
    const store = threadStateStore({ mastra: { getStorage: () => ({ getStore: async () => domain }) } });
    return { store, counts, clock, values };
  }

  it('writes when it is read only after a tenth of the ttl, once for several reads, and nothing without a change', async () => {
    const { store, counts, clock, values } = counting();
    await store.add('one', ['a'], { ttl: 1000 });
    clock.time = 100;
    await store.get('one');
    expect(counts.set).toBe(1);
    clock.time = 101;
    expect(await Promise.all([store.get('one'), store.get('one'), store.get('one')])).toEqual([['a'], ['a'], ['a']]);
    await store.get('one');
    expect(counts.set).toBe(2);
    await store.add('kept', ['a', 'b'], KEEP);
    clock.time = 1e12;
    for (const scope of ['kept', 'one', 'unknown']) {
      await store.get(scope);
      await store.remove?.(scope, ['c']);
    }
    expect(counts).toEqual({ set: 3, delete: 0 });
    // No row for a scope whose last name was removed.
    await store.remove?.('kept', ['b', 'a']);
    expect([counts.delete, values.size]).toEqual([1, 1]);
    vi.useRealTimers();
  });

  it('keeps any names as they are in what any database can hold, and reads what others wrote as far as it can', async () => {
    const { store, values } = counting();
    const text = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
    const names = [...new Set(fc.sample(fc.oneof(text, fc.constantFrom('%', '%0025', '\0', '\ud800', '%ud800')), 300))];
    await store.add('one', names, KEEP);
    const written = JSON.stringify([...values.values()]);
    expect(written).not.toMatch(/\\u0000|\\ud[89a-f]/);
    expect(await store.get('one')).toEqual(names);
    const write = (value: unknown) => {
      for (const key of values.keys()) values.set(key, value);
    };
    write({ names: [1, 'a', null, 'b'], ttl: 0, usedAt: 0 });
    await store.add('one', ['c'], KEEP);
    expect(await store.get('one')).toEqual(['a', 'b', 'c']);
    for (const value of ['text', null, [], { names: 'a', ttl: 0, usedAt: 0 }, { names: [1], ttl: 0, usedAt: 0 }]) {
      write(value);
      expect(await store.get('one')).toEqual([]);
      await store.add('one', ['b'], KEEP);
      expect(await store.get('one')).toEqual(['b']);
    }
    vi.useRealTimers();
  });

  it('goes on behind a write that failed, and behind one that hangs after ten seconds', async () => {
    vi.useFakeTimers();
    const setState = vi.fn(async () => {});
    setState.mockRejectedValueOnce(new Error('no')).mockReturnValueOnce(new Promise(() => {}));
    const domain = { getState: async () => undefined, setState, deleteState: async () => {} };
    const store = threadStateStore({ mastra: { getStorage: () => ({ getStore: async () => domain }) } });
    const [failing, , last] = ['a', 'b', 'c'].map(async (name) => store.add('one', [name], KEEP));
    await expect(failing).rejects.toThrow('no');
    await vi.advanceTimersByTimeAsync(9_999);
    expect(setState).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(setState).toHaveBeenCalledTimes(3);
    await last;
    vi.useRealTimers();
  });

  const rejects = async (store: LoadedToolStore, fact: string): Promise<void> => {
    const all = [store.get('one'), store.add('one', ['a'], KEEP), store.clear('one'), store.remove?.('one', ['a'])];
    for (const outcome of await Promise.allSettled(all)) {
      expect(outcome).toMatchObject({ reason: { name: 'ToolSearchError', code: 'storage-unavailable' } });
      for (const part of [fact, 'redisStore({ client })'])
        expect(String((outcome as PromiseRejectedResult).reason)).toContain(part);
    }
  };

  it('rejects while there is no Mastra instance, and prefers the one it was given to that of the registration', async () => {
    const store = threadStateStore();
    await rejects(store, 'has no Mastra instance');
    for (const none of [undefined, {}]) store.useMastra?.(none);
    await rejects(store, 'has no Mastra instance');
    const [given, registered] = [withFile(), withFile()];
    store.useMastra?.(registered.mastra);
    expect(await store.get('one')).toEqual([]);
    const other = threadStateStore({ mastra: given.mastra });
    other.useMastra?.(registered.mastra);
    await other.add('one', ['a'], KEEP);
    expect(await threadStateStore({ mastra: given.mastra }).get('one')).toEqual(['a']);
    expect(await store.get('one')).toEqual([]);
  });

  it('rejects where the instance has no storage, or one without the domain; and as the storage does', async () => {
    const domain = { getState: () => {} };
    for (const storage of [undefined, ...[undefined, domain].map((one) => ({ getStore: async () => one }))])
      await rejects(threadStateStore({ mastra: { getStorage: () => storage } }), 'no domain "threadState"');
    const down = { getStore: async () => Promise.reject(new Error('database is down')) };
    const store = threadStateStore({ mastra: { getStorage: () => down } });
    await expect(store.get('one')).rejects.toThrow('database is down');
  });

  it.each([
    { why: 'options that are none', options: 'mastra', message: '"options"' },
    { why: 'the Mastra instance itself', options: new Mastra(), message: 'pass { mastra }' },
    { why: 'a Mastra instance that is none', options: { mastra: {} }, message: '"mastra"' },
    { why: 'a storage instead of the instance', options: { mastra: new InMemoryStore() }, message: '"mastra"' },
  ])('refuses $why', ({ options, message }) => {
    const refusal = { code: 'invalid-option', message: expect.stringContaining(message) };
    expect(() => threadStateStore(options as never)).toThrow(expect.objectContaining(refusal));
  });
});
