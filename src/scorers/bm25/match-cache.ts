import { Lru } from '../../util/lru.ts';

/** Bytes that all indexes of a scorer may keep together of words that were asked for. */
export const MAX_MATCH_BYTES = 16_000_000;
/** Bytes of a match without a document, its lists and its entry included; measured, and rounded up. */
const EMPTY_BYTES = 1_200;
/** Bytes of a document, in four lists. */
const BYTES_OF_DOCUMENT = 21;

/**
 * The matches of words that several queries ask for: of all indexes of a scorer together, as there may be very many.
 */
export class MatchCache {
  readonly #cache: Lru<WordMatch>;
  #indexes = 0;

  constructor(limit: number = MAX_MATCH_BYTES) {
    this.#cache = new Lru(Number.POSITIVE_INFINITY, limit, bytesOf);
  }

  /** The part of the cache for one more index. */
  ofIndex(): IndexMatches {
    const prefix = `${this.#indexes++} `;
    return (wanted, make) => {
      const key = prefix + wanted;
      const cached = this.#cache.get(key);
      if (cached) return cached;
      const match = make(key.slice(prefix.length));
      this.#cache.set(key, match);
      return match;
    };
  }
}

/**
 * The match that is kept under a key, else the one that is made now. The key that it is made for is a text of its own: one
 * that was cut out of a query would keep the whole query.
 */
export type IndexMatches = (key: string, make: (key: string) => WordMatch) => WordMatch;

/** Bytes that a match takes, its key included. */
export function bytesOf({ word, ids, sources, nameStems }: WordMatch): number {
  const terms = sources.reduce((sum, source) => sum + source.terms.length, 0);
  return EMPTY_BYTES + 4 * word.length + ids.length * BYTES_OF_DOCUMENT + 100 * (terms + nameStems.length);
}

/** Terms that were looked for because of one word of the query. */
export interface Source {
  readonly by: 'word' | 'form' | 'compound' | 'guess' | 'synonym' | 'server';
  /** The forms of each word; one of each has to match. None for what a server says. */
  readonly terms: readonly (readonly string[])[];
}

/** One word of the query with what it found. */
export interface WordMatch {
  readonly word: string;
  /** Documents, and for each its score and how fully it has the word: 1, or less for a synonym. */
  readonly ids: Uint32Array;
  readonly scores: Float64Array;
  readonly covers: Float64Array;
  /** 1 where the score is a synonym's, or the server's. */
  readonly bySynonym: Uint8Array;
  /**
   * The idf of the word in this catalog, which says how distinctive it is; as if nobody had it where only a guess or a
   * synonym was found.
   */
  readonly idf: number;
  /** The sources, in the order in which they were tried. */
  readonly sources: readonly Source[];
  /** Whether it mostly says nothing in a query of some words. */
  readonly isFiller: boolean;
  /**
   * Stems of names that may stand for the word, by their numbers: its own, and those of its synonyms, with what each
   * counts. One may be there twice.
   */
  readonly nameStems: readonly (readonly [number: number, weight: number])[];
  /** The kind of action that it asks for, in any language of the vocabulary; 0 for none. */
  readonly action: number;
  /** Whether it asks for something to be deleted or ended. */
  readonly asksToDelete: boolean;
}
