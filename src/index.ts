export type { ToolDocument, ToolParameter } from './catalog/document.ts';
export type { ToolGroup } from './catalog/groups.ts';
export type { AiSdkToolLike, AnyTool, MastraTool, MastraToolLike, ProviderToolLike } from './catalog/tool.ts';
export type { ToolRecord, ToolsFunction } from './catalog/tool-source.ts';
export { ToolSearchError, type ToolSearchErrorCode } from './errors.ts';
export type { NativeOffReason, ToolProblem, ToolSearchEvent } from './events.ts';
export type { ToolSearchFilter, ToolSearchFilterArgs } from './filter/filter.ts';
export type { LoadToolInput, LoadToolResult } from './meta-tools/load-tool.ts';
export type { SearchResult, SearchToolsInput, SearchToolsResult } from './meta-tools/search-tools.ts';
export type { UnloadToolInput, UnloadToolResult } from './meta-tools/unload-tool.ts';
export type { MetaToolsOption, MetaToolWording as Wording } from './options/meta-tools.ts';
export type {
  NativeDialect as Dialect,
  NativeModel,
  NativeOptions,
  OpenAINamespace as Namespace,
  OpenAINamespaceOf as NamespaceOf,
} from './options/native.ts';
export type { ToolSearchProcessorOptions } from './options/options.ts';
export type { PassthroughLimits } from './options/passthrough.ts';
export type { ToolSearchFilterPhase } from './phase.ts';
export type { ToolSearchStepResult } from './processor/hooks.ts';
export { ToolSearchProcessor } from './processor/processor.ts';
export type { FoundTool, SearchRequest } from './processor/search.ts';
export type { ToolQuery } from './query/query.ts';
export type { ScopeRequest } from './request/identity.ts';
export { type Bm25ScorerOptions, bm25Scorer } from './scorers/bm25/bm25.ts';
export type { VectorCache, VectorCacheEntry } from './scorers/embeddings/document-vectors.ts';
export type { EmbeddingModelLike, EmbedFunction, EmbedOptions, EmbedPurpose } from './scorers/embeddings/embedder.ts';
export type { VectorStoreLike, VectorStoreRow } from './scorers/embeddings/stored-vectors.ts';
export { type HybridScorerOptions, hybridScorer } from './scorers/hybrid.ts';
export type {
  MatchExplanation,
  ScorerContext,
  ScorerFault,
  ToolIndex,
  ToolMatch,
  ToolScorer,
  WordExplanation,
} from './scorers/scorer.ts';
export { type SemanticScorerOptions, semanticScorer } from './scorers/semantic.ts';
export type { SynonymGroup } from './scorers/thesaurus/synonym-group.ts';
export { toolSynonyms } from './scorers/thesaurus/tool-synonyms.ts';
export { type TieredScorerOptions, tieredScorer } from './scorers/tiered.ts';
export { type VectorScorerOptions, vectorScorer } from './scorers/vector.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './stores/memory.ts';
export { type RedisClientLike, type RedisStoreOptions, redisStore } from './stores/redis.ts';
export type { AddOptions, LoadedToolStore } from './stores/store.ts';
export { type MastraWithStorage, type ThreadStateStoreOptions, threadStateStore } from './stores/thread-state.ts';
