import type { MaybePromise } from './maybe-promise.ts';

/** Milliseconds of work before the event loop gets its turn. */
export const SLICE = 10;
/** Documents or words after which work yields: each yield is a look at the clock. */
export const CHUNK = 32;

/** Work that can be interrupted wherever it yields. */
export type SlicedWork<Result> = Generator<undefined, Result, undefined>;

/** Does the work, a slice at a time, so that other requests are served in between. At once where one slice is enough. */
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

/** When the event loop has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function nextSlice<Result>(work: SlicedWork<Result>): IteratorResult<undefined, Result> {
  const end = performance.now() + SLICE;
  let step = work.next();
  while (!step.done && performance.now() < end) step = work.next();
  return step;
}

/** Does the work without a break: for constructors, which cannot wait. */
export function runToEnd<Result>(work: SlicedWork<Result>): Result {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}
