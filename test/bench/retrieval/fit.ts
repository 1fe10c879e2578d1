import { comingTo, likelihoodOfAny, logOddsOf } from '../../../src/scorers/confidence.ts';
import { percent, type Section, section, table } from '../report.ts';
import { grouped, mean, sum } from '../statistics.ts';
import type { Contestant, Evidence } from './measure.ts';
import { type Judged, reliabilityOf, reliabilityRows } from './ranking.ts';
import { areaUnderCurve, type Judgement, judge } from './verdict.ts';
import type { Kind, SetTrials } from './verdict-trials.ts';

type Weights = Readonly<Record<Kind, number>>;
/** What a query of each kind counts for the confidence of a result: the labelled ones are what is calibrated. */
const RESULT_WEIGHTS: Weights = { own: 1, without: 0.05, foreign: 0.05, unserved: 0.05, near: 0.05 };
/** And for the verdict on all results: what is removed has relatives that nobody labelled, and counts less. */
const VERDICT_WEIGHTS: Weights = { own: 1, without: 0.3, foreign: 1, unserved: 1, near: 1 };
/** How often queries of each kind are taken to come: what the likelihood is calibrated to. */
const SHARES: Weights = { own: 1, without: 0.05, foreign: 0.05, unserved: 0.05, near: 0.05 };
/** The confidence of a tool that was asked for by its name. */
const NAMED = 0.99;
const FALSE_ALARMS = [0.02, 0.05, 0.1, 0.2];
/** The share of the right tools that `minConfidence` may drop. */
const LOST = 0.005;

/** The judgements of one set. */
interface JudgedSet {
  readonly set: string;
  readonly family: string;
  readonly judgements: readonly Judgement[];
}

/** The confidence of each result apart, and the likelihood that any of them fits. */
interface Fit {
  readonly names: readonly string[];
  readonly apart: Model;
  /** What the likelihood of any is made of, beside that of the confidences apart. */
  readonly more: readonly string[];
  readonly together: Model;
}

/**
 * Fits the confidence of a contestant whose results come with evidence, and tells how it does on catalogs that it was
 * not fitted on: each family of sets is judged by a model of the others.
 */
export async function fitReport(contestant: Contestant, sets: readonly SetTrials[]): Promise<string> {
  const judged: JudgedSet[] = [];
  for (const trials of sets) judged.push({ ...trials, judgements: await judge(contestant, trials) });
  const judgements = judged.flatMap((each) => each.judgements);
  const namesIn = (evidence: Evidence | undefined): readonly string[] => Object.keys(evidence ?? {});
  const names = namesIn(judgements.flatMap(({ results }) => results).find(({ evidence }) => evidence)?.evidence);
  const more = namesIn(judgements.find(({ together }) => together)?.together);
  if (names.length === 0) return `${contestant.name} gives no evidence.`;

  const all = fitOf(judged, names, more);
  const rated = judged.map(({ set, family, judgements }) => {
    const others = judged.filter((other) => other.family !== family);
    const fit = others.length > 0 ? fitOf(others, names, more) : all;
    return { set, judgements: judgements.map((each) => ({ ...each, confidences: confidencesBy(fit, each) })) };
  });
  const right = rated.map(({ set, judgements }) => ({
    set,
    right: judgements.flatMap(({ results, confidences }) => confidences.filter((_, at) => results[at]!.isRelevant)),
  }));
  const least = quantileOf(
    right.map((each) => each.right),
    LOST,
  );
  const lost = right.map(({ set, right }) => [
    ...[set, `${right.length}`],
    ...[least, 0.05, 0.1].map((value) => (100 * shareBelow(right, value)).toFixed(1)),
  ]);
  const told = (model: Model, of: readonly string[]): string =>
    `${of.map((name, at) => `${name}: ${model.weights[at]?.toFixed(2)}`).join(', ')}; intercept ${model.intercept.toFixed(2)}`;
  return [
    `${contestant.name}, fitted on all sets`,
    `  ${told(all.apart, names)}`,
    `  together: ${told(all.together, ['apart', ...more])}`,
    `  minConfidence ${least.toFixed(3)} drops 0.5 % of the right tools that are shown, in the mean of the sets`,
    table([['', 'right tools shown', `below ${least.toFixed(3)} %`, 'below 0.05 %', 'below 0.1 %'], ...lost]),
    `\nEach set by a model of the others\n\n${[curveOf(rated), ...reliabilityOfSets(rated)].map(section).join('\n')}`,
  ].join('\n');
}

interface RatedSet {
  readonly set: string;
  readonly judgements: readonly (Judgement & { readonly confidences: readonly number[] })[];
}

