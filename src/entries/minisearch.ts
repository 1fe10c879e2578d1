/**
 * A scorer for those who know and tune MiniSearch.
 *
 * @module mastra-tool-search/minisearch
 */

export { type MiniSearchField, type MiniSearchScorerOptions, miniSearchScorer } from '../scorers/minisearch.ts';
