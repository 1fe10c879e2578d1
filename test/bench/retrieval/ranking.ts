// The figures of each contestant on each set, with 95 % intervals, and how far its confidences are to be believed.
import { bootstrap, type Estimate, type Figure, interval } from '../../../src/workbench/evaluate/metrics.ts';
import { percent, type Section, signed } from '../report.ts';
import { mean, median, sum } from '../statistics.ts';
import { BASELINE } from './contestants.ts';
import { type Run, SHOWN } from './measure.ts';
import { halfOf, type LabelledSet } from './sets.ts';

/** What all contestants did on one set. */
export interface MeasuredSet {
  readonly set: LabelledSet;
  readonly runs: readonly Run[];
}

const METRICS = ['hit1', 'recall', 'ndcg10'] as const;
type Estimates = Readonly<Record<(typeof METRICS)[number], Estimate>>;
const HEADING = ['', 'hit@1', 'recall@5', 'nDCG@10', `versus ${BASELINE.name}`];

/** Titles of all sets and of the halves, each with the sets of it. */
function halvesOf(measured: readonly MeasuredSet[], names: readonly ('tune' | 'held-out' | 'all')[]) {
  return names.flatMap((name) => {
    const places = [...measured.keys()].filter((at) => name === 'all' || halfOf(measured[at]!.set.name) === name);
    const title = { all: 'All', tune: 'Tuned on', 'held-out': 'Held out' }[name];
    const count = `(${places.length} ${places.length === 1 ? 'set' : 'sets'})`;
    return places.length === 0 ? [] : [{ title: `${title} ${count}`, places }];
  });
}

/** A table for each set; with several, their means, and nDCG@10 of every set side by side: of the halves, too, if `split`. */
export function rankingOf(measured: readonly MeasuredSet[], split: boolean): readonly Section[] {
  const contestants = measured[0]!.runs.map(({ contestant }) => contestant);
  const base = contestants.indexOf(BASELINE.name);
  const estimates = measured.map(({ set, runs }) =>
    runs.map(({ searches }) =>
      perMetric((metric) => {
        const values = searches.map(({ figures }) => figures[metric]);
        return bootstrap(values, set.name);
      }),
    ),
  );
  /** The figures of each contestant, and its nDCG@10 minus the baseline's, query by query. */
  const rowsOf = (all: readonly Estimates[]): readonly string[][] =>
    all.map((metrics, place) => {
      const isCompared = base >= 0 && place !== base;
      const versus = isCompared ? signedInterval(figure(difference(metrics.ndcg10, all[base]!.ndcg10))) : '';
      return [contestants[place]!, ...METRICS.map((metric) => withInterval(figure(metrics[metric]))), versus];
    });

  const ofSets = measured.map(({ set, runs }, at): Section => {
    const rows = rowsOf(estimates[at]!).map((row, place) => {
      const { buildMilliseconds, searches } = runs[place]!;
      const search = median(searches.map(({ milliseconds }) => milliseconds));
      return [...row, buildMilliseconds.toFixed(0), search.toFixed(2)];
    });
    const title = `${set.name}: ${set.tools.length} tools, ${set.queries.length} queries`;
    return { title, rows: [[...HEADING, 'build ms', 'search ms'], ...rows] };
  });
  if (measured.length === 1) return ofSets;
  const means = halvesOf(measured, split ? ['tune', 'held-out', 'all'] : ['all']).flatMap(({ title, places }) => {
    const averages = contestants.map((_, place) =>
      perMetric((metric) => average(places.map((at) => estimates[at]![place]![metric]))),
    );
    const overview = averages.map(({ hit1, recall, ndcg10 }, place) => [
      contestants[place]!,
      ...places.map((at) => percent(estimates[at]![place]!.ndcg10.mean)),
      ...[withInterval(figure(ndcg10)), percent(recall.mean), percent(hit1.mean)],
    ]);
    const names = places.map((at) => measured[at]!.set.name);
    return [
      { title: `${title}: the mean`, rows: [HEADING, ...rowsOf(averages)] },
      {
        title: `${title}: nDCG@10`,
        rows: [['', ...names, 'mean nDCG@10', 'mean recall@5', 'mean hit@1'], ...overview],
      },
    ];
  });
  return [...ofSets, ...means];
}

function perMetric(estimate: (metric: (typeof METRICS)[number]) => Estimate): Estimates {
  return Object.fromEntries(METRICS.map((metric) => [metric, estimate(metric)])) as unknown as Estimates;
}

/** The difference of two estimates that were drawn with the same seed. */
export function difference(first: Estimate, second: Estimate): Estimate {
  const resamples = first.resamples.map((value, at) => value - (second.resamples[at] ?? 0));
  return { mean: first.mean - second.mean, resamples };
}

