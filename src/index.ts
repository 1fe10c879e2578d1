export type { ToolDocument, ToolParameter } from './catalog/document.ts';
export type { ToolGroup } from './catalog/groups.ts';
export type { ToolRecord, ToolsFunction } from './catalog/tool-source.ts';
export type { EmbeddingModelLike, EmbedFunction, EmbedOptions, EmbedPurpose } from './embeddings/embedder.ts';
export type { VectorCache, VectorCacheEntry } from './embeddings/vector-cache.ts';
export type { VectorStoreLike, VectorStoreRow } from './embeddings/vector-store.ts';
export { ToolSearchError, type ToolSearchErrorCode } from './errors.ts';
export type { NativeOffReason, ToolProblem, ToolSearchEvent } from './events.ts';
export type { AiSdkToolLike, AnyTool, MastraTool, MastraToolLike, ProviderToolLike } from './mastra/tool.ts';
export type { MaybePromise } from './maybe-promise.ts';
export type { LoadToolInput, LoadToolResult } from './meta-tools/load-tool.ts';
export type { SearchResult, SearchToolsInput, SearchToolsResult } from './meta-tools/search-tools.ts';
export type { UnloadToolInput, UnloadToolResult } from './meta-tools/unload-tool.ts';
export type { Dialect } from './native/detect.ts';
export type { Namespace, NamespaceOf } from './native/namespaces.ts';
export type { NativeModel, NativeOptions } from './native/options.ts';
export type { ToolSearchProcessorOptions } from './options.ts';
export type { PassthroughLimits } from './passthrough.ts';
export type { ToolSearchFilter, ToolSearchFilterArgs, ToolSearchFilterPhase } from './policy.ts';
export {
  type APIErrorArgs,
  type LLMRequestArgs,
  type LoadedToolsArgs,
  type OutputResultArgs,
  ToolSearchProcessor,
  type ToolSearchStepResult,
} from './processor.ts';
export type { ToolQuery } from './query/query.ts';
export { contextStore } from './registry/context.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './registry/memory.ts';
export { type RedisClientLike, type RedisStoreOptions, redisStore } from './registry/redis.ts';
export type { ScopeRequest } from './registry/scope.ts';
export type { AddOptions, LoadedToolStore } from './registry/store.ts';
export { type MastraWithStorage, type ThreadStateStoreOptions, threadStateStore } from './registry/thread-state.ts';
export { type Bm25ScorerOptions, bm25Scorer } from './scorers/bm25.ts';
export type { ScorerContext, ScorerFault } from './scorers/context.ts';
export type { Explanation, WordExplanation } from './scorers/explanation.ts';
export { type HybridScorerOptions, hybridScorer } from './scorers/hybrid.ts';
export type { Match, ToolIndex, ToolScorer } from './scorers/scorer.ts';
export { type SemanticScorerOptions, semanticScorer } from './scorers/semantic.ts';
export { type TieredScorerOptions, tieredScorer } from './scorers/tiered.ts';
export { type SynonymGroup, toolSynonyms } from './scorers/tool-synonyms.ts';
export { type VectorScorerOptions, vectorScorer } from './scorers/vector.ts';
export type { FoundTool, SearchRequest } from './search-as.ts';
export type { LoadToolWording, MetaToolsOption, SearchToolWording, Wording } from './wording.ts';
