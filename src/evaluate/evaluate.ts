import { createCatalog } from '../catalog/build-catalog.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { checkOption, invalidOption } from '../errors.ts';
import { type NamesOf, refuseUnknownOptions } from '../known-options.ts';
import { parseQuery } from '../query/query.ts';
import { Reporter } from '../reporter.ts';
import { bm25Scorer } from '../scorers/bm25/bm25.ts';
import type { ToolIndex, ToolMatch, ToolScorer } from '../scorers/scorer.ts';
import { type FoundEntry, withoutTail } from '../search/extras.ts';
import { isWeak, likelihoodOfAny } from '../search/verdict.ts';
import { runToEnd } from '../util/time-slices.ts';
import { meanOf } from './bootstrap.ts';
import { type EvaluationCase, type ReadCase, readCases } from './cases.ts';
import { type Confusion, confusionsOf, type Miss, missOf } from './confusions.ts';
import { DEPTH, type Figures, figuresOf } from './figures.ts';
import { type MeanFigures, meanFigures } from './mean-figures.ts';

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
  readonly tools: Readonly<Record<string, unknown>> | readonly { readonly name: string }[];
  readonly cases: readonly EvaluationCase[];
  /** Each is measured by itself. @default [bm25Scorer()] */
  readonly scorers?: readonly ToolScorer[];
  /** Results that a model is shown: recall and verdicts are about these. @default 5 */
  readonly topK?: number;
  /** The processor's `search.keywords`. @default none */
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
}

/**
 * How a case went.
 *
 * @example
 * ```ts
 * const isMissed = ({ rank, relevant }: CaseResult) => relevant.length > 0 && rank === undefined;
 * ```
 */
export interface CaseResult {
  readonly id: string;
  readonly query: string;
  readonly relevant: readonly string[];
  /** The place of the first relevant tool, from 1 on; left out where none matches the query. */
  readonly rank?: number;
  /** The first ten tools, best first. */
  readonly found: readonly string[];
  /** Left out where nothing is relevant. */
  readonly figures?: Figures;
  /** Whether the model would be told that probably nothing fits; left out where the scorer gives no confidence. */
  readonly isWeak?: boolean;
}

/**
 * What is said of whether anything fits; shares from 0 to 1.
 *
 * @example
 * ```ts
 * const isQuiet = ({ falseAlarms }: Verdicts) => (falseAlarms ?? 0) < 0.05;
 * ```
 */
export interface Verdicts {
  /** The share of the cases with a relevant tool shown of which it is said that nothing fits. Left out where there are none. */
  readonly falseAlarms?: number;
  /** The share of the cases that nothing fits of which it is not said. Left out where there are none. */
  readonly missedNothings?: number;
}

/**
 * What one scorer does with the cases.
 *
 * @example
 * ```ts
 * const misses = ({ cases }: ScorerEvaluation) => cases.filter(({ rank }) => rank === undefined);
 * ```
 */
export interface ScorerEvaluation {
  readonly scorer: string;
  /** Means over the cases that have relevant tools; left out where there are none. */
  readonly figures?: MeanFigures;
  /** Left out where the scorer gives no confidence. */
  readonly verdicts?: Verdicts;
  /** In the order of the cases. */
  readonly cases: readonly CaseResult[];
  /** The tools that came first in place of a relevant one, the most frequent first. */
  readonly confusions: readonly Confusion[];
}

/**
 * What `evaluate` found out. Plain data, to be kept as JSON.
 *
 * @example
 * ```ts
 * const summary = ({ scorers }: Evaluation) => scorers.map(({ scorer, figures }) => `${scorer}: ${figures?.ndcg10.mean}`);
 * ```
 */
export interface Evaluation {
  /** Count of the tools that can be searched. */
  readonly tools: number;
  readonly topK: number;
  readonly scorers: readonly ScorerEvaluation[];
}

const optionNames: NamesOf<EvaluateOptions> = { tools: true, cases: true, scorers: true, topK: true, keywords: true };

