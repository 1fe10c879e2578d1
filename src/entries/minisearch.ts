export { type MiniSearchField, type MiniSearchScorerOptions, miniSearchScorer } from '../scorers/minisearch.ts';
