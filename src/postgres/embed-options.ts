import {
  checkOption,
  invalidOption,
  isRecord,
  messageOf,
  type NamesOf,
  refuseUnknownOptions,
  ToolSearchError,
} from '../kit.ts';
import {
  createEmbedder,
  type Embedder,
  type EmbeddingModelLike,
  type EmbedOptions,
  embedOptionNames,
} from '../semantic/embedder.ts';
import { checkedMinSimilarity } from '../semantic/semantic.ts';

/**
 * How `postgresSource` makes vectors, and how much they count.
 *
 * @example
 * ```ts
 * const sourceWith = (pool: PostgresPool, vectorsOf: EmbedFunction) => {
 *   const embed: PostgresEmbedOptions = { embed: vectorsOf, model: 'my-model-2', dimension: 384, weight: 0.3 };
 *   return postgresSource({ pool, embed, toTool: ({ inputSchema }) => ({ inputSchema }) });
 * };
 * ```
 */
export interface PostgresEmbedOptions extends EmbedOptions {
  /**
   * Numbers in a vector, at most 4,000.
   *
   * @default `migrate()` embeds a text, and counts them
   */
  readonly dimension?: number;
  /**
   * The share of the meaning in a score, above 0 and below 1; words have the rest. A better embedding model deserves more.
   *
   * @default 0.15
   */
  readonly weight?: number;
  /**
   * Tools whose cosine with the query is not above it are found by their words alone, 0 up to below 1.
   *
   * @default 0.2
   */
  readonly minSimilarity?: number;
  /**
   * Milliseconds after which a search goes on without vectors. It should be well below `timeouts.tools`.
   *
   * @default 3_000
   */
  readonly timeout?: number;
  /**
   * Told of a fault or a delay, for which a search was answered by words alone.
   *
   * @default a warning in the console
   */
  readonly onFault?: (error: unknown) => unknown;
}

const optionNames: NamesOf<PostgresEmbedOptions> = {
  ...embedOptionNames,
  ...{ dimension: true, weight: true, minSimilarity: true, timeout: true, onFault: true },
};

/** The most numbers that an index of pgvector takes. */
const MAX_DIMENSION = 4_000;

/** The options, checked and complete. */
export interface VectorSettings extends Required<Pick<PostgresEmbedOptions, 'weight' | 'minSimilarity' | 'timeout'>> {
  readonly embedder: Embedder;
  /** The name of the embedding model, which stands beside each vector. */
  readonly model: string;
  readonly dimension: number | undefined;
  /** Never throws. */
  readonly report: (error: unknown) => void;
}

/** @throws ToolSearchError `invalid-option` */
export function vectorSettingsOf(embed: EmbeddingModelLike | PostgresEmbedOptions): VectorSettings {
  if (typeof embed === 'function') {
    throw new ToolSearchError(
      'invalid-option',
      '"embed" is a function alone. Its vectors are kept: pass { embed, model } with the name of the embedding model.',
    );
  }
  const isModel = typeof (embed as Partial<EmbeddingModelLike> | null)?.doEmbed === 'function';
  const options = (isModel ? { embed } : embed) as PostgresEmbedOptions;
  checkOption(isRecord(options), 'embed', embed, 'an embedding model of the AI SDK or Mastra, or { embed, model }');
  refuseUnknownOptions('embed', options, optionNames);
  const embedder = createEmbedder(options);
  const { model } = embedder;
  if (model === undefined) throw invalidOption('embed.model', undefined, 'the name of the embedding model');
  const { dimension, weight = 0.15, timeout = 3_000, onFault = warn } = options;
  if (dimension !== undefined) checkDimension(dimension);
  checkOption(
    typeof weight === 'number' && weight > 0 && weight < 1,
    'embed.weight',
    weight,
    'a number above 0 and below 1',
  );
  checkOption(typeof timeout === 'number' && timeout > 0, 'embed.timeout', timeout, 'milliseconds, above 0');
  checkOption(typeof onFault === 'function', 'embed.onFault', onFault, 'a function');
  const minSimilarity = checkedMinSimilarity(options.minSimilarity);
  return { embedder, model, dimension, weight, minSimilarity, timeout, report: (error) => tell(onFault, error) };
}

/** @throws ToolSearchError `invalid-option` */
export function checkDimension(dimension: unknown): asserts dimension is number {
  const isOne = Number.isInteger(dimension) && Number(dimension) >= 1 && Number(dimension) <= MAX_DIMENSION;
  checkOption(
    isOne,
    'embed.dimension',
    dimension,
    `a whole number from 1 to ${MAX_DIMENSION}: pgvector indexes no more`,
  );
}

function warn(error: unknown): void {
  console.warn(`[tool-search] postgresSource() searched without vectors: ${messageOf(error)}`);
}

/** Tells the user, whose faults are not those of the search. */
function tell(onFault: (error: unknown) => unknown, error: unknown): void {
  try {
    const returned = onFault(error);
    if (returned instanceof Promise) returned.catch(() => {});
  } catch {
    // The search goes on all the same.
  }
}
