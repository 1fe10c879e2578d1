import {
  askedWords,
  candidateIndex,
  explained,
  isStopWord,
  splitIdentifier,
  stem,
  type ToolMatch,
  type ToolQuery,
  type WordExplanation,
} from '../kit.ts';
import { MAX_PROBES, narrowed, probeOf, requiredBy } from './candidates.ts';
import type { RunStatement } from './client.ts';
import { readCounts } from './counts.ts';
import type { Tables } from './schema.ts';
import { type CandidateIndex, type NearTools, type Ranking, rankByMeaning } from './vectors.ts';
import { CANDIDATE, type CandidateRow, indexed, tenantLexeme } from './words.ts';

/** A match: those behind the ranked ones have no confidence of their own. */
export interface FoundTool extends ToolMatch {
  readonly confidence?: number;
  readonly words?: readonly WordExplanation[];
}

/** What a search reads with. */
export interface Reading {
  readonly run: RunStatement;
  readonly tables: Tables;
  /** Where there are vectors. */
  readonly near: NearTools | undefined;
}

/** A search of a tenant's tools. */
export interface SourceSearch {
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
/** Of a tenant with less than this share of all tools, the index reads that tenant's list; else nearly all are its. */
const SMALL_SHARE = 0.5;

/**
 * The tools of a tenant that match a query, best first: the database finds candidates and tells how often words are in all
 * documents, and the best of them are ranked here.
 */
export async function searchTools(reading: Reading, search: SourceSearch): Promise<readonly FoundTool[]> {
  const { run, tables, near } = reading;
  const { query, tenant, limit, abortSignal, explain } = search;
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
    tenant,
    levels.map((level) => level.query),
    levels.map(({ value }) => value),
    // An empty one finds nothing.
    ...Array.from({ length: MAX_PROBES }, (_, at) => probes[at] ?? ''),
  ];

  const [rows, nearTools] = await Promise.all([
    run<CandidateRow>(candidates(tables), [...values, spellingsOf(query)], abortSignal),
    vector && near?.of(vector, query, tenant, known, abortSignal),
  ]);
  const found = new Map([...rows, ...(nearTools ?? [])].map((row) => [row.name, row]));
  const index = candidateIndex(
    [...found.values()].map((row) => indexed(row, known.wanted)),
    known.statistics,
  );
  const { matches, confidences } = near ? rankByMeaning(index, query, nearTools, near.settings) : ranking(index, query);
  const ranked = explain
    ? explained(index, query, matches, confidences)
    : matches.map((match, at) => ({ ...match, confidence: confidences[at] ?? 0 }));
  // All that fit were ranked.
  if (limit <= ranked.length || rows.length < RANKED) return ranked.slice(0, limit);
  // Some of the others may be ranked: by their names, or by what they mean.
  const missing = limit - ranked.length + found.size;
  const rest = (await run<FoundTool>(others(tables), [...values, missing], abortSignal)).filter(
    ({ name }) => !found.has(name),
  );
  // Below the lowest that was ranked, in the database's order.
  const [most, lowest] = [rest[0]?.score ?? 0, ranked.at(-1)?.score ?? 0];
  const behind = rest.map(({ name, score }) => ({ name, score: most > 0 ? (0.5 * lowest * score) / most : 0 }));
  return [...ranked, ...behind].slice(0, limit);
}

/** The order by words alone. */
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

/** The place behind the tenant, the queries and values of the levels, and the probes. */
const NEXT = MAX_PROBES + 4;

/** The beginning of a statement in which `best` has all that fits a probe, the best first. */
function fitting({ tools }: Tables, columns: string): string {
  const fits = Array.from({ length: MAX_PROBES }, (_, at) => `words @@ $${at + 4}::tsquery`).join(' OR ');
  return `WITH levels AS MATERIALIZED (
      SELECT query::tsquery AS query, value FROM unnest($2::text[], $3::float8[]) AS level (query, value)
    ), best AS (
      SELECT ${columns}, (SELECT sum(value * ts_rank('{0.27, 0.5, 0.6, 1}', words, query)) FROM levels) AS score
      FROM (SELECT ${columns}, words FROM ${tools} WHERE tenant = $1 AND (${fits}) LIMIT ${WEIGHED}) AS fitting
      ORDER BY score DESC, name`;
}

/** The best candidates, and the tools whose names are spelled as the texts in the last place. */
function candidates(tables: Tables): string {
  return `${fitting(tables, 'name')} LIMIT ${RANKED}
    ), spelled AS (
      SELECT name FROM ${tables.tools}
      WHERE tenant = $1 AND spelling = ANY ($${NEXT}::text[]) ORDER BY name LIMIT ${MAX_SPELLED}
    )
    SELECT ${CANDIDATE} FROM ${tables.tools} JOIN (TABLE spelled UNION SELECT name FROM best) AS found USING (name)
    WHERE tenant = $1`;
}

/** The names of as many candidates behind the best as the last place says. */
function others(tables: Tables): string {
  return `${fitting(tables, 'name')} OFFSET ${RANKED} LIMIT $${NEXT}
    )
    SELECT name, score FROM best ORDER BY score DESC, name`;
}
