import {
  Bm25Index,
  builtInSynonyms,
  DEFAULT_SETTINGS,
  type FeatureExplanation,
  InvertedIndex,
  isStopWord,
  splitIdentifier,
  stem,
  type ToolDocument,
  type ToolMatch,
  type ToolQuery,
  type WordExplanation,
} from '../kit.ts';
import { type CandidateIndex, explained, withMeaning } from '../source/rank-candidates.ts';
import { askedWords } from './asked-words.ts';
import { narrowed, probeOf, requiredBy } from './candidates.ts';
import type { RunStatement } from './client.ts';
import { type KnownWords, readCounts } from './counts.ts';
import type { Tables } from './schema.ts';
import { NEAREST, type NearTools, type Ranking, rankByMeaning } from './vectors.ts';
import { CANDIDATE, indexed, type ToldRow, tenantLexeme } from './words.ts';

/** A match: those behind the ranked ones have no confidence of their own. */
export interface FoundTool extends ToolMatch {
  readonly confidence?: number;
  readonly words?: readonly WordExplanation[];
  readonly features?: readonly FeatureExplanation[];
}

/** A search of a tenant's tools. */
export interface SourceSearch {
  readonly run: RunStatement;
  readonly tables: Tables;
  /** Where there are vectors. */
  readonly near: NearTools | undefined;
  readonly query: ToolQuery;
  readonly tenant: string;
  readonly limit: number;
  readonly abortSignal: AbortSignal | undefined;
  /** Whether to tell of each match why. */
  readonly explain: boolean;
}

/** Candidates that are ranked in this process. */
const RANKED = 80;
/** Candidates that are weighed by the database: more come only where it is told wrongly how many have a word. */
const WEIGHED = 5_000;
/** Names in one spelling. */
const MAX_SPELLED = 20;
/** The share of all tools below which the index reads the list of a tenant; above it nearly all tools are that tenant's. */
const SMALL_SHARE = 0.5;

/**
 * The tools of a tenant that match a query, best first: the database finds candidates and tells how often words are in all
 * documents, and the best of them are ranked here.
 */
export async function searchTools(search: SourceSearch): Promise<readonly FoundTool[]> {
  const { run, tables, near, query, tenant, limit, abortSignal, explain } = search;
  const vector = await near?.vectorOf(query, abortSignal);
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
    // Of those behind the ranked ones, some may be ranked all the same: by their names, or by what they mean.
    ...[probes, spellingsOf(query), RANKED + limit + MAX_SPELLED + (near ? NEAREST : 0)],
  ];
  const [rows, nearTools] = await Promise.all([
    run<FoundRow>(candidates(tables), values, abortSignal),
    vector && near?.of(vector, query, tenant, known, abortSignal),
  ]);
  const ofWords = rows.filter((row): row is FoundRow & ToldRow => row.terms !== null);
  const found = new Map([...ofWords, ...(nearTools ?? [])].map((row) => [row.name, row]));
  const told = [...found.values()];
  const byWords = wordIndexOf(told, known);
  const documents = told.map(({ document }) => document);
  const index = near ? byWords : await withMeaning(byWords, documents, known.statistics);
  const { matches, confidences } = near
    ? rankByMeaning(byWords, query, nearTools, near.settings)
    : ranking(index, query);
  const ranked = explain
    ? explained(index, query, matches, confidences)
    : matches.map((match, at) => ({ ...match, confidence: confidences[at] ?? 0 }));
  // Below the lowest that was ranked, in the database's order.
  const rest = rows.filter(({ name, terms }) => terms === null && !found.has(name));
  const [most, lowest] = [rest[0]?.score ?? 0, ranked.at(-1)?.score ?? 0];
  const behind = rest.map(({ name, score }) => ({ name, score: most > 0 ? (0.5 * lowest * score) / most : 0 }));
  return [...ranked, ...behind].slice(0, limit);
}

/** The index of candidates by their words, which are weighed by what is known of the whole catalog. */
function wordIndexOf(rows: readonly ToldRow[], { wanted, statistics }: KnownWords): Bm25Index {
  const candidates = rows.map((row) => indexed(row, wanted));
  const terms = InvertedIndex.ofWords(candidates, DEFAULT_SETTINGS.fields, statistics.averageLengths);
  return new Bm25Index(terms, DEFAULT_SETTINGS, builtInSynonyms(), statistics);
}

function ranking(index: CandidateIndex, query: ToolQuery): Ranking {
  const matches = index.search(query);
  const names = matches.map(({ name }) => name);
  return { matches, confidences: index.confidence(query, names) };
}

/** The ways in which names may be spelled that a query asks for: as a whole, or by one of its words. */
function spellingsOf({ keywords }: ToolQuery): readonly string[] {
  const parts = keywords.map((keyword) => splitIdentifier(keyword));
  const whole = parts.flat().join('');
  const named = parts.filter(({ length }) => length > 1).map((list) => list.join(''));
  return [...new Set([whole, ...named])].filter((spelling) => spelling !== '');
}

/** A candidate; of one that is not ranked here, nothing but the name and how the database weighs it. */
interface FoundRow extends Omit<ToldRow, 'terms' | 'document'> {
  readonly terms: string | null;
  readonly document: ToolDocument | null;
  readonly score: number;
}

/**
 * The statement for the best `$6` of the tools that fit one of the probes `$4`, weighed by the levels `$2` with their values
 * `$3`: the first of them with their words. And for the tools whose names are spelled as one of `$5`.
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
