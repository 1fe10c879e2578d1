import type { WordMatch } from './match-cache.ts';
import type { TermIndex } from './term-index.ts';

/** How much of a document's name some words ask for. One for all queries of an index, as it has room for every stem. */
export class NameShares {
  readonly #terms: TermIndex;
  /** Weights by the number of a stem; 0 between two queries. */
  #weights: Float64Array | undefined;

  constructor(terms: TermIndex) {
    this.#terms = terms;
  }

  /** Does something with a function that gives for a document the share of its name that the words ask for. */
  with<Result>(words: readonly WordMatch[], use: (shareOf: (id: number) => number) => Result): Result {
    this.#weights ??= new Float64Array(this.#terms.nameStems);
    const weights = this.#weights;
    for (const { nameStems } of words) {
      // Of a stem that is asked for twice, the higher weight counts.
      for (const [number, weight] of nameStems) weights[number] = Math.max(weight, weights[number] ?? 0);
    }
    try {
      return use((id) => this.#terms.nameShare(id, weights));
    } finally {
      for (const { nameStems } of words) for (const [number] of nameStems) weights[number] = 0;
    }
  }
}
