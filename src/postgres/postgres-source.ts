import type { RequestContext } from '@mastra/core/request-context';
import {
  type AnyTool,
  asRecord,
  invalidOption,
  isRecord,
  isSearchable,
  refuseUnknownOptions,
  type SourceCandidate,
  type SourceRequest,
  type ToolSource,
  type ToolStub,
} from '../kit.ts';
import { type RunStatement, runOver, withRemedy } from './client.ts';
import { migrateAll, type PostgresMigration } from './migrate.ts';
import { checkTenant, type PostgresSettings, type PostgresSourceOptions, sourceSettings } from './options.ts';
import { type FoundTool, searchTools } from './search.ts';
import { type SyncedTools, type SyncOptions, type SyncResult, syncTools } from './sync.ts';
import { type StoredTool, storedTool } from './tools.ts';
import { NearTools } from './vectors.ts';

/**
 * The part of a {@link PostgresSource} that changes its tables.
 *
 * @example
 * ```ts
 * const leave = (source: PostgresWriter, tenant: string) => source.remove({ tenant });
 * ```
 */
export interface PostgresWriter {
  /**
   * Makes the tables, or brings them to the version of this release. Call it when you deploy: nothing else makes them.
   * Safe when several processes do it at once.
   *
   * With `embed`, it makes the extension pgvector and the table of the vectors as well.
   *
   * What is missing of the tables is made again. A table, view, index or other thing that has one of the names, and is
   * not the source's own, is refused, and nothing is changed.
   *
   * @throws ToolSearchError `storage-unavailable` where the tables are those of a newer release or of somebody else, or
   * pgvector is not there.
   */
  migrate(): Promise<PostgresMigration>;
  /**
   * Makes the tools of a tenant those that are given: writes those that are new or have changed, and deletes what is gone.
   *
   * Each batch is written wholly or not at all. An end in the middle leaves the old or the new version of each tool, and
   * the next sync does the rest. Of several at once for one tenant, in whatever processes, each waits for the one before.
   *
   * With `embed`, it then embeds the tools that are new or whose texts have changed. Where that fails, the tools are all
   * there, and the next sync does the rest.
   *
   * @throws ToolSearchError `invalid-option`, or `storage-unavailable` before `migrate()`; and what the database throws.
   */
  sync(tools: SyncedTools, options?: SyncOptions): Promise<SyncResult>;
  /** Deletes all tools of a tenant that leaves, and returns how many there were. */
  remove(options: { readonly tenant: string; readonly signal?: AbortSignal }): Promise<number>;
}

/**
 * Tools in PostgreSQL: what `tools` of the processor takes, and what fills the tables.
 *
 * @example
 * ```ts
 * const fill = async (source: PostgresSource) => {
 *   await source.migrate();
 *   console.log(await source.sync([{ name: 'get_weather', description: 'The weather of a city.' }]));
 * };
 * ```
 */
export interface PostgresSource extends ToolSource, PostgresWriter {}

/**
 * Keeps a catalog in PostgreSQL, for one that is too large for the memory of every process: a million tools, or those of
 * ten thousand tenants. A search reads the figures of its words and some hundred candidates that have them, and ranks
 * these here by words and meaning, as `wordsAndMeaningScorer()` does. With `embed`, a model of yours takes the place of the
 * table of word vectors, and finds candidates as well.
 *
 * PostgreSQL 14 or later, or PGlite; no extension unless there is `embed`, which needs pgvector. Nothing happens before a search: the tables are made by `migrate()`
 * and filled by `sync()`, which belong into a deployment.
 *
 * @throws ToolSearchError `invalid-option`
 *
 * @example
 * ```ts
 * import { postgresSource } from 'mastra-tool-search/postgres';
 * import { Pool } from 'pg';
 *
 * const source = postgresSource({
 *   pool: new Pool({ connectionString: 'postgres://localhost/tools' }),
 *   tenant: ({ requestContext }) => requestContext?.get('tenant') as string,
 *   toTool: ({ name, description, inputSchema, metadata }) => ({
 *     description,
 *     inputSchema,
 *     execute: async (input: unknown) => {
 *       const response = await fetch(`${metadata?.['url']}/${name}`, { method: 'POST', body: JSON.stringify(input) });
 *       return response.json();
 *     },
 *   }),
 * });
 * new ToolSearchProcessor({ tools: source });
 * ```
 */
