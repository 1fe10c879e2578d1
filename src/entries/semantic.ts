/**
 * Scorers that rank by meaning, a scorer that fuses several rankings, and caches for vectors.
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
export { type SemanticScorerOptions, semanticScorer } from '../semantic/semantic.ts';
export {
  fileVectorCache,
  type StoreVectorCacheOptions,
  storeVectorCache,
  type VectorStoreLike,
  type VectorStoreRow,
} from '../semantic/vector-caches.ts';
export { wordsAndModelScorer } from '../semantic/words-and-model.ts';