/** The mean over sets, in which every set counts the same. */
export function average(estimates: readonly Estimate[]): Estimate {
  const draws = [...(estimates[0]?.resamples.keys() ?? [])];
  return {
    mean: mean(estimates.map((estimate) => estimate.mean)),
    resamples: Float64Array.from(draws, (at) => mean(estimates.map(({ resamples }) => resamples[at] ?? 0))),
  };
}

export function figure(estimate: Estimate): Figure {
  const [low, high] = interval(estimate);
  return { mean: estimate.mean, low, high };
}

function withInterval({ mean: middle, low, high }: Figure): string {
  return `${percent(middle)} [${percent(low)}, ${percent(high)}]`;
}

/** A difference with its interval. */
export function signedInterval({ mean: middle, low, high }: Figure): string {
  return `${signed(middle)} [${signed(low)}, ${signed(high)}]`;
}

/** One result with what was said about it and what is true. */
export interface Judged {
  readonly confidence: number;
  readonly isRelevant: boolean;
}

interface Bin {
  readonly results: number;
  /** NaN without results, as is the share. */
  readonly meanConfidence: number;
  readonly shareRelevant: number;
}

/** How far confidences are to be believed. Shares and errors are from 0 to 1. */
interface Reliability extends Bin {
  /** The mean squared distance of confidence and truth; 0 is best. */
  readonly brier: number;
  /** The mean distance of confidence and share over the bins, each counted by its results: the expected calibration error. */
  readonly calibrationError: number;
  /** Ten of them, from 0–0.1 to 0.9–1. */
  readonly bins: readonly Bin[];
}

const BINS = 10;

export function reliabilityOf(judged: readonly Judged[]): Reliability {
  const binOf = (some: readonly Judged[]): Bin => ({
    results: some.length,
    meanConfidence: mean(some.map(({ confidence }) => confidence)),
    shareRelevant: mean(some.map(({ isRelevant }) => Number(isRelevant))),
  });
  const bins = Array.from({ length: BINS }, (_, bin) =>
    binOf(judged.filter(({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)) === bin)),
  );
  const errors = bins
    .filter(({ results }) => results > 0)
    .map((bin) => (bin.results / judged.length) * Math.abs(bin.meanConfidence - bin.shareRelevant));
  return {
    ...binOf(judged),
    brier: mean(judged.map(({ confidence, isRelevant }) => (confidence - Number(isRelevant)) ** 2)),
    calibrationError: sum(errors),
    bins,
  };
}

/** The bins of first results beside those of the first five, and all of them. */
export function reliabilityRows(first: Reliability, five: Reliability): readonly (readonly string[])[] {
  const row = (name: string, ...bins: readonly Bin[]): readonly string[] => [
    name,
    ...bins.flatMap(({ results, meanConfidence, shareRelevant }) => {
      return [String(results), percent(meanConfidence), percent(shareRelevant)];
    }),
  ];
  return [
    ['confidence', 'first results', 'mean', 'relevant', 'first five', 'mean', 'relevant'],
    ...first.bins.map((bin, at) => row(`${at / BINS}–${(at + 1) / BINS}`, bin, five.bins[at]!)),
    row('all', first, five),
  ];
}

/** A table for each contestant that gives confidences, and each half of the sets, whose queries all count the same. */
export function reliabilityTables(measured: readonly MeasuredSet[]): readonly Section[] {
  return measured[0]!.runs.flatMap(({ contestant }, place) =>
    halvesOf(measured, ['tune', 'held-out']).flatMap(({ title, places }): readonly Section[] => {
      const searches = places.flatMap((at) => measured[at]!.runs[place]!.searches);
      const [first, five] = [1, SHOWN].map((depth) =>
        reliabilityOf(
          searches.flatMap(({ query, found }) =>
            found.slice(0, depth).flatMap(({ name, confidence }) => {
              return confidence === undefined ? [] : [{ confidence, isRelevant: query.relevant.includes(name) }];
            }),
          ),
        ),
      ) as [Reliability, Reliability];
      if (first.results === 0) return [];
      const errors = ({ brier, calibrationError }: Reliability): string =>
        `Brier score ${brier.toFixed(4)}, expected calibration error ${calibrationError.toFixed(4)}`;
      return [
        {
          title: `${title}: ${contestant}, how far its confidences are to be believed (percent)`,
          rows: reliabilityRows(first, five),
          note: `  first results: ${errors(first)}; first five: ${errors(five)}`,
        },
      ];
    }),
  );
}
