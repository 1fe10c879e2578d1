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
import { Pool } from 'pg';
import { toolDocument } from '../../../src/catalog/document.ts';
import { bm25Scorer } from '../../../src/index.ts';
import { parseQuery, type ToolQuery } from '../../../src/scorers/words/query.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { figuresOf, type Metric } from '../retrieval/metrics.ts';
import { ofScorer } from '../retrieval/of-scorer.ts';
import type { LabelledSet, LabelledTool } from '../retrieval/sets.ts';
import { mean, percentile } from '../statistics.ts';

/** Of one sync. */
interface LoadFigures {
  readonly documents: number;
  readonly seconds: number;
  readonly megabytes: number;
}

/** Of a process that only searches a database. */
export interface SearchFigures {
  /** The first search of the process, which connects. */
  readonly first: number;
  readonly alone: Percentiles;
  readonly together: Percentiles;
  /** Searches per second, where 32 wait at once. */
  readonly perSecond: number;
  /** CPU time of a search, one at a time: in the process, and in the database. */
  readonly cpuHere: number;
  readonly cpuThere: number;
  /** The most memory that the process ever had. */
  readonly megabytes: number;
}

/** Of a process that holds the tools and their index. */
interface ProcessFigures {
  readonly tools: number;
  readonly build: number;
  /** CPU time of a search. */
  readonly cpu: number;
  readonly alone: Percentiles;
  readonly megabytes: number;
}

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

export interface Queries {
  /** So that what is read once is read. */
  readonly warmUp: readonly ToolQuery[];
  /** Others than those. */
  readonly queries: readonly ToolQuery[];
}

/** Two dozen MB of what a search holds are in use. Without a bound, Node lets ten times as much garbage lie. */
const SMALL_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4'];

/** What a search asks a source for: the processor's first window, four times what it shows by default. */
export const LIMIT = 20;

/** What a process answers: each time where the figures have percentiles. */
type Raw<Figures> = {
  readonly [Name in keyof Figures]: Figures[Name] extends Percentiles ? readonly number[] : Figures[Name];
};

/** Searches a table of a database. */
export async function searchTable(
  place: { readonly url: string; readonly table: string; readonly tenant: string },
  queries: Queries,
): Promise<SearchFigures> {
  const order = { ...place, ...queries, limit: LIMIT };
  const { alone, together, seconds, ...rest } = await ask<Raw<SearchFigures> & { readonly seconds: number }>(
    'search-child.mjs',
    order,
  );
  const perSecond = together.length / seconds;
  return { ...rest, alone: percentiles(alone), together: percentiles(together), perSecond };
}

/** Holds tools and their index, and searches that. */
export async function searchInProcess(tools: Iterable<LabelledTool>, queries: Queries): Promise<ProcessFigures> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-source-'));
  try {
    const file = path.join(folder, 'tools.jsonl');
    await write(file, tools);
    const { alone, ...rest } = await ask<Raw<ProcessFigures>>('process-child.mjs', { file, ...queries });
    return { ...rest, alone: percentiles(alone) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function write(file: string, tools: Iterable<LabelledTool>): Promise<void> {
  const stream = createWriteStream(file);
  for (const tool of tools) {
    const { document } = toolDocument(tool.id, tool);
    if (!stream.write(`${JSON.stringify({ tool, document })}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

async function ask<Answer>(program: string, order: object): Promise<Answer> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), {
    execArgv: program === 'search-child.mjs' ? SMALL_HEAP : [],
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Answer));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}, without an answer.`)));
  });
  child.send(order);
  return answer;
}

function percentiles(times: readonly number[]): Percentiles {
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

// How well the queries of a set are answered, by a database and by the index in the process.

export type Quality = Readonly<Record<Metric, number>>;
/** The names that a query finds, best first. */
type Find = (query: string) => Promise<readonly string[]>;

export function inSource(source: Source): Find {
  return async (query) => (await source.search(parseQuery(query), { limit: LIMIT })).map(({ name }) => name);
}

export async function inProcess(tools: readonly LabelledTool[]): Promise<Find> {
  const search = await ofScorer(bm25Scorer()).build(tools);
  return async (query) => (await search(query)).found.map(({ name }) => name);
}

export async function qualityOf(find: Find, { queries }: LabelledSet): Promise<Quality> {
  const all: Quality[] = [];
  for (const query of queries) all.push(figuresOf(await find(query.query), query));
  const meanOf = (metric: Metric): number => mean(all.map((figures) => figures[metric]));
  return { hit1: meanOf('hit1'), recall5: meanOf('recall5'), ndcg10: meanOf('ndcg10') };
}

// A real PostgreSQL with the documents in it: a table for each size, and a tenant for each labelled set.

/** Those of a small server; everything else is Debian's. */
const SETTINGS = ['shared_buffers=1GB', 'max_wal_size=4GB', 'random_page_cost=1.1'];
const MEGABYTE = 1_048_576;

type Source = ReturnType<typeof postgresSource>;

export class Database {
  readonly #pool: Pool;
  readonly #server: Awaited<ReturnType<typeof startPostgres>>;

  private constructor(server: Awaited<ReturnType<typeof startPostgres>>) {
    this.#server = server;
    this.#pool = new Pool({ connectionString: server.url, max: 4 });
  }

  static async open(): Promise<Database> {
    return new Database(await startPostgres({ settings: SETTINGS }));
  }

  get url(): string {
    return this.#server.url;
  }

  async close(): Promise<void> {
    await this.#pool.end();
    await this.#server.stop();
  }

  source(table: string, tenant: string): Source {
    const toTool = (): never => {
      throw new Error('Nothing is loaded here.');
    };
    return postgresSource({ pool: this.#pool, table, tenant, toTool });
  }

  /** Loads documents into a table, and reports how fast on stderr. */
  async load(table: string, tenant: string, tools: Iterable<LabelledTool>): Promise<LoadFigures> {
    const source = this.source(table, tenant);
    await source.migrate();
    const start = performance.now();
    const secondsSoFar = (): number => (performance.now() - start) / 1_000;
    let told = 0;
    const onProgress = ({ read: done }: { readonly read: number }): void => {
      if (done - told < 20_000) return;
      told = done;
      console.error(`${table}: ${done.toLocaleString('en')}, ${Math.round(done / secondsSoFar())} a second`);
    };
    const { added } = await source.sync(tools, { tenant, onProgress });
    const seconds = secondsSoFar();
    // As PostgreSQL does by itself a minute later.
    await this.#pool.query('VACUUM ANALYZE');
    return { documents: added, seconds, megabytes: await this.#megabytes(table) };
  }

  async #megabytes(table: string): Promise<number> {
    const { rows } = await this.#pool.query(
      `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
       WHERE relkind = 'r' AND (relname = $1 OR starts_with(relname, $1 || '_'))`,
      [table],
    );
    return Number(rows[0]?.bytes ?? 0) / MEGABYTE;
  }
}
