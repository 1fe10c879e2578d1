import { invalidOption, lazyRegex, type NamesOf } from '../../kit.ts';

/**
 * The purpose of an embedding: some models want to be told, with a prefix or an option.
 *
 * @example
 * ```ts
 * const prefix: Record<EmbedPurpose, string> = { document: 'passage: ', query: 'query: ' };
 * ```
 */
export type EmbedPurpose = 'document' | 'query';

/**
 * Embeds texts: one vector for each, in their order. Retries are its own business.
 *
 * @example
 * ```ts
 * const embed: EmbedFunction = async (texts, purpose) => {
 *   const inputs = texts.map((text) => `${purpose}: ${text}`);
 *   const response = await fetch('http://localhost:8080/embed', { method: 'POST', body: JSON.stringify({ inputs }) });
 *   return (await response.json()) as number[][];
 * };
 * ```
 */
export type EmbedFunction = (
  texts: string[],
  purpose: EmbedPurpose,
) => readonly ArrayLike<number>[] | Promise<readonly ArrayLike<number>[]>;

/**
 * The part that is used of an embedding model of the AI SDK (specifications v1 to v4), and so of Mastra's
 * `MastraEmbeddingModel` and `ModelRouterEmbeddingModel`.
 *
 * @example
 * ```ts
 * import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
 *
 * const embed: EmbeddingModelLike = new ModelRouterEmbeddingModel('openai/text-embedding-3-small');
 * semanticScorer({ embed });
 * ```
 */
export interface EmbeddingModelLike {
  readonly provider?: string;
  readonly modelId?: string;
  readonly maxEmbeddingsPerCall?: PromiseLike<number | undefined> | number | undefined;
  readonly supportsParallelCalls?: PromiseLike<boolean> | boolean;
  doEmbed(options: { values: string[] }): PromiseLike<{ readonly embeddings: readonly ArrayLike<number>[] }>;
}

/**
 * How texts become vectors.
 *
 * @example
 * ```ts
 * const options: EmbedOptions = { embed: async (texts) => texts.map(() => [1, 0]), model: 'my-model-2', batchSize: 50
 * }; semanticScorer(options);
 * ```
 */
export interface EmbedOptions {
  /** The way from texts to vectors: a function, or an embedding model of the AI SDK or Mastra. */
  readonly embed: EmbedFunction | EmbeddingModelLike;
  /**
   * The name of the embedding model, part of the key of whatever outlives this process. Another model, another number
   * of dimensions or another prefix needs another name.
   *
   * @default provider and id of an embedding model; a function has none
   */
  readonly model?: string;
  /**
   * Texts in one call at most; a model may allow fewer.
   *
   * @default 100
   */
  readonly batchSize?: number;
  /**
   * Calls at once at most, over all catalogs. A model that allows no parallel calls gets one.
   *
   * @default 4
   */
  readonly concurrency?: number;
}

export const embedOptionNames: NamesOf<EmbedOptions> = { embed: true, model: true, batchSize: true, concurrency: true };

/** Bounds of the calls: texts in one, and calls at once. */
export interface EmbedLimits {
  readonly batchSize: number;
  readonly concurrency: number;
}

/** One shape for every form of `embed`. */
export interface Embedder {
  /** The model's name; undefined when nobody said. */
  readonly model: string | undefined;
  limits(): Promise<EmbedLimits>;
  /** The vectors as they came, one for each text: neither their numbers nor their lengths are checked. */
  embed(texts: readonly string[], purpose: EmbedPurpose): Promise<readonly ArrayLike<number>[]>;
}

