import type { MaybePromise } from '../../util/maybe-promise.ts';

/**
 * Keeps the vectors of documents beyond this process, so that a restart does not embed the catalog again.
 *
 * A key is the model's name with a hash of the text: it never stands for another vector, so entries may be kept for
 * ever, shared by any number of processes, or lost at any time. What either method throws costs a call of the
 * embedding model, not the search.
 */
export interface VectorCache {
  /** A vector for each key, in their order; undefined or null for an unknown one. */
  get(keys: readonly string[]): MaybePromise<readonly (ArrayLike<number> | null | undefined)[]>;
  /** Called with each batch as soon as it is embedded. */
  set(entries: readonly VectorCacheEntry[]): MaybePromise<unknown>;
}

export interface VectorCacheEntry {
  readonly key: string;
  /** As the model returned it, ready for JSON. */
  readonly vector: readonly number[];
}
