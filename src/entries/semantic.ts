/**
 * Scorers that rank by meaning, and one that fuses several rankings.
 *
 * @module mastra-tool-search/semantic
 */

export type { VectorCache, VectorCacheEntry } from '../scorers/embeddings/document-vectors.ts';
export type { EmbeddingModelLike, EmbedFunction, EmbedOptions, EmbedPurpose } from '../scorers/embeddings/embedder.ts';
export type { VectorStoreLike, VectorStoreRow } from '../scorers/embeddings/stored-vectors.ts';
export { type HybridScorerOptions, hybridScorer } from '../scorers/hybrid.ts';
export { type SemanticScorerOptions, semanticScorer } from '../scorers/semantic.ts';
export { type VectorScorerOptions, vectorScorer } from '../scorers/vector.ts';
