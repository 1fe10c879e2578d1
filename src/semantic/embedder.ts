import { messageOf } from '../errors.ts';
import {
  type EmbeddingModelLike,
  type EmbedFunction,
  type EmbedOptions,
  embedderOptions,
  type ToolQuery,
} from '../kit.ts';
import type { OptionTable, readOptions } from '../util/check.ts';
import { Lru } from '../util/lru.ts';
import { Semaphore } from '../util/semaphore.ts';
import { lazyRegex } from '../util/text.ts';
import { inTime } from '../util/timeout.ts';

export { documentText } from '../kit.ts';

const { embed, model, batchSize, concurrency } = embedderOptions;
/** The options of whatever embeds, with the defaults and checks of `search.embedder`. */
export const embedOptions: OptionTable<EmbedOptions, 'batchSize' | 'concurrency'> = {
  ...{ embed, model, batchSize, concurrency },
};
/** The options of whatever embeds, with their defaults filled in. */
export type EmbedSettings = ReturnType<typeof readOptions<EmbedOptions, 'batchSize' | 'concurrency'>>;

/** Takes the results of an {@link Embedder}. */
export interface EmbedResults<Item> {
  /** Keeps the vectors of a batch, one for each item. An error that it throws ends the work. */
  keep(items: readonly Item[], vectors: readonly ArrayLike<number>[]): Promise<void>;
  /** Called for an item whose text the model refuses while it embeds others. */
  refuse(item: Item, error: unknown): void;
}

/** One shape for every form of `embed`. */
export interface Embedder {
  /** The model's name; undefined when the user gave none. */
  readonly model: string | undefined;
  /** The length of the model's vectors; undefined before the first one. */
  readonly size: number | undefined;
  /**
   * Embeds documents in batches, with a bound on how many calls run at once over all callers. A batch that fails is
   * halved down to the texts that are at fault; the other batches go on. After many failures in a row, no further call
   * is made.
   *
   * @throws the first error that is not the fault of a single text, or the error of `keep`, once the calls in flight
   * have ended.
   */
  embedAll<Item>(items: readonly Item[], textOf: (item: Item) => string, results: EmbedResults<Item>): Promise<void>;
  /** The vector of a query, of length 1. */
  embedQuery(text: string): Promise<Float32Array>;
}

/** Milliseconds after which a call for a batch of documents counts as failed. */
const MAX_CALL = 120_000;
/** Failures in a row after which the model counts as down. Halving finds one bad text of a hundred with seven. */
const DOWN = 12;

export function createEmbedder({ embed, model, batchSize, concurrency }: EmbedSettings): Embedder {
  // A function has none of a model's properties.
  const described = embed as Partial<EmbeddingModelLike>;
  const slots = new Semaphore();
  const calls: EmbedCalls = {
    size: undefined,
    async call(texts, purpose) {
      const values = texts.map(wellFormed);
      const vectors =
        typeof embed === 'function' ? await embed(values, purpose) : (await embed.doEmbed({ values }))?.embeddings;
      return oneEach(vectors, texts.length);
    },
  };
  return {
    model: model ?? nameOf(described),
    get size() {
      return calls.size;
    },
    async embedAll(items, textOf, results) {
      const { maxEmbeddingsPerCall, supportsParallelCalls } = described;
      const [most, isParallel] = await Promise.all([maxEmbeddingsPerCall, supportsParallelCalls]);
      const perCall = typeof most === 'number' && most >= 1 ? Math.min(batchSize, Math.floor(most)) : batchSize;
      const atOnce = isParallel === false ? 1 : concurrency;
      const run = new EmbedRun(calls, textOf, results);
      await Promise.all(chunks(items, perCall).map((batch) => slots.run(atOnce, () => run.embed(batch))));
      run.end();
    },
    async embedQuery(text) {
      const [vector = []] = await calls.call([text], 'query');
      const unit = ofSize(unitVector(vector), calls.size);
      calls.size ??= unit.length;
      return unit;
    },
  };
}

