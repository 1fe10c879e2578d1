import { hash } from 'node:crypto';
import { checkOption, messageOf, ToolSearchError } from '../errors.ts';
import { type AnyTool, Reporter, type ToolProblem, type ToolRecord, type ToolStub } from '../kit.ts';
import { type NamesOf, refuseUnknownOptions } from '../util/check.ts';
import { isRecord } from '../util/record.ts';
import { inSlices } from '../util/time-slices.ts';
import { spellingOf } from '../util/words.ts';
import { inTurn, type PostgresSession, withRemedy } from './client.ts';
import { refuseForeign, takeInventory } from './migrate.ts';
import { checkTenant, type PostgresSettings, tell, type VectorSettings } from './options.ts';
import { COLUMNS, type Tables } from './schema.ts';
import { withTenant } from './tenant-lock.ts';
import { definitionJson, type ReadTool, readBatches, type ToolDefinition } from './tools.ts';
import { embedTenant } from './vectors.ts';
import { lexemesOf } from './words.ts';

/**
 * The tools that `sync` takes: a record, as the processor takes it; a list, as `tools/list` of an MCP server returns it; or an
 * iterable for more tools than fit in memory.
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
 * A tool of a list: a tool with an `id`, or a definition.
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
   * The tenant whose tools are replaced.
   *
   * @default the option `tenant` of the source, if it is a string
   */
  readonly tenant?: string;
  /** Additional keywords by the names of tools, as in `search.keywords`. */
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  /** Called after each batch. Its errors are ignored. */
  readonly onProgress?: (progress: SyncProgress) => unknown;
  /** Aborts the sync between two batches: written tools stay, and nothing is deleted before all tools are read. */
  readonly signal?: AbortSignal;
  /**
   * Number of tools per statement.
   *
   * @default 1000
   */
  readonly batchSize?: number;
}

/**
 * Progress of a `sync`.
 *
 * @example
 * ```ts
 * const line = ({ read, added }: SyncProgress) => `${read} tools read, ${added} of them new`;
 * ```
 */
export interface SyncProgress {
  /** Tools that were read so far. */
  readonly read: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Tools that were embedded so far. Left out without `embed`. */
  readonly embedded?: number;
}

/**
 * A problem of a tool that `sync` was given, as the event `tool-problem` reports it. A tool with the problem `left-out` was not
 * stored.
 *
 * @example
 * ```ts
 * const line = ({ toolName, problem }: SyncProblem) => `${toolName}: ${problem}`;
 * ```
 */
export interface SyncProblem {
  readonly toolName: string;
  readonly problem: ToolProblem;
  readonly message: string;
}

/**
 * What `sync` did.
 *
 * @example
 * ```ts
 * const hasChanged = ({ added, updated, deleted }: SyncResult) => added + updated + deleted > 0;
 * ```
 */
export interface SyncResult extends Omit<SyncProgress, 'read'> {
  /** At most 10,000. */
  readonly problems: readonly SyncProblem[];
  /** Duration in milliseconds, including the wait for other processes. */
  readonly ms: number;
}

const optionNames: NamesOf<SyncOptions> = {
  ...{ tenant: true, keywords: true, onProgress: true, signal: true, batchSize: true },
};

const MAX_BATCH = 10_000;

