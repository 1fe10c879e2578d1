import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import { memoryStore } from 'mastra-tool-search';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { calls, load, rig, tool, toolRecord, weather } from '../../support/agent.ts';
import { clockAt, dateClock } from '../../support/date-clock.ts';
import { ownTimers } from '../../support/own-timers.ts';
import { bareList, loaded } from '../conversation/messages.ts';
import { describeStore } from './store-contract.ts';

afterEach(() => {
  vi.useRealTimers();
});

describeStore('memoryStore()', () => ({
  store: memoryStore(),
  advance: (milliseconds) => {
    dateClock.time += milliseconds;
  },
}));

/** A store at the time zero, and `add` in one word. */
function setup(maxScopes?: number) {
  const clock = clockAt(0);
  const store = memoryStore(maxScopes === undefined ? {} : { maxScopes });
  return { store, clock, load: (scope: string, ttl = 0) => store.add(scope, ['a'], { ttl }) };
}

describe('maxScopes of memoryStore()', () => {
  it('keeps the scopes that a plain list of uses would keep', () => {
    const use = fc.record({
      kind: fc.constantFrom('get', 'add', 'clear', 'nothing'),
      scope: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(use, { maxLength: 40 }), (maxScopes, uses) => {
        const { store, load } = setup(maxScopes);
        let expected: string[] = [];
        for (const { kind, scope } of uses) {
          const isKnown = expected.includes(scope);
          if (kind !== 'nothing' && (kind !== 'get' || isKnown)) expected = expected.filter((one) => one !== scope);
          if (kind === 'add' || (kind === 'get' && isKnown)) expected.push(scope);
          expected = expected.slice(-maxScopes);
          if (kind === 'add') load(scope);
          else if (kind === 'nothing') store.add(scope, [], { ttl: 0 });
          else store[kind as 'get' | 'clear'](scope);
        }
        expect(store.scopes()).toEqual(expected);
      }),
    );
  });

  it('is 10,000 unless said otherwise, and not used up by expired scopes', () => {
    const { store, load, clock } = setup();
    load('short', 10);
    clock.time = 11;
    load('0');
    expect(store.stats().scopeCount).toBe(1);
    for (let n = 1; n <= 10_000; n++) load(String(n));
    expect([store.scopes().length, store.scopes()[0]]).toEqual([10_000, '1']);
    // Each add also removes what has expired.
    const other = setup();
    for (let n = 0; n < 100; n++) {
      other.clock.time += 10;
      other.load(`scope-${n}`, 25);
    }
    expect(other.store.stats().scopeCount).toBe(3);
  });

  it.each([0, -1, 0.5, Number.NaN, 'many', '5', [5], {}, true])('%j is refused', (maxScopes) => {
    const refusal = {
      code: 'invalid-option',
      message: expect.stringContaining('"maxScopes" must be a number of at least 1'),
    };
    expect(() => memoryStore({ maxScopes: maxScopes as never })).toThrow(expect.objectContaining(refusal));
    expect(() => memoryStore({ maxScopes: Number.POSITIVE_INFINITY })).not.toThrow();
  });
});

