import { product, type ToolVectors } from './tool-vectors.ts';

/** A word of a query. */
export interface AskedWord {
  readonly length: number;
  readonly weight: number;
}

/** The words of a query that are compared. */
export interface Asked {
  readonly words: readonly AskedWord[];
  /** Their vectors, one behind the other. */
  readonly vectors: Int16Array;
  /** The vector of the whole query, of length 1. */
  readonly vector: Int16Array;
  /** The weight of all words. */
  readonly total: number;
}

/** What is empty between two queries. */
export interface Scratch {
  /** The row of each word of the catalog that was compared; -1 for any other. */
  readonly rows: Int32Array;
}

/** The words of a query against those of a catalog: each pair is compared once, where a tool has the word. */
export class ComparedWords {
  readonly #asked: Asked;
  readonly #vocabulary: ToolVectors['vocabulary'];
  readonly #rows: Int32Array;
  /** The words that were compared, and for each its cosines with the words of the query, and the highest. */
  readonly #seen: number[] = [];
  #cosines = new Float64Array(1 << 10);
  readonly #best: Float64Array;

  constructor(asked: Asked, vocabulary: ToolVectors['vocabulary'], { rows }: Scratch) {
    this.#asked = asked;
    this.#vocabulary = vocabulary;
    this.#rows = rows;
    this.#best = new Float64Array(asked.words.length);
  }

  /** How close the closest of some words comes to each word of the query. */
  asked(words: Uint32Array): number {
    const { words: asked, total } = this.#asked;
    const best = this.#best.fill(0);
    const count = asked.length;
    for (let at = 0; at < words.length; at++) {
      const row = this.#rowOf(words[at] as number);
      raise(best, this.#cosines, row * (count + 1));
    }
    let sum = 0;
    for (let at = 0; at < count; at++) sum += (asked[at] as AskedWord).weight * (best[at] as number);
    return sum / total;
  }

  /** The largest part of the query that one word keeps, which no list of words comes close to. */
  lost(lists: readonly Uint32Array[]): number {
    const { words: asked, total } = this.#asked;
    const best = this.#best.fill(0);
    for (const words of lists)
      for (let at = 0; at < words.length; at++) {
        const row = this.#rowOf(words[at] as number);
        raise(best, this.#cosines, row * (asked.length + 1));
      }
    return asked.reduce((most, { weight }, at) => Math.max(most, (weight * (1 - (best[at] as number))) / total), 0);
  }

  /** How close the closest word of the query comes to each of some words. */
  own(words: Uint32Array): number {
    const count = this.#asked.words.length;
    let [sum, total] = [0, 0];
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as number;
      const length = this.#vocabulary.lengths[word] as number;
      const row = this.#rowOf(word);
      sum += length * (this.#cosines[row * (count + 1) + count] as number);
      total += length;
    }
    return total > 0 ? sum / total : 0;
  }

  end(): void {
    for (const word of this.#seen) this.#rows[word] = -1;
  }

  #rowOf(word: number): number {
    const known = this.#rows[word] as number;
    if (known >= 0) return known;
    const row = this.#seen.push(word) - 1;
    this.#rows[word] = row;
    const { words, vectors } = this.#asked;
    const { table, vectors: all, lengths } = this.#vocabulary;
    const start = row * (words.length + 1);
    if (start + words.length >= this.#cosines.length) {
      const larger = new Float64Array(2 * this.#cosines.length + words.length + 1);
      larger.set(this.#cosines);
      this.#cosines = larger;
    }
    let best = 0;
    for (let at = 0; at < words.length; at++) {
      const dot = product(all, word * table.dims, vectors, at * table.dims, table.dims);
      const cosine = dot <= 0 ? 0 : dot / ((lengths[word] as number) * (words[at] as AskedWord).length);
      this.#cosines[start + at] = cosine;
      if (cosine > best) best = cosine;
    }
    this.#cosines[start + words.length] = best;
    return row;
  }
}

function raise(best: Float64Array, values: Float64Array, start: number): void {
  for (let at = 0; at < best.length; at++) {
    const value = values[start + at] as number;
    if (value > (best[at] as number)) best[at] = value;
  }
}
