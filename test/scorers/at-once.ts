import type { SlicedWork } from '../../src/slices.ts';

/** The result of work, without a stop. */
export function atOnce<Result>(work: SlicedWork<Result>): Result {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

/** How often the work could be interrupted. */
export function stopsOf(work: SlicedWork<unknown>): number {
  let stops = 0;
  while (!work.next().done) stops++;
  return stops;
}
