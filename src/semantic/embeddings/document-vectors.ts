import { createHash } from 'node:crypto';
import { invalidOption, Lru, messageOf } from '../../kit.ts';
import { Batches, type Embedder } from './embedder.ts';
import { checkSize, unitVector } from './unit-vector.ts';

/**
 * Keeps the vectors of documents beyond this process, so that a restart does not embed the catalog again.
 *
 * A key is the model's name with a hash of the text: it never stands for another vector, so entries may be kept for
 * ever, shared by any number of processes, or lost at any time. What either method throws costs a call of the
 * embedding model, not the search.
 *
 * @example
 * ```ts
 * const kept = new Map<string, readonly number[]>();
 * const cache: VectorCache = {
 *   get: (keys) => keys.map((key) => kept.get(key)),
 *   set: (entries) => entries.forEach(({ key, vector }) => kept.set(key, vector)),
 * };
 * ```
 */
export interface VectorCache {
  /** A vector for each key, in their order; undefined or null for an unknown one. */
  get(
    keys: readonly string[],
  ): readonly (ArrayLike<number> | null | undefined)[] | Promise<readonly (ArrayLike<number> | null | undefined)[]>;
  /** Called with each batch as soon as it is embedded. */
  set(entries: readonly VectorCacheEntry[]): unknown;
}

/**
 * A vector, to be kept under its key.
 *
 * @example
 * ```ts
 * const lineOf = ({ key, vector }: VectorCacheEntry) => JSON.stringify([key, vector]);
 * ```
 */
export interface VectorCacheEntry {
  readonly key: string;
  /** The vector as the model returned it, ready for JSON. */
  readonly vector: readonly number[];
}

/** Documents that keep their vector in this process, over all catalogs. */
const MAX_VECTORS = 20_000;

/** Told of a cache that failed: the work goes on without it. */
type Report = (error: Error) => void;

/**
 * The vectors of documents by their content: a text is embedded once for all catalogs that have it, even when they ask
 * for it at once, and not at all when the cache has it.
 */
export class DocumentVectors {
  readonly #embedder: Embedder;
  readonly #cache: VectorCache | undefined;
  readonly #batches: Batches;
  readonly #cached = new Lru<Promise<Float32Array>>(MAX_VECTORS);
  #size: number | undefined;

  /** @throws ToolSearchError `invalid-option` for a cache without methods, or one that could not tell models apart. */
  constructor(embedder: Embedder, cache: VectorCache | undefined) {
    if (cache !== undefined && (typeof cache?.get !== 'function' || typeof cache.set !== 'function')) {
      throw invalidOption('cache', cache, 'an object with get and set');
    }
    if (cache !== undefined && embedder.model === undefined) {
      throw invalidOption('model', undefined, 'the name of the embedding model where there is a cache');
    }
    this.#embedder = embedder;
    this.#cache = cache;
    this.#batches = new Batches(() => embedder.limits());
  }

  /**
   * A unit vector for each text, all of one size. What was embedded before a failure is kept for the next time.
   *
   * @throws what `embed` threw, or an Error for a vector that says nothing.
   */
  async of(texts: readonly string[], report: Report): Promise<readonly Float32Array[]> {
    const keys = texts.map((text) => this.#keyOf(text));
    const vectors = new Map<string, Promise<Float32Array>>();
    const wanted = new Map<string, string>();
    for (const [position, key] of keys.entries()) {
      const cached = this.#cached.get(key);
      if (cached === undefined) wanted.set(key, texts[position] ?? '');
      else vectors.set(key, cached);
    }
    if (wanted.size > 0) {
      const work = this.#find(wanted, report);
      for (const key of wanted.keys()) vectors.set(key, this.#promise(key, work));
    }
    return Promise.all(keys.map((key) => vectors.get(key) as Promise<Float32Array>));
  }

  /** The vector of one key out of work for many, known to others from now on. */
  #promise(key: string, work: Promise<ReadonlyMap<string, Float32Array>>): Promise<Float32Array> {
    const vector = work.then((found) => found.get(key) as Float32Array);
    this.#cached.set(key, vector);
    vector.catch(() => this.#cached.drop(key, vector));
    return vector;
  }

  /** All vectors for texts by their keys: those of the cache, the others from the model. */
  async #find(wanted: ReadonlyMap<string, string>, report: Report): Promise<ReadonlyMap<string, Float32Array>> {
    const found = await this.#fromCache([...wanted.keys()], report);
    const missing = [...wanted].filter(([key]) => !found.has(key));
    await this.#batches.run(missing, async (batch) => {
      const texts = batch.map(([, text]) => text);
      const raw = await this.#embedder.embed(texts, 'document');
      const entries: VectorCacheEntry[] = [];
      for (const [position, [key]] of batch.entries()) {
        const vector = raw[position] ?? [];
        const unit = this.#accept(vector);
        found.set(key, unit);
        // Known even if a later batch fails.
        this.#cached.set(key, Promise.resolve(unit));
        entries.push({ key, vector: Array.from(vector) });
      }
      try {
        await this.#cache?.set(entries);
      } catch (error) {
        report(faultOf('set', entries.length, error));
      }
    });
    return found;
  }

  /** The vectors that the cache has. Whatever goes wrong is reported and costs a call of the model. */
  async #fromCache(keys: readonly string[], report: Report): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    if (!this.#cache) return found;
    const faults: unknown[] = [];
    const attempt = (task: () => void): void => {
      try {
        task();
      } catch (error) {
        faults.push(error);
      }
    };
    try {
      const vectors = await this.#cache.get(keys);
      for (const [position, key] of keys.entries()) {
        const vector = vectors[position];
        if (vector !== undefined && vector !== null) attempt(() => found.set(key, unitVector(vector)));
      }
    } catch (error) {
      report(faultOf('get', keys.length, error));
      return new Map();
    }
    // One vector of another size must not decide for all.
    this.#size ??= mostCommon([...found.values()].map(({ length }) => length));
    for (const [key, unit] of [...found]) {
      found.delete(key);
      attempt(() => {
        checkSize(unit, this.#size ?? unit.length);
        found.set(key, unit);
      });
    }
    if (faults.length > 0) report(faultOf('get', faults.length, faults.at(-1)));
    return found;
  }

  #accept(vector: ArrayLike<number>): Float32Array {
    const unit = unitVector(vector);
    this.#size ??= unit.length;
    checkSize(unit, this.#size);
    return unit;
  }

  #keyOf(text: string): string {
    return `${this.#embedder.model ?? ''}:${createHash('sha256').update(text).digest('hex')}`;
  }
}

function mostCommon(sizes: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const size of sizes) counts.set(size, (counts.get(size) ?? 0) + 1);
  return [...counts].reduce<[number | undefined, number]>(
    (best, one) => (one[1] > best[1] ? one : best),
    [undefined, 0],
  )[0];
}

function faultOf(operation: 'get' | 'set', count: number, cause: unknown): Error {
  return new Error(`"cache" failed to ${operation} ${count} vectors: ${messageOf(cause)}`, { cause });
}
