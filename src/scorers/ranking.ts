import type { ToolMatch } from './scorer.ts';

/** Sorts in place: best first, ties by name in code unit order. */
export function bestFirst(matches: ToolMatch[]): ToolMatch[] {
  return matches.sort((first, second) => second.score - first.score || (first.name < second.name ? -1 : 1));
}

/**
 * Places in the order of their scores, best first, ties by name in code unit order. They come from a heap: mostly only the
 * first few of thousands are looked at.
 */
export class BestFirst {
  readonly #scores: Float64Array;
  readonly #nameAt: (place: number) => string;
  readonly #heap: Uint32Array;
  #size: number;
  /** The places that have left the heap, best first. */
  readonly #order: number[] = [];

  /** @param scores - by place. */
  constructor(scores: Float64Array, nameAt: (place: number) => string) {
    this.#scores = scores;
    this.#nameAt = nameAt;
    this.#size = scores.length;
    this.#heap = new Uint32Array(this.#size);
    for (let place = 0; place < this.#size; place++) this.#heap[place] = place;
    for (let at = (this.#size >> 1) - 1; at >= 0; at--) this.#sink(this.#heap[at] ?? 0, at);
  }

  /** The place of a rank, counted from 0; undefined behind the last one. */
  at(rank: number): number | undefined {
    while (this.#order.length <= rank && this.#size > 0) {
      this.#order.push(this.#heap[0] ?? 0);
      const last = this.#heap[--this.#size] ?? 0;
      if (this.#size > 0) this.#sink(last, 0);
    }
    return this.#order[rank];
  }

  scoreOf(place: number): number {
    return this.#scores[place] ?? 0;
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
    const difference = this.scoreOf(first) - this.scoreOf(second);
    return difference === 0 ? this.#nameAt(first) < this.#nameAt(second) : difference > 0;
  }
}
