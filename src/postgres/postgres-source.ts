import type { RequestContext } from '@mastra/core/request-context';
import { invalidOption } from '../errors.ts';
import {
  type AnyTool,
  isSearchable,
  type SourceCandidate,
  type SourceRequest,
  type ToolSource,
  type ToolStub,
} from '../kit.ts';
import { refuseUnknownOptions } from '../util/check.ts';
import { asRecord, isRecord } from '../util/record.ts';
import { type RunStatement, runOver, withRemedy } from './client.ts';
import { migrateAll, type PostgresMigration } from './migrate.ts';
import { checkTenant, type PostgresSettings, type PostgresSourceOptions, sourceSettings } from './options.ts';
import { type FoundTool, searchTools } from './search.ts';
import { type SyncedTools, type SyncOptions, type SyncResult, syncTools } from './sync.ts';
import { type StoredTool, storedTool } from './tools.ts';
import { NearestTools } from './vectors.ts';

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
   * Creates the tables, or migrates them to the version of this release. Call it when you deploy: nothing else creates the
   * tables. Several processes may call it at the same time.
   *
   * With `embed`, `migrate` also creates the extension pgvector and the table of the vectors.
   *
   * Missing tables are created again. If a foreign table, view, index or other object has one of the names, `migrate` throws
   * and changes nothing.
   *
   * @throws ToolSearchError `storage-unavailable` if the tables are those of a newer release or foreign, or if pgvector is
   * missing.
   */
  migrate(): Promise<PostgresMigration>;
  /**
   * Replaces the tools of a tenant: writes new and changed tools, and deletes those that are no longer given.
   *
   * Each batch is written completely or not at all. An interrupted sync leaves the old or the new version of each tool, and the
   * next sync does the rest. Concurrent syncs of one tenant run one after another, across processes.
   *
   * With `embed`, `sync` then embeds new tools, and tools whose texts have changed. If embedding fails, all tools are stored,
   * and the next sync embeds the rest.
   *
   * @throws ToolSearchError `invalid-option`, or `storage-unavailable` before `migrate()`; also errors of the database.
   */
  sync(tools: SyncedTools, options?: SyncOptions): Promise<SyncResult>;
  /** Deletes all tools of a tenant, and returns their number. */
  remove(options: { readonly tenant: string; readonly signal?: AbortSignal }): Promise<number>;
}

/**
 * Tools in PostgreSQL: a source for `tools` of the processor, with methods that fill the tables.
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
 * Keeps a catalog in PostgreSQL that is too large for the memory of every process: a million tools, or those of ten thousand
 * tenants. A search reads the counts of its words and some hundred candidates, and ranks the candidates in the process by words
 * and meaning, as `wordsAndMeaningScorer()` does. With `embed`, your model replaces the table of word vectors, and also finds
 * candidates.
 *
 * Needs PostgreSQL 14 or later, or PGlite; `embed` also needs the extension pgvector. A search creates no tables: call
 * `migrate()` and `sync()` when you deploy.
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
  const nearest = vectors && new NearestTools(run, tables, vectors);

  const tenantOf = async ({ requestContext }: SourceRequest): Promise<string> => {
    const found = typeof tenant === 'function' ? await tenant(requestContext ? { requestContext } : {}) : tenant;
    checkTenant(found, 'returned as a text of at most 500 characters for each request, e.g. from its requestContext');
    return found;
  };
  /** Selects tools of a tenant, which is `$1`, by a condition. */
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
      const found = await searchTools({ run, tables, nearest, query, tenant: owner, limit, abortSignal, explain });
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

/** Upper limit for the results of a search or a list. */
const MAX_LIMIT = 1_000;
/** A longer text cannot be the name of a tool. */
const MAX_NAME = 128;

const NAMED = 'name = ANY ($2::text[])';
const BEGINNING_SO = 'name >= $2 AND name < $2 || chr(1114111)';
const OF_GROUP = `lower(server) = lower($2 COLLATE "C") AND server <> ''`;

function limitOf(limit: number): number {
  return Math.min(MAX_LIMIT, Math.max(0, Math.floor(limit) || 0));
}

/** Whether PostgreSQL can store the text (no zero bytes, no lone surrogates) and a name can be that long. */
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

/** Creates the executable tool. If `toTool` fails, a lazy tool throws the error when it is loaded; other tools still load. */
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
