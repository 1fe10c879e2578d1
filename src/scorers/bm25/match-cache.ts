import { Lru } from '../../util/lru.ts';
import type { WordMatch } from './word-matcher.ts';

/** What all indexes of a scorer may keep together of words that were asked for, in bytes. */
export const MAX_MATCH_BYTES = 16_000_000;
/** Bytes of a match without a document, its lists and its entry included; measured, and rounded up. */
const EMPTY_BYTES = 1_200;
/** Bytes of a document, in four lists. */
const BYTES_OF_DOCUMENT = 21;

/** The matches of words that several queries ask for: of all indexes of a scorer together, as there may be very many. */
export class MatchCache {
  readonly #cache: Lru<WordMatch>;
  #indexes = 0;

  constructor(limit: number = MAX_MATCH_BYTES) {
    this.#cache = new Lru(Number.POSITIVE_INFINITY, limit, bytesOf);
  }

  /** The part of the cache for one more index. */
  ofIndex(): IndexMatches {
    const prefix = `${this.#indexes++} `;
    return (word, make) => {
      const key = prefix + word;
      const known = this.#cache.get(key);
      if (known) return known;
      // A word that was cut out of a query would keep the whole query.
      const match = make(key.slice(prefix.length));
      this.#cache.set(key, match);
      return match;
    };
  }
}

/** The match of a word that is kept, else the one that is made now. */
export type IndexMatches = (word: string, make: (word: string) => WordMatch) => WordMatch;

/** What it holds, its key included. */
export function bytesOf({ word, ids, sources }: WordMatch): number {
  const terms = sources.reduce((sum, source) => sum + source.terms.length, 0);
  return EMPTY_BYTES + 4 * word.length + ids.length * BYTES_OF_DOCUMENT + 100 * terms;
}
