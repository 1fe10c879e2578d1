import { verdictOfAny } from '../../../src/search/find.ts';
import { section, table } from '../report.ts';
import { mean, sum } from '../statistics.ts';
import type { Contestant, Evidence } from './measure.ts';
import { type Judgement, judge, type VerdictEntry, verdictFigures, verdictTables } from './verdict.ts';
import type { SetTrials } from './verdict-trials.ts';

/** What a query of each kind counts: the labelled ones are what is calibrated, and a tenth of the weight says that nothing fits. */
const WEIGHTS = { own: 1, without: 0.05, foreign: 0.05 } as const;
/** The confidence of a tool that was asked for by its name. */
const NAMED = 0.99;
const FALSE_ALARMS = 0.05;
/** The share of the right tools that `minConfidence` may drop. */
const LOST = 0.005;

/** The judgements of one set. */
interface JudgedSet {
  readonly set: string;
  readonly family: string;
  readonly judgements: readonly Judgement[];
}

/**
 * Fits the confidence of a contestant whose results come with evidence, and tells how it does on catalogs that it was
 * not fitted on: each family of sets is judged by a model of the others.
 */
export async function fitReport(contestant: Contestant, sets: readonly SetTrials[]): Promise<string> {
  const judged: JudgedSet[] = [];
  for (const trials of sets) judged.push({ ...trials, judgements: await judge(contestant, trials) });
  const results = judged.flatMap(({ judgements }) => judgements.flatMap((each) => each.results));
  const names = Object.keys(results.find(({ evidence }) => evidence)?.evidence ?? {});
  if (names.length === 0) return `${contestant.name} gives no evidence.`;

  const all = modelOf(judged, names);
  const rated = judged.map(({ set, family, judgements }) => {
    const others = judged.filter((other) => other.family !== family);
    const model = others.length > 0 ? modelOf(others, names) : all;
    const confidenceOf = ({ evidence }: { readonly evidence: Evidence | undefined }): number =>
      evidence ? likelihood(model, inputsOf(evidence, names)) : NAMED;
    return {
      set,
      judgements: judgements.map((each) => {
        return { ...each, likelihood: verdictOfAny(each.results.map(confidenceOf)).likelihood };
      }),
      right: judgements.flatMap((each) => each.results.filter(({ isRelevant }) => isRelevant).map(confidenceOf)),
    };
  });
  const fitting = rated.map(({ judgements }) =>
    judgements.filter(({ isShown }) => isShown).map((each) => each.likelihood),
  );
  const weak = quantileOf(fitting, FALSE_ALARMS);
  const entries = rated.map(({ set, judgements }): VerdictEntry => {
    const warned = judgements.map((each) => ({ ...each, isWeak: each.likelihood < weak }));
    return { set, contestant: `${contestant.name}, each set by a model of the others`, ...verdictFigures(warned) };
  });
  const least = quantileOf(
    rated.map(({ right }) => right),
    LOST,
  );
  const lost = rated.map(({ set, right }) => [
    ...[set, `${right.length}`],
    ...[least, 0.05, 0.1].map((value) => (100 * shareBelow(right, value)).toFixed(1)),
  ]);
  return [
    `${contestant.name}, fitted on all sets`,
    `  ${names.map((name, at) => `${name}: ${all.weights[at]?.toFixed(2)}`).join(', ')}; intercept ${all.intercept.toFixed(2)}`,
    `  weak below ${weak.toFixed(2)}, for false alarms of 5 % in the mean of the sets`,
    `  minConfidence ${least.toFixed(3)} drops 0.5 % of the right tools that are shown, in the mean of the sets`,
    table([['', 'right tools shown', `below ${least.toFixed(3)} %`, 'below 0.05 %', 'below 0.1 %'], ...lost]),
    `\n${verdictTables(entries).map(section).join('\n')}`,
  ].join('\n');
}

/** Every set counts the same, and in it every kind of query. */
function modelOf(sets: readonly JudgedSet[], names: readonly string[]): Model {
  const cases = sets.flatMap(({ judgements }) =>
    (['own', 'without', 'foreign'] as const).flatMap((kind): readonly Case[] => {
      const results = judgements.filter((each) => each.kind === kind).flatMap((each) => each.results);
      const rated = results.flatMap(({ evidence, isRelevant }) => (evidence ? [{ evidence, isRelevant }] : []));
      return rated.map(({ evidence, isRelevant }) => {
        return { features: inputsOf(evidence, names), isTrue: isRelevant, weight: WEIGHTS[kind] / rated.length };
      });
    }),
  );
  return regression(cases);
}

/** The value below which this share of the numbers is, in the mean of the lists, which all count the same. */
function quantileOf(lists: readonly (readonly number[])[], share: number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    const below = lists.map((list) => shareBelow(list, middle)).filter((each) => !Number.isNaN(each));
    if (mean(below) > share) high = middle;
    else low = middle;
  }
  return low;
}

function shareBelow(list: readonly number[], value: number): number {
  return list.filter((each) => each < value).length / list.length;
}

function inputsOf(evidence: Evidence, names: readonly string[]): readonly number[] {
  return names.map((name) => evidence[name] ?? 0);
}

/** One case of a regression: its features, whether it is true, and how much it counts. */
interface Case {
  readonly features: readonly number[];
  readonly isTrue: boolean;
  readonly weight: number;
}

/** Weights by feature, and the log odds of a case without any. */
interface Model {
  readonly weights: readonly number[];
  readonly intercept: number;
}

const STEPS = 30;
/** Ridge, as a share of the cases: it keeps features that say the same from running away from each other. */
const RIDGE = 1e-4;

/** A logistic regression by Newton's method: the same cases give the same model. */
export function regression(cases: readonly Case[]): Model {
  const total = sum(cases.map(({ weight }) => weight));
  const size = (cases[0]?.features.length ?? 0) + 1;
  let model = new Array<number>(size).fill(0);
  for (let step = 0; step < STEPS; step++) {
    // The intercept, which is last, has no ridge.
    const gradient = model.map((weight, at) => (at < size - 1 ? RIDGE * weight : 0));
    const hessian = model.map((_, row) => model.map((__, column) => (row === column && row < size - 1 ? RIDGE : 0)));
    for (const { features, isTrue, weight } of cases) {
      const inputs = [...features, 1];
      const guess = sigmoid(dot(model, inputs));
      const share = weight / total;
      for (let row = 0; row < size; row++) {
        gradient[row]! += share * (guess - Number(isTrue)) * inputs[row]!;
        for (let column = 0; column < size; column++)
          hessian[row]![column]! += share * guess * (1 - guess) * inputs[row]! * inputs[column]!;
      }
    }
    const change = solve(hessian, gradient);
    model = model.map((weight, at) => weight - change[at]!);
  }
  return { weights: model.slice(0, -1), intercept: model.at(-1)! };
}

/** How likely a case is true, from 0 to 1. */
export function likelihood({ weights, intercept }: Model, features: readonly number[]): number {
  return sigmoid(intercept + dot(weights, features));
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

function dot(one: readonly number[], other: readonly number[]): number {
  return sum(one.map((value, at) => value * other[at]!));
}

/** Solves linear equations by Gauss's elimination. A positive definite matrix, as with a ridge, needs no pivoting. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, at) => [...row, right[at]!]);
  for (const [at, pivot] of rows.entries()) {
    for (const row of rows) {
      if (row === pivot) continue;
      const factor = row[at]! / pivot[at]!;
      for (const [column, value] of pivot.entries()) row[column]! -= factor * value;
    }
  }
  return rows.map((row, at) => row.at(-1)! / row[at]!);
}
