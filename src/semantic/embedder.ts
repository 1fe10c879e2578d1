import {
  type EmbeddingModelLike,
  type EmbedFunction,
  type EmbedOptions,
  embedderOptions,
  Lru,
  lazyRegex,
  type OptionTable,
  type readOptions,
  type ToolQuery,
} from '../kit.ts';

export { documentText } from '../kit.ts';

const { embed, model, batchSize, concurrency } = embedderOptions;
/** The options of whatever embeds, with the defaults and checks of `search.embedder`. */
export const embedOptions: OptionTable<EmbedOptions, 'batchSize' | 'concurrency'> = {
  ...{ embed, model, batchSize, concurrency },
};
/** The options of whatever embeds, with their defaults filled in. */
export type EmbedSettings = ReturnType<typeof readOptions<EmbedOptions, 'batchSize' | 'concurrency'>>;

/** One shape for every form of `embed`. */
export interface Embedder {
  /** The model's name; undefined when the user gave none. */
  readonly model: string | undefined;
  /**
   * Does work in batches of texts that may be embedded in one call, with a bound on how many are at it at once over all
   * callers: in the order of the items, and none after one has failed.
   *
   * @throws what the first batch that failed threw, once the batches in flight have ended.
   */
  inBatches<Item>(items: readonly Item[], work: (batch: readonly Item[]) => Promise<void>): Promise<void>;
  /** The vectors as they came, one for each text. Their numbers are not checked. */
  embed(texts: readonly string[], purpose: Parameters<EmbedFunction>[1]): Promise<readonly ArrayLike<number>[]>;
}

export function createEmbedder({ embed, model, batchSize, concurrency }: EmbedSettings): Embedder {
  // A function has none of a model's properties.
  const described = embed as Partial<EmbeddingModelLike>;
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    model: model ?? nameOf(described),
    async inBatches(items, work) {
      const { maxEmbeddingsPerCall, supportsParallelCalls } = described;
      const [most, isParallel] = await Promise.all([maxEmbeddingsPerCall, supportsParallelCalls]);
      const size = typeof most === 'number' && most >= 1 ? Math.min(batchSize, Math.floor(most)) : batchSize;
      let failure: { error: unknown } | undefined;
      const attempt = async (batch: typeof items): Promise<void> => {
        if (running >= (isParallel === false ? 1 : concurrency)) await new Promise<void>((go) => waiting.push(go));
        else running++;
        try {
          if (!failure) await work(batch);
        } catch (error) {
          failure ??= { error };
        }
        // Hands the slot to the next in the queue, so that a new caller cannot take it first.
        const next = waiting.shift();
        if (next) next();
        else running--;
      };
      await Promise.all(chunks(items, size).map(attempt));
      if (failure) throw failure.error;
    },
    async embed(texts, purpose) {
      const values = texts.map(wellFormed);
      const vectors =
        typeof embed === 'function' ? await embed(values, purpose) : (await embed.doEmbed({ values }))?.embeddings;
      return oneEach(vectors, texts.length);
    },
  };
}

function nameOf({ provider, modelId }: Partial<EmbeddingModelLike>): string | undefined {
  if (typeof modelId !== 'string' || modelId === '') return undefined;
  return typeof provider === 'string' && provider !== '' ? `${provider}/${modelId}` : modelId;
}

/** Halves of characters, as cuts leave them: some providers refuse them. */
const SURROGATES = lazyRegex(String.raw`\p{Surrogate}`, 'gu');

function wellFormed(text: string): string {
  return text.replace(SURROGATES(), '');
}

/** The longest vector that is accepted. */
const MAX_NUMBERS = 65_536;

/** @throws Error unless there is one vector of an acceptable length for each text. */
function oneEach(vectors: unknown, count: number): readonly ArrayLike<number>[] {
  if (!Array.isArray(vectors) || vectors.length !== count) {
    const got = Array.isArray(vectors) ? `${vectors.length} vectors` : 'no list of vectors';
    throw new Error(`"embed" must return one vector for each text: ${got} for ${count} texts.`);
  }
  const tooLong = vectors.find((vector) => Number(vector?.length) > MAX_NUMBERS);
  if (!tooLong) return vectors;
  throw new Error(`"embed" must return vectors of at most ${MAX_NUMBERS} numbers; one has ${tooLong.length}.`);
}