/** @throws ToolSearchError `invalid-option` for what can embed nothing, or limits that are no numbers of at least 1. */
export function createEmbedder(options: EmbedOptions): Embedder {
  if (typeof options !== 'object' || options === null) throw invalidOption('options', options, 'an object with embed');
  const { embed, model, batchSize = 100, concurrency = 4 } = options;
  for (const [option, value] of Object.entries({ batchSize, concurrency })) {
    if (!Number.isInteger(value) || value < 1) throw invalidOption(option, value, 'a whole number of at least 1');
  }
  if (model !== undefined && (typeof model !== 'string' || model === '')) {
    throw invalidOption('model', model, 'the name of the embedding model');
  }
  if (typeof embed === 'function') {
    return {
      model,
      limits: async () => ({ batchSize, concurrency }),
      embed: async (texts, purpose) => oneEach(await embed(texts.map(wellFormed), purpose), texts.length),
    };
  }
  if (!isModel(embed)) throw invalidOption('embed', embed, remedyFor(embed));
  return {
    model: model ?? nameOf(embed),
    async limits() {
      const [most, isParallel] = await Promise.all([embed.maxEmbeddingsPerCall, embed.supportsParallelCalls]);
      const isLimit = typeof most === 'number' && most >= 1;
      return {
        batchSize: isLimit ? Math.min(batchSize, Math.floor(most)) : batchSize,
        concurrency: isParallel === false ? 1 : concurrency,
      };
    },
    embed: async (texts) => oneEach((await embed.doEmbed({ values: texts.map(wellFormed) }))?.embeddings, texts.length),
  };
}

/** Halves of characters, as cuts leave them: some providers refuse them. */
const SURROGATES = lazyRegex(String.raw`\p{Surrogate}`, 'gu');

function wellFormed(text: string): string {
  return text.replace(SURROGATES(), '');
}

function isModel(value: unknown): value is EmbeddingModelLike {
  return typeof (value as Partial<EmbeddingModelLike> | null | undefined)?.doEmbed === 'function';
}

function nameOf({ provider, modelId }: EmbeddingModelLike): string | undefined {
  if (typeof modelId !== 'string' || modelId === '') return undefined;
  return typeof provider === 'string' && provider !== '' ? `${provider}/${modelId}` : modelId;
}

function remedyFor(embed: unknown): string {
  const forms = 'a function from texts to vectors, or an embedding model of the AI SDK or Mastra';
  if (typeof embed !== 'string') return forms;
  return `${forms}; for the name of one, new ModelRouterEmbeddingModel(name) from '@mastra/core/llm'`;
}

/** Numbers of the longest vector that is taken. */
const MAX_NUMBERS = 65_536;

function oneEach(vectors: unknown, count: number): readonly ArrayLike<number>[] {
  if (Array.isArray(vectors) && vectors.length === count) {
    const longest = vectors.reduce((most: number, vector: unknown) => Math.max(most, lengthOf(vector)), 0);
    if (longest <= MAX_NUMBERS) return vectors;
    throw new Error(`"embed" must return vectors of at most ${MAX_NUMBERS} numbers; one has ${longest}.`);
  }
  const got = Array.isArray(vectors) ? `${vectors.length} vectors` : 'no list of vectors';
  throw new Error(`"embed" must return one vector for each text: ${got} for ${count} texts.`);
}

function lengthOf(vector: unknown): number {
  return Number((vector as Partial<ArrayLike<number>> | null | undefined)?.length ?? 0);
}

/**
 * Runs batches of work over all callers with a bound on how many run at once.
 *
 * Texts of one call to `run` go out in order. After a batch that failed the call sends no further ones.
 */
export class Batches {
  readonly #limits: () => Promise<EmbedLimits>;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limits: () => Promise<EmbedLimits>) {
    this.#limits = limits;
  }

  /** @throws what the first batch that failed threw, once the batches in flight have ended. */
  async run<Item>(items: readonly Item[], work: (batch: readonly Item[]) => Promise<void>): Promise<void> {
    const { batchSize, concurrency } = await this.#limits();
    let failure: { error: unknown } | undefined;
    const batches: Promise<void>[] = [];
    for (let start = 0; start < items.length; start += batchSize) {
      const batch = items.slice(start, start + batchSize);
      const attempt = async (): Promise<void> => {
        await this.#enter(concurrency);
        try {
          if (!failure) await work(batch);
        } catch (error) {
          failure ??= { error };
        } finally {
          this.#leave();
        }
      };
      batches.push(attempt());
    }
    await Promise.all(batches);
    if (failure) throw failure.error;
  }

  async #enter(concurrency: number): Promise<void> {
    if (this.#running >= concurrency) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
  }

  /** Hands the place on, so that nobody can slip in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}
