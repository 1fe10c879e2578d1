// A table of a database, and the index in a process: how fast each is searched, in a process of its own, and how well.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { postgresSource } from 'mastra-tool-search/postgres';
import type { Pool } from 'pg';
import { toolDocument } from '../../../src/catalog/document.ts';
import { bm25Scorer } from '../../../src/index.ts';
import { parseQuery, type ToolQuery } from '../../../src/scorers/words/query.ts';
import { figuresOf, ofScorer } from '../retrieval/measure.ts';
import type { LabelledSet, LabelledTool } from '../retrieval/sets.ts';
import { mean } from '../statistics.ts';

export interface Queries {
  /** So that what is read once is read. */
  readonly warmUp: readonly ToolQuery[];
  /** Others than those. */
  readonly queries: readonly ToolQuery[];
}

/** Of a process that only searches a database. */
export interface SearchTimes {
  readonly alone: readonly number[];
  /** With 32 at once, which took so many seconds in all. */
  readonly together: readonly number[];
  readonly seconds: number;
  /** CPU time of a search, one at a time: in the process, and in the database. */
  readonly cpuHere: number;
  readonly cpuThere: number;
  /** The most memory that the process ever had. */
  readonly megabytes: number;
}

/** Of a process that holds the tools and their index. */
interface ProcessTimes {
  readonly tools: number;
  readonly build: number;
  /** CPU time of a search. */
  readonly cpu: number;
  readonly alone: readonly number[];
  readonly megabytes: number;
}

/** Two dozen MB of what a search holds are in use. Without a bound, Node lets ten times as much garbage lie. */
const SMALL_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4'];

/** What a search asks a source for: the processor's first window, four times what it shows by default. */
const LIMIT = 20;

/** Searches a table of a database. */
export function searchTable(url: string, table: string, tenant: string, queries: Queries): Promise<SearchTimes> {
  return ask('search-child.mjs', { url, table, tenant, ...queries, limit: LIMIT }, SMALL_HEAP);
}

/** Holds tools and their index, and searches that. */
export async function searchInProcess(tools: Iterable<LabelledTool>, queries: Queries): Promise<ProcessTimes> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-source-'));
  try {
    const file = path.join(folder, 'tools.jsonl');
    const stream = createWriteStream(file);
    for (const tool of tools) {
      const { document } = toolDocument(tool.id, tool);
      if (!stream.write(`${JSON.stringify({ tool, document })}\n`)) await once(stream, 'drain');
    }
    stream.end();
    await finished(stream);
    return await ask('process-child.mjs', { file, ...queries });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function ask<Answer>(program: string, order: object, execArgv: string[] = []): Promise<Answer> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), { execArgv });
  const answer = new Promise<Answer>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Answer));
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}, without an answer.`)));
  });
  child.send(order);
  return answer;
}

/** The names that a query finds, best first. */
type Find = (query: string) => Promise<readonly string[]>;

export async function inProcess(tools: readonly LabelledTool[]): Promise<Find> {
  const search = await ofScorer(bm25Scorer()).build(tools);
  return async (query) => (await search(query)).found.map(({ name }) => name);
}

/** nDCG@10, hit@1 and recall@5. */
export async function qualityOf(find: Find, { queries }: LabelledSet): Promise<readonly number[]> {
  const all: (readonly number[])[] = [];
  for (const query of queries) {
    const { ndcg10, hit1, recall } = figuresOf(await find(query.query), query);
    all.push([ndcg10, hit1, recall]);
  }
  return [0, 1, 2].map((figure) => mean(all.map((figures) => figures[figure]!)));
}

/** Those of a small server; everything else is Debian's. */
export const SETTINGS: readonly string[] = ['shared_buffers=1GB', 'max_wal_size=4GB', 'random_page_cost=1.1'];

export function inTable(pool: Pool, table: string, tenant: string): Find {
  const source = postgresSource({ pool, table, tenant, toTool: () => undefined as never });
  return async (query) => (await source.search(parseQuery(query), { limit: LIMIT })).map(({ name }) => name);
}

interface Loaded {
  /** Undefined where all of it was there. */
  readonly seconds: number | undefined;
  /** Of the table. */
  readonly megabytes: number;
}

export async function load(
  pool: Pool,
  table: string,
  tenant: string,
  tools: Iterable<LabelledTool>,
  size: number,
): Promise<Loaded> {
  const source = postgresSource({ pool, table, tenant, toTool: () => undefined as never });
  await source.migrate();
  let seconds: number | undefined;
  const there = await pool.query(`SELECT FROM ${table}_tenants WHERE tenant = $1 AND documents = $2`, [tenant, size]);
  if (there.rows.length === 0) {
    const start = performance.now();
    await source.sync(tools, { tenant });
    seconds = (performance.now() - start) / 1_000;
    // As PostgreSQL does by itself a minute later.
    await pool.query('VACUUM ANALYZE');
  }
  const { rows } = await pool.query(
    `SELECT sum(pg_total_relation_size(oid))::float8 / 1048576 AS megabytes FROM pg_class
     WHERE relkind = 'r' AND (relname = $1 OR starts_with(relname, $1 || '_'))`,
    [table],
  );
  return { seconds, megabytes: Number(rows[0].megabytes) };
}
