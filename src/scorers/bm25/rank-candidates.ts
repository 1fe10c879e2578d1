import type { ToolDocument } from '../../catalog/document.ts';
import { inSlices } from '../../util/time-slices.ts';
import type { ToolMatch, WordExplanation } from '../scorer.ts';
import type { ToolQuery } from '../words/query.ts';
import { builtInSynonyms } from '../words/thesaurus/built-in.ts';
import { Bm25Index, sharedBy } from './bm25-index.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import type { CatalogStatistics } from './statistics.ts';
import { TermIndex } from './term-index.ts';

/**
 * A candidate that matches, with how sure that is and why.
 *
 * @example
 * ```ts
 * const line = ({ name, score, confidence }: RankedCandidate) => `${name} ${score.toFixed(2)} ${confidence.toFixed(2)}`;
 * ```
 */
export interface RankedCandidate extends ToolMatch {
  /** How likely it is what was asked for, from 0 to 1. */
  readonly confidence: number;
  /** What each word of the query found in it: of the first 20, as few look at it. */
  readonly words?: readonly WordExplanation[];
}

/** Candidates of which it is told why they match. */
export const EXPLAINED = 20;

/**
 * Ranks the candidates that an engine has found for a query as `bm25Scorer()` would rank them among all of the catalog:
 * for a `ToolSource` of your own.
 *
 * An engine finds some hundred candidates by a rough measure; their order, their scores and how sure a match is come from
 * here. What does not match is left out.
 *
 * @param documents - the candidates, each name once, without the sentences that many tools have in common.
 * @param statistics - of the whole catalog. Without them, the candidates are thought to be all of it.
 *
 * @example
 * ```ts
 * const found: ToolDocument[] = [
 *   { name: 'get_weather', description: 'The weather of a city', title: '', server: '', keywords: [], parameters: [] },
 * ];
 * const query: ToolQuery = { text: 'weather in Rome', keywords: ['weather', 'in', 'Rome'], required: [] };
 * const [best] = await rankCandidates(query, found, {
 *   documents: 1_000_000,
 *   averageLengths: { name: 3, summary: 9 },
 *   stems: new Map([['weather', 1_250], ['rome', 40]]),
 * });
 * console.log(best?.name, best?.confidence);
 * ```
 */
export async function rankCandidates(
  query: ToolQuery,
  documents: readonly ToolDocument[],
  statistics?: CatalogStatistics,
): Promise<readonly RankedCandidate[]> {
  const index = await candidateIndex(documents, statistics);
  const matches = index.search(query);
  const confidences = index.confidence(
    query,
    matches.map(({ name }) => name),
  );
  return matches.map((match, position) => ({
    ...match,
    confidence: confidences[position] ?? 0,
    ...(position < EXPLAINED ? { words: index.explain(query, match.name)?.words ?? [] } : {}),
  }));
}

/** The index of candidates that are ranked by what is known of the whole catalog. */
export async function candidateIndex(
  documents: readonly ToolDocument[],
  statistics: CatalogStatistics | undefined,
): Promise<Bm25Index> {
  // What the words of a query find is of use for these candidates alone.
  const shared = sharedBy(DEFAULT_SETTINGS, builtInSynonyms());
  if (!statistics) return inSlices(Bm25Index.build(documents, shared));
  const terms = await inSlices(TermIndex.ofPart(documents, DEFAULT_SETTINGS.fields, statistics.averageLengths));
  return new Bm25Index(terms, shared, statistics);
}