/** How often it is said that nothing fits, by the false alarms that this costs: at one threshold for all sets, and at one of each. */
function curveOf(rated: readonly RatedSet[]): Section {
  const sets = rated.map(({ judgements }) => {
    const kindOf = ({ kind, isShown }: Judgement): string => (kind === 'own' ? (isShown ? 'shown' : 'missed') : kind);
    const byKind = grouped(judgements, kindOf);
    return (kind: string): readonly number[] =>
      (byKind.get(kind) ?? []).map(({ confidences }) => likelihoodOfAny(confidences));
  });
  const shown = sets.map((of) => of('shown'));
  const thresholds = FALSE_ALARMS.map((share) => quantileOf(shown, share));
  const kinds = ['missed', 'without', 'foreign', 'unserved', 'near'];
  const rows = kinds.flatMap((kind) => {
    const there = sets.filter((of) => of(kind).length > 0 && of('shown').length > 0);
    if (there.length === 0) return [];
    const shares = thresholds.map((value) => mean(there.map((of) => shareBelow(of(kind), value))));
    const own = FALSE_ALARMS.map((share) =>
      mean(there.map((of) => shareBelow(of(kind), quantileOf([of('shown')], share)))),
    );
    const auc = mean(there.map((of) => areaUnderCurve(of('shown'), of(kind))));
    return [[kind, `${sum(there.map((of) => of(kind).length))}`, ...[...shares, ...own, auc].map(percent)]];
  });
  const alarms = FALSE_ALARMS.map((share) => `at ${100 * share} %`);
  return {
    title: '"Nothing fits", said of a query (percent), at false alarms on those with a right tool among five',
    rows: [['', 'queries', ...alarms, ...alarms.map((name) => `${name}, each set`), 'AUC'], ...rows],
    note: `  thresholds ${thresholds.map((value) => value.toFixed(3)).join(', ')}; false alarms at the second by set: ${shown
      .map((list, at) => `${rated[at]!.set} ${percent(shareBelow(list, thresholds[1]!))}`)
      .join(', ')}`,
  };
}

/** How far the confidences of labelled queries are to be believed. */
function reliabilityOfSets(rated: readonly RatedSet[]): readonly Section[] {
  const judged = (some: readonly RatedSet[], depth: number): readonly Judged[] =>
    some.flatMap(({ judgements }) =>
      judgements
        .filter(({ kind }) => kind === 'own')
        .flatMap(({ results, confidences }) =>
          results.slice(0, depth).map(({ isRelevant }, at) => ({ isRelevant, confidence: confidences[at]! })),
        ),
    );
  const [first, five] = [reliabilityOf(judged(rated, 1)), reliabilityOf(judged(rated, 5))];
  const error = (some: readonly RatedSet[], depth: number): string =>
    reliabilityOf(judged(some, depth)).calibrationError.toFixed(3);
  return [
    { title: 'Confidences of labelled queries (percent)', rows: reliabilityRows(first, five) },
    {
      title: 'Expected calibration error',
      rows: [
        ['', 'first results', 'first five'],
        ...rated.map((each) => [each.set, error([each], 1), error([each], 5)]),
        ['all queries', error(rated, 1), error(rated, 5)],
      ],
    },
  ];
}

/** Every set counts the same, and in it every kind of query as the weights say. */
function fitOf(sets: readonly JudgedSet[], names: readonly string[], more: readonly string[]): Fit {
  const apart = regression(
    casesOf(sets, RESULT_WEIGHTS, ({ results }) =>
      results.flatMap(({ evidence, isRelevant }) =>
        evidence ? [{ features: inputsOf(evidence, names), isTrue: isRelevant }] : [],
      ),
    ),
  );
  const verdicts = (weights: Weights): readonly Case[] =>
    casesOf(sets, weights, (each) =>
      each.together
        ? [{ features: togetherOf({ apart, names, more }, each, each.together), isTrue: each.isShown }]
        : [],
    );
  const fitted = regression(verdicts(VERDICT_WEIGHTS));
  return { names, apart, more, together: calibrated(fitted, verdicts(SHARES)) };
}

function casesOf(
  sets: readonly JudgedSet[],
  weights: Weights,
  read: (each: Judgement) => readonly Omit<Case, 'weight'>[],
): readonly Case[] {
  return sets.flatMap(({ judgements }) =>
    [...grouped(judgements, ({ kind }) => kind)].flatMap(([kind, some]) => {
      const cases = some.flatMap(read);
      return cases.map((each) => ({ ...each, weight: weights[kind] / cases.length }));
    }),
  );
}

function apartBy({ apart, names }: Pick<Fit, 'apart' | 'names'>, { results }: Judgement): readonly number[] {
  return results.map(({ evidence }) => (evidence ? likelihood(apart, inputsOf(evidence, names)) : NAMED));
}

function togetherOf(fit: Omit<Fit, 'together'>, each: Judgement, together: Evidence): readonly number[] {
  return [logOddsOf(likelihoodOfAny(apartBy(fit, each))), ...inputsOf(together, fit.more)];
}

function confidencesBy(fit: Fit, each: Judgement): readonly number[] {
  const apart = apartBy(fit, each);
  if (!each.together) return apart;
  return comingTo(likelihood(fit.together, togetherOf(fit, each, each.together)), apart);
}

/** The model with the intercept that gives these cases their mean. */
function calibrated({ weights, intercept }: Model, cases: readonly Case[]): Model {
  let model: Model = { weights, intercept };
  for (let step = 0; step < STEPS; step++) {
    const guesses = cases.map(({ features, weight }) => ({ weight, guess: likelihood(model, features) }));
    const gradient = sum(cases.map(({ isTrue, weight }, at) => weight * (guesses[at]!.guess - Number(isTrue))));
    const slope = sum(guesses.map(({ guess, weight }) => weight * guess * (1 - guess)));
    if (slope > 0) model = { weights, intercept: model.intercept - gradient / slope };
  }
  return model;
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
