import type { MaybePromise } from './maybe-promise.ts';

/** Milliseconds of work before the event loop gets its turn. */
export const SLICE = 10;
/** Iterations of a loop between two yields. Each yield reads the clock. */
export const CHUNK = 32;

/** A generator that may be interrupted wherever it yields. */
export type SlicedWork<Result> = Generator<undefined, Result, undefined>;

/**
 * Runs work in slices, so that other requests are served in between. Returns the result without a promise if one slice
 * is enough.
 */
export function inSlices<Result>(work: SlicedWork<Result>): MaybePromise<Result> {
  const first = nextSlice(work);
  return first.done ? first.value : theRest(work);
}

async function theRest<Result>(work: SlicedWork<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const step = nextSlice(work);
    if (step.done) return step.value;
  }
}

/** Resolves after the event loop has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function nextSlice<Result>(work: SlicedWork<Result>): IteratorResult<undefined, Result> {
  const end = performance.now() + SLICE;
  let step = work.next();
  while (!step.done && performance.now() < end) step = work.next();
  return step;
}

/** Runs work to its end without a pause: for constructors, which cannot wait. */
export function runToEnd<Result>(work: SlicedWork<Result>): Result {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}
