import { checkOption } from '../../errors.ts';
import {
  type Check,
  type Complete,
  hasMethods,
  must,
  namesIn,
  type OptionTable,
  refuseUnknownOptions,
  wholeNumber,
  withDefaults,
} from '../../util/check.ts';
import { isRecord } from '../../util/record.ts';

/**
 * What an embedding is for. Some models have to be told, by a prefix or an option.
 *
 * @example
 * ```ts
 * const prefix: Record<EmbedPurpose, string> = { document: 'passage: ', query: 'query: ' };
 * ```
 */
export type EmbedPurpose = 'document' | 'query';

/**
 * Embeds texts: returns one vector for each, in their order. The function does its own retries.
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
 * The members of an embedding model that are used. Models of the AI SDK (specifications v1 to v4) have them, and so
 * have Mastra's `MastraEmbeddingModel` and `ModelRouterEmbeddingModel`.
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
 * const options: EmbedOptions = { embed: async (texts) => texts.map(() => [1, 0]), model: 'my-model-2', batchSize: 50 };
 * semanticScorer(options);
 * ```
 */
export interface EmbedOptions {
  /** Turns texts into vectors: a function, or an embedding model of the AI SDK or Mastra. */
  readonly embed: EmbedFunction | EmbeddingModelLike;
  /**
   * The name of the embedding model, part of the key of whatever outlives this process. Another model, another number
   * of dimensions or another prefix needs another name.
   *
   * @default provider and id of an embedding model; a function has none
   */
  readonly model?: string;
  /**
   * Maximum number of texts in one call. A model may allow fewer.
   *
   * @default 100
   */
  readonly batchSize?: number;
  /**
   * Maximum number of parallel calls, over all catalogs. A model that allows no parallel calls gets one.
   *
   * @default 4
   */
  readonly concurrency?: number;
}

/**
 * Keeps the vectors of documents beyond this process, so that a restart does not embed the catalog again.
 *
 * A key is the model's name with a hash of the text. It never stands for another vector, so entries may be kept for
 * ever, shared by any number of processes, or lost at any time. If a method throws, the model is called again; the
 * search does not fail.
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
 * A vector with the key that it is kept under.
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

/**
 * The settings of the option `search.embedder`.
 *
 * @example
 * ```ts
 * const embedder: SearchEmbedderOptions = { embed: async (texts) => texts.map(() => [1, 0]), model: 'mine-2', share: 0.3 };
 * new ToolSearchProcessor({ tools, search: { embedder } });
 * ```
 */
export interface SearchEmbedderOptions extends EmbedOptions {
  /** Keeps the vectors of tools beyond this process. A cache requires `model` if `embed` is a function. */
  readonly cache?: VectorCache;
  /**
   * How much the model counts, above 0 and below 1: at 0.4 as much as the built-in table. 0.4 suits sentence models
   * from MiniLM on; a weaker model deserves 0.15.
   *
   * @default 0.4
   */
  readonly share?: number;
  /**
   * Milliseconds that a search waits for the vector of its query. After that, words and the built-in table rank.
   *
   * @default 2_000
   */
  readonly timeout?: number;
}

/**
 * What ranks by meaning. `'built-in'`: this package's table of word vectors. `false`: nothing, words rank alone.
 * Otherwise a model or function that embeds, or one with settings.
 *
 * @example
 * ```ts
 * const embedder: SearchEmbedder = async (texts) => texts.map((text) => [text.length, 1]);
 * new ToolSearchProcessor({ tools, search: { embedder } });
 * ```
 */
export type SearchEmbedder = 'built-in' | false | EmbedFunction | EmbeddingModelLike | SearchEmbedderOptions;

type EmbedderDefaults = 'batchSize' | 'concurrency' | 'share' | 'timeout';

/** `search.embedder` with its defaults. */
export type ResolvedEmbedder = Complete<SearchEmbedderOptions, EmbedderDefaults>;

/** The remedy where a model's name is given in place of a model. */
const hint = (value: unknown): string =>
  typeof value === 'string'
    ? ` For the name of a model, new ModelRouterEmbeddingModel(name) of '@mastra/core/llm'.`
    : '';

export const embedderOptions: OptionTable<SearchEmbedderOptions, EmbedderDefaults> = {
  embed: {
    isRequired: true,
    check: must('a function from texts to vectors, or an embedding model of the AI SDK or Mastra', isModel, { hint }),
  },
  model: { check: must('the name of the embedding model', (value) => typeof value === 'string' && value !== '') },
  batchSize: { default: 100, check: wholeNumber },
  concurrency: { default: 4, check: wholeNumber },
  cache: { check: must('an object with get and set', (value) => hasMethods(value, 'get', 'set')) },
  share: {
    default: 0.4,
    check: must('a number above 0 and below 1', (value) => typeof value === 'number' && value > 0 && value < 1),
  },
  timeout: {
    default: 2_000,
    check: must('milliseconds, above 0; Infinity waits', (value) => typeof value === 'number' && value > 0),
  },
};

export const anEmbedder: Check = must(
  `'built-in', false, an embedding model of the AI SDK or Mastra, a function from texts to vectors, or { embed, share, cache }`,
  (value) => value === 'built-in' || value === false || isModel(value) || (isRecord(value) && 'embed' in value),
  {
    hint,
    parts: (value) =>
      Object.entries(isRecord(value) && !isModel(value) ? embedderOptions : {}).flatMap(([name, { check }]) => {
        const part = (value as Readonly<Record<string, unknown>>)[name];
        return check && (part !== undefined || name === 'embed') ? [[`.${name}`, part, check] as const] : [];
      }),
  },
);

function isModel(value: unknown): value is EmbedFunction | EmbeddingModelLike {
  return typeof value === 'function' || hasMethods(value, 'doEmbed');
}

/**
 * @throws ToolSearchError `invalid-option` for an unknown setting, or a cache without the name of a model for its keys.
 */
export function resolveEmbedder(given: Exclude<SearchEmbedder, 'built-in' | false>): ResolvedEmbedder {
  const options = isModel(given) ? { embed: given } : given;
  refuseUnknownOptions('search.embedder', options, namesIn(embedderOptions));
  const resolved = withDefaults(embedderOptions, options);
  const isNamed = resolved.model !== undefined || 'modelId' in resolved.embed;
  checkOption(isNamed || !resolved.cache, 'search.embedder.model', undefined, 'given where there is a cache');
  return resolved;
}
