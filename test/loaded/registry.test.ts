import {
  type LoadedToolStore,
  memoryStore,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { call, calls, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { ownTimers } from '../support/own-timers.ts';
import { toolNames } from '../support/scripted-model.ts';
import { loaded } from './conversation/messages.ts';

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
function threadOver(methods: object = {}, options: Partial<ToolSearchProcessorOptions> = {}) {
  const inner = memoryStore();
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
        const conversation = shown.length > 0 ? { messages: [loaded(...shown)], messageList: undefined } : {};
        return (await session.sent(conversation)).filter((name) => name !== 'unload_tool');
      },
    });
  };
  return {
    inner,
    request,
    events: first.events,
    processor: first.processor,
    faults: () => first.eventsOf('store-failed'),
  };
}

describe('the loads of a request', () => {
  it('are those of its thread in the store, with the ttl, whoever loaded, unloaded or cleared them, in order', async () => {
    const inner = memoryStore();
    const add = vi.fn(inner.add);
    const { request, processor, faults } = threadOver({ ...inner, add }, { ttl: 60_000 });
    const one = request();
    await one.load('b', 'a');
    await request().load('c', 'b');
    expect(await one.has()).toEqual(['b', 'a', 'c']);
    expect(await request('two').has()).toEqual([]);
    await one.unload('a');
    expect(inner.get('one')).toEqual(['b', 'c']);
    await request().load('a');
    expect(await one.has()).toEqual(['b', 'c', 'a']);
    expect(await processor.unload('one', ['b', 'never_loaded', 'b'])).toEqual(['b']);
    expect(await processor.unload('one', ['b'])).toEqual([]);
    expect(await one.has()).toEqual(['c', 'a']);
    expect(add.mock.calls[0]).toEqual(['one', ['b', 'a'], { ttl: 60_000 }]);
    await processor.clearState('one');
    expect(await one.has()).toEqual([]);
    expect(faults()).toEqual([]);
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
    const { request, faults, processor } = threadOver({ get: fail, readsConversation: true });
    const one = request();
    await one.load('b', 'a');
    expect(await one.has('c', 'a')).toEqual(['c', 'a', 'b']);
    expect(await request().has()).toEqual([]);
    expect(faults()).toEqual(failed('get', 'get', 'get'));
    expect(await threadOver({ get: fail }).processor.unload('one', ['a'])).toEqual([]);
    expect(await processor.unload('one', ['a'])).toEqual(['a']);
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
    const { request, inner, faults } = threadOver({
      add: (...args: Parameters<typeof inner.add>) => (isDown ? fail() : inner.add(...args)),
    });
    inner.add('one', ['stored'], KEEP);
    const one = request();
    await one.load('b', 'a');
    expect(await one.has()).toEqual(['stored', 'b', 'a']);
    expect(await request().has()).toEqual(['stored']);
    // Once for the load, and once more when the store could be read and was offered it again.
    expect(faults()).toEqual(failed('add', 'add'));
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
    const { request, inner, processor } = threadOver({
      remove: (...args: Parameters<typeof inner.remove>) => {
        if (isDown) return fail();
        remove(...args);
        inner.remove(...args);
      },
    });
    inner.add('one', ['a', 'b'], KEEP);
    const one = request();
    expect(await processor.unload('one', ['a'])).toEqual([]);
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
    const { inner, processor, faults } = threadOver({ clear, scopes: () => inner.scopes() });
    for (const scope of ['["q","one"]', '["r","one"]', 'one']) inner.add(scope, ['a'], KEEP);
    await processor.clearState('one');
    expect(inner.scopes()).toEqual(['["r","one"]']);
    expect(faults()).toEqual(failed('clear'));
  });

  it('useMastra(): is reported, and throws nothing', async () => {
    const { processor, faults } = threadOver({ useMastra: fail });
    processor.__registerMastra({} as never);
    await new Promise((resolve) => setImmediate(resolve));
    expect(faults()).toEqual(failed('useMastra'));
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
    const { inner, processor, faults } = threadOver({
      clear,
      ...(scopes === null ? { scopes: () => inner.scopes() } : { scopes }),
    });
    for (const one of kept) inner.add(one, ['a'], KEEP);
    await processor.clearState('t1', resourceId as never);
    expect(inner.scopes()).toEqual(left);
    expect(clear.mock.calls).toEqual([...new Set(clear.mock.calls.flat())].map((one) => [one]));
    expect(faults()).toEqual([]);
  });
});

