import type { Catalog } from '../kit.ts';
import { type EvaluationCase, readCases } from '../workbench/evaluate/cases.ts';
import type { Evaluation } from '../workbench/evaluate/evaluate.ts';
import type { LintFinding } from '../workbench/lint/check.ts';
import type { Funnel } from '../workbench/usage.ts';
import type { InspectData, InspectScorer } from './data.ts';
import { inspectTools } from './inspect-tools.ts';

/** What a page shows of a catalog. */
export interface Shown {
  readonly title?: string | undefined;
  readonly cases?: readonly EvaluationCase[] | undefined;
  readonly findings?: readonly LintFinding[] | undefined;
  readonly baseline?: Evaluation | undefined;
  readonly funnel?: Funnel | undefined;
  /** The scorers that the page cannot run itself, the agent's own first. */
  readonly scorers?: readonly InspectScorer[] | undefined;
  /** The name of the initially chosen scorer. */
  readonly scorer?: string | undefined;
  readonly topK?: number | undefined;
  readonly mode?: 'load' | 'call' | 'native' | undefined;
  readonly minConfidence?: number | undefined;
}

/** The scorers that a page has, the default one first. */
export const LOCAL_SCORERS: readonly InspectScorer[] = [
  { name: 'words and meaning', isLocal: true },
  { name: 'bm25', isLocal: true },
];

/**
 * Makes the data of a page from a catalog.
 *
 * @throws ToolSearchError `invalid-option` for a case that wants a tool which the catalog does not have.
 */
export function toInspectData(catalog: Catalog, shown: Shown = {}): InspectData {
  const { title = 'Tools', cases, findings, baseline, funnel, scorers = [], topK = 5 } = shown;
  const { mode, minConfidence = 0, scorer } = shown;
  const all = [...scorers, ...LOCAL_SCORERS];
  return {
    title,
    tools: inspectTools(catalog),
    ...(cases && cases.length > 0 ? { cases: readCases(cases, catalog) } : {}),
    ...(findings ? { findings } : {}),
    ...(baseline ? { baseline: baseline.scorers } : {}),
    ...(funnel ? { funnel } : {}),
    scorers: all.toSorted((one, other) => Number(other.name === scorer) - Number(one.name === scorer)),
    topK,
    ...(mode === undefined || mode === 'load' ? {} : { mode }),
    ...(minConfidence > 0 ? { minConfidence } : {}),
  };
}
