import {
  type AnyTool,
  checkOption,
  invalidOption,
  isRecord,
  type NamesOf,
  refuseUnknownOptions,
  type ToolRecord,
  ToolSearchError,
  type ToolStub,
} from '../kit.ts';
import { withRemedy } from './faults.ts';
import { migrate, type PostgresMigration, plannedMigration } from './migrate.ts';
import { checkTenant, type PostgresSettings } from './options.ts';
import { refuseForeign, takeInventory } from './ownership.ts';
import type { ToolDefinition } from './stored-tool.ts';
import { type SyncProgress, type SyncResult, syncTenant } from './sync.ts';
import { withTenant } from './tenant-lock.ts';
import { dimensionOf, ensureExtension } from './vector-table.ts';

/**
 * The tools that `sync` takes: a record, as the processor takes it; a list, as `tools/list` of an MCP server returns it; or
 * an iterable of more than there is memory for.
 *
 * @example
 * ```ts
 * async function* ofAllServers(urls: readonly string[]): AsyncIterable<ToolDefinition> {
 *   for (const url of urls) yield* (await (await fetch(url)).json()) as ToolDefinition[];
 * }
 * const all: SyncedTools = ofAllServers(['https://mail.example.com/tools', 'https://files.example.com/tools']);
 * ```
 */
export type SyncedTools = ToolRecord | Iterable<SyncedTool> | AsyncIterable<SyncedTool>;

/**
 * A tool of a list: one with an `id`, or its definition.
 *
 * @example
 * ```ts
 * const clock: SyncedTool = { name: 'get_time', description: 'The time of a city.' };
 * ```
 */
export type SyncedTool = (AnyTool & { readonly id: string }) | ToolStub | ToolDefinition;

/**
 * The options of `source.sync()`.
 *
 * @example
 * ```ts
 * const options: SyncOptions = { tenant: 'acme', onProgress: ({ read }) => console.log(`${read} tools`) };
 * ```
 */
export interface SyncOptions {
  /**
   * Whose tools these are.
   *
   * @default the option `tenant` of the source, where that is a text
   */
  readonly tenant?: string;
  /** Other words for tools, by their names, as for `search.keywords`. */
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  /** Called after each batch. What it throws is not heard. */
  readonly onProgress?: (progress: SyncProgress) => unknown;
  /** Ends the sync between two batches: what was written stays, and nothing is deleted before all was read. */
  readonly signal?: AbortSignal;
  /**
   * Tools in one statement.
   *
   * @default 1000
   */
  readonly batchSize?: number;
}

const optionNames: NamesOf<SyncOptions> = {
  ...{ tenant: true, keywords: true, onProgress: true, signal: true, batchSize: true },
};

const MAX_BATCH = 10_000;

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

/** What writes to the tables of a source. */
export function writerOf({ pool, tables, tenant: ofSource, vectors }: PostgresSettings): PostgresWriter {
  const sync = async (tools: SyncedTools, options: SyncOptions = {}): Promise<SyncResult> => {
    const start = performance.now();
    refuseUnknownOptions('sync()', options, optionNames);
    const { tenant = textOf(ofSource), keywords = {}, onProgress = () => {}, signal, batchSize = 1_000 } = options;
    checkTenant(tenant);
    checkOption(
      typeof tools === 'object' && tools !== null,
      'tools',
      tools,
      'a record, a list or an iterable of tools',
    );
    checkOption(isRecord(keywords), 'keywords', keywords, 'a record of lists of words, by the names of tools');
    checkOption(typeof onProgress === 'function', 'onProgress', onProgress, 'a function');
    checkOption(signal === undefined || signal instanceof AbortSignal, 'signal', signal, 'an AbortSignal');
    const isSize = Number.isInteger(batchSize) && batchSize >= 1 && batchSize <= MAX_BATCH;
    checkOption(isSize, 'batchSize', batchSize, `a whole number from 1 to ${MAX_BATCH}`);
    const words = new Map(Object.entries(keywords));
    const result = await withTenant(pool, tables, tenant, signal, async (session) => {
      // The names of what is gone are deleted: not in a table of somebody else.
      const needed = ['tools', 'words', 'tenants', ...(vectors ? ['vectors' as const] : [])] as const;
      refuseForeign(await takeInventory(session, tables), needed, 'written');
      return syncTenant({ session, tables, tenant, tools, keywords: words, batchSize, onProgress, signal, vectors });
    }).catch((error) => {
      throw withRemedy(error, tables);
    });
    return { ...result, ms: Math.round(performance.now() - start) };
  };
  return {
    async migrate() {
      if (!vectors) return migrate(pool, tables);
      const dimension = await dimensionOf(vectors);
      // Nothing is made beside tables of somebody else, no extension either.
      await plannedMigration(pool, tables, dimension);
      await ensureExtension(pool);
      return migrate(pool, tables, dimension);
    },
    sync,
    async remove(options) {
      if (!isRecord(options)) throw invalidOption('options', options, 'an object, e.g. { tenant }');
      refuseUnknownOptions('remove()', options, { tenant: true, signal: true });
      const { tenant, signal } = options;
      checkTenant(tenant);
      return (await sync([], { tenant, ...(signal ? { signal } : {}) })).deleted;
    },
  };
}

/** @throws ToolSearchError `invalid-option` where only a request tells the tenant. */
function textOf(tenant: PostgresSettings['tenant']): string {
  if (typeof tenant === 'string') return tenant;
  throw new ToolSearchError(
    'invalid-option',
    'sync() needs "tenant": the source has a function for it, which is asked about requests. Pass { tenant }.',
  );
}
