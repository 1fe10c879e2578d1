import { checkOption, type NamesOf, refuseUnknownOptions } from '../../kit.ts';
import { compareEvaluations } from './compare.ts';
import type { Evaluation } from './evaluate.ts';
import type { Figures } from './figures.ts';
import type { ScorerEvaluation } from './measure.ts';

/**
 * What an evaluation has to reach, in shares from 0 to 1.
 *
 * @example
 * ```ts
 * const gates: Gates = { minRecall: 0.9, maxFalseAlarms: 0.05 };
 * ```
 */
export interface Gates {
  readonly minHit1?: number;
  readonly minRecall?: number;
  readonly minMrr?: number;
  readonly minNdcg10?: number;
  readonly maxFalseAlarms?: number;
  readonly maxMissedNothings?: number;
  /** An evaluation from before. */
  readonly baseline?: Evaluation;
  /** The most that the mean nDCG@10 may lie below that of the baseline, over the cases that both have. @default 0 */
  readonly maxRegression?: number;
}

const gateNames: NamesOf<Gates> = {
  minHit1: true,
  minRecall: true,
  minMrr: true,
  minNdcg10: true,
  maxFalseAlarms: true,
  maxMissedNothings: true,
  baseline: true,
  maxRegression: true,
};
const LEAST: readonly (readonly [gate: keyof Gates, figure: keyof Figures, title: string])[] = [
  ['minHit1', 'hit1', 'hit@1'],
  ['minRecall', 'recall', 'recall'],
  ['minMrr', 'mrr', 'MRR'],
  ['minNdcg10', 'ndcg10', 'nDCG@10'],
];
/** Sums of shares have their rounding. */
const ROUNDING = 1e-9;

/**
 * Says which gates an evaluation fails, for each scorer; an empty list where it passes. A gate that cannot be measured fails.
 *
 * @throws ToolSearchError `invalid-option` for an unknown gate, or one that is no number from 0 to 1.
 *
 * @example
 * ```ts
 * const cases = [{ query: 'write to a colleague', relevant: ['send_email'] }];
 * const failures = failedGates(await evaluate({ tools, cases }), { minHit1: 0.7 });
 * process.exitCode = failures.length > 0 ? 1 : 0;
 * ```
 */
export function failedGates(evaluation: Evaluation, gates: Gates): readonly string[] {
  refuseUnknownOptions('failedGates', gates, gateNames);
  const { baseline, ...shares } = gates;
  for (const [gate, share] of Object.entries(shares)) {
    const isShare = typeof share === 'number' && share >= 0 && share <= 1;
    checkOption(share === undefined || isShare, gate, share, 'a number from 0 to 1');
  }
  return [
    ...evaluation.scorers.flatMap((scorer) => [...tooLow(scorer, gates), ...tooHigh(scorer, gates)]),
    ...(baseline ? regressions(baseline, evaluation, gates.maxRegression ?? 0) : []),
  ];
}

function tooLow({ scorer, figures }: ScorerEvaluation, gates: Gates): string[] {
  return LEAST.flatMap(([gate, figure, title]) => {
    const least = gates[gate] as number | undefined;
    if (least === undefined) return [];
    const mean = figures?.[figure].mean;
    if (mean === undefined) return [`${scorer}: no case has relevant tools, so there is no ${title}`];
    return mean < least - ROUNDING ? [`${scorer}: ${title} is ${shown(mean)}, at least ${shown(least)} is wanted`] : [];
  });
}

function tooHigh({ scorer, verdicts }: ScorerEvaluation, { maxFalseAlarms, maxMissedNothings }: Gates): string[] {
  const failure = (title: string, share: number | undefined, most: number | undefined, lack: string): string[] => {
    if (most === undefined) return [];
    const why = verdicts ? lack : 'the scorer gives no confidence';
    if (share === undefined) return [`${scorer}: ${why}, so ${title} cannot be counted`];
    return share > most + ROUNDING
      ? [`${scorer}: ${title} are ${shown(share)}, at most ${shown(most)} are wanted`]
      : [];
  };
  return [
    ...failure('false alarms', verdicts?.falseAlarms, maxFalseAlarms, 'no case has a relevant tool among its results'),
    ...failure('missed nothings', verdicts?.missedNothings, maxMissedNothings, 'each case has relevant tools'),
  ];
}

function regressions(baseline: Evaluation, evaluation: Evaluation, most: number): string[] {
  const comparisons = compareEvaluations(baseline, evaluation);
  return evaluation.scorers.flatMap(({ scorer }) => {
    const comparison = comparisons.find((one) => one.scorer === scorer);
    if (!comparison) return [`${scorer}: the baseline has no scorer of this name, so nothing can be compared`];
    const change = comparison.difference?.ndcg10.mean;
    if (change === undefined)
      return [`${scorer}: no case with relevant tools is in the baseline too, so nothing can be compared`];
    return change < -most - ROUNDING
      ? [`${scorer}: nDCG@10 is ${shown(-change)} below the baseline, at most ${shown(most)} is wanted`]
      : [];
  });
}

function shown(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