/** Replaces the tools of a tenant while it holds the tenant's lock. */
export async function syncTools(
  { pool, tables, tenant: ofSource, vectors }: PostgresSettings,
  tools: SyncedTools,
  options: SyncOptions = {},
): Promise<SyncResult> {
  const start = performance.now();
  refuseUnknownOptions('sync()', options, optionNames);
  const { tenant = ofSource, keywords = {}, onProgress = () => {}, signal, batchSize = 1_000 } = options;
  if (typeof tenant === 'function') throw new ToolSearchError('invalid-option', NO_TENANT);
  checkTenant(tenant);
  const areTools = typeof tools === 'object' && tools !== null;
  checkOption(areTools, 'tools', tools, 'a record, a list or an iterable of tools');
  checkOption(isRecord(keywords), 'keywords', keywords, 'a record of lists of words, by the names of tools');
  checkOption(typeof onProgress === 'function', 'onProgress', onProgress, 'a function');
  checkOption(signal === undefined || signal instanceof AbortSignal, 'signal', signal, 'an AbortSignal');
  const isSize = Number.isInteger(batchSize) && batchSize >= 1 && batchSize <= MAX_BATCH;
  checkOption(isSize, 'batchSize', batchSize, `a whole number from 1 to ${MAX_BATCH}`);
  try {
    const result = await withTenant(pool, tables, tenant, signal, async (session) => {
      // A sync deletes rows, so it must not run on a foreign table.
      const needed = ['tools', 'words', 'tenants', ...(vectors ? ['vectors' as const] : [])] as const;
      refuseForeign(await takeInventory(session, tables), needed, 'written');
      const words = new Map(Object.entries(keywords));
      return syncTenant({ session, tables, tenant, tools, keywords: words, batchSize, onProgress, signal, vectors });
    });
    return { ...result, ms: Math.round(performance.now() - start) };
  } catch (error) {
    throw withRemedy(error, tables);
  }
}

const NO_TENANT =
  'sync() needs "tenant": the source has a function for it, which is asked about requests. Pass { tenant }.';

/** One call of `sync`. */
interface SyncTask extends Required<Pick<SyncOptions, 'tenant' | 'batchSize' | 'onProgress'>> {
  readonly session: PostgresSession;
  readonly tables: Tables;
  readonly tools: unknown;
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  readonly signal: AbortSignal | undefined;
  readonly vectors: VectorSettings | undefined;
}

/** Limit of reported problems, because a catalog may have a million tools. */
const MAX_PROBLEMS = 10_000;
/** Version of the stored form. Each row's hash covers it, so a new version rewrites all tools. */
const FORMAT = 2;
/** Number of rows that one statement checks for removed tools. */
const LOOKED_THROUGH = 1_000;
/** From this many changes on, a sync runs ANALYZE for PostgreSQL's planner. */
const MANY = 1_000;

/**
 * Replaces the tools of a tenant: writes new and changed tools, then deletes tools that were not given. These are known once
 * all tools are read, so a sync that is interrupted before deletes nothing.
 */
async function syncTenant(task: SyncTask): Promise<Omit<SyncResult, 'ms'>> {
  const { tables, tenant, tools, keywords, batchSize, onProgress, signal, vectors } = task;
  const session = inTurn(task.session);
  const problems = new Map<string, SyncProblem>();
  const reporter = new Reporter((event) => {
    if (event.type !== 'tool-problem' || problems.size >= MAX_PROBLEMS) return;
    const { toolName, problem, message } = event;
    const key = `${problem} ${toolName}`;
    if (!problems.has(key)) problems.set(key, { toolName, problem, message });
  });
  const rows = new TenantRows(session, tables, tenant);
  const counts = { read: 0, added: 0, updated: 0, unchanged: 0, deleted: 0, ...(vectors ? { embedded: 0 } : {}) };
  const progress = (): void => {
    tell(onProgress, { ...counts });
    signal?.throwIfAborted();
  };
  const write = async (changed: readonly ToolRow[], batch: typeof counts): Promise<void> => {
    signal?.throwIfAborted();
    if (changed.length > 0) await rows.put(changed);
    for (const key of ['read', 'added', 'updated', 'unchanged'] as const) counts[key] += batch[key];
    progress();
  };

  // The next batch is read while the database writes one.
  let writing: Promise<void> = Promise.resolve();
  try {
    await rows.begin();
    const claim = (names: readonly string[]): Promise<ReadonlySet<string>> => rows.claim(names);
    for await (const batch of readBatches(tools, { keywords, reporter, batchSize, claim })) {
      const prepared = batch.map((tool) => prepare(tool, reporter));
      const changes = await rows.changed(prepared);
      const changed = await rowsOf(
        tenant,
        changes.map(({ at }) => prepared[at] as Prepared),
      );
      await writing;
      const added = changes.filter(({ isNew }) => isNew).length;
      const [updated, unchanged] = [changes.length - added, batch.length - changes.length];
      const counted = { ...counts, read: batch.length, added, updated, unchanged };
      writing = write(changed, counted);
      writing.catch(() => {});
    }
    await writing;
    for await (const deleted of rows.removeOthers()) {
      counts.deleted += deleted;
      if (deleted > 0) progress();
      signal?.throwIfAborted();
    }
  } finally {
    // The caller releases the session next, so no statement may still be running.
    await writing.catch(() => {});
    await rows.end();
  }
  if (counts.added + counts.updated + counts.deleted >= MANY) {
    await attempt(session, `SELECT gin_clean_pending_list('${tables.part('by_word')}'::regclass)`);
    await attempt(session, `ANALYZE ${tables.tools}`);
  }
  if (vectors) {
    for await (const count of embedTenant({ session, tables, tenant, vectors, signal })) {
      counts.embedded = (counts.embedded ?? 0) + count;
      progress();
    }
    if ((counts.embedded ?? 0) >= MANY) await attempt(session, `ANALYZE ${tables.vectors}`);
  }
  const { read: _, ...rest } = counts;
  return { ...rest, problems: [...problems.values()] };
}