export function postgresSource(options: PostgresSourceOptions): PostgresSource {
  const settings = sourceSettings(options);
  const { readPool, prepare, tables, tenant, toTool, vectors } = settings;
  const plain = runOver(readPool, prepare);
  const run: RunStatement = (...statement) =>
    plain<never>(...statement).catch((error) => {
      throw withRemedy(error, tables);
    });
  const near = vectors && new NearTools(run, tables, vectors);

  const tenantOf = async ({ requestContext }: SourceRequest): Promise<string> => {
    const found = typeof tenant === 'function' ? await tenant(requestContext ? { requestContext } : {}) : tenant;
    checkTenant(found, 'returned as a text of at most 500 characters for each request, e.g. from its requestContext');
    return found;
  };
  /** The tools of a tenant, which is `$1`, that a condition chooses. */
  const stored = async (
    condition: string,
    values: readonly unknown[],
    abortSignal: AbortSignal | undefined,
  ): Promise<StoredTool[]> => {
    const text = `SELECT name, definition FROM ${tables.tools} WHERE tenant = $1 AND ${condition}`;
    const rows = await run<{ name: string; definition: unknown }>(text, values, abortSignal);
    return rows.map(({ name, definition }) => storedTool(name, definition));
  };
  const sync = (tools: SyncedTools, how?: SyncOptions): Promise<SyncResult> => syncTools(settings, tools, how);

  return {
    name: 'postgres',
    async search(query, request) {
      const { abortSignal, explain = false } = request;
      const limit = limitOf(request.limit);
      const owner = await tenantOf(request);
      if (limit === 0) return [];
      const found = await searchTools({ run, tables, near, query, tenant: owner, limit, abortSignal, explain });
      if (found.length === 0) return [];
      const names = found.map(({ name }) => name);
      const tools = await stored(NAMED, [owner, names], abortSignal);
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      return found.flatMap((match) => {
        const tool = byName.get(match.name);
        return tool ? [candidateOf(tool, match)] : [];
      });
    },
    async get(names, request) {
      const owner = await tenantOf(request);
      const asked = [...new Set(names)].filter(isStorable);
      if (asked.length === 0) return {};
      const tools = await stored(NAMED, [owner, asked], request.abortSignal);
      const { requestContext } = request;
      const made = tools.map(async (tool) => [tool.name, await madeOf(tool, requestContext, toTool)] as const);
      return Object.fromEntries(await Promise.all(made));
    },
    async list(of, request) {
      const limit = limitOf(request.limit);
      const owner = await tenantOf(request);
      const what = 'prefix' in of ? of.prefix : of.group;
      if (limit === 0 || !isStorable(what)) return [];
      const condition = 'prefix' in of ? BEGINNING_SO : OF_GROUP;
      const tools = await stored(`${condition} ORDER BY name LIMIT $3`, [owner, what, limit], request.abortSignal);
      return tools.map((tool) => candidateOf(tool, { name: tool.name, score: 1 }));
    },
    migrate: () => migrateAll(settings),
    sync,
    async remove(how) {
      if (!isRecord(how)) throw invalidOption('options', how, 'an object, e.g. { tenant }');
      refuseUnknownOptions('remove()', how, { tenant: true, signal: true });
      checkTenant(how.tenant);
      return (await sync([], how)).deleted;
    },
  };
}

/** The most matches of a search, as of a list. */
const MAX_LIMIT = 1_000;
/** Characters of the longest name that a tool can have, and more. */
const MAX_NAME = 128;

const NAMED = 'name = ANY ($2::text[])';
const BEGINNING_SO = 'name >= $2 AND name < $2 || chr(1114111)';
const OF_GROUP = `lower(server) = lower($2 COLLATE "C") AND server <> ''`;

function limitOf(limit: number): number {
  return Math.min(MAX_LIMIT, Math.max(0, Math.floor(limit) || 0));
}

/** Whether PostgreSQL can have the text: no zero bytes, no halves of characters. */
function isStorable(text: string): boolean {
  return text.length <= MAX_NAME && !text.includes('\0') && Buffer.from(text).toString() === text;
}

function candidateOf(
  { name, description, group, inputSchema }: StoredTool,
  { score, confidence, words, features }: FoundTool,
): SourceCandidate {
  const parameters = Object.keys(asRecord(inputSchema['properties']) ?? {});
  return {
    ...{ name, description, score, parameters },
    ...(group === undefined ? {} : { group }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(words ? { words } : {}),
    ...(features ? { features } : {}),
  };
}

/** The tool that runs. Where it cannot be made, a lazy tool that says so when it is loaded: the others are not at fault. */
async function madeOf(
  stored: StoredTool,
  requestContext: RequestContext | undefined,
  toTool: PostgresSettings['toTool'],
): Promise<AnyTool | ToolStub> {
  try {
    const made: unknown = await toTool(stored, requestContext ? { requestContext } : {});
    if (!isSearchable(made)) throw new TypeError(`toTool() returned no tool for "${stored.name}"`);
    return made as AnyTool | ToolStub;
  } catch (error) {
    const resolve = (): never => {
      throw error;
    };
    return { id: stored.name, description: stored.description, resolve };
  }
}
