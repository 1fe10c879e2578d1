import { hash } from 'node:crypto';
import { inSlices, messageOf, Reporter, spellingOf, type ToolProblem } from '../kit.ts';
import type { PostgresSession } from './client.ts';
import type { VectorSettings } from './embed-options.ts';
import { Pipeline } from './pipeline.ts';
import { type ReadTool, ToolReader } from './read-tools.ts';
import { definitionJson } from './stored-tool.ts';
import type { Tables } from './tables.ts';
import { lexemesOf } from './words.ts';
import { TenantWriter, type ToolRow } from './write.ts';
import { embedTenant } from './write-vectors.ts';

/** Problems that a result of `sync` names: a catalog may have a million tools. */
const MAX_PROBLEMS = 10_000;
/** The form of what is written. Another one, and all tools are written anew. */
const FORMAT = 1;
/** Rows that are deleted in one statement, and names that are looked through. */
const DELETED = 1_000;
const LOOKED_THROUGH = 10_000;
/** Changes after which PostgreSQL's planner is told of them. */
const MANY = 1_000;

/**
 * How far `sync` has come.
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
 * What is wrong with a tool that `sync` was given: as the event `tool-problem` says it. One with the problem `left-out` was
 * not stored.
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
  /** Milliseconds, waiting for other processes included. */
  readonly ms: number;
}

/** One call of `sync`. */
export interface SyncTask {
  readonly session: PostgresSession;
  readonly tables: Tables;
  readonly tenant: string;
  readonly tools: unknown;
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  readonly batchSize: number;
  readonly onProgress: (progress: SyncProgress) => unknown;
  readonly signal: AbortSignal | undefined;
  readonly vectors: VectorSettings | undefined;
}

/**
 * Makes the tools of a tenant those that are given: writes what is new or has changed, then deletes what is gone. What is
 * gone is known once all was read, so that an end in the middle deletes nothing.
 */
export async function syncTenant(task: SyncTask): Promise<Omit<SyncResult, 'ms'>> {
  const { session, tables, tenant, tools, keywords, batchSize, onProgress, signal, vectors } = task;
  const problems: SyncProblem[] = [];
  const reported = new Set<string>();
  const reporter = new Reporter((event) => {
    if (event.type !== 'tool-problem') return;
    const { toolName, problem, message } = event;
    const key = `${problem} ${toolName}`;
    if (reported.has(key) || reported.size >= MAX_PROBLEMS) return;
    reported.add(key);
    problems.push({ toolName, problem, message });
  });
  const reader = new ToolReader(keywords, reporter, batchSize);
  const writer = new TenantWriter(session, tables, tenant);
  const counts = { read: 0, added: 0, updated: 0, unchanged: 0, deleted: 0, ...(vectors ? { embedded: 0 } : {}) };
  const tell = (): void => {
    tellOf(onProgress, counts);
    signal?.throwIfAborted();
  };
  const pipeline = new Pipeline();
  const write = async (batch: readonly ReadTool[]): Promise<void> => {
    const prepared = batch.map((tool) => prepare(tool, reporter));
    const { added, updated } = await pipeline.inTurn(() => writer.changed(prepared));
    const changed = [...added, ...updated].map((at) => prepared[at] as Prepared);
    const rows = await rowsOf(tenant, changed);
    await pipeline.inTurn(async () => {
      signal?.throwIfAborted();
      if (rows.length > 0) await writer.put(rows);
      counts.read += batch.length;
      counts.added += added.length;
      counts.updated += updated.length;
      counts.unchanged += batch.length - changed.length;
      tell();
    });
  };

  try {
    for await (const batch of reader.read(tools)) await pipeline.begin(() => write(batch));
    await pipeline.end();
  } finally {
    // The session is given back afterwards.
    await pipeline.settle();
  }
  for await (const gone of goneNames(writer, (name) => reader.seen.has(name))) {
    await writer.remove(gone);
    counts.deleted += gone.length;
    tell();
  }
  if (counts.added + counts.updated + counts.deleted >= MANY) await settle(session, tables);
  if (vectors) {
    const embedded = embedTenant({ session, tables, tenant, vectors, signal });
    for await (const count of embedded) {
      counts.embedded = (counts.embedded ?? 0) + count;
      tell();
    }
    if ((counts.embedded ?? 0) >= MANY) await attempt(session, `ANALYZE ${tables.vectors}`);
  }
  const { read: _, ...rest } = counts;
  return { ...rest, problems };
}

/** A tool as it is compared with what is there. */
interface Prepared extends ReadTool, Pick<ToolRow, 'name' | 'hash' | 'definition'> {
  /** JSON. */
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
    ...{ name, hash: digest, definition, document: written },
    server: storable(document.server),
    spelling: spellingOf([name]),
    ...(words[at] as { words: string; lengths: readonly number[] }),
  }));
}

/** A text without what PostgreSQL has in none: zero bytes and halves of characters. */
function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '')).toString();
}

/** The names of the tenant that were not met, in batches. */
async function* goneNames(writer: TenantWriter, isSeen: (name: string) => boolean): AsyncIterable<readonly string[]> {
  const gone: string[] = [];
  let last = '';
  for (;;) {
    const names = await writer.namesAfter(last, LOOKED_THROUGH);
    gone.push(...names.filter((name) => !isSeen(name)));
    while (gone.length >= DELETED) yield gone.splice(0, DELETED);
    last = names.at(-1) ?? '';
    if (names.length < LOOKED_THROUGH) break;
  }
  if (gone.length > 0) yield gone;
}

/** Tells the user, whose faults are not those of the sync. */
function tellOf(onProgress: (progress: SyncProgress) => unknown, counts: SyncProgress): void {
  try {
    const returned = onProgress({ ...counts });
    if (returned instanceof Promise) returned.catch(() => {});
  } catch {
    // What is shown of it is not what it does.
  }
}

/** Brings the index and the planner's figures up to date. */
async function settle(session: PostgresSession, { tools, part }: Tables): Promise<void> {
  await attempt(session, `SELECT gin_clean_pending_list('${part('by_word')}'::regclass)`);
  await attempt(session, `ANALYZE ${tools}`);
}

/** Does what only the owner of the tables may: else PostgreSQL does it, later. */
async function attempt(session: PostgresSession, text: string): Promise<void> {
  await Promise.resolve(session.query(text)).catch(() => {});
}
