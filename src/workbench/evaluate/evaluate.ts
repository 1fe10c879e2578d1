import { checkOption, invalidOption } from '../../errors.ts';
import { documentsOf, type ToolGroup, type ToolIndex, type ToolScorer, wordsAndMeaningScorer } from '../../kit.ts';
import { type NamesOf, refuseUnknownOptions } from '../../util/check.ts';
import { runToEnd } from '../../util/time-slices.ts';
import { catalogOf, type EvaluationCase, type ReadCase, readCases, type ToolsToRead } from './cases.ts';
import { type ScorerEvaluation, type SearchedCase, searchCase, summaryOf } from './measure.ts';

/**
 * The options of `evaluate`.
 *
 * @example
 * ```ts
 * const cases = [{ query: 'write to a colleague', relevant: ['send_email'] }];
 * const options: EvaluateOptions = { tools, cases, scorers: [bm25Scorer(), tieredScorer()], topK: 5 };
 * console.log(await evaluate(options));
 * ```
 */
export interface EvaluateOptions {
  /** The tools, as the processor takes them, or a list as `tools/list` of an MCP server returns it. */
  readonly tools: ToolsToRead;
  readonly cases: readonly EvaluationCase[];
  /** Each scorer is measured separately. @default [wordsAndMeaningScorer()] */
  readonly scorers?: readonly ToolScorer[];
  /** Number of results that a model is shown, to which recall and verdicts refer. @default 5 */
  readonly topK?: number;
  /** The processor's `search.keywords`. @default none */
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  /** The processor's `groups`. @default the MCP server of a tool */
  readonly groups?: ToolGroup;
}

/**
 * The result of `evaluate`, as plain data for JSON.
 *
 * @example
 * ```ts
 * const summary = ({ scorers }: Evaluation) => scorers.map(({ scorer, figures }) => `${scorer}: ${figures?.ndcg10.mean}`);
 * ```
 */
export interface Evaluation {
  /** Number of searchable tools. */
  readonly tools: number;
  readonly topK: number;
  readonly scorers: readonly ScorerEvaluation[];
}

const optionNames: NamesOf<EvaluateOptions> = {
  ...{ tools: true, cases: true, scorers: true, topK: true, keywords: true, groups: true },
};

/**
 * Measures how well queries find their relevant tools with the agent's own scorers. No model is called, and no tool runs.
 *
 * @throws ToolSearchError `invalid-option` for wrong options, and for a case that wants a tool which is not there;
 * `invalid-tool` or `duplicate-tool` as the processor does; also the scorer's own errors.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 *
 * const cases = parseCases(readFileSync('cases.jsonl', 'utf8'));
 * const { scorers } = await evaluate({ tools, cases });
 * console.log(scorers[0]?.figures?.ndcg10.mean);
 * ```
 */
export async function evaluate(options: EvaluateOptions): Promise<Evaluation> {
  refuseUnknownOptions('evaluate', options, optionNames);
  const { tools, scorers = [wordsAndMeaningScorer()], topK = 5, keywords = {}, groups } = options;
  checkOption(Number.isInteger(topK) && topK > 0, 'topK', topK, 'a whole number above 0');
  if (!Array.isArray(scorers) || scorers.length === 0) throw invalidOption('scorers', scorers, 'a list of scorers');
  checkOption(groups === undefined || typeof groups === 'function', 'groups', groups, 'a function');
  const catalog = catalogOf(tools, keywords, groups);
  const cases = readCases(options.cases, catalog);
  const evaluations: ScorerEvaluation[] = [];
  // Scorers run one after another, so that only one index is in memory at a time.
  for (const scorer of scorers) {
    const index = await scorer.index(runToEnd(documentsOf(catalog)));
    evaluations.push(await measure(cases, index, scorer, topK));
  }
  return { tools: catalog.size, topK, scorers: evaluations };
}

/** Runs the cases with a scorer's index. */
export async function measure(
  cases: readonly ReadCase[],
  index: ToolIndex,
  scorer: ToolScorer,
  topK: number,
): Promise<ScorerEvaluation> {
  const searched: SearchedCase[] = [];
  for (const one of cases) searched.push(await searchCase(one, index, scorer, topK));
  return summaryOf(scorer.name, searched);
}