describe('the time of memoryStore()', () => {
  it('keeps a scope up to the last millisecond of its ttl, which only a use restarts, and a clock set back does not end', () => {
    const { store, load, clock } = setup();
    load('one', 10);
    clock.time = 10;
    expect(store.get('one')).toEqual(['a']);
    clock.time = 16;
    store.scopes();
    store.stats();
    store.cleanup();
    clock.time = 21;
    expect(store.get('one')).toEqual([]);
    load('two', 10);
    clock.time = 0;
    expect([store.get('two'), store.cleanup()]).toEqual([['a'], 0]);
  });

  it('leaves expired scopes out of scopes() and, once cleanup() has removed them, of stats()', () => {
    const { store, load, clock } = setup();
    expect(store.stats()).toEqual({ scopeCount: 0, oldestAccessTime: null });
    for (const [scope, ttl] of Object.entries({ kept: 0, short: 10, long: 100, 'short too': 10 })) {
      load(scope, ttl);
      clock.time += 1;
    }
    clock.time = 50;
    (store.scopes() as string[]).pop();
    expect(store.scopes()).toEqual(['kept', 'long']);
    // As @mastra/core does.
    expect(store.stats()).toEqual({ scopeCount: 4, oldestAccessTime: 0 });
    expect([store.cleanup(), store.cleanup()]).toEqual([2, 0]);
    store.get('kept');
    expect(store.stats()).toEqual({ scopeCount: 2, oldestAccessTime: 2 });
    const other = memoryStore();
    store.clearAll();
    expect([store.scopes(), store.get('kept'), other.get('kept')]).toEqual([[], [], []]);
  });

  describe('on a fake clock', () => {
    const timers = ownTimers();

    it('is that of Date.now, without a timer that would keep the process alive', () => {
      const store = memoryStore();
      store.add('one', ['a'], { ttl: 60_000 });
      expect(timers()).toBe(0);
      vi.setSystemTime(Date.now() + 60_001);
      expect(store.get('one')).toEqual([]);
    });
  });
});

it('a memoryStore that is passed is counted, cleaned up and emptied by its processor, and outlives it', async () => {
  const clock = clockAt(5_000);
  const storage = memoryStore();
  const options = { tools: toolRecord(weather()), storage, ttl: 1_000 };
  const { agent, processor } = rig(options, { script: calls(load('get_weather')) });
  for (const thread of ['one', 'two'])
    await agent.generate('go', {
      requestContext: new RequestContext([['mastra__threadId', thread]] as never) as never,
    });
  expect(processor.getStateStats()).toEqual({ threadCount: 2, oldestAccessTime: 5_000 });
  storage.add('["ann","one"]', ['get_weather'], { ttl: 0 });
  await processor.clearState('one');
  expect(processor.getStateStats().threadCount).toBe(1);
  processor.dispose();
  expect(storage.stats().scopeCount).toBe(1);
  clock.time += 2_000;
  expect(processor.cleanupNow()).toBe(1);
  storage.add('three', ['get_weather'], { ttl: 0 });
  processor.clearAllState();
  expect(processor.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null });
  expect(storage.scopes()).toEqual([]);
});

describe("storage: 'context'", () => {
  /** A thread of a processor that keeps nothing but what was unloaded, and what a new request of it is sent. */
  function threads(ttl = 0) {
    const tools = toolRecord(tool('a'), tool('b'));
    const first = new Session({ tools, ttl, storage: 'context', scope: ({ threadId }) => threadId });
    const request = (thread: string) => new Session({ tools }, { processor: first.processor, thread });
    const sent = (thread: string, ...shown: string[]) =>
      request(thread).sent({ messages: [loaded(...shown)], messageList: bareList() });
    return { processor: first.processor, request, sent };
  }

  it('hides what was unloaded though the conversation shows it, also after a clearing, until it is loaded again', async () => {
    const { processor, request, sent } = threads();
    await request('one').load({ toolName: 'a' });
    expect(await sent('one', 'b')).toEqual(['b']);
    await processor.unload('one', ['a']);
    await processor.clearState('one');
    for (let time = 0; time < 2; time++) expect(await sent('one', 'a', 'b')).toEqual(['b']);
    expect(await sent('two', 'a')).toEqual(['a']);
    await request('one').load({ toolName: 'a' });
    expect(await sent('one', 'a', 'b')).toEqual(['a', 'b']);
  });

  it('remembers it under the ttl, which reading restarts, and for 10,000 threads', async () => {
    const clock = clockAt(0);
    const { processor, request, sent } = threads(10);
    await request('one').load({ toolName: 'a' });
    await processor.unload('one', ['a']);
    for (clock.time = 0; clock.time < 50; clock.time += 10) expect(await sent('one', 'a')).toEqual([]);
    clock.time += 11;
    expect(await sent('one', 'a')).toEqual(['a']);
    await processor.unload('one', ['a']);
    for (let n = 0; n < 10_000; n++) await processor.unload(`thread ${n}`, ['a']);
    expect([await sent('one', 'a'), await sent('thread 0', 'a')]).toEqual([['a'], []]);
  });
});
