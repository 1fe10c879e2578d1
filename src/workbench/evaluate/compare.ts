import { checkOption } from '../../errors.ts';
import { type NamesOf, refuseUnknownOptions } from '../../util/check.ts';
import { grouped } from '../grouped.ts';
import type { Evaluation } from './evaluate.ts';
import type { CaseResult, ScorerEvaluation } from './measure.ts';
import { type Figures, type MeanFigures, meanFigures } from './metrics.ts';

/**
 * A case whose rank has changed.
 *
 * @example
 * ```ts
 * const say = ({ query, before, after }: CaseChange) => `${query}: ${before ?? 'not found'} → ${after ?? 'not found'}`;
 * ```
 */
export interface CaseChange {
  readonly id: string;
  readonly query: string;
  /** The rank of the first relevant tool; absent if none matched. */
  readonly before?: number;
  readonly after?: number;
}

/**
 * What changed for one scorer.
 *
 * @example
 * ```ts
 * const isWorse = ({ difference }: Comparison) => (difference?.ndcg10.high ?? 0) < 0;
 * ```
 */
export interface Comparison {
  readonly scorer: string;
  /**
   * After minus before over paired cases, with its interval, which is empty if no case changed. Absent if no case with relevant
   * tools is in both evaluations.
   */
  readonly difference?: MeanFigures;
  readonly better: readonly CaseChange[];
  readonly worse: readonly CaseChange[];
  /** Number of cases that only one of the two evaluations has. */
  readonly unmatched: number;
}

/**
 * Compares two evaluations by the scorers that are in both. Cases match by id, or else by query; an id that is only the index
 * in the list does not count.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 *
 * const baseline = JSON.parse(readFileSync('baseline.json', 'utf8')) as Evaluation;
 * const cases = parseCases(readFileSync('cases.jsonl', 'utf8'));
 * const [change] = compareEvaluations(baseline, await evaluate({ tools, cases }));
 * console.log(change?.worse.map(({ query }) => query));
 * ```
 */
export function compareEvaluations(before: Evaluation, after: Evaluation): readonly Comparison[] {
  return after.scorers.flatMap((now) => {
    const then = before.scorers.find(({ scorer }) => scorer === now.scorer);
    return then ? [compareScorers(then, now)] : [];
  });
}

/** Compares two scorers, or two evaluations of one scorer, case by case. */
export function compareScorers(then: ScorerEvaluation, now: ScorerEvaluation): Comparison {
  const pairs = pairsOf(then.cases, now.cases);
  const differences = pairs.flatMap((pair) => changesOf(pair.before.figures, pair.after.figures) ?? []);
  const changes = pairs.filter((pair) => placeOf(pair.before) !== placeOf(pair.after));
  return {
    scorer: now.scorer,
    ...(differences.length > 0 ? { difference: meanFigures(differences, -1) } : {}),
    better: changes.filter((pair) => placeOf(pair.after) < placeOf(pair.before)).map(changeOf),
    worse: changes.filter((pair) => placeOf(pair.after) > placeOf(pair.before)).map(changeOf),
    unmatched: then.cases.length + now.cases.length - 2 * pairs.length,
  };
}

/** Says whether a scorer ranks better than another one, or whether the cases cannot tell. */
export function differenceSentence(comparison: Comparison, than: string): string {
  const { scorer, difference, better, worse, unmatched } = comparison;
  const change = difference?.ndcg10;
  const points = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(1)}`;
  const count = (value: number): string => value.toLocaleString('en-US');
  const cases = `${count(better.length)} better, ${count(worse.length)} worse`;
  const others = unmatched > 0 ? `, ${count(unmatched)} only in one of them` : '';
  if (!change) return `${scorer} cannot be compared with ${than}: they have no case with relevant tools in common.`;
  const said = `nDCG@10 ${points(change.mean)} points`;
  if (change.low === change.high && change.mean === 0) return `${scorer} ranks as ${than}: ${said}, ${cases}${others}.`;
  const interval = `95 % interval ${points(change.low)} to ${points(change.high)}`;
  const verdict =
    change.low > 0
      ? `ranks better than ${than}`
      : change.high < 0
        ? `ranks worse than ${than}`
        : `is not shown to rank otherwise than ${than}`;
  return `${scorer} ${verdict}: ${said} (${interval}), ${cases}${others}.`;
}

function changesOf(before: Figures | undefined, after: Figures | undefined): Figures | undefined {
  if (!before || !after) return undefined;
  const of = (key: keyof Figures): number => after[key] - before[key];
  return { hit1: of('hit1'), recall: of('recall'), mrr: of('mrr'), ndcg10: of('ndcg10') };
}

interface Pair {
  readonly before: CaseResult;
  readonly after: CaseResult;
}

function changeOf({ before, after }: Pair): CaseChange {
  return {
    id: after.id,
    query: after.query,
    ...(before.rank === undefined ? {} : { before: before.rank }),
    ...(after.rank === undefined ? {} : { after: after.rank }),
  };
}

function placeOf({ rank }: CaseResult): number {
  return rank ?? Number.POSITIVE_INFINITY;
}

/** Keys by which two results belong to one case, the most reliable first. */
const KEYS: readonly ((one: CaseResult, at: number) => string | undefined)[] = [
  ({ id, query }, at) => (isNamed(id, at) ? JSON.stringify([id, query]) : undefined),
  ({ id }, at) => (isNamed(id, at) ? id : undefined),
  ({ query }) => query,
];

function isNamed(id: string, at: number): boolean {
  return id !== `${at + 1}`;
}

/** Pairs the results of both evaluations, in the order of the later one. Among equal keys, the first matches the first. */
function pairsOf(then: readonly CaseResult[], now: readonly CaseResult[]): readonly Pair[] {
  const left = new Map(then.entries());
  const pairs = now.map((): Pair | undefined => undefined);
  for (const keyOf of KEYS) {
    const places = grouped(left, ([at, one]) => keyOf(one, at));
    const taken = new Map<string, number>();
    for (const [at, after] of now.entries()) {
      const key = keyOf(after, at);
      if (pairs[at] || key === undefined) continue;
      const count = taken.get(key) ?? 0;
      const [place, before] = places.get(key)?.[count] ?? [];
      if (place === undefined || !before) continue;
      taken.set(key, count + 1);
      left.delete(place);
      pairs[at] = { before, after };
    }
  }
  return pairs.filter((pair) => pair !== undefined);
}

/**
 * Thresholds for an evaluation, in shares from 0 to 1.
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
  /** An earlier evaluation. */
  readonly baseline?: Evaluation;
  /** How far the mean nDCG@10 may drop below the baseline's, over the cases that both have. @default 0 */
  readonly maxRegression?: number;
}

const gateNames: NamesOf<Gates> = {
  ...{ minHit1: true, minRecall: true, minMrr: true, minNdcg10: true, maxFalseAlarms: true, maxMissedNothings: true },
  ...{ baseline: true, maxRegression: true },
};
const LEAST: readonly (readonly [gate: keyof Gates, figure: keyof Figures, title: string])[] = [
  ['minHit1', 'hit1', 'hit@1'],
  ['minRecall', 'recall', 'recall'],
  ['minMrr', 'mrr', 'MRR'],
  ['minNdcg10', 'ndcg10', 'nDCG@10'],
];
/** Tolerance for rounding errors in sums of shares. */
const ROUNDING = 1e-9;

/**
 * Describes the gates that an evaluation fails, for each scorer; empty if it passes. A gate that cannot be measured fails.
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
