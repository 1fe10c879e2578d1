import type { RequestContext } from '@mastra/core/request-context';
import {
  type AnyTool,
  checkOption,
  invalidOption,
  isRecord,
  type NamesOf,
  refuseUnknownOptions,
  ToolSearchError,
  type ToolStub,
} from '../kit.ts';
import type { EmbeddingModelLike } from '../semantic/embedder.ts';
import type { PostgresPool } from './client.ts';
import { type PostgresEmbedOptions, type VectorSettings, vectorSettingsOf } from './embed-options.ts';
import type { StoredTool } from './stored-tool.ts';
import { type Tables, tablesOf } from './tables.ts';

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
   * Where searches and loads go, as to a replica. Writes go to `pool`.
   *
   * @default pool
   */
  readonly readPool?: PostgresPool;
  /**
   * The name of the table of the tools, with its schema if you like; those of the other tables begin so.
   *
   * @default 'tool_search'
   */
  readonly table?: string;
  /**
   * Whose tools a request sees: a text, or a function that tells it of the request. A request for which it throws, or
   * returns no text, sees nothing.
   *
   * @default ''
   */
  readonly tenant?: string | ((args: { readonly requestContext?: RequestContext }) => string | Promise<string>);
  /** Makes the tool that runs, or a lazy tool of it: functions cannot be stored. Called when a tool is loaded or called. */
  readonly toTool: (
    stored: StoredTool,
    args: { readonly requestContext?: RequestContext },
  ) => AnyTool | ToolStub | Promise<AnyTool | ToolStub>;
  /**
   * An embedding model of the AI SDK or Mastra, or options with one: tools are found by what they mean as well. Needs the
   * extension pgvector.
   *
   * @default tools are found by their words alone
   */
  readonly embed?: EmbeddingModelLike | PostgresEmbedOptions;
  /**
   * Whether a pool of `pg` prepares the statements of searches in each connection. Not with a pooler that does not keep
   * them, such as PgBouncer before 1.21.
   *
   * @default true
   */
  readonly prepare?: boolean;
}

const optionNames: NamesOf<PostgresSourceOptions> = {
  ...{ pool: true, readPool: true, table: true, tenant: true, toTool: true, embed: true, prepare: true },
};

/** The options, checked and complete. */
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

/** Characters of the longest tenant: an index has no room for more. */
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

/** A client of pg is one session, which searches and a sync would share: their statements would wait for each other. */
function refuseClient(option: string, value: PostgresPool): void {
  if (typeof (value as { escapeIdentifier?: unknown }).escapeIdentifier !== 'function') return;
  throw new ToolSearchError('invalid-option', `"${option}" is a single client of pg. Pass a Pool: new Pool({ … }).`);
}