/** A tool with the hash that is compared with the stored one. */
interface Prepared extends ReadTool, Pick<ToolRow, 'name' | 'hash' | 'definition'> {
  /** JSON of the document. */
  readonly written: string;
}

function prepare(tool: ReadTool, reporter: Reporter): Prepared {
  const { entry, document } = tool;
  const definition = definitionJson(entry, document.server, (field, error) => {
    const message = `Tool "${entry.name}" is stored without its ${field}, which is no JSON: ${messageOf(error)}`;
    reporter.report({ type: 'tool-problem', toolName: entry.name, problem: 'unreadable-schema', message });
  });
  const written = JSON.stringify(document);
  const digest = hash('sha256', `${FORMAT}\n${definition}\n${written}`, 'base64').slice(0, 24);
  return { ...tool, name: entry.name, hash: digest, definition, written };
}

async function rowsOf(tenant: string, tools: readonly Prepared[]): Promise<readonly ToolRow[]> {
  const documents = tools.map(({ document }) => document);
  const words = await inSlices(lexemesOf(tenant, documents));
  return tools.map(({ name, hash: digest, definition, written, document }, at) => ({
    ...{ name, hash: digest, definition },
    // Earlier releases ignore the field `terms`, which they do not know.
    document: `{"terms":${JSON.stringify(words[at]?.terms ?? '')},${written.slice(1)}`,
    // PostgreSQL's texts cannot hold zero bytes or lone surrogates.
    server: Buffer.from(document.server.replaceAll('\0', '')).toString(),
    spelling: spellingOf([name]),
    lengths: `{${words[at]?.lengths.join()}}`,
    words: words[at]?.words ?? '',
  }));
}

/** Runs a statement that only the owner of the tables may run; if it fails, autovacuum does the work later. */
async function attempt(session: PostgresSession, text: string): Promise<void> {
  await Promise.resolve(session.query(text)).catch(() => {});
}

/** A row of the tools table without its tenant; each column is in PostgreSQL's text form. */
interface ToolRow {
  readonly name: string;
  readonly hash: string;
  readonly server: string;
  readonly spelling: string;
  readonly definition: string;
  readonly document: string;
  readonly lengths: string;
  readonly words: string;
}

/** The column types of a {@link ToolRow}. */
const { tenant: _, ...TYPES } = COLUMNS.tools;
const NAMES = Object.keys(TYPES) as readonly (keyof ToolRow)[];

/** PostgreSQL's codes for a deadlock and a serialization failure. */
const AGAIN: ReadonlySet<unknown> = new Set(['40P01', '40001']);
/** Attempts for a statement that conflicts with other writers. */
const ATTEMPTS = 5;