/** The calls of one embedding model. */
interface EmbedCalls {
  /** The length of the vectors, known from the first one on. */
  size: number | undefined;
  /** One vector for each text, unchecked. */
  call(texts: readonly string[], purpose: Parameters<EmbedFunction>[1]): Promise<readonly ArrayLike<number>[]>;
}

/** The batches of one call of `embedAll`. */
class EmbedRun<Item> {
  readonly #calls: EmbedCalls;
  readonly #textOf: (item: Item) => string;
  readonly #results: EmbedResults<Item>;
  #failure: { readonly error: unknown } | undefined;
  #isBroken = false;
  #failedInARow = 0;
  #hasWorked = false;
  /** Single texts that failed. Unless `isAnswered`, it may be the model that is at fault. */
  readonly #suspects: { readonly item: Item; readonly error: unknown; readonly isAnswered: boolean }[] = [];

  constructor(calls: EmbedCalls, textOf: (item: Item) => string, results: EmbedResults<Item>) {
    this.#calls = calls;
    this.#textOf = textOf;
    this.#results = results;
  }

  async embed(batch: readonly Item[]): Promise<void> {
    if (this.#isBroken || this.#isDown) return;
    const [item] = batch;
    try {
      const late = (): Error => new EmbedFault(`"embed" took longer than ${MAX_CALL} ms for ${batch.length} texts.`);
      const vectors = await inTime(this.#calls.call(batch.map(this.#textOf), 'document'), MAX_CALL, late);
      await this.#keep(batch, vectors);
    } catch (error) {
      this.#failedInARow++;
      const isOfTexts = !this.#isBroken && mayBeOfTexts(error);
      if (!isOfTexts || this.#isDown) this.#failure ??= { error };
      else if (batch.length === 1) this.#suspects.push({ item: item as Item, error, isAnswered: isRefusal(error) });
      else for (const half of chunks(batch, Math.ceil(batch.length / 2))) await this.embed(half);
    }
  }

  /** @throws the first error that is not the fault of a single text, or the error of keeping vectors. */
  end(): void {
    const isKnown = this.#hasWorked || this.#calls.size !== undefined;
    for (const { item, error, isAnswered } of this.#suspects) {
      if (!this.#isDown && (this.#hasWorked || (isAnswered && isKnown))) this.#results.refuse(item, error);
      else this.#failure ??= { error };
    }
    if (this.#failure) throw this.#failure.error;
  }

  get #isDown(): boolean {
    return this.#failedInARow >= DOWN;
  }

  async #keep(batch: readonly Item[], vectors: readonly ArrayLike<number>[]): Promise<void> {
    this.#calls.size ??= usualLength(vectors.filter((vector) => !faultOf(vector)));
    const faults = vectors.map((vector) => faultOf(vector, this.#calls.size));
    for (const [at, item] of batch.entries()) {
      if (faults[at]) this.#suspects.push({ item, error: faults[at], isAnswered: true });
    }
    if (!faults.includes(undefined)) {
      this.#failedInARow++;
      return;
    }
    this.#failedInARow = 0;
    this.#hasWorked = true;
    const isGood = (_: unknown, at: number): boolean => !faults[at];
    try {
      await this.#results.keep(batch.filter(isGood), vectors.filter(isGood));
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }
}

/**
 * Whether a call may have failed because of one of its texts: not if the service is busy, down, or refuses the caller.
 */
function mayBeOfTexts(error: unknown): boolean {
  return !(error instanceof EmbedFault) && (statusOf(error) === undefined || isRefusal(error));
}

/** Whether a service answered that the request itself is invalid. */
function isRefusal(error: unknown): boolean {
  return [400, 413, 422].includes(statusOf(error) ?? 0);
}

/** The HTTP status, where the error is the AI SDK's or looks like it. */
function statusOf(error: unknown): number | undefined {
  const status = (error as { readonly statusCode?: unknown } | null | undefined)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

/** The median length, which is that of most vectors. */
function usualLength(vectors: readonly ArrayLike<number>[]): number | undefined {
  const lengths = vectors.map(({ length }) => length).sort((one, other) => one - other);
  return lengths[lengths.length >> 1];
}

/** What is wrong with a vector; undefined where nothing is. */
function faultOf(vector: ArrayLike<number>, size?: number): unknown {
  try {
    ofSize(unitVector(vector), size);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** A fault of `embed` that does not depend on the texts. */
class EmbedFault extends Error {}

function nameOf({ provider, modelId }: Partial<EmbeddingModelLike>): string | undefined {
  if (typeof modelId !== 'string' || modelId === '') return undefined;
  return typeof provider === 'string' && provider !== '' ? `${provider}/${modelId}` : modelId;
}

/** Lone surrogates, which cutting a text may leave: some providers refuse them. */
const SURROGATES = lazyRegex(String.raw`\p{Surrogate}`, 'gu');

function wellFormed(text: string): string {
  return text.replace(SURROGATES(), '');
}

/** @throws Error unless there is one vector for each text. */
function oneEach(vectors: unknown, count: number): readonly ArrayLike<number>[] {
  if (!Array.isArray(vectors) || vectors.length !== count) {
    const got = Array.isArray(vectors) ? `${vectors.length} vectors` : 'no list of vectors';
    throw new EmbedFault(`"embed" must return one vector for each text: ${got} for ${count} texts.`);
  }
  return vectors;
}

/** The longest vector that is accepted. */
const MAX_NUMBERS = 65_536;

/**
 * Scales a vector to length 1, so that a dot product is the cosine.
 *
 * @throws Error for a vector that is too long, is no list of finite numbers, or has only zeros.
 */
export function unitVector(vector: ArrayLike<number>): Float32Array {
  const isList = Array.isArray(vector) || (ArrayBuffer.isView(vector) && !(vector instanceof DataView));
  if (!isList || vector.length === 0) throw new Error('"embed" must return lists of numbers; one of them is none.');
  if (vector.length > MAX_NUMBERS)
    throw new Error(`"embed" must return vectors of at most ${MAX_NUMBERS} numbers; one has ${vector.length}.`);
  let squares = 0;
  for (let at = 0; at < vector.length; at++) {
    const value = vector[at];
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new Error(`"embed" returned a vector with ${String(value)} in it.`);
    }
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length))) throw new Error('"embed" returned a vector without a direction.');
  return Float32Array.from(vector, (value) => value / length);
}

/** @throws Error for a vector of another length: all vectors of one model have the same. */
function ofSize(vector: Float32Array, size: number = vector.length): Float32Array {
  if (vector.length === size) return vector;
  throw new Error(
    `"embed" returned a vector of ${vector.length} numbers where the others have ${size}. ` +
      'Vectors of one model have one size; give another model another name in "model".',
  );
}

/** Keeps vectors of length 1, under keys that identify their texts. */
export interface Keeper {
  /** The vectors that are kept under the keys. */
  find(keys: readonly string[]): Promise<Map<string, Float32Array>>;
  /** Keeps new vectors, one for each key, and returns them scaled to length 1. */
  keep(keys: readonly string[], vectors: readonly ArrayLike<number>[]): Promise<readonly Float32Array[]>;
  /** The keys of vectors that have another length. Their texts are embedded again. */
  misfits(found: ReadonlyMap<string, Float32Array>, size: number): readonly string[];
  /** Called with the errors of texts that the model refuses. */
  refused(errors: readonly unknown[]): void;
}

/** Maximum number of refused texts that are remembered. */
const MAX_REFUSED = 1_000;

/**
 * Embeds texts under keys that identify them. A text is embedded once for all catalogs that have it, even if they ask
 * at the same time, and not at all if a keeper has its vector. A text that the model refused is not sent again.
 */
export class EmbeddedTexts {
  readonly #embedder: Embedder;
  readonly #known: Lru<Promise<Float32Array | undefined>>;
  readonly #refused = new Lru<true>(MAX_REFUSED);

  /** @param max - most texts that are remembered. */
  constructor(embedder: Embedder, max: number) {
    this.#embedder = embedder;
    this.#known = new Lru(max);
  }

  /**
   * The vector of each text; undefined for a text that the model refuses. A promise rejects with the error of the
   * keeper or of `embed`; the texts that were embedded before it stay known.
   */
  of(
    texts: readonly (readonly [key: string, text: string])[],
    keeper: Keeper,
  ): readonly Promise<Float32Array | undefined>[] {
    const wanted = new Map<string, string>();
    // Runs after the loop below has collected all wanted texts.
    const work = Promise.resolve().then(() => this.#find(wanted, keeper));
    return texts.map(([key, text]) => {
      if (this.#refused.get(key)) return Promise.resolve(undefined);
      const known = this.#known.get(key);
      if (known !== undefined) return known;
      wanted.set(key, text);
      const kept = work.then(({ found, failure }) => {
        const value = found.get(key);
        if (value === undefined && failure && !this.#refused.get(key)) throw failure.error;
        return value;
      });
      this.#known.set(key, kept);
      kept.then(
        (value) => value === undefined && this.#known.drop(key, kept),
        () => this.#known.drop(key, kept),
      );
      return kept;
    });
  }

  /** Drops vectors, so that they are looked up again when they are next asked for. */
  forget(keys: Iterable<string>): void {
    for (const key of keys) this.#known.drop(key, this.#known.get(key));
  }

  async #find(
    wanted: ReadonlyMap<string, string>,
    keeper: Keeper,
  ): Promise<{ readonly found: ReadonlyMap<string, Float32Array>; readonly failure?: { readonly error: unknown } }> {
    if (wanted.size === 0) return { found: new Map() };
    const found = await keeper.find([...wanted.keys()]);
    const refusals: unknown[] = [];
    const embed = (missing: readonly (readonly [string, string])[]): Promise<void> =>
      this.#embedder.embedAll(missing, ([, text]) => text, {
        keep: async (batch, vectors) => {
          const kept = await keeper.keep(
            batch.map(([key]) => key),
            vectors,
          );
          for (const [at, [key]] of batch.entries()) found.set(key, kept[at] as Float32Array);
        },
        refuse: ([key], error) => {
          this.#refused.set(key, true);
          refusals.push(error);
        },
      });
    const dropMisfits = (): boolean => {
      const { size } = this.#embedder;
      const misfits = size === undefined ? [] : keeper.misfits(found, size);
      for (const key of misfits) found.delete(key);
      return misfits.length > 0;
    };
    const missing = (): readonly (readonly [string, string])[] => [...wanted].filter(([key]) => !found.has(key));
    try {
      dropMisfits();
      await embed(missing());
      // The first vectors tell the model's length.
      if (dropMisfits()) await embed(missing());
      return { found };
    } catch (error) {
      return { found, failure: { error } };
    } finally {
      if (refusals.length > 0) keeper.refused(refusals);
    }
  }
}

/** The error that is reported for texts that a model refused. */
export function refusedError(errors: readonly unknown[]): Error {
  const [first] = errors;
  const count = errors.length === 1 ? 'the text of one tool' : `the texts of ${errors.length} tools`;
  return new Error(`"embed" refused ${count}, which searches find without its vectors now: ${messageOf(first)}`, {
    cause: first,
  });
}

/** Maximum number of queries with cached vectors: a model repeats its own queries within minutes. */
const MAX_QUERIES = 256;
/** Maximum characters of a query that are embedded: embedding models read no more than a few thousand. */
const MAX_QUERY = 2_000;

/** Embeds queries, each once while it is cached. A query that failed is embedded again. */
export class QueryVectors {
  readonly #embedder: Embedder;
  readonly #cached = new Lru<Promise<Float32Array>>(MAX_QUERIES);

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
  }

  of({ keywords }: ToolQuery): Promise<Float32Array> {
    const text = keywords.join(' ').slice(0, MAX_QUERY);
    const cached = this.#cached.get(text);
    if (cached !== undefined) return cached;
    const vector = this.#embedder.embedQuery(text);
    this.#cached.set(text, vector);
    vector.catch(() => this.#cached.drop(text, vector));
    return vector;
  }
}

export function chunks<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
