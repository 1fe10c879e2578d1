import fc from 'fast-check';
import { type MemoryStore, memoryStore, ToolSearchError } from 'mastra-tool-search';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clockAt, dateClock } from '../../support/date-clock.ts';
import { ownTimers } from '../../support/own-timers.ts';
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
function setup(maxScopes?: number): {
  store: MemoryStore;
  load: (scope: string, ttl?: number) => void;
  clock: typeof dateClock;
} {
  const clock = clockAt(0);
  const store = memoryStore(maxScopes === undefined ? {} : { maxScopes });
  return { store, clock, load: (scope, ttl = 0) => store.add(scope, ['a'], { ttl }) };
}

describe('maxScopes', () => {
  it('is not used up by expired scopes at the least recently used end', () => {
    const { store, load, clock } = setup(3);
    load('short', 10);
    load('long');
    clock.time = 11;
    load('new');
    expect(store.stats().scopeCount).toBe(2);
    expect(store.scopes()).toEqual(['long', 'new']);
  });

  it('is 10,000 unless said otherwise', () => {
    const { store, load } = setup();
    for (let n = 0; n <= 10_000; n++) load(String(n));
    expect(store.scopes()).toHaveLength(10_000);
    expect(store.scopes()[0]).toBe('1');
  });

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
          else if (kind === 'get') store.get(scope);
          else if (kind === 'clear') store.clear(scope);
          else store.add(scope, [], { ttl: 0 });
        }
        expect(store.scopes()).toEqual(expected);
      }),
    );
  });

  it.each([0, -1, 0.5, Number.NaN, 'many', '5', [5], {}, true])('%j is refused', (maxScopes) => {
    const make = () => memoryStore({ maxScopes: maxScopes as never });
    expect(make).toThrow(ToolSearchError);
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-option' }));
    expect(make).toThrow('"maxScopes" must be a number of at least 1');
  });

  it('may be Infinity', () => {
    expect(() => memoryStore({ maxScopes: Number.POSITIVE_INFINITY })).not.toThrow();
  });
});

describe('time', () => {
  it('keeps a scope up to the last millisecond of its ttl', () => {
    const { store, load, clock } = setup();
    load('one', 10);
    clock.time = 10;
    expect(store.get('one')).toEqual(['a']);
    clock.time = 21;
    expect(store.get('one')).toEqual([]);
  });

  it('does not count as used when the scopes are listed, counted or cleaned up', () => {
    const { store, load, clock } = setup();
    load('one', 10);
    clock.time = 6;
    store.scopes();
    store.stats();
    store.cleanup();
    clock.time = 12;
    expect(store.get('one')).toEqual([]);
  });

  it('forgets nothing when the clock is set back', () => {
    const { store, load, clock } = setup();
    clock.time = 1000;
    load('one', 10);
    clock.time = 0;
    expect(store.get('one')).toEqual(['a']);
    expect(store.cleanup()).toBe(0);
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

  it('passes without growing memory, as each add also removes what has expired', () => {
    const { store, load, clock } = setup();
    for (let n = 0; n < 1000; n++) {
      clock.time += 10;
      load(`scope-${n}`, 25);
    }
    expect(store.stats().scopeCount).toBe(3);
  });
});

it('scopes() leaves out expired ones, wherever they stand, and cleanup() removes them and says how many', () => {
  const { store, load, clock } = setup();
  load('kept');
  load('short', 10);
  load('long', 100);
  load('short too', 10);
  clock.time = 50;
  (store.scopes() as string[]).pop();
  expect(store.scopes()).toEqual(['kept', 'long']);
  expect([store.cleanup(), store.cleanup()]).toEqual([2, 0]);
  expect(store.scopes()).toEqual(['kept', 'long']);
});

describe('stats', () => {
  it('tell the time of the access that is the longest ago, zero too', () => {
    const { store, load, clock } = setup();
    expect(store.stats()).toEqual({ scopeCount: 0, oldestAccessTime: null });
    load('one');
    clock.time = 7;
    load('two');
    expect(store.stats()).toEqual({ scopeCount: 2, oldestAccessTime: 0 });
    clock.time = 9;
    store.get('one');
    expect(store.stats()).toEqual({ scopeCount: 2, oldestAccessTime: 7 });
  });

  it('count expired scopes until they are cleaned up, as @mastra/core does', () => {
    const { store, load, clock } = setup();
    load('one', 10);
    clock.time = 11;
    expect(store.stats().scopeCount).toBe(1);
    store.cleanup();
    expect(store.stats()).toEqual({ scopeCount: 0, oldestAccessTime: null });
  });
});

it('clearAll forgets every scope', () => {
  const { store, load } = setup();
  load('one');
  load('two');
  store.clearAll();
  expect([store.get('one'), store.scopes(), store.stats().scopeCount]).toEqual([[], [], 0]);
});

it('two stores share nothing', () => {
  const [one, other] = [setup(), setup()];
  one.load('scope');
  expect(other.store.get('scope')).toEqual([]);
});
