import type { SlicedWork } from '../../src/util/time-slices.ts';

export { runToEnd as atOnce } from '../../src/util/time-slices.ts';

/** How often the work could be interrupted. */
export function stopsOf(work: SlicedWork<unknown>): number {
  let stops = 0;
  while (!work.next().done) stops++;
  return stops;
}
