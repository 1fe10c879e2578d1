import {
  type LoadedToolStore,
  type MemoryStore,
  memoryStore,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { call, calls, rig, tool, toolRecord, weather } from '../support/agent.ts';
import { deferred } from '../support/deferred.ts';
import { ownTimers } from '../support/own-timers.ts';
import { toolNames } from '../support/scripted-model.ts';
import { bareList, loaded } from './conversation/messages.ts';

// Agents over a Redis that is down: test/agent/store-outage.test.ts; what makes room: max-loaded.test.ts.

const KEEP = { ttl: 0 };
const error = new Error('store down');
/** The two ways in which a method of a store fails. */
const faults = {
  throws: (): never => {
    throw error;
  },
  rejects: (): Promise<never> => Promise.reject(error),
};
const ways = Object.keys(faults) as (keyof typeof faults)[];
const failed = (...operations: string[]) => operations.map((operation) => ({ type: 'store-failed', operation, error }));
const tools = toolRecord(...['a', 'b', 'c', 'd', 'stored'].map((name) => tool(name)));

/** A thread over a store of which methods are replaced, and which has to be called as an object. */
function threadOver(methods: object = {}, options: Partial<ToolSearchProcessorOptions> = {}, inner = memoryStore()) {
  const members: object = { get: inner.get, add: inner.add, clear: inner.clear, remove: inner.remove, ...methods };
  const storage = Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      typeof member !== 'function'
        ? member
        : function (this: unknown, ...args: readonly unknown[]): unknown {
            if (this !== storage) throw new TypeError('A class could not use `this`.');
            return member(...args);
          },
    ]),
  ) as unknown as LoadedToolStore;
  const first = new Session({
    ...{ tools, storage, scope: ({ threadId }) => threadId, metaTools: { unload: true } },
    ...options,
  });
  /** A request of a thread; null for one without. */
  const request = (thread: string | null = 'one') => {
    const session = new Session({ tools }, { processor: first.processor, thread });
    return Object.assign(session, {
      load: (...toolNames: string[]) => session.call<unknown>('load_tool', { toolNames }),
      unload: (...toolNames: string[]) => session.call<unknown>('unload_tool', { toolNames }),
      /** What a step is sent; with a conversation, over what it shows. */
      has: async (...shown: string[]) => {
        const conversation = shown.length > 0 ? { messages: [loaded(...shown)], messageList: bareList() } : {};
        return (await session.sent(conversation)).filter((name) => name !== 'unload_tool');
      },
    });
  };
  /** Unloads names from outside, and returns those that were loaded. */
  const unload = async (...names: string[]) => {
    const before = first.events.length;
    await first.processor.unload('one', names);
    return first.events.slice(before).flatMap((event) => (event.type === 'unload' ? event.toolNames : []));
  };
  return {
    inner,
    unload,
    request,
    events: first.events,
    processor: first.processor,
    failures: () => first.eventsOf('store-failed'),
  };
}

