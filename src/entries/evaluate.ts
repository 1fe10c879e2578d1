/**
 * Measures how well queries find the right tools.
 *
 * @module mastra-tool-search/evaluate
 */

export { type EvaluationCase, parseCases } from '../evaluate/cases.ts';
export type { ToolsToRead } from '../evaluate/catalog-of.ts';
export { type CaseChange, type Comparison, compareEvaluations } from '../evaluate/compare.ts';
export type { Confusion } from '../evaluate/confusions.ts';
export { type CaseItem, fromDatasetItems, toDatasetItems } from '../evaluate/dataset-items.ts';
export { type EvaluateOptions, type Evaluation, evaluate } from '../evaluate/evaluate.ts';
export type { Figures } from '../evaluate/figures.ts';
export { failedGates, type Gates } from '../evaluate/gates.ts';
export type { Figure, MeanFigures } from '../evaluate/mean-figures.ts';
export type { CaseResult, ScorerEvaluation, Verdicts } from '../evaluate/measure.ts';
export type {
  Funnel,
  FunnelCalls,
  FunnelLoads,
  FunnelMisses,
  FunnelSearches,
  FunnelStage,
  FunnelTokens,
  ToolUse,
  TurnsSaved,
} from '../funnel/figures.ts';
export { funnel } from '../funnel/funnel.ts';
export { type ParsedEvents, parseEvents } from '../funnel/parse-events.ts';
export type { LintFinding, LintSeverity } from '../lint/finding.ts';
export { type LintOptions, lint } from '../lint/lint.ts';
export { type LintRule, type LintRuleDescription, lintRules } from '../lint/rules.ts';
export type { KeywordCache } from '../suggest-keywords/cache.ts';
export type { KeywordModel } from '../suggest-keywords/model.ts';
export type { KeywordProgress, SuggestKeywordsOptions } from '../suggest-keywords/options.ts';
export {
  type KeywordSuggestions,
  suggestKeywords,
  type ToolSuggestion,
} from '../suggest-keywords/suggest-keywords.ts';
export type { DroppedKeyword, DropReason } from '../suggest-keywords/validation.ts';
