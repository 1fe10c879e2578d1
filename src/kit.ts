/** The inner face of the kernel: everything above its ground floor (`util`, `errors.ts`) that the wings use of it. */

export {
  type ListedTool,
  listedTools,
  namedTool,
  readCatalog,
  type ToolRecord,
} from './catalog/build-catalog.ts';
export {
  type Catalog,
  type CatalogEntry,
  documentsOf,
  type NamesToGuess,
  namesIn,
  type OwnTool,
  type SourceCall,
} from './catalog/catalog.ts';
export {
  documentOf,
  inputJsonSchema,
  ownEntries,
  type SearchableTool,
} from './catalog/document.ts';
export {
  DocumentCache,
  definitionTokens,
  type GroupOf,
  keywordsOf,
  tokensOfDefinition,
} from './catalog/document-cache.ts';
export { ToolProblems } from './catalog/entry.ts';
export { CROWD, crowds, Groups, isPattern, serverOf, type ToolGroup } from './catalog/groups.ts';
export { isLazyTool, isSearchable, proxyOfLazyTool, resolveLazyTool, type ToolStub } from './catalog/lazy-tools.ts';
export { MemoryCatalog } from './catalog/memory-catalog.ts';
export { isAcceptedName, MAX_NAME, repairName } from './catalog/names.ts';
export {
  type AnyTool,
  copyTool,
  descriptionOf,
  isMastraTool,
  isProviderTool,
  MASTRA_TOOL_MARKER,
  type MastraTool,
  toMastraTool,
} from './catalog/tool.ts';
export type {
  SourceCandidate,
  SourceListing,
  SourceRequest,
  SourceSearchRequest,
  ToolSource,
} from './catalog/tool-source.ts';
export { modelName } from './catalog/withheld.ts';
export type { SourceOperation, ToolProblem } from './events/reasons.ts';
export { Reporter } from './events/reporter.ts';
export type { ToolSearchEvent } from './events/table.ts';
export type { ToolSearchFilter } from './filter/filter.ts';
export {
  believableLoads,
  type Conversation,
  callsIn,
  conversationOf,
  foundByProvider,
  loadedNames,
  partsOf,
  providerSearches,
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
export { type LearnedUse, type LearningStore, learningScopes } from './loaded/stores/learning-store.ts';
export type { AddOptions, LoadedToolStore } from './loaded/stores/store.ts';
export * as hiding from './mastra/hiding.ts';
export * as models from './mastra/wrapped-model.ts';
export { type MetaToolsOption, resolveMetaTools } from './meta-tools/options.ts';
export * as metaToolsPrompts from './meta-tools/prompts.ts';
export type { AnsweredSearch } from './meta-tools/search-tool.ts';
export type { NativeParts } from './modes/load.ts';
export type { Mode, StepMode } from './modes/mode.ts';
export type { NativeModel, ResolvedNative } from './modes/native-options.ts';
export type { ResolvedOptions } from './options/resolve.ts';
export { RequestSearch } from './processor/search.ts';
export * as providerRules from './providers/index.ts';
export { Bm25Index, bm25Scorer } from './scorers/bm25/bm25.ts';
export { fieldsIn, type IndexedDocument, InvertedIndex, instructionStems } from './scorers/bm25/inverted-index.ts';
export { type CatalogStatistics, DEFAULT_SETTINGS, FIELDS } from './scorers/bm25/settings.ts';
export { sentencesOf } from './scorers/bm25/tool-words.ts';
export { inverseDocumentFrequency, SURE } from './scorers/bm25/word-match.ts';
export * as likelihoods from './scorers/confidence.ts';
export type { ToolDocument } from './scorers/document.ts';
export {
  type EmbeddingModelLike,
  type EmbedFunction,
  type EmbedOptions,
  embedderOptions,
  type ResolvedEmbedder,
  resolveEmbedder,
  type SearchEmbedder,
  type VectorCache,
} from './scorers/meaning/embedder.ts';
export { FusedIndex } from './scorers/meaning/fused-index.ts';
export { tableScorer } from './scorers/meaning/table-scorer.ts';
export { documentText } from './scorers/meaning/tool-text.ts';
export { ToolVectors, Vocabulary } from './scorers/meaning/tool-vectors.ts';
export { tableOf, type WordTable } from './scorers/meaning/word-table.ts';
export { queryVector, tableFor, wordsAndMeaningScorer, wordVectors } from './scorers/meaning/words-and-meaning.ts';
export {
  bestFirst,
  consoleContext,
  type EmbeddingContext,
  type FeatureExplanation,
  type IncrementalIndex,
  type MatchExplanation,
  type ScorerContext,
  type ToolIndex,
  type ToolMatch,
  type ToolScorer,
  type WordExplanation,
} from './scorers/scorer.ts';
export { parseQuery, type ToolQuery } from './scorers/words/query.ts';
export * as queryReading from './scorers/words/query-words.ts';
export { builtInSynonyms } from './scorers/words/thesaurus/synonyms.ts';
export { toolSynonyms } from './scorers/words/thesaurus/tool-synonyms.ts';
export { resultsIn, verdictOfAny } from './search/find.ts';
export type { RankedMatch, Reranker } from './search/rerank.ts';
export type { SearchCall, Searched } from './search/searcher.ts';
export type { MetaToolNames, ModeTools, Step } from './step/step.ts';
export type { DefinitionPin } from './trust/definition.ts';
export * as definitions from './trust/definition.ts';
export * as misleading from './trust/misleading.ts';
export type { PinStore } from './trust/pin-store.ts';
export { suspicionIn } from './trust/suspicion.ts';
export * as definitionTexts from './trust/texts.ts';
