/**
 * Measures how well queries find the right tools.
 *
 * @module mastra-tool-search/evaluate
 */

export type { EvaluationCase, ToolsToRead } from '../workbench/evaluate/cases.ts';
export { type CaseItem, fromDatasetItems, parseCases, toDatasetItems } from '../workbench/evaluate/cases.ts';
export {
  type CaseChange,
  type Comparison,
  compareEvaluations,
  failedGates,
  type Gates,
} from '../workbench/evaluate/compare.ts';
export { type EvaluateOptions, type Evaluation, evaluate } from '../workbench/evaluate/evaluate.ts';
export type { CaseResult, Confusion, ScorerEvaluation, Verdicts } from '../workbench/evaluate/measure.ts';
export type { Figure, Figures, MeanFigures } from '../workbench/evaluate/metrics.ts';
export { funnel, type ParsedEvents, parseEvents } from '../workbench/funnel.ts';
export type { DroppedKeyword, DropReason } from '../workbench/keywords/judge.ts';
export type {
  KeywordModel,
  KeywordProgress,
  SuggestKeywordsOptions,
} from '../workbench/keywords/options.ts';
export {
  type KeywordSuggestions,
  suggestKeywords,
  type ToolSuggestion,
} from '../workbench/keywords/suggest-keywords.ts';
export { type LintFinding, type LintRule, lintRules } from '../workbench/lint/check.ts';
export { type LintOptions, lint } from '../workbench/lint/lint.ts';
export type { LintRuleDescription, LintSeverity } from '../workbench/lint/rule.ts';
export type {
  Funnel,
  FunnelCalls,
  FunnelLoads,
  FunnelMisses,
  FunnelSearches,
  FunnelStage,
  FunnelTokens,
  RecentSearch,
  ToolUse,
  TurnsSaved,
} from '../workbench/usage.ts';
