import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { LibSQLStore } from '@mastra/libsql';
import { PostgresStore } from '@mastra/pg';
import type { LoadedToolStore } from 'mastra-tool-search';
import { type MastraWithStorage, threadStateStore } from 'mastra-tool-search/thread-state';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
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

function withClock(mastra: MastraWithStorage, close?: () => Promise<void>): StoreRig {
  return {
    store: threadStateStore({ mastra }),
    advance: (milliseconds) => {
      dateClock.time += milliseconds;
    },
    close: async () => {
      vi.useRealTimers();
      await close?.();
    },
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thread-state-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describeStore(
  'threadStateStore() over a LibSQL file',
  () => {
    const { mastra, storage } = withFile();
    return withClock(mastra, () => storage.close());
  },
  {
    runs: 20,
    async closed() {
      const { mastra, storage } = withFile();
      const store = threadStateStore({ mastra });
      await store.add('scope', ['a'], KEEP);
      await storage.close();
      return store;
    },
  },
);

describeStore('threadStateStore() over the in-memory storage of Mastra', () =>
  withClock(new Mastra({ storage: new InMemoryStore(), logger: false })),
);

describe.skipIf(noPostgres !== undefined)(`over PostgreSQL${noPostgres ? `, skipped: ${noPostgres}` : ''}`, () => {
  let server: PostgresServer;
  const storages: PostgresStore[] = [];
  const withServer = (): { mastra: Mastra; storage: PostgresStore } => {
    const storage = new PostgresStore({ id: `storage-${storages.length}`, connectionString: server.url });
    storages.push(storage);
    return { mastra: new Mastra({ storage, logger: false }), storage };
  };
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    for (const storage of storages) await storage.close().catch(() => {});
    await server?.stop();
  });

  describeStore('threadStateStore() over PostgreSQL', () => withClock(withServer().mastra), {
    runs: 20,
    async closed() {
      const { mastra, storage } = withServer();
      const store = threadStateStore({ mastra });
      await store.add('scope', ['a'], KEEP);
      await storage.close();
      return store;
    },
  });

  it('is shared by replicas', async () => {
    const [one, other] = [withServer(), withServer()].map(({ mastra }) => threadStateStore({ mastra }));
    await one?.add('replicas', ['a'], KEEP);
    await other?.add('replicas', ['b'], KEEP);
    expect(await one?.get('replicas')).toEqual(['a', 'b']);
  });
});

