import type { ToolDocument } from '../../catalog/document.ts';
import { messageOf } from '../../errors.ts';
import type { MaybePromise } from '../../util/maybe-promise.ts';
import { inSlices } from '../../util/time-slices.ts';
import { inTime } from '../../util/timeout.ts';
import type { ScorerContext } from '../scorer.ts';
import { BadBytes } from './bad-bytes.ts';
import { keyOf } from './saved-key.ts';

/** How an index is made: from bytes that were saved under a key, or of documents. */
export interface Making<Index> {
  /** Throws where the bytes are not what was saved under the key. */
  readonly load: (bytes: unknown, documents: readonly ToolDocument[], key: string) => Index;
  readonly build: (documents: readonly ToolDocument[]) => MaybePromise<Index>;
}

/** The name of the scorer in faults, and in front of the keys of its indexes. */
const NAME = 'bm25';
const TIMEOUT = 2_000;

/**
 * The index of documents: as it was saved, where that is to be had, else built, and then given to the cache. What is at
 * fault with saved bytes or with the cache is reported, and costs the time to build.
 */
export async function savedIndex<Index extends { save(): Uint8Array | undefined }>(
  documents: readonly ToolDocument[],
  { report, restored, indexCache, cacheTimeout = TIMEOUT }: ScorerContext,
  saved: Uint8Array | undefined,
  { load, build }: Making<Index>,
): Promise<Index> {
  const key = await inSlices(keyOf(documents));
  const failed = (what: string, error: unknown): void =>
    report({ scorer: NAME, error: new Error(`${what}: ${messageOf(error)}`, { cause: error }) });
  const inCache = `${NAME}-${key}`;
  if (saved) {
    try {
      const index = load(saved, documents, key);
      restored?.();
      return index;
    } catch (error) {
      failed('"saved" is not used', error);
    }
  }
  if (!indexCache) return build(documents);
  let isThere = true;
  try {
    const bytes = await inTime((async () => indexCache.get(inCache))(), cacheTimeout);
    if (bytes !== undefined && bytes !== null) {
      const index = load(bytes, documents, key);
      restored?.();
      return index;
    }
  } catch (error) {
    // A damaged index is written anew; one that is slow, or down, is left alone.
    isThere = error instanceof BadBytes;
    failed('the index cache failed to get an index', error);
  }
  const index = await build(documents);
  if (isThere) {
    setImmediate(async () => {
      try {
        const bytes = index.save();
        if (bytes) await inTime((async () => indexCache.set(inCache, bytes))(), cacheTimeout);
      } catch (error) {
        failed('the index cache failed to set an index', error);
      }
    });
  }
  return index;
}