describe('the loads of a request', () => {
  it('are those of its thread in the store, with the ttl, whoever loaded, unloaded or cleared them, in order', async () => {
    const kept = memoryStore();
    const add = vi.fn(kept.add);
    const { request, processor, failures, inner, unload } = threadOver({ add }, { ttl: 60_000 }, kept);
    const one = request();
    await one.load('b', 'a');
    await request().load('c', 'b');
    expect(await one.has()).toEqual(['b', 'a', 'c']);
    expect(await request('two').has()).toEqual([]);
    await one.unload('a');
    expect(inner.get('one')).toEqual(['b', 'c']);
    await request().load('a');
    expect(await one.has()).toEqual(['b', 'c', 'a']);
    expect(await unload('b', 'never_loaded', 'b')).toEqual(['b']);
    expect(await unload('b')).toEqual([]);
    expect(await one.has()).toEqual(['c', 'a']);
    expect(add.mock.calls[0]).toEqual(['one', ['b', 'a'], { ttl: 60_000 }]);
    await processor.clearState('one');
    expect(await one.has()).toEqual([]);
    expect(failures()).toEqual([]);
  });

  it('stay with a request without a thread, behind what its conversation shows', async () => {
    const methods = { get: vi.fn(), add: vi.fn(), clear: vi.fn(), remove: vi.fn() };
    const { request } = threadOver({ ...methods, readsConversation: true });
    const own = request(null);
    await own.load('b');
    await own.load('a', 'b');
    expect(await own.has('c', 'a')).toEqual(['c', 'a', 'b']);
    expect(await request(null).has()).toEqual([]);
    await own.unload('b');
    expect(await own.has('b')).toEqual(['a']);
    await own.load('b');
    expect(await own.has('a')).toEqual(['a', 'b']);
    for (const method of Object.values(methods)) expect(method).not.toHaveBeenCalled();
  });

  it.each([true, false, 'yes', 1])(
    'are given the conversation where the store reads it: %j',
    async (readsConversation) => {
      const get = vi.fn((_: string, names: readonly string[] = ['b']) => names);
      const { request, processor } = threadOver({ get, readsConversation });
      const isReader = readsConversation === true;
      expect(await request().has('a')).toEqual([isReader ? 'a' : 'b']);
      await processor.getLoadedToolsForRequestContext({ requestContext: request().requestContext });
      expect(get.mock.calls).toEqual([isReader ? ['one', ['a']] : ['one'], ['one']]);
    },
  );

  it.each<[what: string, stored: string[], maxTools: number, sent: string[], kept: string[], change?: object]>([
    ['are one tool that is stored by its key and its name', ['see', 'gone_0', 'c'], 2, ['c'], ['see', 'gone_0', 'c']],
    ['stay stored while their server is down', ['gone_0', 'b', 'gone_1'], 3, ['b'], ['gone_0', 'b', 'gone_1']],
    ['that are gone go first', ['gone_0', 'gone_1', 'gone_2', 'a'], 3, ['a'], ['gone_1', 'gone_2', 'a']],
    ['that are gone all go, where the others fill it', ['gone_0', 'a', 'gone_1', 'b'], 2, ['a', 'b'], ['a', 'b']],
    [
      'stay where the conversation shows them',
      ['gone_0', 'gone_1'],
      1,
      [],
      ['gone_0', 'gone_1'],
      { readsConversation: true },
    ],
  ])(
    '%s, before a catalog of a, b, and c under the key "see"',
    async (_, stored, maxTools, sent, kept, change = {}) => {
      const catalog = { ...toolRecord(tool('a'), tool('b')), see: tool('c') };
      const { inner, request, events } = threadOver(change, { tools: catalog, maxLoaded: { tools: maxTools } });
      inner.add('one', stored, KEEP);
      expect(await request().has()).toEqual(sent);
      expect(inner.get('one')).toEqual(kept);
      const evicted = events.flatMap((event) => (event.type === 'evict' ? event.toolNames : []));
      expect(evicted).toEqual(stored.filter((name) => !kept.includes(name)));
    },
  );
});

