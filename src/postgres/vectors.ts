/**
 * The vectors of tools: a sync writes them, and a search finds tools by their meaning with them.
 *
 * @module
 */
import { hash } from 'node:crypto';
import { messageOf } from '../errors.ts';
import { type Bm25Index, bestFirst, type ToolDocument, type ToolMatch, type ToolQuery } from '../kit.ts';
import { askedText, CircuitBreaker } from '../semantic/circuit-breaker.ts';
import { documentText, QueryVectors, refusedError, unitVector } from '../semantic/embedder.ts';
import { fusedScores, rated, similarityIn, unrelatedScore, type WeightedRanking } from '../semantic/hybrid.ts';
import { Lexicon } from '../semantic/lexicon.ts';
import { ended } from '../util/text.ts';
import { inTime, unlessAborted } from '../util/timeout.ts';
import { spellingOf } from '../util/words.ts';
import type { PostgresSession, RunStatement } from './client.ts';
import type { KnownWords } from './counts.ts';
import type { VectorSettings } from './options.ts';
import { type Tables, vectorType } from './schema.ts';
import { CANDIDATE, type DocumentRow } from './words.ts';

/** A tool with the cosine of its vector and that of a query. */
export interface NearestTool extends DocumentRow {
  readonly cosine: number;
}

/** Matches, the best first, and their confidences. */
export interface Ranking {
  readonly matches: readonly ToolMatch[];
  readonly confidences: readonly number[];
}

/** Number of nearest tools that become candidates. */
export const NEAREST = 100;
/** Up to this many tools, a tenant's vectors are all compared: exact, and faster than the index over all tenants. */
const ALL = 10_000;
/** `hnsw.ef_search`: more vectors are more exact, and slower. */
const IN_VIEW = 2 * NEAREST;

/** Finds the tools of a tenant whose vectors are the nearest to that of a query. */
export class NearestTools {
  readonly #run: RunStatement;
  readonly #tables: Tables;
  /** Weight, threshold and timeout of the search by meaning. */
  readonly settings: VectorSettings;
  readonly #queries: QueryVectors;
  readonly #breaker = new CircuitBreaker();

  constructor(run: RunStatement, tables: Tables, settings: VectorSettings) {
    this.#run = run;
    this.#tables = tables;
    this.settings = settings;
    this.#queries = new QueryVectors(settings.embedder);
  }

  /** The vector of a query; undefined after an error or timeout, which is reported. Never rejects. */
  async vectorOf(query: ToolQuery, abortSignal: AbortSignal | undefined): Promise<Float32Array | undefined> {
    if (askedText(query) === '' || this.#breaker.isOpen(askedText(query))) return undefined;
    return this.#attempt(query, abortSignal, unlessAborted(this.#queries.of(query), abortSignal));
  }

  /**
   * The tools nearest to a vector; undefined after an error or timeout, which is reported. Never rejects.
   *
   * @param known - statistics of the tenant's catalog.
   */
  async of(
    vector: Float32Array,
    query: ToolQuery,
    tenant: string,
    { total }: KnownWords,
    abortSignal: AbortSignal | undefined,
  ): Promise<readonly NearestTool[] | undefined> {
    const rows = this.#run<NearestTool & { readonly distance: number }>(
      nearestStatement(this.#tables, vector.length, total <= ALL),
      [tenant, literal(vector), this.settings.model],
      abortSignal,
    );
    const found = await this.#attempt(query, abortSignal, rows);
    if (found) this.#breaker.worked();
    return found?.map((row) => ({ ...row, cosine: 1 - row.distance }));
  }

  /** Awaits work within the timeout; reports a failure, and tells the circuit breaker of it. */
  async #attempt<Value>(
    query: ToolQuery,
    abortSignal: AbortSignal | undefined,
    work: Promise<Value>,
  ): Promise<Value | undefined> {
    const { timeout, report } = this.settings;
    try {
      return await inTime(work, timeout);
    } catch (error) {
      if (abortSignal?.aborted) return undefined;
      this.#breaker.failed(askedText(query));
      report(error);
      return undefined;
    }
  }
}

