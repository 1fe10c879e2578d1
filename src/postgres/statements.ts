import { MAX_PROBES } from './probe.ts';
import type { Tables } from './tables.ts';

/** Candidates that are ranked in this process. */
export const RANKED = 200;
/** Candidates that are weighed by the database: more come only where it is told wrongly how many have a word. */
const WEIGHED = 5_000;
/** Names in one spelling. */
const MAX_SPELLED = 20;

/** The statements that read. The tenant is `$1` in each. */
export interface Statements {
  /** The best candidates with their documents, and those whose names are spelled so; the values: see {@link probeValues}. */
  readonly candidates: string;
  /** The names of `$k` candidates that come behind them, best first. */
  readonly rest: string;
  /** The tools of names. */
  readonly tools: string;
  readonly withPrefix: string;
  readonly ofGroup: string;
}

export function statementsOf({ tools }: Tables): Statements {
  const fits = Array.from({ length: MAX_PROBES }, (_, at) => `words @@ $${at + 4}::tsquery`).join(' OR ');
  // Each part is worked out only as far as the next one reads. Weighed by the documents' own words, not by their number;
  // added to nothing, those of a long document are fetched and unpacked once, and not for each level.
  const best = (columns: string): string => `
    WITH fitting AS MATERIALIZED (
      SELECT ${columns}, words FROM ${tools} WHERE tenant = $1 AND (${fits})
    ), weighed AS MATERIALIZED (
      SELECT ${columns}, words || ''::tsvector AS words FROM fitting LIMIT ${WEIGHED}
    ), levels AS MATERIALIZED (
      SELECT query::tsquery AS query, value FROM unnest($2::text[], $3::float8[]) AS given (query, value)
    ), best AS (
      SELECT ${columns}, (
        SELECT sum(value * ts_rank('{0.27, 0.5, 0.6, 1}', weighed.words, query)) FROM levels
      ) AS weight FROM weighed
      ORDER BY weight DESC, name`;
  const listing = `SELECT name, definition FROM ${tools} WHERE tenant = $1`;
  const next = MAX_PROBES + 4;
  return {
    candidates: `${best('name, document')} LIMIT ${RANKED}
    )
    SELECT document FROM best
    UNION ALL (
      SELECT document FROM ${tools} WHERE tenant = $1 AND spelling = ANY ($${next}::text[]) ORDER BY name LIMIT ${MAX_SPELLED}
    )`,
    rest: `${best('name')} OFFSET ${RANKED} LIMIT $${next}
    )
    SELECT name, weight FROM best ORDER BY weight DESC, name`,
    tools: `${listing} AND name = ANY ($2::text[])`,
    withPrefix: `${listing} AND name >= $2 AND name < $2 || chr(1114111) ORDER BY name LIMIT $3`,
    ofGroup: `${listing} AND lower(server) = lower($2 COLLATE "C") AND server <> '' ORDER BY name LIMIT $3`,
  };
}
