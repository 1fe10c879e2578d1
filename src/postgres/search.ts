import {
  type AskedWord,
  askedWords,
  type CatalogStatistics,
  isStopWord,
  type RankedCandidate,
  rankCandidates,
  splitIdentifier,
  stem,
  type ToolDocument,
  type ToolQuery,
} from '../kit.ts';
import type { CatalogFigures, Totals } from './catalog-figures.ts';
import type { VectorSettings } from './embed-options.ts';
import type { NearTools } from './near-tools.ts';
import type { Near } from './near-words.ts';
import { MAX_PROBES, narrowed, type Probe, probeOf, requiredBy } from './probe.ts';
import { rankByMeaning } from './rank-by-meaning.ts';
import type { RunStatement } from './run.ts';
import { RANKED, type Statements } from './statements.ts';
import type { KnownWords } from './wanted-words.ts';
import { inName, serverLexeme, tenantLexeme } from './words.ts';

/** A match: those behind the ranked ones have no confidence of their own. */
export type FoundTool = Pick<RankedCandidate, 'name' | 'score'> & Partial<RankedCandidate>;

/** What a search reads with. */
export interface Reading {
  readonly run: RunStatement;
  readonly figures: CatalogFigures;
  readonly statements: Statements;
  /** Where there are vectors. */
  readonly meaning: { readonly tools: NearTools; readonly settings: VectorSettings } | undefined;
}

/** A search of a tenant's tools. */
export interface SourceSearch {
  readonly query: ToolQuery;
  readonly tenant: string;
  readonly limit: number;
  readonly abortSignal: AbortSignal | undefined;
  /** What the query means, where it is known. */
  readonly vector: Float32Array | undefined;
}

/** Of a tenant with less than this share of all tools, the index reads that tenant's list; else nearly all are its. */
const SMALL_SHARE = 0.5;

/**
 * The tools of a tenant that match a query, best first: the database finds candidates and tells how often words are in all
 * documents, and the best of them are ranked here.
 */
export async function searchTools(reading: Reading, search: SourceSearch): Promise<readonly FoundTool[]> {
  const { run, figures, statements, meaning } = reading;
  const { query, tenant, limit, abortSignal, vector } = search;
  const catalog = await readCatalog(figures, search);
  if (!catalog) return [];
  const { statistics, known, totals } = catalog;
  const isKnown = (word: string): boolean => known.countOf(stem(word)) > 0;
  const read = (keywords: readonly string[]): readonly AskedWord[] => askedWords(keywords, isKnown);
  const required = requiredBy(read(query.required.filter((word) => !isStopWord(word.toLowerCase()))), known);
  if (required === undefined) return [];
  const probe = probeOf(read(query.keywords), known);
  const lexeme = totals.documents < SMALL_SHARE * totals.ofAll || totals.ofAll <= 0 ? tenantLexeme(tenant) : undefined;
  const values = [tenant, ...probeValues(probe, lexeme, required)];

  const nearing = vector && meaning?.tools.of(vector, query, tenant, totals.documents, abortSignal);
  const rows = await run<{ document: ToolDocument }>(
    statements.candidates,
    [...values, spellingsOf(query)],
    abortSignal,
  );
  const near = await nearing;
  const found = [...rows, ...(near ?? [])];
  const candidates = new Map(found.map(({ document }) => [document.name, document]));
  const documents = [...candidates.values()];
  const ranked = await (meaning
    ? rankByMeaning(query, documents, statistics, near, meaning.settings)
    : rankCandidates(query, documents, statistics));
  // All that fit were ranked.
  if (limit <= ranked.length || rows.length < RANKED) return ranked.slice(0, limit);
  // Some of them may be ranked: by their names, or by what they mean.
  const rest = await run<{ name: string; weight: number }>(
    statements.rest,
    [...values, limit - ranked.length + candidates.size],
    abortSignal,
  );
  const others = rest.filter(({ name }) => !candidates.has(name));
  return [...ranked, ...behind(ranked.at(-1)?.score ?? 0, others)].slice(0, limit);
}

/** What a tenant's catalog has of the words of a query; undefined where it has no tools, or the query no words. */
async function readCatalog(
  figures: CatalogFigures,
  { query, tenant, abortSignal }: SourceSearch,
): Promise<{ statistics: CatalogStatistics; known: KnownWords; totals: Totals } | undefined> {
  const asked = askedWords([...query.keywords, ...query.required]);
  if (asked.length === 0) return undefined;
  const lexemes = asked.flatMap(({ stem: root, others }) => [
    ...[root, inName(root), serverLexeme(root)],
    ...others.flatMap(({ stems }) => stems),
  ]);
  const { totals, counts } = await figures.read(tenant, lexemes, abortSignal);
  if (totals.documents === 0) return undefined;
  const unknown = asked.filter(({ stem: root }) => !counts.get(root)).map(({ word }) => word);
  const guesses = await figures.guesses(tenant, unknown, abortSignal);
  const guessed = new Map([...guesses.values()].flat().map(({ stem: root, documents }) => [root, documents]));
  return {
    totals,
    statistics: statisticsOf(totals, counts, guesses),
    known: {
      total: totals.documents,
      countOf: (lexeme) => counts.get(lexeme) || (guessed.get(lexeme) ?? 0),
      guessesOf: (word) => (guesses.get(word) ?? []).map(({ stem: root }) => root),
    },
  };
}

function statisticsOf(
  { documents, averageLengths }: Totals,
  counts: ReadonlyMap<string, number>,
  guesses: ReadonlyMap<string, Near>,
): CatalogStatistics {
  const mark = serverLexeme('');
  const said = [...counts].filter(([lexeme]) => lexeme.startsWith(mark));
  const guess = (near: Near) => ({
    stems: near.map(({ stem: root }) => root),
    documents: near.reduce((sum, each) => sum + each.documents, 0),
  });
  return {
    documents,
    averageLengths,
    stems: counts,
    instructions: new Map(said.map(([lexeme, count]) => [lexeme.slice(mark.length), count])),
    guesses: new Map([...guesses].map(([word, near]) => [word, guess(near)])),
  };
}

/** The values of a statement from `$2` on: what it weighs by, then a query for each place. One that is empty finds nothing. */
function probeValues(probe: Probe | undefined, lexeme: string | undefined, required: string): readonly unknown[] {
  const { levels = [], conjunctions = [] } = probe ?? {};
  const queries = narrowed(conjunctions, lexeme, required);
  return [
    levels.map(({ query }) => query),
    levels.map(({ value }) => value),
    ...Array.from({ length: MAX_PROBES }, (_, at) => queries[at] ?? ''),
  ];
}

/** The ways in which names may be spelled that a query asks for: as a whole, or by one of its words. */
function spellingsOf({ keywords }: ToolQuery): readonly string[] {
  const parts = keywords.map((keyword) => splitIdentifier(keyword));
  const whole = parts.flat().join('');
  const named = parts.filter(({ length }) => length > 1).map((list) => list.join(''));
  return [...new Set([whole, ...named])].filter((spelling) => spelling !== '');
}

/** Scores for what comes behind the ranked ones: below the lowest of them, in the database's order. */
function behind(
  lowest: number,
  rest: readonly { readonly name: string; readonly weight: number }[],
): readonly FoundTool[] {
  const most = rest[0]?.weight ?? 0;
  return rest.map(({ name, weight }) => ({ name, score: most > 0 ? (0.5 * lowest * weight) / most : 0 }));
}
