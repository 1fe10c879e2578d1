import { inTime, type ToolDocument, type ToolQuery, unlessAborted } from '../kit.ts';
import { CircuitBreaker } from '../semantic/circuit-breaker.ts';
import { QueryVectors } from '../semantic/embedder.ts';
import type { VectorSettings } from './embed-options.ts';
import type { RunStatement } from './run.ts';
import type { Tables } from './tables.ts';
import { vectorType } from './vector-table.ts';
import { literal } from './write-vectors.ts';

/** A tool with how near its meaning is to that of a query. */
export interface NearTool {
  readonly document: ToolDocument;
  readonly cosine: number;
}

/** Tools that are near enough to be candidates. */
const NEAREST = 100;
/** Tools of a tenant whose vectors are all compared: faster than an index over all tenants, and exact. */
const ALL = 10_000;
/** Vectors that the index keeps in view. More are more exact, and slower. */
const IN_VIEW = 2 * NEAREST;

/** Finds the tools of a tenant whose vectors are the nearest to that of a query. */
export class NearTools {
  readonly #run: RunStatement;
  readonly #tables: Tables;
  readonly #settings: VectorSettings;
  readonly #queries: QueryVectors;
  readonly #breaker = new CircuitBreaker();

  constructor(run: RunStatement, tables: Tables, settings: VectorSettings) {
    this.#run = run;
    this.#tables = tables;
    this.#settings = settings;
    this.#queries = new QueryVectors(settings.embedder);
  }

  /** The vector of a query; undefined where it cannot be told in time, which is reported. Never rejects. */
  async vectorOf(query: ToolQuery, abortSignal: AbortSignal | undefined): Promise<Float32Array | undefined> {
    if (wordsOf(query) === '' || this.#breaker.isOpen(wordsOf(query))) return undefined;
    return this.#attempt(query, abortSignal, unlessAborted(this.#queries.of(query), abortSignal));
  }

  /**
   * The tools that are the nearest to a vector; undefined where they cannot be told in time. Never rejects.
   *
   * @param count - of the tenant's tools.
   */
  async of(
    vector: Float32Array,
    query: ToolQuery,
    tenant: string,
    count: number,
    abortSignal: AbortSignal | undefined,
  ): Promise<readonly NearTool[] | undefined> {
    const rows = this.#run<{ document: ToolDocument; distance: number }>(
      nearStatement(this.#tables, vector.length, count <= ALL),
      [tenant, literal(vector), this.#settings.model],
      abortSignal,
    );
    const found = await this.#attempt(query, abortSignal, rows);
    if (found) this.#breaker.worked();
    return found?.map(({ document, distance }) => ({ document, cosine: 1 - distance }));
  }

  /** What fails rests a while. */
  async #attempt<Value>(
    query: ToolQuery,
    abortSignal: AbortSignal | undefined,
    work: Promise<Value>,
  ): Promise<Value | undefined> {
    const { timeout, report } = this.#settings;
    try {
      return await inTime(work, timeout);
    } catch (error) {
      if (abortSignal?.aborted) return undefined;
      this.#breaker.failed(wordsOf(query));
      report(error);
      return undefined;
    }
  }
}

function wordsOf({ keywords }: ToolQuery): string {
  return keywords.join(' ');
}

/**
 * The statement for the nearest tools. Over the index it goes on where most of what is near is of other tenants, which
 * pgvector does from 0.8 on. Its settings end with the statement.
 */
function nearStatement({ tools, vectors }: Tables, dimension: number, comparesAll: boolean): string {
  const distance = `vector <=> $2::${vectorType(dimension)}`;
  const own = `SELECT name, ${distance} AS distance FROM ${vectors} WHERE tenant = $1 AND model = $3`;
  const near = comparesAll
    ? `WITH own AS MATERIALIZED (${own}), near AS (SELECT * FROM own ORDER BY distance, name LIMIT ${NEAREST})`
    : `WITH settings AS MATERIALIZED (
        SELECT set_config('hnsw.ef_search', '${IN_VIEW}', true), CASE
          WHEN current_setting('hnsw.iterative_scan', true) IS NOT NULL
          THEN set_config('hnsw.iterative_scan', 'strict_order', true) END
      ), near AS MATERIALIZED (
        SELECT found.* FROM settings CROSS JOIN LATERAL (${own} ORDER BY ${distance} LIMIT ${NEAREST}) AS found
      )`;
  return `${near}
    SELECT kept.document, near.distance FROM near JOIN ${tools} AS kept ON kept.tenant = $1 AND kept.name = near.name
    ORDER BY near.distance, near.name`;
}
