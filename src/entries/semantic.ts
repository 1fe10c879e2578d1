/**
 * Scorers that rank by meaning, one that fuses several rankings, and one that has a ranking judged anew.
 *
 * @module mastra-tool-search/semantic
 */

export type {
  EmbeddingModelLike,
  EmbedFunction,
  EmbedOptions,
  EmbedPurpose,
  VectorCache,
  VectorCacheEntry,
} from '../scorers/meaning/embedder.ts';
export { type HybridScorerOptions, hybridScorer } from '../semantic/hybrid.ts';
export {
  type RerankCandidate,
  type RerankFunction,
  type RerankingScorerOptions,
  rerankingScorer,
} from '../semantic/reranking.ts';
export { type SemanticScorerOptions, semanticScorer } from '../semantic/semantic.ts';
export {
  type VectorScorerOptions,
  type VectorStoreLike,
  type VectorStoreRow,
  vectorScorer,
} from '../semantic/vector.ts';
export { fileVectorCache, type StoreVectorCacheOptions, storeVectorCache } from '../semantic/vector-caches.ts';
export { wordsAndModelScorer } from '../semantic/words-and-model.ts';
