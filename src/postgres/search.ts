import {
  Bm25Index,
  builtInSynonyms,
  DEFAULT_SETTINGS,
  type FeatureExplanation,
  InvertedIndex,
  type ToolDocument,
  type ToolMatch,
  type ToolQuery,
  type WordExplanation,
} from '../kit.ts';
import { type CandidateIndex, explained, withMeaning } from '../source/rank-candidates.ts';
import { isStopWord, splitIdentifier, stem } from '../util/words.ts';
import { askedWords } from './asked-words.ts';
import { narrowed, probeOf, requiredBy } from './candidates.ts';
import type { RunStatement } from './client.ts';
import { type KnownWords, readCounts } from './counts.ts';
import type { Tables } from './schema.ts';
import { NEAREST, type NearestTools, type Ranking, rankByMeaning } from './vectors.ts';
import { CANDIDATE, type DocumentRow, indexed, tenantLexeme } from './words.ts';

/** A match. Matches after the ranked ones have no confidence. */
export interface FoundTool extends ToolMatch {
  readonly confidence?: number;
  readonly words?: readonly WordExplanation[];
  readonly features?: readonly FeatureExplanation[];
}

/** A search of a tenant's tools. */
export interface SourceSearch {
  readonly run: RunStatement;
  readonly tables: Tables;
  /** Undefined without vectors. */
  readonly nearest: NearestTools | undefined;
  readonly query: ToolQuery;
  readonly tenant: string;
  readonly limit: number;
  readonly abortSignal: AbortSignal | undefined;
  /** Whether to explain each match. */
  readonly explain: boolean;
}

/** Number of candidates that this process ranks. */
const RANKED = 80;
/** Limit of candidates that the database scores; only wrong counts of words lead to more. */
const WEIGHED = 5_000;
/** Limit of tools that are found by the spelling of their names. */
const MAX_SPELLED = 20;
/** Below this share of all tools, a tenant's lexeme narrows the queries; above it, nearly all tools are the tenant's. */
const SMALL_SHARE = 0.5;

/**
 * Finds a tenant's tools for a query, best first. The database selects candidates and counts the documents of each word; this
 * process ranks the best candidates.
 */
export async function searchTools(search: SourceSearch): Promise<readonly FoundTool[]> {
  const { run, tables, nearest, query, tenant, limit, abortSignal, explain } = search;
  const vector = await nearest?.vectorOf(query, abortSignal);
  const words = askedWords([...query.keywords, ...query.required]);
  const known = await readCounts(run, tables, tenant, words, abortSignal);
  if (!known) return [];
  const read = (keywords: readonly string[]) => askedWords(keywords, (word) => known.countOf(stem(word)) > 0);
  const required = requiredBy(read(query.required.filter((word) => !isStopWord(word.toLowerCase()))), known);
  if (required === undefined) return [];
  const { queries, levels } = probeOf(read(query.keywords), known) ?? { queries: [], levels: [] };
  const isSmall = known.total < SMALL_SHARE * known.ofAll || known.ofAll <= 0;
  const probes = narrowed(queries, isSmall ? tenantLexeme(tenant) : undefined, required);
  const values = [
    ...[tenant, levels.map((level) => level.query), levels.map(({ value }) => value)],
    // Names and meaning may lift unranked candidates among the ranked ones, so more are fetched than the limit.
    ...[probes, spellingsOf(query), RANKED + limit + MAX_SPELLED + (nearest ? NEAREST : 0)],
  ];
  const [rows, nearestTools] = await Promise.all([
    run<FoundRow>(candidates(tables), values, abortSignal),
    vector && nearest?.of(vector, query, tenant, known, abortSignal),
  ]);
  const ofWords = rows.filter((row): row is FoundRow & DocumentRow => row.terms !== null);
  const found = new Map([...ofWords, ...(nearestTools ?? [])].map((row) => [row.name, row]));
  const all = [...found.values()];
  const byWords = wordIndexOf(all, known);
  const documents = all.map(({ document }) => document);
  const index = nearest ? byWords : await withMeaning(byWords, documents, known.statistics);
  const { matches, confidences } = nearest
    ? rankByMeaning(byWords, query, nearestTools, nearest.settings)
    : ranking(index, query);
  const ranked = explain
    ? explained(index, query, matches, confidences)
    : matches.map((match, at) => ({ ...match, confidence: confidences[at] ?? 0 }));
  // Unranked candidates follow in the database's order, with scores below the lowest ranked one.
  const rest = rows.filter(({ name, terms }) => terms === null && !found.has(name));
  const [most, lowest] = [rest[0]?.score ?? 0, ranked.at(-1)?.score ?? 0];
  const behind = rest.map(({ name, score }) => ({ name, score: most > 0 ? (0.5 * lowest * score) / most : 0 }));
  return [...ranked, ...behind].slice(0, limit);
}