describe('what a store returns', () => {
  const odd = [undefined, 'a', new Set(['a']), { 0: 'a', length: 1 }, Promise.resolve(null)];
  it.each(odd)('is reported when it is no list, and the request goes on with its own loads: %j', async (value) => {
    const { request, faults } = threadOver({ get: () => value });
    const one = request();
    await one.load('b');
    expect(await one.has()).toEqual(['b']);
    const wrong = new TypeError('get() of the store did not return an array of names');
    expect(faults()).toEqual(Array(2).fill({ type: 'store-failed', operation: 'get', error: wrong }));
  });

  it('is used without repetitions and without what is no name, and not changed', async () => {
    const long = 'x'.repeat(1_000);
    const value = Object.freeze([
      'a',
      null,
      5,
      'b',
      ['c'],
      'a',
      { name: 'd' },
      `${long}x`,
      long,
      undefined,
      '__proto__',
    ]);
    const remove = vi.fn();
    const { request, faults } = threadOver({ get: () => value, remove }, { maxLoaded: { tools: 2 } });
    expect(await request().has()).toEqual(['a', 'b']);
    // What no tool has goes, as there is no room: names that were read.
    expect(remove.mock.calls).toEqual([['one', [long, '__proto__']]]);
    expect(faults()).toEqual([]);
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
      ['clear', 'clear', 'get', 'get'],
    ],
  ])('a store of one’s own %s', async (_, extra, counts, operations) => {
    const clearAll = vi.fn();
    const { processor, faults } = threadOver({ clearAll, ...extra });
    processor.clearAllState();
    expect(clearAll).toHaveBeenCalledTimes(operations.length > 0 ? 0 : 1);
    const { threadCount, oldestAccessTime } = processor.getStateStats();
    expect([threadCount, oldestAccessTime, processor.cleanupNow()]).toEqual(counts);
    await processor.clearState('one');
    expect(
      faults()
        .map(({ operation }) => operation)
        .sort(),
    ).toEqual(operations);
  });
});

const TIMEOUT = 500;
const operations = ['get', 'add', 'remove', 'clear'] as const;
type Operation = (typeof operations)[number];
const timers = ownTimers();

