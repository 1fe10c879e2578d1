/** The inner face of the kernel: everything that the wings use of it. Nothing else of the kernel is theirs. */

export { type ListedTool, listedTools, readCatalog, type ToolRecord } from './catalog/build-catalog.ts';
export { type Catalog, type CatalogEntry, isClients } from './catalog/catalog.ts';
export {
  type DescribedGroup,
  documentOf,
  inputJsonSchema,
  ownEntries,
  readParameters,
  resolve,
  type SearchableTool,
  type ToolDocument,
  type ToolParameter,
} from './catalog/document.ts';
export { keywordsOf } from './catalog/document-cache.ts';
export { CROWD, crowds, Groups, serverOf, type ToolGroup } from './catalog/groups.ts';
export { isLazyTool, lazyToolOf, proxyOfLazyTool, type ToolStub } from './catalog/lazy-tools.ts';
export type { MemoryCatalog } from './catalog/memory.ts';
export { isAcceptedName, isCalledById, MAX_NAME, originalNameOf, repairName } from './catalog/names.ts';
export {
  type AnyTool,
  copyTool,
  isMastraTool,
  isProviderTool,
  isTool,
  MASTRA_TOOL_MARKER,
  type MastraTool,
  type ToolContext,
  toMastraTool,
} from './catalog/tool.ts';
export { isToolSource, type SourceCandidate, type SourceRequest, type ToolSource } from './catalog/tool-source.ts';
export { checkOption, invalidOption, messageOf, stepError, ToolSearchError } from './errors.ts';
export type { ToolSearchEvent } from './events/events.ts';
export { Faults } from './events/faults.ts';
export type { EventOrigin } from './events/origin.ts';
export type { NativeOffReason, ToolProblem } from './events/reasons.ts';
export { Reporter } from './events/reporter.ts';
export { FunnelCounter } from './events/usage/counter.ts';
export type { Funnel, FunnelStage, ToolUse } from './events/usage/figures.ts';
export type { ToolSearchFilter, ToolSearchFilterPhase } from './filter/filter.ts';
export { Policy } from './filter/permissions.ts';
export {
  believableLoads,
  type Conversation,
  type ConversationMessage,
  callsIn,
  callsOfRun,
  conversationOf,
  type LoadingCalls,
  loadedBy,
  loadedNames,
  loadsInConversation,
  missedName,
  partsOf,
  sourceReader,
  succeededCalls,
  type ToolCall,
} from './loaded/conversation/conversation.ts';
export {
  isReasoning,
  mapContent,
  mapToolParts,
  type Prompt,
  type ToolPart,
  toolPartsIn,
} from './loaded/conversation/prompt.ts';
export {
  ANTHROPIC_SEARCH_TOOL,
  ANTHROPIC_SEARCHES,
  addSearchTool,
  foundByProvider,
  OPENAI_SEARCH,
  OPENAI_SEARCH_TOOL,
  type ProviderSearch,
  type ProviderSearchTool,
  providerSearchNames,
  providerSearchOf,
  type SearchSide,
} from './loaded/conversation/provider-searches.ts';
export type { Registry } from './loaded/registry.ts';
export {
  type AppendOptions,
  type LearnedScope,
  type LearnedUse,
  type LearningStore,
  latestUses,
  MAX_READ,
} from './loaded/stores/learning-store.ts';
export { type RedisStoreOptions, redisScripts } from './loaded/stores/redis.ts';
export { scopeHash } from './loaded/stores/store.ts';
export { ActiveTools, hideTool, showTool } from './mastra/hiding.ts';
export { isLegacy, type ModelAnswer, mapStream, withField, wrapModel } from './mastra/wrapped-model.ts';
export { asObject, duringCall, jsonSchemaOf } from './meta-tools/meta-tool.ts';
export { allPermit } from './meta-tools/names.ts';
export * as metaToolsPrompts from './meta-tools/prompts.ts';
export { searchDescription, searchOutOfOrder } from './meta-tools/prompts.ts';
export {
  readSearchInput,
  SEARCH_PARAMETERS,
  type SearchTool,
  type SearchToolsResult,
} from './meta-tools/search-tool.ts';
export type { MetaTools } from './modes/load.ts';
export type { Mode, StepMode } from './modes/mode.ts';
export type { EvaluationCase, InspectorHandler, InspectorOptions, RouteContext } from './options/inspector.ts';
export { type NamesOf, refuseUnknownOptions } from './options/known-options.ts';
export type { ResolvedLearning } from './options/learning.ts';
export { type MetaToolsOption, type ResolvedMetaTools, resolveMetaTools } from './options/meta-tools.ts';
export type {
  NativeDialect,
  NativeModel,
  OpenAINamespace,
  OpenAINamespaceOf,
  ResolvedNative,
} from './options/native.ts';
export type { ResolvedOptions } from './options/options.ts';
export type { InspectedProcessor } from './processor/inspector-face.ts';
export type { LearningFace, ScopeArgs } from './processor/learning-face.ts';
export { identifyRequest, type RequestState, Requests, type ScopeRequest } from './processor/request.ts';
export { activeEntries, compatibleTools, forcedName, type ModeTools, type Step } from './processor/step.ts';
export {
  bm25Scorer,
  candidateIndex,
  EXPLAINED,
  type RankedCandidate,
  rankCandidates,
} from './scorers/bm25/bm25.ts';
export { Bm25Index } from './scorers/bm25/bm25-index.ts';
export { countIn, hashed, InvertedIndex } from './scorers/bm25/inverted-index.ts';
export { type CatalogStatistics, DEFAULT_SETTINGS, FIELDS, type Field } from './scorers/bm25/settings.ts';
export { MAX_SHARED, SentenceCounts, sentencesOf, withoutBoilerplate } from './scorers/bm25/tool-words.ts';
export {
  inverseDocumentFrequency,
  isFiller,
  queryWords,
  readKeyword,
  SURE,
  synonymsOf,
} from './scorers/bm25/word-match.ts';
export type { IncrementalIndex } from './scorers/incremental-index.ts';
export { bestFirst } from './scorers/ranking.ts';
export {
  consoleContext,
  type MatchExplanation,
  type ScorerContext,
  type ScorerFault,
  type ToolIndex,
  type ToolMatch,
  type ToolScorer,
  type WordExplanation,
} from './scorers/scorer.ts';
export { tieredScorer } from './scorers/tiered.ts';
export { actionKinds, verbsOf } from './scorers/words/actions.ts';
export { parseQuery, type ToolQuery } from './scorers/words/query.ts';
export { Spellings, spellingOf } from './scorers/words/spellings.ts';
export { contentWords, isStopWord, stem } from './scorers/words/stem.ts';
export { didYouMean, editDistance, likeliestNames } from './scorers/words/suggest.ts';
export { builtInSynonyms } from './scorers/words/thesaurus/built-in.ts';
export { splitIdentifier, words } from './scorers/words/words.ts';
export type { Boost, BoostedMatch, Learner } from './search/find.ts';
export {
  type FoundEntry,
  find,
  isWeak,
  likelihoodOfAny,
  namesIn,
  pick,
  type SearchScope,
  type SearchServices,
  withoutTail,
} from './search/find.ts';
export { IndexSearcher } from './search/indexes.ts';
export { lazyRegex } from './util/lazy-regex.ts';
export { Lru } from './util/lru.ts';
export type { MaybePromise } from './util/maybe-promise.ts';
export { asRecord, isRecord } from './util/record.ts';
export { clean, cleanName, cut, describeTool, echo, ended, escapeHidden } from './util/text.ts';
export { CHUNK, inSlices, nextTurn, runToEnd, SLICE, type SlicedWork } from './util/time-slices.ts';
export { inTime, KeyedQueue, unlessAborted } from './util/timeout.ts';
export { estimateTokens } from './util/tokens.ts';
