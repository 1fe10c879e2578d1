/**
 * The processor, its default scorer and store, and all types.
 *
 * @module mastra-tool-search
 */

// The processor, its options, and what it returns to Mastra.

export type { LearningOptions } from './features/learning/options.ts';
export type { PassthroughLimits } from './features/passthrough.ts';
export type {
  ChoosingPreselectOptions,
  PreselectContext,
  PreselectOptions,
} from './features/preselect/options.ts';
export type { DefinitionHandling, PinsOptions } from './features/trust/options.ts';
export type { InspectorHandler, RouteContext } from './inspect/handler.ts';
export type { InspectorOptions } from './inspect/live-inspector.ts';
export type { ScopeRequest } from './loaded/identity.ts';
export type { ToolSearchProcessorOptions } from './options/table.ts';
export type { AcceptOptions, ToolSearchStepResult } from './processor/processor.ts';
export { ToolSearchProcessor } from './processor/processor.ts';
export type { SearchRequest } from './processor/search.ts';
export { toolSearchTools } from './processor/tool-search-tools.ts';
export type {
  EmbeddingModelLike,
  EmbedFunction,
  EmbedOptions,
  EmbedPurpose,
  SearchEmbedder,
  SearchEmbedderOptions,
  VectorCache,
  VectorCacheEntry,
} from './scorers/meaning/embedder.ts';
export type { SearchResult } from './search/search-result.ts';

// Tools: what the catalog takes, and the documents that scorers see of them.

export type { ToolRecord, ToolsFunction } from './catalog/build-catalog.ts';
export type { ToolGroup } from './catalog/groups.ts';
export type { ToolStub } from './catalog/lazy-tools.ts';
export type { AiSdkToolLike, AnyTool, MastraTool, MastraToolLike, ProviderToolLike } from './catalog/tool.ts';
export type {
  CandidateWord,
  SourceCandidate,
  SourceListing,
  SourceRequest,
  SourceSearchRequest,
  SourceTools,
  ToolSource,
} from './catalog/tool-source.ts';
export type { ToolDocument, ToolParameter } from './scorers/document.ts';

// Meta-tools: what the model sends and gets back, and what it is told of them.

export type { LoadToolInput, LoadToolResult, UnloadToolInput, UnloadToolResult } from './meta-tools/load-tool.ts';
export type { MetaToolsOption, MetaToolWording } from './meta-tools/options.ts';
export type { SearchToolsInput, SearchToolsResult } from './meta-tools/search-tool.ts';

// Code mode.

export type { CodeOptions } from './modes/code/options.ts';

// Native mode.

export type {
  NativeDialect,
  NativeModel,
  NativeOptions,
} from './modes/native-options.ts';

// The filter.

export type { ToolSearchFilterPhase } from './events/phase.ts';
export type { ToolSearchFilter, ToolSearchFilterArgs } from './filter/filter.ts';

// Scorers: the interface, and those that need no more. The others are entries of their own: /semantic, /minisearch.

export { type Bm25ScorerOptions, bm25Scorer } from './scorers/bm25/bm25.ts';
export type { Field } from './scorers/bm25/settings.ts';
export { wordsAndMeaningScorer } from './scorers/meaning/words-and-meaning.ts';
export type {
  FeatureExplanation,
  MatchExplanation,
  ScorerContext,
  ScorerFault,
  ToolIndex,
  ToolMatch,
  ToolScorer,
  WordExplanation,
} from './scorers/scorer.ts';
export { type TieredScorerOptions, type TieredWeights, tieredScorer } from './scorers/tiered.ts';
export type { ToolQuery } from './scorers/words/query.ts';
export type { Rerank, RerankContext } from './search/rerank.ts';

// Stores: the interfaces, and the one in memory. The others are entries of their own: /redis, /thread-state, /learning.

export type { AppendOptions, LearnedScope, LearnedUse, LearningStore } from './loaded/stores/learning-store.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './loaded/stores/memory.ts';
export type { AddOptions, LoadedToolStore } from './loaded/stores/store.ts';
export type { DefinitionPin } from './trust/definition.ts';
export type { PinStore } from './trust/pin-store.ts';

// What happens, and what is thrown.

export { ToolSearchError, type ToolSearchErrorCode } from './errors.ts';
export type { EventOrigin } from './events/origin.ts';
export type {
  EvictionCause,
  MessageReason,
  MissCause,
  NativeOffReason,
  PinOperation,
  PreselectReason,
  ReturnedTool,
  SearchVerdict,
  SourceOperation,
  StoreOperation,
  ToolProblem,
} from './events/reasons.ts';
export type { ToolSearchChunk, ToolSearchChunkData, ToolSearchEvent, ToolSearchOccurrence } from './events/table.ts';

// Left out on purpose:
// - the store of `storage: 'context'`: it reads what only the processor can tell it, so the option makes it;
// - the arguments of the hooks: Mastra passes them, and `Parameters<ToolSearchProcessor['processInputStep']>` names them;
// - how an index follows a changed catalog (`IncrementalIndex`): only the scorers of this package do, and it may change;
// - the sentences for the model, the parser of queries, the word lists: they change from version to version.
