import { isWeak, likelihoodOfAny, parseQuery, type ToolIndex, type ToolScorer, withoutTail } from '../../kit.ts';
import { meanOf } from './bootstrap.ts';
import type { ReadCase } from './cases.ts';
import { type Confusion, confusionsOf, type Miss, missOf } from './confusions.ts';
import { DEPTH, type Figures, figuresOf, type MeanFigures, meanFigures } from './figures.ts';

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

/** A case as it was searched. */
export interface SearchedCase {
  readonly result: CaseResult;
  /** Whether a relevant tool is shown. */
  readonly isShown: boolean;
  readonly miss?: Miss;
}

/** What one scorer did with the cases that it was asked. */
export function summaryOf(scorer: string, searched: readonly SearchedCase[]): ScorerEvaluation {
  const figures = searched.flatMap(({ result }) => result.figures ?? []);
  const verdicts = verdictsOf(searched);
  return {
    scorer,
    ...(figures.length > 0 ? { figures: meanFigures(figures) } : {}),
    ...(verdicts ? { verdicts } : {}),
    cases: searched.map(({ result }) => result),
    confusions: confusionsOf(searched.flatMap(({ miss }) => miss ?? [])),
  };
}

/** Searches for a case. It runs in browsers too. */
export async function searchCase(
  { id, query: text, relevant, groups }: ReadCase,
  index: ToolIndex,
  { keepsTail }: Pick<ToolScorer, 'keepsTail'>,
  topK: number,
): Promise<SearchedCase> {
  const query = parseQuery(text);
  const matches = query.select ? [] : await index.search(query);
  const ranked = [...new Set(matches.map(({ name }) => name))];
  const first = matches.slice(0, topK);
  const shown = (keepsTail ? first : withoutTail(first)).map(({ name }) => name);
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

function verdictsOf(searched: readonly SearchedCase[]): Verdicts | undefined {
  const judged = searched.filter(({ result }) => result.isWeak !== undefined);
  if (judged.length === 0) return undefined;
  const share = (some: readonly SearchedCase[], isSaid: boolean): number =>
    meanOf(some.map(({ result }) => (result.isWeak === isSaid ? 1 : 0)));
  const fitting = judged.filter(({ isShown }) => isShown);
  const nothing = judged.filter(({ result }) => result.relevant.length === 0);
  return {
    ...(fitting.length > 0 ? { falseAlarms: share(fitting, true) } : {}),
    ...(nothing.length > 0 ? { missedNothings: share(nothing, false) } : {}),
  };
}
