import { type LoadedToolStore, memoryStore, type ToolSearchEvent } from 'mastra-tool-search';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Reporter } from '../../../src/events/reporter.ts';
import { Registry } from '../../../src/loaded/registry.ts';
import { RequestState } from '../../../src/processor/request.ts';
import { Session } from '../../meta-tools/session.ts';
import { call, calls, rig, tool, toolRecord } from '../../support/harness.ts';
import { ownTimers } from '../../support/own-timers.ts';
import { toolNames } from '../../support/scripted-model.ts';
import { settings } from '../registry-setup.ts';

const TIMEOUT = 500;
const operations = ['get', 'add', 'remove', 'clear'] as const;
type Operation = (typeof operations)[number];

/** A store of which operations can be made to hang, and be let go later. */
function hangingStore(hung: readonly Operation[] = []) {
  const inner = memoryStore();
  const hanging = new Set<Operation>(hung);
  const waiting: { go: () => void; fail: (error: Error) => void }[] = [];
  const through = <Value>(operation: Operation, task: () => Value): Value | Promise<Value> => {
    if (!hanging.has(operation)) return task();
    return new Promise<Value>((resolve, reject) => waiting.push({ go: () => resolve(task()), fail: reject }));
  };
  const store: LoadedToolStore = {
    get: (scope) => through('get', () => inner.get(scope)),
    add: (...args) => through('add', () => inner.add(...args)),
    remove: (...args) => through('remove', () => inner.remove(...args)),
    clear: (scope) => through('clear', () => inner.clear(scope)),
  };
  return { store, inner, hanging, waiting };
}

function setup(hung: readonly Operation[] = [], timeout: number = TIMEOUT, change: Partial<LoadedToolStore> = {}) {
  const events: ToolSearchEvent[] = [];
  const made = hangingStore(hung);
  const store = { ...made.store, ...change };
  const registry = new Registry(store, { ...settings, ttl: 0, timeout }, new Reporter((event) => events.push(event)));
  return { ...made, registry, events };
}

/** How a promise stands after some time of the fake clock. */
async function outcomeAfter<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value | 'still waiting'> {
  let settled: Value | 'still waiting' = 'still waiting';
  void promise.then((value) => {
    settled = value;
  });
  await vi.advanceTimersByTimeAsync(milliseconds);
  return settled;
}

const timers = ownTimers();
const rejections: unknown[] = [];
const remember = (reason: unknown): void => void rejections.push(reason);
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

const late = (operation: Operation) => ({
  type: 'store-failed',
  operation,
  error: expect.objectContaining({ message: `it took longer than ${TIMEOUT} ms` }),
});

describe('a store that hangs', () => {
  const tasks: Record<Operation, (registry: Registry) => Promise<unknown>> = {
    get: (registry) => registry.loaded(new RequestState('one')),
    add: (registry) => registry.add(new RequestState('one'), ['a']),
    remove: (registry) => registry.remove(new RequestState('one'), ['a']),
    clear: (registry) => registry.clear(['one']),
  };

  it.each(operations)('is given up after the time for %s, and reported', async (operation) => {
    const { registry, events } = setup([operation]);
    const task = tasks[operation](registry);
    expect(await outcomeAfter(TIMEOUT - 1, task)).toBe('still waiting');
    expect(events).toEqual([]);
    expect(await outcomeAfter(1, task)).not.toBe('still waiting');
    expect(events).toEqual([late(operation)]);
  });

  it.each(operations.flatMap((operation) => (['does', 'fails in'] as const).map((later) => ({ operation, later }))))(
    '$later what it was given up for later, without a report ($operation)',
    async ({ operation, later }) => {
      const { registry, events, waiting, hanging, inner } = setup([operation]);
      inner.add('one', ['stored'], { ttl: 0 });
      await outcomeAfter(TIMEOUT, tasks[operation](registry));
      hanging.clear();
      for (const { go, fail } of waiting) later === 'does' ? go() : fail(new Error('connection lost'));
      await vi.advanceTimersByTimeAsync(10_000);
      expect(events).toEqual([late(operation)]);
      const done = { get: ['stored'], add: ['stored', 'a'], remove: ['stored'], clear: [] }[operation];
      expect(await registry.loaded(new RequestState('one'))).toEqual(later === 'does' ? done : ['stored']);
    },
  );

  it.each(operations)('is waited for without end with Infinity (%s)', async (operation) => {
    const { registry, events, waiting } = setup([operation], Number.POSITIVE_INFINITY);
    const task = tasks[operation](registry);
    expect(timers()).toBe(0);
    expect(await outcomeAfter(100_000_000, task)).toBe('still waiting');
    for (const { go } of waiting) go();
    expect(await outcomeAfter(0, task)).not.toBe('still waiting');
    expect(events).toEqual([]);
  });

  it.each([2 ** 31, 1e300])('is not given up at once for a time that no timer can hold: %d', async (timeout) => {
    const { registry } = setup(['get'], timeout);
    expect(await outcomeAfter(60_000, registry.loaded(new RequestState('one')))).toBe('still waiting');
  });

  it('costs no timer where it answers in time, at once or later', async () => {
    const { registry, hanging, waiting } = setup();
    await registry.loaded(new RequestState('one'));
    expect(timers()).toBe(0);
    hanging.add('get');
    const task = registry.loaded(new RequestState('one'));
    expect(timers()).toBe(1);
    waiting[0]?.go();
    expect(await outcomeAfter(0, task)).toEqual([]);
    expect(timers()).toBe(0);
  });
});

