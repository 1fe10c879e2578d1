import type { WordMatch } from './match-cache.ts';
import type { NameFit } from './segment.ts';
import type { TermIndex } from './term-index.ts';

/** How the names of documents fit some words. One for all queries of an index, as it has room for every stem. */
export class NameFits {
  readonly #terms: TermIndex;
  /** Weights by the number of a stem; 0 between two queries. */
  #weights: Float64Array | undefined;

  constructor(terms: TermIndex) {
    this.#terms = terms;
  }

  /**
   * Does something with a function that tells how a document's name fits the words; what it returns is good until its next
   * call.
   */
  with<Result>(words: readonly WordMatch[], use: (fitOf: (id: number) => Readonly<NameFit>) => Result): Result {
    this.#weights ??= new Float64Array(this.#terms.nameStems);
    const weights = this.#weights;
    for (const { nameStems } of words) {
      // Of a stem that is asked for twice, the higher weight counts.
      for (const [number, weight] of nameStems) weights[number] = Math.max(weight, weights[number] ?? 0);
    }
    const fit: NameFit = { share: 0, strangers: 0 };
    try {
      return use((id) => {
        this.#terms.nameFit(id, weights, fit);
        return fit;
      });
    } finally {
      for (const { nameStems } of words) for (const [number] of nameStems) weights[number] = 0;
    }
  }
}