describe.each(ways)('a store of which a method %s', (way) => {
  const fail = faults[way];

  it('get(): leaves the request with its own loads and its conversation, and is reported', async () => {
    const { request, failures, unload } = threadOver({ get: fail, readsConversation: true });
    const one = request();
    await one.load('b', 'a');
    expect(await one.has('c', 'a')).toEqual(['c', 'a', 'b']);
    expect(await request().has()).toEqual([]);
    expect(failures()).toEqual(failed('get', 'get', 'get'));
    expect(await threadOver({ get: fail }).unload('a')).toEqual([]);
    expect(await unload('a')).toEqual(['a']);
  });

  it('get(), after it has answered: leaves the request with what it had, but for what was unloaded since', async () => {
    let isDown = false;
    const { request, inner } = threadOver({ get: (scope: string) => (isDown ? fail() : inner.get(scope)) });
    inner.add('one', ['a', 'b', 'c'], KEEP);
    const one = request();
    expect(await one.has()).toEqual(['a', 'b', 'c']);
    isDown = true;
    await one.load('d');
    await one.unload('b');
    expect(await one.has()).toEqual(['a', 'c', 'd']);
    expect(await request().has()).toEqual([]);
    isDown = false;
    inner.clear('one');
    expect(await one.has()).toEqual([]);
  });

  it('add(): leaves the load to the request, behind what is stored, and is given it in order when it works', async () => {
    let isDown = true;
    const { request, inner, failures } = threadOver({
      add: (...args: Parameters<MemoryStore['add']>) => (isDown ? fail() : inner.add(...args)),
    });
    inner.add('one', ['stored'], KEEP);
    const one = request();
    await one.load('b', 'a');
    expect(await one.has()).toEqual(['stored', 'b', 'a']);
    expect(await request().has()).toEqual(['stored']);
    // Once for the load, and once more when the store could be read and was offered it again.
    expect(failures()).toEqual(failed('add', 'add'));
    inner.add('one', ['a'], KEEP);
    expect(await one.has(), 'a name once').toEqual(['stored', 'a', 'b']);
    isDown = false;
    await one.load('c');
    // In the order of the loads, so that the prompt's prefix stays.
    expect(await request().has()).toEqual(['stored', 'a', 'b', 'c']);
  });

  it('remove(): hides the names from the request, and is given them once as soon as it works', async () => {
    let isDown = true;
    const remove = vi.fn();
    const { request, inner, unload } = threadOver({
      remove: (...args: Parameters<MemoryStore['remove']>) => {
        if (isDown) return fail();
        remove(...args);
        inner.remove(...args);
      },
    });
    inner.add('one', ['a', 'b'], KEEP);
    const one = request();
    expect(await unload('a')).toEqual([]);
    await one.unload('a');
    expect(await one.has()).toEqual(['b']);
    expect(inner.get('one')).toEqual(['a', 'b']);
    isDown = false;
    expect(await one.has()).toEqual(['b']);
    expect(inner.get('one')).toEqual(['b']);
    // From now on the store knows: what another replica loads must not be taken away.
    inner.add('one', ['a'], KEEP);
    expect(await one.has()).toEqual(['b', 'a']);
    expect(remove.mock.calls).toEqual([['one', ['a']]]);
  });

  it('clear() of one scope: is reported, and the others are cleared', async () => {
    const clear = (scope: string) => (scope === '["r","one"]' ? fail() : inner.clear(scope));
    const { inner, processor, failures } = threadOver({ clear, scopes: () => inner.scopes() });
    for (const scope of ['["q","one"]', '["r","one"]', 'one']) inner.add(scope, ['a'], KEEP);
    await processor.clearState('one');
    expect(inner.scopes()).toEqual(['["r","one"]']);
    expect(failures()).toEqual(failed('clear'));
  });

  it('useMastra(): is reported, and throws nothing', async () => {
    const { processor, failures } = threadOver({ useMastra: fail });
    processor.__registerMastra({} as never);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failures()).toEqual(failed('useMastra'));
  });
});

it('names are removed later, all of them, when one is added while the store is removing others', async () => {
  let isDown = true;
  let meanwhile = async (): Promise<void> => {};
  const { request, inner } = threadOver({
    remove: async (scope: string, names: readonly string[]) => {
      if (isDown) throw error;
      await meanwhile();
      inner.remove(scope, names);
    },
  });
  inner.add('one', ['a', 'b', 'c'], KEEP);
  const one = request();
  const { tools: step } = await one.step();
  await one.unload('a');
  isDown = false;
  meanwhile = async () => {
    meanwhile = async () => {};
    isDown = true;
    await step['unload_tool']?.execute?.({ toolNames: ['b'] } as never, {} as never);
    isDown = false;
  };
  await one.has();
  expect(await one.has()).toEqual(['c']);
  expect(inner.get('one')).toEqual(['c']);
});

describe('a thread that is cleared', () => {
  const scope = (resourceId: string | null, threadId: string): string => JSON.stringify([resourceId, threadId]);
  const kept = [scope('ann', 't1'), scope('bob', 't1'), scope('ann', 't2'), scope(null, 't1'), 't1'];

  it.each<[how: string, resourceId: string | undefined, scopes: (() => never) | undefined | null, left: string[]]>([
    ['for all resources', undefined, null, [scope('ann', 't2')]],
    ['for the resource that is named', 'ann', null, [scope('bob', 't1'), scope('ann', 't2'), scope(null, 't1')]],
    ['as far as can be, where a store cannot list', undefined, undefined, kept.slice(0, 3)],
    ['as far as can be, where its list is none', undefined, () => 'none' as never, kept.slice(0, 3)],
  ])('is forgotten %s, each scope once', async (_, resourceId, scopes, left) => {
    const clear = vi.fn((one: string) => inner.clear(one));
    const { inner, processor, failures } = threadOver({
      clear,
      ...(scopes === null ? { scopes: () => inner.scopes() } : { scopes }),
    });
    for (const one of kept) inner.add(one, ['a'], KEEP);
    await processor.clearState('t1', resourceId as never);
    expect(inner.scopes()).toEqual(left);
    expect(clear.mock.calls).toEqual([...new Set(clear.mock.calls.flat())].map((one) => [one]));
    expect(failures()).toEqual([]);
  });
});