describe('threadStateStore()', () => {
  it('loses nothing that several stores of one process add at once', async () => {
    const { mastra } = withFile();
    const stores = Array.from({ length: 4 }, () => threadStateStore({ mastra }));
    const names = Array.from({ length: 40 }, (_, n) => `tool${n}`);
    await Promise.all(names.map((name, n) => stores[n % 4]?.add('one', [name], KEEP)));
    expect([...((await stores[0]?.get('one')) ?? [])].sort()).toEqual([...names].sort());
  });

  it('keeps to its own type: the tasks of a thread stay as they are', async () => {
    const { mastra } = withFile();
    const domain = await mastra.getStorage()?.getStore('threadState');
    const task = { threadId: 'thread-1', type: 'task' };
    await domain?.setState({ ...task, value: ['write tests'] });
    const store = threadStateStore({ mastra });
    await store.add('thread-1', ['a'], KEEP);
    await store.clear('thread-1');
    expect(await domain?.getState(task)).toEqual(['write tests']);
  });

  describe('writes', () => {
    afterEach(() => {
      vi.useRealTimers();
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
      const mastra = { getStorage: () => ({ getStore: async () => domain }) };
      return { store: threadStateStore({ mastra }), counts, clock, values };
    }

    it('when it is read only after a tenth of the ttl', async () => {
      const { store, counts, clock } = counting();
      await store.add('one', ['a'], { ttl: 1000 });
      clock.time = 100;
      await store.get('one');
      expect(counts.set).toBe(1);
      clock.time = 101;
      await store.get('one');
      expect(counts.set).toBe(2);
      await store.get('one');
      expect(counts.set).toBe(2);
    });

    it('once when several reads find it due at the same time', async () => {
      const { store, counts, clock } = counting();
      await store.add('one', ['a'], { ttl: 1000 });
      clock.time = 500;
      expect(await Promise.all([store.get('one'), store.get('one'), store.get('one')])).toEqual([['a'], ['a'], ['a']]);
      expect(counts.set).toBe(2);
    });

    it('nothing when what is read is kept, unknown or expired, or nothing is removed', async () => {
      const { store, counts, clock } = counting();
      await store.add('kept', ['a'], KEEP);
      await store.add('short', ['a'], { ttl: 10 });
      clock.time = 1e12;
      for (const scope of ['kept', 'short', 'unknown']) {
        await store.get(scope);
        await store.remove?.(scope, ['b']);
      }
      expect(counts).toEqual({ set: 2, delete: 0 });
    });

    it('no row for a scope whose last name was removed', async () => {
      const { store, counts, values } = counting();
      await store.add('one', ['a', 'b'], KEEP);
      await store.remove?.('one', ['b', 'a']);
      expect([counts.delete, values.size]).toEqual([1, 0]);
    });

    it('a name beside others that are none, which hide nothing', async () => {
      const { store, values } = counting();
      await store.add('one', ['a'], KEEP);
      for (const key of values.keys()) values.set(key, { names: [1, 'a', null, 'b'], ttl: 0, usedAt: 0 });
      expect(await store.get('one')).toEqual(['a', 'b']);
      await store.add('one', ['c'], KEEP);
      expect(await store.get('one')).toEqual(['a', 'b', 'c']);
    });

    it('an add also over a value that it cannot read', async () => {
      const { store, values } = counting();
      await store.add('one', ['a'], KEEP);
      for (const value of ['text', null, [], { names: 'a', ttl: 0, usedAt: 0 }, { names: [1], ttl: 0, usedAt: 0 }]) {
        for (const key of values.keys()) values.set(key, value);
        expect(await store.get('one')).toEqual([]);
        await store.add('one', ['b'], KEEP);
        expect(await store.get('one')).toEqual(['b']);
      }
    });
  });

  describe('without a place in a storage', () => {
    const rejects = async (store: LoadedToolStore, fact: string): Promise<void> => {
      const removing = store.remove?.('one', ['a']);
      const all = [store.get('one'), store.add('one', ['a'], KEEP), store.clear('one'), removing];
      const reason = { name: 'ToolSearchError', code: 'storage-unavailable' };
      for (const outcome of await Promise.allSettled(all))
        expect(outcome).toMatchObject({ status: 'rejected', reason });
      await expect(Promise.resolve(store.get('one'))).rejects.toThrow(fact);
      await expect(Promise.resolve(store.get('one'))).rejects.toThrow('redisStore({ client })');
    };

    it('rejects while there is no Mastra instance', async () => {
      const store = threadStateStore();
      await rejects(store, 'has no Mastra instance');
      store.useMastra?.(undefined);
      store.useMastra?.({});
      await rejects(store, 'has no Mastra instance');
      store.useMastra?.(withFile().mastra);
      expect(await store.get('one')).toEqual([]);
    });

    it.each([
      { why: 'no storage', storage: undefined },
      { why: 'one without the domain', storage: { getStore: async () => undefined } },
      { why: 'one with a domain of another kind', storage: { getStore: async () => ({ getState: () => {} }) } },
    ])('rejects where the Mastra instance has $why', async ({ storage }) => {
      await rejects(threadStateStore({ mastra: { getStorage: () => storage } }), 'no domain "threadState"');
    });

    it('passes on what the storage throws', async () => {
      const getStore = async () => Promise.reject(new Error('database is down'));
      const store = threadStateStore({ mastra: { getStorage: () => ({ getStore }) } });
      await expect(store.get('one')).rejects.toThrow('database is down');
    });
  });

  it('prefers the Mastra instance it was given to that of the registration', async () => {
    const [given, registered] = [withFile(), withFile()];
    const store = threadStateStore({ mastra: given.mastra });
    store.useMastra?.(registered.mastra);
    await store.add('one', ['a'], KEEP);
    expect(await threadStateStore({ mastra: given.mastra }).get('one')).toEqual(['a']);
    expect(await threadStateStore({ mastra: registered.mastra }).get('one')).toEqual([]);
  });

  it.each([
    { why: 'options that are none', options: 'mastra', message: '"options"' },
    { why: 'the Mastra instance itself', options: new Mastra(), message: 'pass { mastra }' },
    { why: 'a Mastra instance that is none', options: { mastra: {} }, message: '"mastra"' },
    { why: 'a storage instead of the instance', options: { mastra: new InMemoryStore() }, message: '"mastra"' },
  ])('refuses $why', ({ options, message }) => {
    const make = () => threadStateStore(options as never);
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  });
});
