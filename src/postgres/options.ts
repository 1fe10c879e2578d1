import type { RequestContext } from '@mastra/core/request-context';
import { checkOption, invalidOption, messageOf, ToolSearchError } from '../errors.ts';
import type { AnyTool, EmbeddingModelLike, EmbedOptions, ToolStub } from '../kit.ts';
import { createEmbedder, type Embedder, embedOptions } from '../semantic/embedder.ts';
import { minSimilarityOption } from '../semantic/semantic.ts';
import { type NamesOf, type OptionTable, readOptions, refuseUnknownOptions } from '../util/check.ts';
import { isRecord } from '../util/record.ts';
import type { PostgresPool } from './client.ts';
import { type Tables, tablesOf } from './schema.ts';
import type { StoredTool } from './tools.ts';

/**
 * The options of `postgresSource`.
 *
 * @example
 * ```ts
 * const optionsOf = (pool: PostgresPool): PostgresSourceOptions => ({
 *   pool,
 *   tenant: ({ requestContext }) => requestContext?.get('tenant') as string,
 *   toTool: ({ name, description, inputSchema }) => ({
 *     description,
 *     inputSchema,
 *     execute: async (input: unknown) => fetch(`https://tools.example.com/${name}`, { method: 'POST', body: `${input}` }),
 *   }),
 * });
 * ```
 */
export interface PostgresSourceOptions {
  /** A `Pool` of `pg`, or a database of PGlite. The source neither opens nor closes it. */
  readonly pool: PostgresPool;
  /**
   * The pool for searches and loads, e.g. of a replica. Writes go to `pool`.
   *
   * @default pool
   */
  readonly readPool?: PostgresPool;
  /**
   * The name of the tools table, optionally with its schema. The names of the other tables begin with it.
   *
   * @default 'tool_search'
   */
  readonly table?: string;
  /**
   * The tenant whose tools a request sees: a string, or a function of the request. A request for which the function throws, or
   * returns no string, sees no tools.
   *
   * @default ''
   */
  readonly tenant?: string | ((args: { readonly requestContext?: RequestContext }) => string | Promise<string>);
  /** Creates the executable tool, or a lazy one, since functions cannot be stored. Called when a tool is loaded or called. */
  readonly toTool: (
    stored: StoredTool,
    args: { readonly requestContext?: RequestContext },
  ) => AnyTool | ToolStub | Promise<AnyTool | ToolStub>;
  /**
   * An embedding model of the AI SDK or Mastra, or options with one. With it, tools are also found by their meaning. Needs the
   * extension pgvector.
   *
   * @default tools are found by their words alone, and ranked by words and the built-in table of word vectors
   */
  readonly embed?: EmbeddingModelLike | PostgresEmbedOptions;
  /**
   * Whether a pool of `pg` prepares search statements in each connection. Set false for a pooler that does not keep prepared
   * statements, such as PgBouncer before 1.21.
   *
   * @default true
   */
  readonly prepare?: boolean;
}

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
   * Length of a vector, at most 4,000.
   *
   * @default `migrate()` embeds a text, and takes the length of its vector
   */
  readonly dimension?: number;
  /**
   * Share of meaning in a score, above 0 and below 1; words have the rest. A better embedding model deserves a larger share.
   *
   * @default 0.15
   */
  readonly weight?: number;
  /**
   * Tools with at most this cosine to the query are found by their words alone; 0 up to below 1.
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
   * Called with the error or timeout because of which a search used words alone.
   *
   * @default a warning in the console
   */
  readonly onFault?: (error: unknown) => unknown;
}

const optionNames: NamesOf<PostgresSourceOptions> = {
  ...{ pool: true, readPool: true, table: true, tenant: true, toTool: true, embed: true, prepare: true },
};

/** Validated options with defaults. */
export interface PostgresSettings extends Required<Omit<PostgresSourceOptions, 'table' | 'embed'>> {
  readonly tables: Tables;
  /** Undefined without `embed`. */
  readonly vectors: VectorSettings | undefined;
}