/** A BM25 index of the candidates that uses the statistics of the whole catalog. */
function wordIndexOf(rows: readonly DocumentRow[], { wanted, statistics }: KnownWords): Bm25Index {
  const candidates = rows.map((row) => indexed(row, wanted));
  const terms = InvertedIndex.ofWords(candidates, DEFAULT_SETTINGS.fields, statistics.averageLengths);
  return new Bm25Index(terms, DEFAULT_SETTINGS, builtInSynonyms(), statistics);
}

function ranking(index: CandidateIndex, query: ToolQuery): Ranking {
  const matches = index.search(query);
  const names = matches.map(({ name }) => name);
  return { matches, confidences: index.confidence(query, names) };
}

/** Spellings of names that a query may ask for: all its words joined, or one of its identifiers. */
function spellingsOf({ keywords }: ToolQuery): readonly string[] {
  const parts = keywords.map((keyword) => splitIdentifier(keyword));
  const whole = parts.flat().join('');
  const named = parts.filter(({ length }) => length > 1).map((list) => list.join(''));
  return [...new Set([whole, ...named])].filter((spelling) => spelling !== '');
}

/** A candidate. An unranked one has nothing but its name and the database's score. */
interface FoundRow extends Omit<DocumentRow, 'terms' | 'document'> {
  readonly terms: string | null;
  readonly document: ToolDocument | null;
  readonly score: number;
}

/**
 * Selects the best `$6` tools that match one of the probes `$4`, scored by the levels `$2` with their values `$3`, and tools
 * whose names have a spelling of `$5`. Only the first RANKED of the best and the spelled tools come with their words.
 */
const candidates = ({ tools }: Tables): string => `
  WITH levels AS MATERIALIZED (
    SELECT query::tsquery AS query, value FROM unnest($2::text[], $3::float8[]) AS level (query, value)
  ), fitting AS (
    SELECT name, words FROM ${tools} WHERE tenant = $1 AND words @@ ANY ($4::text[]::tsquery[]) LIMIT ${WEIGHED}
  ), best AS MATERIALIZED (
    SELECT name, (SELECT sum(value * ts_rank('{0.27, 0.5, 0.6, 1}', words, query)) FROM levels) AS score
    FROM fitting ORDER BY score DESC, name LIMIT $6
  ), spelled AS (
    SELECT name FROM ${tools} WHERE tenant = $1 AND spelling = ANY ($5::text[]) ORDER BY name LIMIT ${MAX_SPELLED}
  ), ranked AS (
    SELECT name FROM spelled UNION (SELECT name FROM best ORDER BY score DESC, name LIMIT ${RANKED})
  )
  SELECT ${CANDIDATE}, document, NULL AS score FROM ${tools} JOIN ranked USING (name) WHERE tenant = $1
  UNION ALL (SELECT name, NULL, NULL, NULL, score FROM best ORDER BY score DESC, name OFFSET ${RANKED})`;
