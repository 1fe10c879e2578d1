import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { aroundEach, vi } from 'vitest';

const context = new AsyncLocalStorage<Set<unknown>>();

/** Where a frame of a stack is code of this package. */
const SOURCE = new URL('../../src/', import.meta.url).pathname;

/**
 * Gives each test of a suite fake timers. Returns a function that counts those that this package has set for the test and
 * that have neither ended nor been stopped. `vi.getTimerCount()` also counts those of other work in this process, such
 * as what an earlier file has begun.
 */
export function ownTimers(): () => number {
  let own = new Set<unknown>();
  aroundEach(async (runTest) => {
    vi.useFakeTimers();
    own = new Set();
    countTimers(own);
    try {
      await context.run(own, runTest);
    } finally {
      vi.useRealTimers();
    }
  });
  return () => own.size;
}

/** Keeps in `own` the timers that this package sets in its context, until they end. `vi.useRealTimers` takes this away. */
function countTimers(own: Set<unknown>): void {
  for (const name of ['setTimeout', 'setInterval', 'setImmediate'] as const) {
    const set: (callback: () => void, ...rest: never[]) => unknown = globalThis[name];
    const counting = (callback: (...given: unknown[]) => void, ...rest: never[]): unknown => {
      // The fake clock calls back in the context of whoever brings it forward: other work in this process would be ours.
      const run = AsyncResource.bind((...given: unknown[]) => {
        if (name !== 'setInterval') own.delete(timer);
        callback(...given);
      });
      const timer = set(run, ...rest);
      // After the message and this function.
      const caller = new Error().stack?.split('\n')[2];
      if (context.getStore() === own && caller?.includes(SOURCE)) own.add(timer);
      return timer;
    };
    globalThis[name] = counting as never;
  }
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate'] as const) {
    const clear: (timer: never) => void = globalThis[name];
    globalThis[name] = (timer: unknown) => {
      own.delete(timer);
      clear(timer as never);
    };
  }
}