/**
 * Selects the nearest tools. From pgvector 0.8 on, an index scan goes on (iterative scan) while most near vectors belong to
 * other tenants. Its settings end with the statement.
 */
function nearestStatement({ tools, vectors }: Tables, dimension: number, comparesAll: boolean): string {
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
    SELECT ${CANDIDATE}, document, distance FROM near JOIN ${tools} USING (name) WHERE tenant = $1 ORDER BY distance, name`;
}

/**
 * Ranks candidates as `hybridScorer()` would with `bm25Scorer()` and `semanticScorer()`: by words and by meaning.
 *
 * @param index - the index of all candidates, including the nearest ones.
 * @param nearest - the nearest tools, the best first; undefined without a vector: then words alone decide.
 */
export function rankByMeaning(
  index: Bm25Index,
  query: ToolQuery,
  nearest: readonly NearestTool[] | undefined,
  { weight, minSimilarity }: Pick<VectorSettings, 'weight' | 'minSimilarity'>,
): Ranking {
  const byWords = index.search(query);
  const allowed = new Lexicon(nearest?.map(({ document }) => document) ?? []).matching(query.required);
  const asked = spellingOf(query.keywords);
  const isNamed = (name: string): boolean => asked !== '' && spellingOf([name]) === asked;
  const byMeaning = bestFirst(
    (nearest ?? []).flatMap(({ name, cosine }, place) =>
      cosine > minSimilarity && (allowed?.has(place) ?? true) ? [{ name, score: isNamed(name) ? 1 : cosine }] : [],
    ),
  );
  const closest = nearest?.map(({ cosine }) => cosine) ?? [];
  const rankings: WeightedRanking[] = [
    { weight: 1 - weight, zero: 0, matches: byWords },
    { weight, zero: unrelatedScore(closest), matches: byMeaning },
  ];
  const scores = fusedScores(nearest ? rankings : rankings.slice(0, 1));
  const matches = bestFirst([...scores].map(([name, score]) => ({ name, score: isNamed(name) ? 1 + score : score })));

  const worded = new Set(byWords.map(({ name }) => name));
  const asRankedByWords = [...worded, ...byMeaning.flatMap(({ name }) => (worded.has(name) ? [] : [name]))];
  const similarityOf = nearest && similarityIn(byMeaning, closest);
  const judgements = index.confidence(query, asRankedByWords).map((words, place) => {
    return { words, similarity: similarityOf?.(asRankedByWords[place] ?? '') };
  });
  return { matches, confidences: rated(judgements, nearest && closest).confidences };
}

/** Number of tools that one statement reads. */
const PAGE = 1_000;

/** The arguments of {@link embedTenant}. */
export interface EmbedTask {
  /** A session whose statements run one after another: see `inTurn`. */
  readonly session: PostgresSession;
  readonly tables: Tables;
  readonly tenant: string;
  readonly vectors: VectorSettings;
  readonly signal: AbortSignal | undefined;
}

/** A tool whose vector is missing, or may be outdated. */
interface Stale {
  readonly name: string;
  /** The hash of the tool's row. */
  readonly tool: string;
  readonly document: ToolDocument;
  /** The hash of the embedded text; null if this model has embedded none. */
  readonly embedded: string | null;
}

/** A tool with the text to embed, and the hash of that text. */
interface Told extends Stale {
  readonly text: string;
  readonly hash: string;
}

/**
 * Embeds a tenant's tools whose vector by this model is missing or outdated. Yields the number of embedded tools per page.
 * Vectors stored before an error stay.
 *
 * @throws an Error with the embedder's error as its cause; errors of the database; the reason of the signal.
 */
export async function* embedTenant({ session, tables, tenant, vectors, signal }: EmbedTask): AsyncIterable<number> {
  const { embedder, model, report } = vectors;
  const statements = statementsOf(tables);
  const refused: unknown[] = [];
  let count = 0;
  const put = async (groups: readonly (readonly Told[])[], made: readonly ArrayLike<number>[]): Promise<void> => {
    signal?.throwIfAborted();
    const rows = groups.flatMap((tools, at) =>
      tools.map((tool) => ({ ...tool, vector: literal(unitVector(made[at] ?? [])) })),
    );
    count += rows.length;
    await session.query(statements.put(made[0]?.length ?? 0), [
      tenant,
      model,
      rows.map(({ name }) => name),
      rows.map(({ tool }) => tool),
      rows.map(({ hash: digest }) => digest),
      rows.map(({ vector }) => vector),
    ]);
  };
  const embed = async (groups: readonly (readonly Told[])[]): Promise<void> => {
    let fault: unknown;
    const keep = async (batch: readonly (readonly Told[])[], made: readonly ArrayLike<number>[]): Promise<void> => {
      try {
        await put(batch, made);
      } catch (error) {
        fault = error;
        throw error;
      }
    };
    const work = embedder.embedAll(groups, ([first]) => first?.text ?? '', {
      keep,
      refuse: (_, error) => refused.push(error),
    });
    try {
      if (
        !(await unlessAborted(
          work.then(() => true),
          signal,
        ))
      )
        throw signal?.reason;
    } catch (error) {
      if (error === fault || signal?.aborted) throw error;
      const message = `The tools are stored, but not all of their vectors: ${ended(messageOf(error))} Sync again for the rest.`;
      throw new Error(message, { cause: error });
    }
  };

  for (let name = ''; ; ) {
    signal?.throwIfAborted();
    const { rows } = await session.query(statements.stale, [tenant, name, model]);
    const stale = (rows as unknown as readonly Stale[]).map(told);
    const kept = stale.filter((tool) => tool.embedded === tool.hash);
    if (kept.length > 0) {
      const values = [tenant, kept.map((tool) => tool.name), kept.map(({ tool }) => tool)];
      await session.query(statements.keep, values);
    }
    const changed = stale.filter((tool) => tool.embedded !== tool.hash);
    count = 0;
    await embed(alike(changed));
    if (count > 0) yield count;
    if (stale.length < PAGE) break;
    name = stale.at(-1)?.name ?? '';
  }
  if (refused.length > 0) report(refusedError(refused));
}

function told(tool: Stale): Told {
  const text = documentText(tool.document);
  return { ...tool, text, hash: hash('sha256', text, 'base64').slice(0, 24) };
}

/** Groups tools by their texts, so that each text is embedded once. */
function alike(tools: readonly Told[]): readonly (readonly Told[])[] {
  const groups = new Map<string, Told[]>();
  for (const tool of tools) {
    const group = groups.get(tool.hash);
    if (group) group.push(tool);
    else groups.set(tool.hash, [tool]);
  }
  return [...groups.values()];
}

/** Formats a vector for pgvector, whose 4-byte numbers have seven digits. */
export function literal(vector: ArrayLike<number>): string {
  return `[${Array.from(vector, (value) => Number(value.toPrecision(7))).join(',')}]`;
}

/** The statements over vectors; the tenant is `$1` in each. */
function statementsOf({ tools, vectors }: Tables) {
  return {
    stale: `SELECT kept.name, kept.hash AS tool, kept.document, had.embedded FROM ${tools} AS kept
      LEFT JOIN ${vectors} AS had ON had.tenant = kept.tenant AND had.name = kept.name AND had.model = $3
      WHERE kept.tenant = $1 AND kept.name > $2 AND had.tool IS DISTINCT FROM kept.hash ORDER BY kept.name LIMIT ${PAGE}`,
    keep: `UPDATE ${vectors} AS kept SET tool = given.tool FROM unnest($2::text[], $3::text[]) AS given (name, tool)
      WHERE kept.tenant = $1 AND kept.name = given.name`,
    put: (dimension: number) => `INSERT INTO ${vectors} (tenant, name, model, tool, embedded, vector)
      SELECT $1, given.name, $2, given.tool, given.embedded, given.vector::${vectorType(dimension)}
      FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) AS given (name, tool, embedded, vector)
      JOIN ${tools} AS kept ON kept.tenant = $1 AND kept.name = given.name
      ON CONFLICT (tenant, name) DO UPDATE SET model = excluded.model, tool = excluded.tool,
        embedded = excluded.embedded, vector = excluded.vector`,
  };
}