describe('what a store returns', () => {
  const odd = [undefined, 'a', new Set(['a']), { 0: 'a', length: 1 }, Promise.resolve(null)];
  it.each(odd)('is reported when it is no list, and the request goes on with its own loads: %j', async (value) => {
    const { request, failures } = threadOver({ get: () => value });
    const one = request();
    await one.load('b');
    expect(await one.has()).toEqual(['b']);
    const wrong = new TypeError('get() of the store did not return an array of names');
    expect(failures()).toEqual(Array(2).fill({ type: 'store-failed', operation: 'get', error: wrong }));
  });

  it('is used without repetitions and without what is no name, and not changed', async () => {
    const long = 'x'.repeat(1_000);
    const names = ['a', null, 5, 'b', ['c'], 'a', { name: 'd' }, undefined];
    const value = Object.freeze([...names, `${long}x`, long, '__proto__']);
    const remove = vi.fn();
    const { request, failures } = threadOver({ get: () => value, remove }, { maxLoaded: { tools: 2 } });
    expect(await request().has()).toEqual(['a', 'b']);
    // What no tool has goes, as there is no room: names that were read.
    expect(remove.mock.calls).toEqual([['one', [long, '__proto__']]]);
    expect(failures()).toEqual([]);
  });

  it('is read from its end, which was loaded last, where it is a million names', async () => {
    let read = 0;
    const million = new Proxy(new Array<string>(1_000_000), {
      has: () => true,
      get(target, key, receiver) {
        if (typeof key !== 'string' || !/^\d+$/.test(key)) return Reflect.get(target, key, receiver);
        read += 1;
        return key === '999999' ? 'get_weather' : `name_${key}`;
      },
    });
    const { request } = threadOver({ get: () => million, remove: undefined }, { tools: toolRecord(weather()) });
    expect(await request().has()).toEqual(['get_weather']);
    // Names of no tool are unloaded, from a store without `remove` in what it returns then.
    expect(read % 10_000).toBe(0);
    expect(read).toBeLessThanOrEqual(40_000);
  });
});

describe('getStateStats(), cleanupNow() and clearAllState()', () => {
  it.each<[how: string, extra: object, counts: unknown[], operations: string[]]>([
    ['is counted', { stats: () => ({ scopeCount: 3, oldestAccessTime: 7 }), cleanup: () => 2 }, [3, 7, 2], []],
    ['need not count', {}, [0, null, 0], []],
    ['may count wrongly', { stats: () => ({ scopeCount: 'many' }), cleanup: async () => 5 }, [0, null, 0], []],
    [
      'is reported when it fails',
      { clearAll: faults.rejects, stats: faults.throws, cleanup: faults.throws, scopes: faults.throws },
      [0, null, 0],
      ['clear', 'get'],
    ],
  ])('a store of one’s own %s', async (_, extra, counts, operations) => {
    const clearAll = vi.fn();
    const { processor, failures } = threadOver({ clearAll, ...extra });
    processor.clearAllState();
    expect(clearAll).toHaveBeenCalledTimes(operations.length > 0 ? 0 : 1);
    const { threadCount, oldestAccessTime } = processor.getStateStats();
    expect([threadCount, oldestAccessTime, processor.cleanupNow()]).toEqual(counts);
    await processor.clearState('one');
    expect(new Set(failures().map(({ operation }) => operation))).toEqual(new Set(operations));
  });
});