describe('loads that the store could not take in time', () => {
  it('are not stored twice when they were taken late', async () => {
    const { registry, hanging, waiting, inner } = setup(['add']);
    const state = new RequestState('one');
    await outcomeAfter(TIMEOUT, registry.add(state, ['a']));
    hanging.clear();
    waiting[0]?.go();
    expect(await registry.loaded(state)).toEqual(['a']);
    expect(inner.get('one')).toEqual(['a']);
  });

  it('are not stored when they were removed meanwhile', async () => {
    const { registry, hanging, inner } = setup(['add']);
    const state = new RequestState('one');
    await outcomeAfter(TIMEOUT, registry.add(state, ['a', 'b']));
    hanging.clear();
    await registry.remove(state, ['a']);
    expect(await registry.loaded(state)).toEqual(['b']);
    expect(inner.get('one')).toEqual(['b']);
  });
});

describe('a store without remove', () => {
  const without = { remove: undefined } as unknown as Partial<LoadedToolStore>;

  it.each<[removed: string[], added: unknown[]]>([
    [['b', 'unknown'], [['one', ['a', 'c'], { ttl: 0 }]]],
    [['c', 'a', 'b'], []],
  ])('is cleared of %j, and given the rest, in order, with the ttl', async (removed, added) => {
    const add = vi.fn();
    const { registry, inner } = setup([], TIMEOUT, { ...without, add });
    inner.add('one', ['a', 'b', 'c'], { ttl: 0 });
    await registry.remove(new RequestState('one'), removed);
    expect(inner.get('one')).toEqual([]);
    expect(add.mock.calls).toEqual(added);
  });

  it('is not touched for no names', async () => {
    const get = vi.fn(() => []);
    const { registry } = setup([], TIMEOUT, { ...without, get });
    await registry.remove(new RequestState('one'), []);
    expect(get).not.toHaveBeenCalled();
  });

  it.each(['get', 'clear', 'add'] as const)('that hangs in %s is given up once, for the whole', async (operation) => {
    const { registry, events, inner } = setup([operation], TIMEOUT, without);
    inner.add('one', ['a', 'b'], { ttl: 0 });
    expect(await outcomeAfter(TIMEOUT, registry.remove(new RequestState('one'), ['a']))).toBeUndefined();
    expect(events).toEqual([late('remove')]);
  });

  it('that answers late does not lose what was loaded meanwhile', async () => {
    const { registry, inner, hanging, waiting } = setup(['get'], TIMEOUT, without);
    inner.add('one', ['a', 'b'], { ttl: 0 });
    await outcomeAfter(TIMEOUT, registry.remove(new RequestState('one'), ['a']));
    hanging.clear();
    waiting[0]?.go();
    await registry.add(new RequestState('one'), ['c']);
    await vi.advanceTimersByTimeAsync(10);
    expect(inner.get('one')).toContain('c');
  });
});

describe('the processor', () => {
  const tools = () => toolRecord(tool('a'), tool('b'), tool('c'));
  const script = calls(call('load_tool', { toolName: 'a' }), call('a'));
  beforeAll(async () => {
    // Code that is imported when it is first needed: no fake clock waits for it.
    await rig({ tools: tools() }, { script }).agent.generate('go');
    await new Session({ tools: tools() }).load({ toolName: 'b' });
  });

  it('goes on with what a request loaded itself, and stores it when the store is back', async () => {
    const { store, hanging, inner } = hangingStore(['get', 'add']);
    const session = new Session({ tools: tools(), storage: store, timeouts: { store: TIMEOUT }, scope: () => 'one' });
    expect(await outcomeAfter(3 * TIMEOUT, session.load({ toolName: 'b' }))).toMatchObject({ success: true });
    expect(await outcomeAfter(TIMEOUT, session.sent())).toEqual(['b']);
    hanging.clear();
    expect(await session.sent()).toEqual(['b']);
    expect(inner.get('one')).toEqual(['b']);
    const failed = session.eventsOf('store-failed').map(({ operation }) => operation);
    expect(new Set(failed)).toEqual(new Set(['get', 'add']));
  });

  it('waits two seconds where the option is left out', async () => {
    const { store } = hangingStore(['get']);
    const session = new Session({ tools: tools(), storage: store });
    const step = session.sent();
    expect(await outcomeAfter(1_999, step)).toBe('still waiting');
    expect(await outcomeAfter(1, step)).toEqual([]);
  });

  it('finishes the run of an agent, of which each step costs the time once', async () => {
    const { store } = hangingStore(operations);
    const { agent, model } = rig(
      { tools: tools(), storage: store, timeouts: { store: TIMEOUT }, scope: () => 'one' },
      { script },
    );
    const run = agent.generate('go').then(({ text }) => text);
    expect(await outcomeAfter(20 * TIMEOUT, run)).toBe('done');
    expect(model.calls.map((received) => toolNames(received).slice(2))).toEqual([[], ['a'], ['a']]);
  });
});
