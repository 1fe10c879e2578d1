import {
  type EmbeddingModelLike,
  type EmbedFunction,
  type EmbedOptions,
  invalidOption,
  isRecord,
  Lru,
  lazyRegex,
  type NamesOf,
  resolveEmbedOptions,
  splitIdentifier,
  type ToolDocument,
  type ToolQuery,
} from '../kit.ts';

export const embedOptionNames: NamesOf<EmbedOptions> = { embed: true, model: true, batchSize: true, concurrency: true };

/** Bounds of the calls: texts in one, and calls at once. */
export interface EmbedLimits {
  readonly batchSize: number;
  readonly concurrency: number;
}

/** One shape for every form of `embed`. */
export interface Embedder {
  /** The model's name; undefined when the user gave none. */
  readonly model: string | undefined;
  limits(): Promise<EmbedLimits>;
  /** The vectors as they came, one for each text. Their numbers are not checked. */
  embed(texts: readonly string[], purpose: Parameters<EmbedFunction>[1]): Promise<readonly ArrayLike<number>[]>;
}

/** @throws ToolSearchError `invalid-option` for what can embed nothing, or limits that are no numbers of at least 1. */
export function createEmbedder(options: EmbedOptions): Embedder {
  if (!isRecord(options)) throw invalidOption('options', options, 'an object with embed');
  const { embed, model, batchSize, concurrency } = resolveEmbedOptions(options);
  // A function has none of a model's properties.
  const described = embed as Partial<EmbeddingModelLike>;
  return {
    model: model ?? nameOf(described),
    async limits() {
      const { maxEmbeddingsPerCall, supportsParallelCalls } = described;
      const [most, isParallel] = await Promise.all([maxEmbeddingsPerCall, supportsParallelCalls]);
      const isLimit = typeof most === 'number' && most >= 1;
      return {
        batchSize: isLimit ? Math.min(batchSize, Math.floor(most)) : batchSize,
        concurrency: isParallel === false ? 1 : concurrency,
      };
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

/** @throws Error when the vectors of one model have different sizes. */
export function checkSize(vector: Float32Array, size: number): void {
  if (vector.length === size) return;
  throw new Error(
    `"embed" returned a vector of ${vector.length} numbers where the others have ${size}. ` +
      'Vectors of one model have one size; give another model another name in "model".',
  );
}

/** Characters of each field that are embedded. Measured: more of a description finds nothing more. */
const MAX_KEYWORDS = 300;
const MAX_DESCRIPTION = 500;
const MAX_PARAMETERS = 300;
const MAX_HINTS = 200;

/**
 * The text that is embedded of a tool: the words of its name, title, keywords, description, parameter names and hints.
 * Bounded, so that any model takes it.
 */
export function documentText({ name, title, keywords, description, parameters, hints = [] }: ToolDocument): string {
  const parameterWords = parameters.map((parameter) => splitIdentifier(parameter.name).join(' '));
  const parts = [
    splitIdentifier(name).join(' ') || name,
    title,
    keywords.join(', ').slice(0, MAX_KEYWORDS),
    description.slice(0, MAX_DESCRIPTION),
    parameterWords.filter(Boolean).join(', ').slice(0, MAX_PARAMETERS),
    hints.join(', ').slice(0, MAX_HINTS),
  ];
  return parts.filter(Boolean).join('. ');
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

/** Runs work in batches, with a bound on how many run at once over all callers. */
export class Batches {
  readonly #limits: () => Promise<EmbedLimits>;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limits: () => Promise<EmbedLimits>) {
    this.#limits = limits;
  }

  /**
   * Starts the batches in the order of their items, and none after one has failed.
   *
   * @throws what the first batch that failed threw, once the batches in flight have ended.
   */
  async run<Item>(items: readonly Item[], work: (batch: readonly Item[]) => Promise<void>): Promise<void> {
    const { batchSize, concurrency } = await this.#limits();
    let failure: { error: unknown } | undefined;
    const attempt = async (batch: readonly Item[]): Promise<void> => {
      if (this.#running >= concurrency) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else this.#running++;
      try {
        if (!failure) await work(batch);
      } catch (error) {
        failure ??= { error };
      }
      // Hands the slot to the next in the queue, so that a new caller cannot take it first.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    };
    await Promise.all(chunks(items, batchSize).map(attempt));
    if (failure) throw failure.error;
  }
}

export function chunks<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
