import { Lru } from '../../util/lru.ts';
import { product, type ToolVectors } from './tool-vectors.ts';

type Vocabulary = ToolVectors['vocabulary'];

/** A word of a query, with the length of its vector. */
export interface AskedWord {
  readonly text: string;
  readonly length: number;
  readonly weight: number;
}

/** The words of a query that are compared with those of tools. */
export interface Asked {
  readonly words: readonly AskedWord[];
  /** The vectors of the words, one after the other. */
  readonly vectors: Int16Array;
  /** The unit vector of the whole query. */
  readonly vector: Int16Array;
  /** The summed weight of all words. */
  readonly total: number;
}

/** The cosines of a query word with all words of a vocabulary; `UNKNOWN` for words that were not compared yet. */
type Column = Float32Array;
const UNKNOWN = -1;

/** Maximum bytes of cached columns in a process. Most queries have words of an earlier query. */
const MAX_BYTES = 8 << 20;
const MAX_COLUMNS = 2_000;
const columns = new Lru<Column>(MAX_COLUMNS, MAX_BYTES, ({ byteLength }) => byteLength);

function columnOf(word: string, { number, size }: Vocabulary): Column {
  const key = `${number} ${word}`;
  const known = columns.get(key);
  // The shared vocabulary grows, so a cached column may be too short.
  if (known && known.length >= size) return known;
  const column = new Float32Array(size).fill(UNKNOWN);
  if (known) column.set(known);
  columns.set(key, column);
  return column;
}

/**
 * Compares the words of a query with those of tools. The cosine of a pair is computed once, when a tool has the word.
 */
export class ComparedWords {
  readonly #asked: Asked;
  readonly #vocabulary: Vocabulary;
  readonly #columns: readonly Column[];

  constructor(asked: Asked, vocabulary: Vocabulary) {
    this.#asked = asked;
    this.#vocabulary = vocabulary;
    this.#columns = asked.words.map(({ text }) => columnOf(text, vocabulary));
  }

  /** The cosine of each query word with the closest of `words`, as a weighted mean. */
  asked(words: Uint32Array): number {
    const { words: asked, total } = this.#asked;
    let sum = 0;
    for (let at = 0; at < asked.length; at++) sum += (asked[at] as AskedWord).weight * this.#closest(at, words);
    return sum / total;
  }

  /** The largest share of the query that is lost with one word, because no list has a word close to it. */
  lost(lists: readonly Uint32Array[]): number {
    const { words: asked, total } = this.#asked;
    return asked.reduce((most, { weight }, at) => {
      const best = lists.reduce((highest, words) => Math.max(highest, this.#closest(at, words)), 0);
      return Math.max(most, (weight * (1 - best)) / total);
    }, 0);
  }

  /** The cosine of each of `words` with the closest query word, as a mean weighted by vector length. */
  own(words: Uint32Array): number {
    let [sum, total] = [0, 0];
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as number;
      const length = this.#vocabulary.lengths[word] as number;
      let best = 0;
      for (let of = 0; of < this.#columns.length; of++) {
        const known = (this.#columns[of] as Column)[word] as number;
        const cosine = known === UNKNOWN ? this.#compare(of, word) : known;
        if (cosine > best) best = cosine;
      }
      sum += length * best;
      total += length;
    }
    return total > 0 ? sum / total : 0;
  }

  /** The highest cosine of a query word with any of `words`. */
  #closest(of: number, words: Uint32Array): number {
    const column = this.#columns[of] as Column;
    let best = 0;
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as number;
      const known = column[word] as number;
      const cosine = known === UNKNOWN ? this.#compare(of, word) : known;
      if (cosine > best) best = cosine;
    }
    return best;
  }

  #compare(of: number, word: number): number {
    const { words, vectors } = this.#asked;
    const { table, vectors: all, lengths } = this.#vocabulary;
    const dot = product(all, word * table.dims, vectors, of * table.dims, table.dims);
    const column = this.#columns[of] as Column;
    column[word] = dot <= 0 ? 0 : dot / ((lengths[word] as number) * (words[of] as AskedWord).length);
    // Read back as the stored float32, so that cached and fresh results are equal.
    return column[word];
  }
}