/**
 * The vector at length 1, so that a dot product is the cosine.
 *
 * @throws Error for what has no direction: not a list of numbers, a number that is not finite, nothing but zeros.
 */
export function unitVector(vector: ArrayLike<number>): Float32Array {
  const isList = Array.isArray(vector) || (ArrayBuffer.isView(vector) && !(vector instanceof DataView));
  if (!isList || vector.length === 0) throw new Error('"embed" must return lists of numbers; one of them is none.');
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

/** @throws Error for a vector of another size: all vectors of one model have one. */
export function ofSize(vector: Float32Array, size: number = vector.length): Float32Array {
  if (vector.length === size) return vector;
  throw new Error(
    `"embed" returned a vector of ${vector.length} numbers where the others have ${size}. ` +
      'Vectors of one model have one size; give another model another name in "model".',
  );
}

/** Where what becomes of texts is kept. */
export interface Keeper<Kept> {
  /** What is there already, by the keys. */
  find(keys: readonly string[]): Promise<Map<string, Kept>>;
  /** Keeps new vectors, one for each key. */
  keep(keys: readonly string[], vectors: readonly ArrayLike<number>[]): Promise<readonly Kept[]>;
}

/**
 * Texts by keys that say what they are: each is embedded once for all catalogs that have it, even when they ask for it at
 * once, and not at all where a keeper has it.
 */
export class EmbeddedTexts<Kept> {
  readonly #embedder: Embedder;
  readonly #known: Lru<Promise<Kept>>;

  /** @param max - texts that are remembered. */
  constructor(embedder: Embedder, max: number) {
    this.#embedder = embedder;
    this.#known = new Lru(max);
  }

  /**
   * What is kept of each text. What was embedded before a failure is known the next time.
   *
   * They reject with what the keeper or `embed` threw.
   */
  of(texts: readonly (readonly [key: string, text: string])[], keeper: Keeper<Kept>): readonly Promise<Kept>[] {
    const wanted = new Map<string, string>();
    // Begins when all that is wanted is known.
    const work = Promise.resolve().then(() => this.#find(wanted, keeper));
    return texts.map(([key, text]) => {
      const known = this.#known.get(key);
      if (known !== undefined) return known;
      wanted.set(key, text);
      const kept = work.then((found) => found.get(key) as Kept);
      this.#known.set(key, kept);
      kept.catch(() => this.#known.drop(key, kept));
      return kept;
    });
  }

  /** Has the next one that asks look again. */
  forget(keys: Iterable<string>): void {
    for (const key of keys) this.#known.drop(key, this.#known.get(key));
  }

  async #find(wanted: ReadonlyMap<string, string>, keeper: Keeper<Kept>): Promise<ReadonlyMap<string, Kept>> {
    if (wanted.size === 0) return new Map();
    const found = await keeper.find([...wanted.keys()]);
    const missing = [...wanted].filter(([key]) => !found.has(key));
    await this.#embedder.inBatches(missing, async (batch) => {
      const keys = batch.map(([key]) => key);
      const texts = batch.map(([, text]) => text);
      const kept = await keeper.keep(keys, await this.#embedder.embed(texts, 'document'));
      for (const [at, key] of keys.entries()) {
        found.set(key, kept[at] as Kept);
        // Known even if a later batch fails.
        this.#known.set(key, Promise.resolve(kept[at] as Kept));
      }
    });
    return found;
  }
}

/** Queries whose vectors are remembered: a model repeats its own within minutes. */
const MAX_QUERIES = 256;
/** Characters of a query that are embedded: models read no further than a few thousand. */
const MAX_QUERY = 2_000;

/** The vectors of queries. Each query is embedded once while it is remembered; one that failed is embedded again. */
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
    const vector = this.#embedder.embed([text], 'query').then(([first = []]) => unitVector(first));
    this.#cached.set(text, vector);
    vector.catch(() => this.#cached.drop(text, vector));
    return vector;
  }
}

export function chunks<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