/**
 * Measures how well queries find the tools that they should, with the agent's own scorers. No model is called, and no tool runs.
 *
 * @throws ToolSearchError `invalid-option` for wrong options, and for a case that wants a tool which is not there;
 * `invalid-tool` or `duplicate-tool` as the processor does. What a scorer throws is thrown.
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
  const { tools, scorers = [bm25Scorer()], topK = 5, keywords = {} } = options;
  checkOption(Number.isInteger(topK) && topK > 0, 'topK', topK, 'a whole number above 0');
  if (!Array.isArray(scorers) || scorers.length === 0) throw invalidOption('scorers', scorers, 'a list of scorers');
  const catalog = createCatalog(recordOf(tools), [], new Reporter(() => {}), new Map(Object.entries(keywords)));
  const cases = readCases(options.cases, catalog);
  const evaluations: ScorerEvaluation[] = [];
  // One after the other: their indexes need not all be in memory at once.
  for (const scorer of scorers) evaluations.push(await evaluateScorer(scorer, catalog, cases, topK));
  return { tools: catalog.size, topK, scorers: evaluations };
}

/** A list of definitions by their names. */
function recordOf(tools: EvaluateOptions['tools']): unknown {
  if (!Array.isArray(tools)) return tools;
  return Object.fromEntries((tools as readonly { readonly name: string }[]).map((tool) => [tool.name, tool]));
}

/** A case as it was searched. */
interface Searched {
  readonly result: CaseResult;
  readonly isShown: boolean;
  readonly miss?: Miss;
}

async function evaluateScorer(
  scorer: ToolScorer,
  catalog: Catalog,
  cases: readonly ReadCase[],
  topK: number,
): Promise<ScorerEvaluation> {
  const index = await scorer.index(runToEnd(catalog.readDocuments()));
  const searched: Searched[] = [];
  for (const one of cases) searched.push(await search(one, index, scorer, topK));
  const figures = searched.flatMap(({ result }) => result.figures ?? []);
  const verdicts = verdictsOf(searched);
  return {
    scorer: scorer.name,
    ...(figures.length > 0 ? { figures: meanFigures(figures) } : {}),
    ...(verdicts ? { verdicts } : {}),
    cases: searched.map(({ result }) => result),
    confusions: confusionsOf(searched.flatMap(({ miss }) => miss ?? [])),
  };
}

async function search(
  { id, query: text, relevant, groups }: ReadCase,
  index: ToolIndex,
  { keepsTail }: ToolScorer,
  topK: number,
): Promise<Searched> {
  const query = parseQuery(text);
  const matches = query.select ? [] : await index.search(query);
  const ranked = [...new Set(matches.map(({ name }) => name))];
  const shown = shownOf(matches.slice(0, topK), keepsTail).map(({ name }) => name);
  const confidences = (await index.confidence?.(query, shown)) ?? [];
  const rates = index.confidence !== undefined && confidences.length === shown.length;
  const place = ranked.findIndex((name) => relevant.includes(name));
  const result: CaseResult = {
    ...{ id, query: text, relevant, found: ranked.slice(0, DEPTH) },
    ...(place >= 0 ? { rank: place + 1 } : {}),
    ...(relevant.length > 0 ? { figures: figuresOf(ranked, relevant, groups, topK) } : {}),
    ...(rates ? { isWeak: isWeak(likelihoodOfAny(confidences)) } : {}),
  };
  const isShown = shown.some((name) => relevant.includes(name));
  if (relevant.length === 0 || place === 0) return { result, isShown };
  return { result, isShown, miss: await missOf(query, ranked, relevant, index) };
}

/** What is shown of the first matches: none of the tail. */
function shownOf(matches: readonly ToolMatch[], keepsTail = false): readonly ToolMatch[] {
  const none = { named: new Set<string>(), besides: new Set<string>() };
  return keepsTail ? matches : withoutTail(matches as readonly FoundEntry[], none);
}

function verdictsOf(searched: readonly Searched[]): Verdicts | undefined {
  const judged = searched.filter(({ result }) => result.isWeak !== undefined);
  if (judged.length === 0) return undefined;
  const share = (some: readonly Searched[], isSaid: boolean): number =>
    meanOf(some.map(({ result }) => (result.isWeak === isSaid ? 1 : 0)));
  const fitting = judged.filter(({ isShown }) => isShown);
  const nothing = judged.filter(({ result }) => result.relevant.length === 0);
  return {
    ...(fitting.length > 0 ? { falseAlarms: share(fitting, true) } : {}),
    ...(nothing.length > 0 ? { missedNothings: share(nothing, false) } : {}),
  };
}
