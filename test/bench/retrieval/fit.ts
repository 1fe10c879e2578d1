import { verdictOfAny } from '../../../src/search/find.ts';
import { textTable } from '../table.ts';
import type { Contestant } from './measure.ts';
import {
  type JudgedResult,
  type Judgement,
  judge,
  type VerdictEntry,
  verdictFigures,
  verdictReport,
} from './verdict.ts';
import type { SetTrials } from './verdict-trials.ts';

/** What a query counts that nothing fits, against 1 for one of the labelled ones: these are what is calibrated. */
const NOTHING = 0.1;
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
  const names = Object.keys(judged.flatMap(({ judgements }) => judgements.flatMap(evidenceIn))[0] ?? {});
  if (names.length === 0) return `${contestant.name} gives no evidence.`;

  const all = modelOf(judged, names);
  const apart = judged.map((set) => {
    const others = judged.filter(({ family }) => family !== set.family);
    return { ...set, model: others.length > 0 ? modelOf(others, names) : all };
  });
  const confidencesOf = (results: readonly JudgedResult[], model: Model): number[] => {
    return results.map(({ evidence }) => (evidence ? likelihood(model, inputsOf(evidence, names)) : NAMED));
  };
  const rated = apart.map(({ set, judgements, model }) => ({
    set,
    judgements: judgements.map((each) => {
      return { ...each, likelihood: verdictOfAny(confidencesOf(each.results, model)).likelihood };
    }),
  }));
  const weak = weakFor(rated.map(({ judgements }) => judgements));
  const entries = rated.map(({ set, judgements }): VerdictEntry => {
    const warned = judgements.map((each) => ({ ...each, isWeak: each.likelihood < weak }));
    return { set, contestant: `${contestant.name}, each set by a model of the others`, ...verdictFigures(warned) };
  });
  const right = apart.map(({ judgements, model }) =>
    judgements.flatMap(({ results }) => confidencesOf(results, model).filter((_, at) => results[at]?.isRelevant)),
  );
  const least = quantileOf(right, LOST);
  const lost = right.map((list, at) => [
    apart[at]?.set ?? '',
    `${list.length}`,
    ...[least, 0.05, 0.1].map((value) => (100 * shareBelow(list, value)).toFixed(1)),
  ]);
  return [
    `${contestant.name}, fitted on all sets`,
    `  ${names.map((name, at) => `${name}: ${all.weights[at]?.toFixed(2)}`).join(', ')}; intercept ${all.intercept.toFixed(2)}`,
    `  weak below ${weak.toFixed(2)}, for false alarms of 5 % in the mean of the sets`,
    `  minConfidence ${least.toFixed(3)} drops 0.5 % of the right tools that are shown, in the mean of the sets`,
    textTable([['', 'right tools shown', `below ${least.toFixed(3)} %`, 'below 0.05 %', 'below 0.1 %'], ...lost]),
    '',
    verdictReport(entries),
  ].join('\n');
}

/** Every set counts the same, and in it every kind of query. */
function modelOf(sets: readonly JudgedSet[], names: readonly string[]): Model {
  const cases: Case[] = [];
  for (const { judgements } of sets) {
    for (const [kind, weight] of [
      ['own', 1],
      ['without', NOTHING / 2],
      ['foreign', NOTHING / 2],
    ] as const) {
      const results = judgements.filter((each) => each.kind === kind).flatMap((each) => each.results);
      const rated = results.flatMap(({ evidence, isRelevant }) => (evidence ? [{ evidence, isRelevant }] : []));
      for (const { evidence, isRelevant } of rated) {
        cases.push({ features: inputsOf(evidence, names), isTrue: isRelevant, weight: weight / rated.length });
      }
    }
  }
  return regression(cases);
}

/** The likelihood below which 5 % are of the queries with a tool that fits, in the mean of the sets. */
function weakFor(sets: readonly (readonly (Judgement & { readonly likelihood: number })[])[]): number {
  const fitting = sets.map((judgements) => judgements.filter(({ isShown }) => isShown).map((each) => each.likelihood));
  return quantileOf(fitting, FALSE_ALARMS);
}

/** The value below which this share of the numbers is, in the mean of the lists, which all count the same. */
function quantileOf(lists: readonly (readonly number[])[], share: number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    const below = lists.map((list) => shareBelow(list, middle)).filter((each) => !Number.isNaN(each));
    const mean = below.reduce((sum, each) => sum + each, 0) / below.length;
    if (mean > share) high = middle;
    else low = middle;
  }
  return low;
}

function shareBelow(list: readonly number[], value: number): number {
  return list.filter((each) => each < value).length / list.length;
}

function evidenceIn({ results }: Judgement): readonly Readonly<Record<string, number>>[] {
  return results.flatMap(({ evidence }) => (evidence ? [evidence] : []));
}

function inputsOf(evidence: Readonly<Record<string, number>>, names: readonly string[]): readonly number[] {
  return names.map((name) => evidence[name] ?? 0);
}

/** One case of a regression: its features, whether it is true, and how much it counts. */
export interface Case {
  readonly features: readonly number[];
  readonly isTrue: boolean;
  readonly weight: number;
}

/** Weights by feature, and the log odds of a case without any. */
export interface Model {
  readonly weights: readonly number[];
  readonly intercept: number;
}

const STEPS = 30;
/** Ridge, as a share of the cases: it keeps features that say the same from running away from each other. */
const RIDGE = 1e-4;

/** A logistic regression by Newton's method: the same cases give the same model. */
export function regression(cases: readonly Case[]): Model {
  const total = cases.reduce((sum, { weight }) => sum + weight, 0);
  const size = (cases[0]?.features.length ?? 0) + 1;
  let model: number[] = Array.from({ length: size }, () => 0);
  for (let step = 0; step < STEPS; step++) {
    const slope = model.map((weight, at) => (at < size - 1 ? RIDGE * weight : 0));
    const bend = model.map((_, row) => model.map((__, column) => Number(row === column && row < size - 1) * RIDGE));
    for (const { features, isTrue, weight } of cases) {
      const inputs = [...features, 1];
      const guess = sigmoid(dot(model, inputs));
      const share = weight / total;
      for (const [row, input] of inputs.entries()) {
        slope[row] = (slope[row] ?? 0) + share * (guess - Number(isTrue)) * input;
        const line = bend[row] ?? [];
        for (const [column, other] of inputs.entries()) {
          line[column] = (line[column] ?? 0) + share * guess * (1 - guess) * input * other;
        }
      }
    }
    const change = solve(bend, slope);
    model = model.map((weight, at) => weight - (change[at] ?? 0));
  }
  return { weights: model.slice(0, -1), intercept: model.at(-1) ?? 0 };
}

/** How likely a case is true, from 0 to 1. */
export function likelihood({ weights, intercept }: Model, features: readonly number[]): number {
  return sigmoid(intercept + dot(weights, features));
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

/** Solves linear equations by Gauss's elimination, the largest pivot first. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  for (let at = 0; at < rows.length; at++) {
    const [pivot = []] = rows.splice(
      rows.reduce((best, row, place) => {
        return place > at && Math.abs(row[at] ?? 0) > Math.abs(rows[best]?.[at] ?? 0) ? place : best;
      }, at),
      1,
    );
    rows.splice(at, 0, pivot);
    for (const [place, row] of rows.entries()) {
      if (place === at) continue;
      const factor = (row[at] ?? 0) / (pivot[at] || 1);
      for (const [column, value] of pivot.entries()) row[column] = (row[column] ?? 0) - factor * value;
    }
  }
  return rows.map((row, at) => (row.at(-1) ?? 0) / (row[at] || 1));
}
