import { stem } from '../words/stem.ts';
import { inverseDocumentFrequency } from './idf.ts';
import type { CatalogStatistics, Guess } from './statistics.ts';
import type { TermIndex } from './term-index.ts';
import type { Term } from './terms.ts';

/** What a word may mean that the catalog does not have: words of the index, and what was given of other documents. */
export interface Guesses extends Guess {
  readonly forms: readonly Term[];
}

const NONE: readonly never[] = [];

/**
 * Tells what a catalog has: what its index has and, where that has a part of it, what the statistics say of all. The
 * counts are those of the statistics, 0 without them: what is found in the index counts where it is more.
 */
export class CatalogCounts {
  readonly #terms: TermIndex;
  readonly #given: CatalogStatistics | undefined;
  /** Count of the catalog's documents. */
  readonly size: number;

  constructor(terms: TermIndex, given?: CatalogStatistics) {
    this.#terms = terms;
    this.#given = given;
    this.size = Math.max(terms.size, given?.documents ?? 0);
  }

  /** The idf of a word that so many documents have. */
  idf(count: number): number {
    return inverseDocumentFrequency(Math.min(count, this.size), this.size);
  }

  /** Whether a document may have a word with this stem. */
  hasStem(root: string): boolean {
    return this.withStem(root) > 0 || this.#terms.hasStem(root);
  }

  /** Whether a document has a word, or another form of it. */
  isKnown(word: string, root: string = stem(word)): boolean {
    return this.withStem(root) > 0 || this.#terms.forms(word, root).length > 0;
  }

  /** A word that a document has: one that no document of the index has stands nowhere. */
  term(word: string): Term | undefined {
    return this.#terms.term(word) ?? (this.withWord(word) > 0 ? { word, numbers: NONE } : undefined);
  }

  guesses(word: string): Guesses {
    if (!this.#given) return { forms: this.#terms.guesses(word), stems: NONE, documents: 0 };
    const { stems = NONE, documents = 0 } = this.#given.guesses?.get(word) ?? {};
    return { forms: stems.flatMap((root) => this.#terms.forms('', root)), stems, documents };
  }

  /** Count of the documents that have a word with this stem. */
  withStem(root: string): number {
    return this.#given?.stems.get(root) ?? 0;
  }

  /** Count of the documents that have exactly this word. */
  withWord(word: string): number {
    if (!this.#given) return 0;
    return this.#given.words ? (this.#given.words.get(word) ?? 0) : this.withStem(stem(word));
  }

  /** Count of the documents whose server says this word of all its tools. */
  providedByServer(word: string): number {
    return this.#given?.instructions?.get(stem(word)) ?? 0;
  }
}
