import type { ToolMatch } from './scorer.ts';

/** Sorts in place: best first, ties by name in code unit order. */
export function bestFirst(matches: ToolMatch[]): ToolMatch[] {
  return matches.sort((first, second) => second.score - first.score || (first.name < second.name ? -1 : 1));
}

/**
 * Places in the order of their scores, best first, ties by name in code unit order. Mostly only the first few of thousands
 * are looked at: they come from a heap by upper bounds, and a place is scored when its bound comes to the top.
 */
export class BestFirst {
  /** By place: its bound, until it is scored. */
  readonly #keys: Float64Array;
  readonly #isScored: Uint8Array;
  readonly #score: (place: number) => number;
  readonly #nameAt: (place: number) => string;
  readonly #heap: Uint32Array;
  #size: number;
  /** The places that have left the heap, best first. */
  readonly #order: number[] = [];

  /**
   * @param bounds - by place, no less than its score. It is changed.
   * @param score - of a place.
   */
  constructor(bounds: Float64Array, score: (place: number) => number, nameAt: (place: number) => string) {
    this.#keys = bounds;
    this.#isScored = new Uint8Array(bounds.length);
    this.#score = score;
    this.#nameAt = nameAt;
    this.#size = bounds.length;
    this.#heap = new Uint32Array(this.#size);
    for (let place = 0; place < this.#size; place++) this.#heap[place] = place;
    for (let at = (this.#size >> 1) - 1; at >= 0; at--) this.#sink(this.#heap[at] ?? 0, at);
  }

  /** The place of a rank, counted from 0; undefined behind the last one. */
  at(rank: number): number | undefined {
    while (this.#order.length <= rank && this.#size > 0) {
      const place = this.#heap[0] ?? 0;
      if (this.#isScored[place] === 0) {
        this.scoreOf(place);
        this.#sink(place, 0);
        continue;
      }
      this.#order.push(place);
      const last = this.#heap[--this.#size] ?? 0;
      if (this.#size > 0) this.#sink(last, 0);
    }
    return this.#order[rank];
  }

  scoreOf(place: number): number {
    if (this.#isScored[place] === 0) {
      this.#keys[place] = this.#score(place);
      this.#isScored[place] = 1;
    }
    return this.#keys[place] ?? 0;
  }

  #sink(place: number, from: number): void {
    const heap = this.#heap;
    let hole = from;
    for (let child = 2 * hole + 1; child < this.#size; child = 2 * hole + 1) {
      if (child + 1 < this.#size && this.#isBefore(heap[child + 1] ?? 0, heap[child] ?? 0)) child++;
      if (!this.#isBefore(heap[child] ?? 0, place)) break;
      heap[hole] = heap[child] ?? 0;
      hole = child;
    }
    heap[hole] = place;
  }

  #isBefore(first: number, second: number): boolean {
    const difference = (this.#keys[first] ?? 0) - (this.#keys[second] ?? 0);
    if (difference !== 0) return difference > 0;
    // What is not scored yet may be as good, and have the first name.
    if (this.#isScored[first] === 0 || this.#isScored[second] === 0) return this.#isScored[first] === 0;
    return this.#nameAt(first) < this.#nameAt(second);
  }
}