/** @throws ToolSearchError `invalid-option` */
export function sourceSettings(options: PostgresSourceOptions): PostgresSettings {
  if (!isRecord(options)) throw invalidOption('options', options, 'an object, e.g. { pool, toTool }');
  if (options.pool === undefined && isPool(options)) {
    throw new ToolSearchError('invalid-option', 'postgresSource() was given the pool itself: pass { pool, toTool }.');
  }
  refuseUnknownOptions('postgresSource', options, optionNames);
  const { pool, readPool = pool, table = 'tool_search', tenant = '', toTool, embed, prepare = true } = options;
  for (const [name, value] of Object.entries({ pool, readPool })) {
    checkOption(isPool(value), name, value, 'a Pool of pg or a database of PGlite: an object with a method query');
    refuseClient(name, value);
  }
  checkOption(typeof toTool === 'function', 'toTool', toTool, 'a function that makes a tool of a stored one');
  checkOption(typeof prepare === 'boolean', 'prepare', prepare, 'true or false');
  if (typeof tenant !== 'function') checkTenant(tenant, `${A_TENANT}, or a function that returns one`);
  const vectors = embed === undefined ? undefined : vectorSettingsOf(embed);
  return { pool, readPool, tables: tablesOf(table), tenant, toTool, prepare, vectors };
}

/** Maximum length of a tenant, because an index entry has no room for more. */
const MAX_TENANT = 500;

const A_TENANT = `a text of at most ${MAX_TENANT} characters, without a zero byte`;

/** @throws ToolSearchError `invalid-option` */
export function checkTenant(tenant: unknown, expected: string = A_TENANT): asserts tenant is string {
  const isOne =
    typeof tenant === 'string' &&
    tenant.length <= MAX_TENANT &&
    Buffer.from(tenant).toString() === tenant &&
    !tenant.includes('\0');
  checkOption(isOne, 'tenant', tenant, expected);
}

function isPool(value: unknown): value is PostgresPool {
  return typeof (value as Partial<PostgresPool> | null | undefined)?.query === 'function';
}

/** A client of pg is one session, so the statements of searches and a sync would wait for each other. */
function refuseClient(option: string, value: PostgresPool): void {
  if (typeof (value as { escapeIdentifier?: unknown }).escapeIdentifier !== 'function') return;
  throw new ToolSearchError('invalid-option', `"${option}" is a single client of pg. Pass a Pool: new Pool({ … }).`);
}

const embedTable: OptionTable<PostgresEmbedOptions, 'batchSize' | 'concurrency' | 'minSimilarity'> = {
  ...embedOptions,
  ...minSimilarityOption,
  ...{ dimension: {}, weight: {}, timeout: {}, onFault: {} },
};

/** The longest vector that an index of pgvector takes. */
const MAX_DIMENSION = 4_000;

/** Validated options with defaults. */
export interface VectorSettings extends Required<Pick<PostgresEmbedOptions, 'weight' | 'minSimilarity' | 'timeout'>> {
  readonly embedder: Embedder;
  /** The name of the embedding model, stored with each vector. */
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
  const settings = readOptions('embed', options, embedTable);
  const embedder = createEmbedder(settings);
  const { model } = embedder;
  if (model === undefined) throw invalidOption('embed.model', undefined, 'the name of the embedding model');
  const { dimension, weight = 0.15, timeout = 3_000, onFault = warn } = options;
  if (dimension !== undefined) checkDimension(dimension);
  const isShare = typeof weight === 'number' && weight > 0 && weight < 1;
  checkOption(isShare, 'embed.weight', weight, 'a number above 0 and below 1');
  checkOption(typeof timeout === 'number' && timeout > 0, 'embed.timeout', timeout, 'milliseconds, above 0');
  checkOption(typeof onFault === 'function', 'embed.onFault', onFault, 'a function');
  const { minSimilarity } = settings;
  return { embedder, model, dimension, weight, minSimilarity, timeout, report: (error) => tell(onFault, error) };
}

/** @throws ToolSearchError `invalid-option` */
export function checkDimension(dimension: unknown): asserts dimension is number {
  const isOne = Number.isInteger(dimension) && Number(dimension) >= 1 && Number(dimension) <= MAX_DIMENSION;
  const expected = `a whole number from 1 to ${MAX_DIMENSION}: pgvector indexes no more`;
  checkOption(isOne, 'embed.dimension', dimension, expected);
}

function warn(error: unknown): void {
  console.warn(`[tool-search] postgresSource() searched without vectors: ${messageOf(error)}`);
}

/** Calls a user's listener, and ignores its errors. */
export function tell<Value>(listener: (value: Value) => unknown, value: Value): void {
  try {
    const returned = listener(value);
    if (returned instanceof Promise) returned.catch(() => {});
  } catch {
    // An error of the listener must not fail the work that it observes.
  }
}
