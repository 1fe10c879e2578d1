/**
 * Helpers for a custom source of tools, over an engine that finds candidates.
 *
 * @module mastra-tool-search/source
 */

export type { CatalogStatistics, Field, Guess } from '../scorers/bm25/settings.ts';
export { type RankedCandidate, rankCandidates } from '../source/rank-candidates.ts';
