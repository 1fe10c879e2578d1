/**
 * For a source of tools of your own, over an engine that finds candidates.
 *
 * @module mastra-tool-search/source
 */

export type { Field } from '../scorers/bm25/bm25.ts';
export { type RankedCandidate, rankCandidates } from '../scorers/bm25/rank-candidates.ts';
export type { CatalogStatistics, Guess } from '../scorers/bm25/statistics.ts';