/** The rows of a tenant in a sync. Each statement happens completely or not at all. */
class TenantRows {
  readonly #session: PostgresSession;
  readonly #tools: string;
  readonly #tenant: string;
  /** A temporary table with the names of all given tools, because a million names would fill the memory. */
  readonly #given: string;

  constructor(session: PostgresSession, { tools }: Tables, tenant: string) {
    this.#session = session;
    this.#tools = tools;
    this.#tenant = tenant;
    // Syncs of several tenants may share a session, so each has its own table.
    this.#given = `pg_temp.tool_sync_${hash('sha256', `${tools} ${tenant}`, 'hex').slice(0, 16)}`;
  }

  async begin(): Promise<void> {
    await this.#session.query(
      `CREATE TEMPORARY TABLE ${this.#given.replace('pg_temp.', '')} (name text COLLATE "C" PRIMARY KEY)`,
    );
  }

  async end(): Promise<void> {
    await attempt(this.#session, `DROP TABLE IF EXISTS ${this.#given}`);
  }

  /** Takes names, and returns those that were not taken before. */
  async claim(names: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#session.query(
      `INSERT INTO ${this.#given} (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING name`,
      [names],
    );
    return new Set(rows.map(({ name }) => String(name)));
  }

  /** The indexes of tools that are not stored yet, or stored with another hash. */
  async changed(tools: readonly Pick<ToolRow, 'name' | 'hash'>[]): Promise<readonly { at: number; isNew: boolean }[]> {
    const rows = await this.#query(
      `SELECT (at - 1)::int AS at, kept.hash IS NULL AS "isNew"
      FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (name, hash, at)
      LEFT JOIN ${this.#tools} AS kept ON kept.tenant = $1 AND kept.name = given.name
      WHERE kept.hash IS DISTINCT FROM given.hash ORDER BY at`,
      [tools.map(({ name }) => name), tools.map((tool) => tool.hash)],
    );
    return rows as readonly { at: number; isNew: boolean }[];
  }

  /** Adds rows, and replaces those of the same name. */
  async put(rows: readonly ToolRow[]): Promise<void> {
    const lists = NAMES.map((_, at) => `$${at + 2}::text[]`).join(', ');
    const values = NAMES.map((name) => `given.${name}::${TYPES[name]?.split(' ')[0]}`).join(', ');
    const changes = NAMES.slice(1).map((name) => `${name} = excluded.${name}`);
    await this.#query(
      `INSERT INTO ${this.#tools} (tenant, ${NAMES.join(', ')})
      SELECT $1, ${values} FROM unnest(${lists}) AS given (${NAMES.join(', ')})
      ON CONFLICT (tenant, name) DO UPDATE SET ${changes.join(', ')}`,
      NAMES.map((name) => rows.map((row) => row[name])),
    );
  }

  /** Deletes the tools whose names were not taken, and yields how many each statement deleted. */
  async *removeOthers(): AsyncIterable<number> {
    await this.#session.query(`ANALYZE ${this.#given}`);
    for (let last: unknown = ''; last !== null; ) {
      const [row] = await this.#query(
        `WITH looked AS MATERIALIZED (
          SELECT name FROM ${this.#tools} WHERE tenant = $1 AND name > $2 ORDER BY name LIMIT ${LOOKED_THROUGH}
        ), deleted AS (
          DELETE FROM ${this.#tools} AS kept USING looked WHERE kept.tenant = $1 AND kept.name = looked.name
          AND NOT EXISTS (SELECT FROM ${this.#given} AS given WHERE given.name = looked.name) RETURNING kept.name
        )
        SELECT max(name) AS last, (SELECT count(*)::int FROM deleted) AS deleted FROM looked`,
        [last],
      );
      last = row?.['last'] ?? null;
      yield Number(row?.['deleted'] ?? 0);
    }
  }

  async #query(text: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    for (let attempts = 1; ; attempts++) {
      try {
        return (await this.#session.query(text, [this.#tenant, ...values])).rows;
      } catch (error) {
        if (attempts === ATTEMPTS || !AGAIN.has((error as { code?: unknown }).code)) throw error;
      }
    }
  }
}
