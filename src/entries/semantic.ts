/**
 * Scorers that rank by meaning, one that fuses several rankings, and one that has a ranking judged anew.
 *
 * @module mastra-tool-search/semantic
 */

export type { VectorCache, VectorCacheEntry } from '../semantic/embeddings/document-vectors.ts';
export type { EmbeddingModelLike, EmbedFunction, EmbedOptions, EmbedPurpose } from '../semantic/embeddings/embedder.ts';
export type { VectorStoreLike, VectorStoreRow } from '../semantic/embeddings/stored-vectors.ts';
export { hybridScorer } from '../semantic/hybrid.ts';
export type { HybridScorerOptions } from '../semantic/hybrid-settings.ts';
export { rerankingScorer } from '../semantic/reranking.ts';
export type { RerankCandidate, RerankFunction, RerankingScorerOptions } from '../semantic/reranking-settings.ts';
export { type SemanticScorerOptions, semanticScorer } from '../semantic/semantic.ts';
export { type VectorScorerOptions, vectorScorer } from '../semantic/vector.ts';
