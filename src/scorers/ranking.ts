import type { ToolMatch } from './scorer.ts';

/** Sorts in place: best first, ties by name in code unit order. */
export function bestFirst(matches: ToolMatch[]): ToolMatch[] {
  return matches.sort((first, second) => second.score - first.score || (first.name < second.name ? -1 : 1));
}

/**
 * The places of a list of scores, best first, ties by name in code unit order: one at a time from a heap, as mostly only
 * the first few of thousands are looked at.
 */
export function* bestPlaces(scores: Float64Array, nameAt: (place: number) => string): Iterable<number> {
  let size = scores.length;
  const heap = new Uint32Array(size);
  for (let place = 0; place < size; place++) heap[place] = place;
  const isBefore = (first: number, second: number): boolean => {
    const difference = (scores[first] ?? 0) - (scores[second] ?? 0);
    return difference > 0 || (difference === 0 && nameAt(first) < nameAt(second));
  };
  const sink = (place: number, from: number): void => {
    let hole = from;
    for (let child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && isBefore(heap[child + 1] ?? 0, heap[child] ?? 0)) child++;
      if (!isBefore(heap[child] ?? 0, place)) break;
      heap[hole] = heap[child] ?? 0;
      hole = child;
    }
    heap[hole] = place;
  };
  for (let at = (size >> 1) - 1; at >= 0; at--) sink(heap[at] ?? 0, at);
  while (size > 0) {
    yield heap[0] ?? 0;
    const last = heap[--size] ?? 0;
    if (size > 0) sink(last, 0);
  }
}