describe('a store that hangs', () => {
  const TIMEOUT = 500;
  const operations = ['get', 'add', 'remove', 'clear'] as const;
  type Operation = (typeof operations)[number];
  const timers = ownTimers();

  /** How a promise stands after some time of the fake clock. */
  async function outcomeAfter<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value | 'still waiting'> {
    let settled: Value | 'still waiting' = 'still waiting';
    void promise.then((value) => {
      settled = value;
    });
    await vi.advanceTimersByTimeAsync(milliseconds);
    return settled;
  }

  /** A thread with a and b, of whose store an operation hangs until it is let go. */
  function hanging(hung: Operation | undefined, timeout = TIMEOUT, change: object = {}) {
    const inner = memoryStore();
    inner.add('one', ['a', 'b'], KEEP);
    let free = 0;
    const waiting: { go: () => void; fail: (error: Error) => void }[] = [];
    const hang = (...args: unknown[]): unknown => {
      const task = () => (inner[hung ?? 'get'] as (...all: unknown[]) => unknown)(...args);
      if (free-- > 0) return task();
      return new Promise((resolve, reject) => waiting.push({ go: () => resolve(task()), fail: reject }));
    };
    const methods = hung === undefined ? change : { [hung]: hang, ...change };
    const made = threadOver(methods, { timeouts: { store: timeout }, ttl: 0 }, inner);
    const one = made.request();
    const tasks: Record<Operation, () => Promise<unknown>> = {
      get: () => one.has(),
      add: () => one.load('c', 'd'),
      remove: () => one.unload('a'),
      clear: async () => made.processor.clearState('one'),
    };
    const release = (how: 'go' | 'fail' | 'lose' | 'once' = 'go') => {
      free = how === 'once' ? 1 : Number.POSITIVE_INFINITY;
      for (const each of waiting.splice(0)) if (how === 'go' || how === 'fail') each[how](new Error('connection lost'));
    };
    return { ...made, one, tasks, release };
  }
  const late = (operation: Operation) => ({
    ...{ type: 'store-failed', operation },
    error: expect.objectContaining({ message: `it took longer than ${TIMEOUT} ms` }),
  });

  const rejections: unknown[] = [];
  const remember = (reason: unknown): void => void rejections.push(reason);
  const script = calls(call('load_tool', { toolName: 'a' }), call('a'));
  beforeAll(async () => {
    // Code that is imported when it is first needed: no fake clock waits for it.
    const { one } = hanging(undefined);
    await one.load('c');
    await one.unload('c');
    await rig({ tools }, { script }).agent.generate('go');
  });
  beforeEach(() => {
    rejections.length = 0;
    process.on('unhandledRejection', remember);
    vi.spyOn(console, 'warn').mockImplementation(() => {});
  });
  afterEach(async () => {
    expect(timers()).toBe(0);
    vi.useRealTimers();
    vi.restoreAllMocks();
    // Rejections are told after the microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', remember);
    expect(rejections).toEqual([]);
  });

  it.each(operations)(
    'in %s() is given up after the time, and reported; what it does or fails in later is not',
    async (operation) => {
      // A thread may be kept under two scopes.
      const times = operation === 'clear' ? 2 : 1;
      const done = { get: ['a', 'b'], add: ['a', 'b', 'c', 'd'], remove: ['b'], clear: [] }[operation];
      for (const later of ['go', 'fail'] as const) {
        const { one, tasks, failures, release, inner } = hanging(operation);
        const task = tasks[operation]();
        expect(await outcomeAfter(times * TIMEOUT - 1, task)).toBe('still waiting');
        expect(failures()).toHaveLength(times - 1);
        expect(await outcomeAfter(1, task)).not.toBe('still waiting');
        release(later);
        await vi.advanceTimersByTimeAsync(10_000);
        expect(failures()).toEqual(Array(times).fill(late(operation)));
        expect(inner.get('one')).toEqual(later === 'go' ? done : ['a', 'b']);
        // What the request did counts for it, and is stored once.
        expect(await one.has()).toEqual(operation === 'clear' && later === 'fail' ? ['a', 'b'] : done);
        expect(inner.get('one')).toEqual(operation === 'clear' && later === 'fail' ? ['a', 'b'] : done);
        expect(failures()).toHaveLength(times);
        // What a first step begins, such as an index.
        await vi.advanceTimersByTimeAsync(0);
      }
    },
  );

  it('is waited for without end with Infinity or more than a timer holds, and two seconds by default', async () => {
    for (const operation of operations) {
      const { tasks, failures, release } = hanging(operation, Number.POSITIVE_INFINITY);
      const task = tasks[operation]();
      expect(await outcomeAfter(100_000_000, task)).toBe('still waiting');
      expect(timers()).toBe(0);
      release();
      expect(await outcomeAfter(0, task)).not.toBe('still waiting');
      expect(failures()).toEqual([]);
    }
    for (const timeout of [2 ** 31, 1e300]) {
      const { one, release } = hanging('get', timeout);
      const task = one.has();
      expect(await outcomeAfter(60_000, task)).toBe('still waiting');
      release();
      await task;
    }
    const step = threadOver({ get: () => new Promise(() => {}) })
      .request()
      .has();
    expect(await outcomeAfter(1_999, step)).toBe('still waiting');
    expect(await outcomeAfter(1, step)).toEqual([]);
  });

  it('costs no timer where it answers in time', async () => {
    const { one, release } = hanging('get');
    const task = one.has();
    await vi.advanceTimersByTimeAsync(0);
    expect(timers()).toBe(1);
    release();
    expect(await outcomeAfter(0, task)).toEqual(['a', 'b']);
    expect(timers()).toBe(0);
  });

  it('in add() does not store later what was unloaded meanwhile', async () => {
    const { one, tasks, release, inner } = hanging('add');
    await outcomeAfter(TIMEOUT, tasks.add());
    release('lose');
    await one.unload('c');
    expect(await one.has()).toEqual(['a', 'b', 'd']);
    expect(inner.get('one')).toEqual(['a', 'b', 'd']);
  });

  it('lets the run of an agent end, of which each step costs the time once', async () => {
    const hang = () => new Promise<never>(() => {});
    const storage: LoadedToolStore = { get: hang, add: hang, remove: hang, clear: hang };
    const { agent, model } = rig({ tools, storage, timeouts: { store: TIMEOUT }, scope: () => 'one' }, { script });
    const run = agent.generate('go').then(({ text }) => text);
    expect(await outcomeAfter(20 * TIMEOUT, run)).toBe('done');
    expect(model.calls.map((received) => toolNames(received).slice(2))).toEqual([[], ['a'], ['a']]);
  });

  it.each<[removed: string[], added: unknown[]]>([
    [['b', 'unknown'], [['one', ['a'], { ttl: 0 }]]],
    [['b', 'a'], []],
    [[], []],
  ])(
    'or not, but has no remove(), is cleared of %j, and given the rest, in order, with the ttl',
    async (removed, added) => {
      const add = vi.fn();
      const { unload, inner } = hanging(undefined, TIMEOUT, { remove: undefined, add });
      expect(await unload(...removed)).toEqual(removed.filter((name) => name !== 'unknown'));
      expect(inner.get('one')).toEqual(removed.length > 0 ? [] : ['a', 'b']);
      expect(add.mock.calls).toEqual(added);
    },
  );

  it('and has no remove(), is given up once', async () => {
    for (const operation of ['clear', 'add'] as const) {
      const { tasks, failures, release, request } = hanging(operation, TIMEOUT, { remove: undefined });
      await outcomeAfter(TIMEOUT, tasks.remove());
      expect(failures()).toEqual([late('remove')]);
      release();
      await request().load('d');
      await vi.advanceTimersByTimeAsync(10);
    }
  });

  it('and has no remove(), loses by a late answer nothing that was loaded meanwhile', async () => {
    const { promise, resolve } = deferred();
    const inner = memoryStore();
    inner.add('one', ['a', 'b'], KEEP);
    const isLate = [false, true];
    const get = async (scope: string) => {
      const names = [...inner.get(scope)];
      if (isLate.shift()) await promise;
      return names;
    };
    const { unload, request } = threadOver({ get, remove: undefined }, { timeouts: { store: TIMEOUT } }, inner);
    // The first get() tells what is loaded, the second what is left of it.
    expect(await outcomeAfter(TIMEOUT, unload('b'))).toEqual([]);
    await request().load('d');
    resolve();
    await vi.advanceTimersByTimeAsync(10);
    expect(inner.get('one')).toEqual(['a', 'b', 'd']);
  });
});
