/** The inner face of the kernel: everything that the wings use of it. Nothing else of the kernel is theirs. */

export { type ListedTool, listedTools, readCatalog } from './catalog/build-catalog.ts';
export type { Catalog } from './catalog/catalog.ts';
export type { ToolDocument, ToolParameter } from './catalog/document.ts';
export {
  type DescribedGroup,
  documentOf,
  inputJsonSchema,
  keywordsOf,
  type SearchableTool,
} from './catalog/documents.ts';
export { type CatalogEntry, isClients } from './catalog/entry.ts';
export { CROWD, crowds, Groups, serverOf, type ToolGroup } from './catalog/groups.ts';
export { isLazyTool, lazyToolOf, proxyOfLazyTool, type ToolStub } from './catalog/lazy-tool.ts';
export type { MemoryCatalog } from './catalog/memory.ts';
export { isAcceptedName, isCalledById, MAX_NAME, originalNameOf, repairName } from './catalog/names.ts';
export { ownEntries, readParameters, resolve } from './catalog/parameters.ts';
export {
  type AnyTool,
  copyTool,
  isMastraTool,
  isProviderTool,
  isTool,
  MASTRA_TOOL_MARKER,
  type MastraTool,
  toMastraTool,
} from './catalog/tool.ts';
export { isToolSource, type SourceCandidate, type SourceRequest, type ToolSource } from './catalog/tool-source.ts';
export type { ToolRecord } from './catalog/tools-function.ts';
export { checkOption, invalidOption, messageOf, ToolSearchError } from './errors.ts';
export type { ToolSearchEvent } from './events/events.ts';
export { Faults } from './events/faults.ts';
export type { EventOrigin } from './events/origin.ts';
export type { ToolProblem } from './events/reasons.ts';
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
  foundByProvider,
  type LoadingCalls,
  loadedBy,
  missedName,
  partsOf,
  providerSearches,
  type SearchSide,
  searchSideOf,
  sourceReader,
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
  type AppendOptions,
  type LearnedScope,
  type LearnedUse,
  type LearningStore,
  latestUses,
  MAX_READ,
} from './loaded/stores/learning-store.ts';
export { type RedisStoreOptions, redisScripts } from './loaded/stores/redis-client.ts';
export { scopeHash } from './loaded/stores/scope-key.ts';
export { ActiveTools, hideTool, showTool } from './mastra/hiding.ts';
export { type ModelAnswer, mapParts, wrapModel } from './mastra/wrapped-model.ts';
export { allPermit } from './meta-tools/names.ts';
export * as metaToolsPrompts from './meta-tools/prompts.ts';
export type { AnsweredSearch } from './meta-tools/search-tool.ts';
export type { NativeParts } from './modes/lazy.ts';
export type { Mode, StepMode } from './modes/mode.ts';
export type { EvaluationCase, InspectorHandler, InspectorOptions, RouteContext } from './options/inspector.ts';
export { type NamesOf, refuseUnknownOptions } from './options/known-options.ts';
export type { ResolvedLearning } from './options/learning.ts';
export { type MetaToolsOption, resolveMetaTools } from './options/meta-tools.ts';
export type {
  NativeModel,
  OpenAINamespace,
  ResolvedNative,
} from './options/native.ts';
export type { InspectedProcessor } from './processor/inspector-face.ts';
export type { LearningFace, ScopeArgs } from './processor/learning-face.ts';
export { identifyRequest, type RequestState, Requests, type ScopeRequest } from './processor/request.ts';
export { activeEntries, compatibleTools, type ModeTools, type Step } from './processor/step.ts';
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
export { KeyedQueue } from './util/keyed-queue.ts';
export { lazyRegex } from './util/lazy-regex.ts';
export { Lru } from './util/lru.ts';
export type { MaybePromise } from './util/maybe-promise.ts';
export { asRecord, isRecord } from './util/record.ts';
export { clean, cleanName, cut, describeTool, echo, ended, escapeHidden } from './util/text.ts';
export { CHUNK, inSlices, nextTurn, runToEnd, SLICE, type SlicedWork } from './util/time-slices.ts';
export { inTime } from './util/timeout.ts';
export { estimateTokens } from './util/tokens.ts';
export { unlessAborted } from './util/unless-aborted.ts';
