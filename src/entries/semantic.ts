/**
 * Scorers that rank by meaning, one that fuses several rankings, and one that has a ranking judged anew.
 *
 * @module mastra-tool-search/semantic
 */

export type { VectorCache, VectorCacheEntry } from '../scorers/embeddings/document-vectors.ts';
export type { EmbeddingModelLike, EmbedFunction, EmbedOptions, EmbedPurpose } from '../scorers/embeddings/embedder.ts';
export type { VectorStoreLike, VectorStoreRow } from '../scorers/embeddings/stored-vectors.ts';
export { hybridScorer } from '../scorers/hybrid.ts';
export type { HybridScorerOptions } from '../scorers/hybrid-settings.ts';
export { rerankingScorer } from '../scorers/reranking.ts';
export type { RerankCandidate, RerankFunction, RerankingScorerOptions } from '../scorers/reranking-settings.ts';
export { type SemanticScorerOptions, semanticScorer } from '../scorers/semantic.ts';
export { type VectorScorerOptions, vectorScorer } from '../scorers/vector.ts';