describe('a store that hangs', () => {
  /** How a promise stands after some time of the fake clock. */
  async function outcomeAfter<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value | 'still waiting'> {
    let settled: Value | 'still waiting' = 'still waiting';
    void promise.then((value) => {
      settled = value;
    });
    await vi.advanceTimersByTimeAsync(milliseconds);
    return settled;
  }

  /** A thread with stored a and b, over a store of which operations hang until they are let go. */
  function hanging(hung: readonly Operation[], timeout = TIMEOUT, change: Partial<LoadedToolStore> = {}) {
    const inner = memoryStore();
    inner.add('one', ['a', 'b'], KEEP);
    const hangs = new Set<Operation>(hung);
    const waiting: { go: () => void; fail: (error: Error) => void }[] = [];
    const through = <Value>(operation: Operation, task: () => Value): Value | Promise<Value> => {
      if (!hangs.has(operation)) return task();
      return new Promise<Value>((resolve, reject) => waiting.push({ go: () => resolve(task()), fail: reject }));
    };
    const storage: LoadedToolStore = {
      get: (scope) => through('get', () => inner.get(scope)),
      add: (...args) => through('add', () => inner.add(...args)),
      remove: (...args) => through('remove', () => inner.remove(...args)),
      clear: (scope) => through('clear', () => inner.clear(scope)),
      ...change,
    };
    const events: ToolSearchEvent[] = [];
    const options = { timeouts: { store: timeout }, ttl: 0, scope: () => 'one', metaTools: { unload: true } };
    const onEvent = (event: ToolSearchEvent) => void (event.type === 'store-failed' && events.push(event));
    const processor = new ToolSearchProcessor({ tools, storage, onEvent, ...options });
    /** The tools of a step that began before anything hung. */
    const free = new Set(hangs);
    const begun = async () => {
      hangs.clear();
      const session = new Session({ tools }, { processor });
      const step = await session.step();
      for (const each of free) hangs.add(each);
      const run = (name: string, ...toolNames: string[]) =>
        step.tools[name]?.execute?.({ toolNames } as never, {} as never) as Promise<unknown>;
      return {
        get: () => session.sent(),
        add: () => run('load_tool', 'c'),
        remove: () => run('unload_tool', 'a'),
        clear: () => processor.clearState('one'),
        has: async () => (await session.sent()).filter((name) => name !== 'unload_tool'),
      };
    };
    const release = (how: 'go' | 'fail' = 'go') => {
      hangs.clear();
      for (const each of waiting.splice(0)) each[how](new Error('connection lost'));
    };
    return { inner, events, processor, begun, release, waiting };
  }
  const late = (operation: Operation) => ({
    ...{ type: 'store-failed', operation },
    error: expect.objectContaining({ message: `it took longer than ${TIMEOUT} ms` }),
  });

  const rejections: unknown[] = [];
  const remember = (reason: unknown): void => void rejections.push(reason);
  beforeAll(async () => {
    // Code that is imported when it is first needed: no fake clock waits for it.
    const session = new Session({ tools, metaTools: { unload: true } });
    await session.load({ toolName: 'b' });
    await session.call('unload_tool', { toolNames: ['b'] });
    await rig({ tools }, { script: calls(call('load_tool', { toolName: 'a' }), call('a')) }).agent.generate('go');
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
    'in %s is given up after the time, and reported; what it does or fails in later is not',
    async (operation) => {
      for (const later of ['go', 'fail'] as const) {
        const { begun, events, release, inner } = hanging([operation]);
        const request = await begun();
        const task = request[operation]();
        expect(await outcomeAfter(TIMEOUT - 1, task)).toBe('still waiting');
        expect(events).toEqual([]);
        expect(await outcomeAfter(1, task)).not.toBe('still waiting');
        expect(events).toEqual([late(operation)]);
        release(later);
        await vi.advanceTimersByTimeAsync(10_000);
        expect(events).toEqual([late(operation)]);
        const done = { get: ['a', 'b'], add: ['a', 'b', 'c'], remove: ['b'], clear: [] }[operation];
        expect(inner.get('one')).toEqual(later === 'go' ? done : ['a', 'b']);
        // What the request did counts for it, and is not stored twice.
        if (operation === 'clear') continue;
        expect(await request.has()).toEqual(done);
        expect(inner.get('one')).toEqual(done);
      }
    },
  );

  it('is waited for without end with Infinity, and two seconds where the option is left out', async () => {
    for (const operation of operations) {
      const { begun, events, release } = hanging([operation], Number.POSITIVE_INFINITY);
      const task = (await begun())[operation]();
      expect(timers()).toBe(0);
      expect(await outcomeAfter(100_000_000, task)).toBe('still waiting');
      release();
      expect(await outcomeAfter(0, task)).not.toBe('still waiting');
      expect(events).toEqual([]);
    }
    // More than a timer can hold.
    for (const timeout of [2 ** 31, 1e300]) {
      const { begun, release } = hanging(['get'], timeout);
      const task = (await begun()).get();
      expect(await outcomeAfter(60_000, task)).toBe('still waiting');
      release();
      await task;
    }
    const session = new Session({ tools, storage: { ...memoryStore(), get: () => new Promise(() => {}) } });
    const step = session.sent();
    expect(await outcomeAfter(1_999, step)).toBe('still waiting');
    expect(await outcomeAfter(1, step)).toEqual([]);
  });

  it('costs no timer where it answers in time', async () => {
    const { begun, release } = hanging(['get']);
    const task = (await begun()).get();
    expect(timers()).toBe(1);
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(timers()).toBe(0);
    expect(await task).toEqual(expect.arrayContaining(['a', 'b']));
  });

  it('in add does not store what was unloaded meanwhile', async () => {
    const { begun, release, inner, processor, waiting } = hanging(['add']);
    const request = await begun();
    await outcomeAfter(TIMEOUT, request.add());
    // It is lost, not late.
    waiting.length = 0;
    release();
    const session = new Session({ tools }, { processor });
    await session.load({ toolName: 'd' });
    await request.remove();
    expect(await request.has()).toEqual(['b', 'd', 'c']);
    expect(inner.get('one')).toEqual(['b', 'd', 'c']);
  });

  it('finishes the run of an agent, of which each step costs the time once', async () => {
    const hang = () => new Promise<never>(() => {});
    const storage: LoadedToolStore = { get: hang, add: hang, remove: hang, clear: hang };
    const options = { tools, storage, timeouts: { store: TIMEOUT }, scope: () => 'one' };
    const script = calls(call('load_tool', { toolName: 'a' }), call('a'));
    const { agent, model } = rig(options, { script });
    const run = agent.generate('go').then(({ text }) => text);
    expect(await outcomeAfter(20 * TIMEOUT, run)).toBe('done');
    expect(model.calls.map((received) => toolNames(received).slice(2))).toEqual([[], ['a'], ['a']]);
  });

  describe('without remove', () => {
    const without = { remove: undefined } as unknown as Partial<LoadedToolStore>;

    it.each<[removed: string[], added: unknown[]]>([
      [['b', 'unknown'], [['one', ['a'], { ttl: 0 }]]],
      [['b', 'a'], []],
      [[], []],
    ])('is cleared of %j, and given the rest, in order, with the ttl', async (removed, added) => {
      const add = vi.fn();
      const { processor, inner } = hanging([], TIMEOUT, { ...without, add });
      expect(await processor.unload('one', removed)).toEqual(removed.filter((name) => name !== 'unknown'));
      expect(inner.get('one')).toEqual(removed.length > 0 ? [] : ['a', 'b']);
      expect(add.mock.calls).toEqual(added);
    });

    it.each(['get', 'clear', 'add'] as const)(
      'that hangs in %s is given up once, and late loses nothing',
      async (operation) => {
        const { begun, events, inner, release, processor } = hanging([operation], TIMEOUT, without);
        const request = await begun();
        expect(await outcomeAfter(TIMEOUT, request.remove())).not.toBe('still waiting');
        expect(events).toEqual([late('remove')]);
        release();
        await new Session({ tools }, { processor }).load({ toolName: 'd' });
        await vi.advanceTimersByTimeAsync(10);
        // What has been loaded since must stay.
        if (operation === 'get') expect(inner.get('one')).toContain('d');
      },
    );
  });
});
