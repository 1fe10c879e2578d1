// The figures of each contestant on each set, with 95 % intervals, and the tables of them.
import { bootstrap, type Estimate, interval, RESAMPLES } from '../../../src/workbench/evaluate/metrics.ts';
import { average, difference, median, percent } from '../statistics.ts';
import { type Table, textTable } from '../table.ts';
import { BASELINE } from './contestants.ts';
import type { MeasuredSet } from './measure.ts';
import { METRICS, type Metric } from './metrics.ts';
import { type Bin, type Reliability, type ReliabilityEntry, reliabilityEntries } from './reliability.ts';
import { type Half, halfOf } from './sets.ts';
import { type VerdictEntry, verdictReport } from './verdict.ts';

/** All that a ranking found out, as it is written to the JSON file. Figures are shares from 0 to 1. */
export interface Ranking {
  readonly baseline: string;
  readonly resamples: number;
  readonly sets: readonly RankedSet[];
  /** Means in which every set counts the same: of all sets, and of the halves where they are asked for. */
  readonly means: readonly Mean[];
  /** Where it was asked for: of contestants that give confidences. */
  readonly reliability?: readonly ReliabilityEntry[];
  /** Where it was asked for: of each set and contestant, how often it was said that nothing fits. */
  readonly verdict?: readonly VerdictEntry[];
}

interface RankedSet {
  readonly set: string;
  readonly half: Half;
  readonly tools: number;
  readonly queries: number;
  readonly contestants: readonly (Entry & {
    readonly buildMilliseconds: number;
    readonly searchMilliseconds: number;
  })[];
}

interface Mean {
  readonly of: 'all' | Half;
  readonly sets: readonly string[];
  readonly contestants: readonly Entry[];
}

/** A mean with its 95 % interval. */
interface Figure {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

type PerMetric<Value> = Readonly<Record<Metric, Value>>;

interface Entry {
  readonly contestant: string;
  readonly figures: PerMetric<Figure>;
  /** This contestant minus the baseline, query by query; absent for the baseline and where it did not run. */
  readonly versusBaseline?: PerMetric<Figure>;
}

interface Estimates {
  readonly contestant: string;
  readonly metrics: PerMetric<Estimate>;
}

export interface RankingOptions {
  /** Whether the sets that are tuned on and those held out are reported apart, too. */
  readonly split: boolean;
  readonly reliability: boolean;
}

export function rankingOf(measured: readonly MeasuredSet[], { split, reliability }: RankingOptions): Ranking {
  const estimated = measured.map(({ set, runs }) => ({
    set,
    runs,
    estimates: runs.map(({ contestant, searches }): Estimates => {
      const values = (metric: Metric): number[] => searches.map(({ figures }) => figures[metric]);
      return { contestant, metrics: perMetric((metric) => bootstrap(values(metric), set.name)) };
    }),
  }));
  const meanOf = (of: 'all' | Half): readonly Mean[] => {
    const chosen = estimated.filter(({ set }) => of === 'all' || halfOf(set.name) === of);
    const means = (chosen[0]?.estimates ?? []).map(({ contestant }, at) => ({
      contestant,
      metrics: perMetric((metric) => average(chosen.map(({ estimates }) => estimates[at]!.metrics[metric]))),
    }));
    return chosen.length === 0 ? [] : [{ of, sets: chosen.map(({ set }) => set.name), contestants: entriesOf(means) }];
  };
  return {
    baseline: BASELINE.name,
    resamples: RESAMPLES,
    sets: estimated.map(({ set, runs, estimates }) => ({
      set: set.name,
      half: halfOf(set.name),
      tools: set.tools.length,
      queries: set.queries.length,
      contestants: entriesOf(estimates).map((entry, at) => ({
        ...entry,
        buildMilliseconds: runs[at]!.buildMilliseconds,
        searchMilliseconds: median(runs[at]!.searches.map(({ milliseconds }) => milliseconds)),
      })),
    })),
    means: (split ? (['tune', 'held-out', 'all'] as const) : (['all'] as const)).flatMap(meanOf),
    ...(reliability ? { reliability: reliabilityEntries(measured) } : {}),
  };
}

function entriesOf(estimates: readonly Estimates[]): readonly Entry[] {
  const base = estimates.find(({ contestant }) => contestant === BASELINE.name);
  return estimates.map(({ contestant, metrics }) => ({
    contestant,
    figures: perMetric((metric) => figure(metrics[metric])),
    ...(base && contestant !== BASELINE.name
      ? { versusBaseline: perMetric((metric) => figure(difference(metrics[metric], base.metrics[metric]))) }
      : {}),
  }));
}

function figure(estimate: Estimate): Figure {
  const [low, high] = interval(estimate);
  return { mean: estimate.mean, low, high };
}

function perMetric<Value>(value: (metric: Metric) => Value): PerMetric<Value> {
  return Object.fromEntries(METRICS.map((metric) => [metric, value(metric)])) as PerMetric<Value>;
}

/** All tables of a ranking, for a terminal. */
export function rankingReport({ sets, means, reliability, verdict }: Ranking): string {
  return [
    ...sets.map((set) => `${set.set}: ${set.tools} tools, ${set.queries} queries\n${textTable(setTable(set))}`),
    ...(sets.length > 1 ? means.map((mean) => meanReport(mean, sets)) : []),
    ...(reliability ? reliabilityReports(reliability) : []),
    ...(verdict ? [verdictReport(verdict)] : []),
  ].join('\n\n');
}

const HEADING = ['', 'hit@1', 'recall@5', 'nDCG@10', `versus ${BASELINE.name}`];

function setTable({ contestants }: RankedSet): Table {
  const rows = contestants.map((entry) => [
    ...cells(entry),
    entry.buildMilliseconds.toFixed(0),
    entry.searchMilliseconds.toFixed(2),
  ]);
  return [[...HEADING, 'build ms', 'search ms'], ...rows];
}

/** The means of the sets, then nDCG@10 of every set side by side. */
function meanReport(mean: Mean, sets: readonly RankedSet[]): string {
  const chosen = sets.filter(({ set }) => mean.sets.includes(set));
  const overview = mean.contestants.map(({ contestant, figures }, position) => [
    contestant,
    ...chosen.map(({ contestants }) => percent(contestants[position]!.figures.ndcg10.mean)),
    withInterval(figures.ndcg10),
    percent(figures.recall5.mean),
    percent(figures.hit1.mean),
  ]);
  return [
    `${title(mean)}: the mean`,
    textTable([HEADING, ...mean.contestants.map(cells)]),
    `${title(mean)}: nDCG@10`,
    textTable([['', ...mean.sets, 'mean nDCG@10', 'mean recall@5', 'mean hit@1'], ...overview]),
  ].join('\n');
}

function reliabilityReports(entries: readonly ReliabilityEntry[]): readonly string[] {
  if (entries.length === 0) return ['No contestant gives confidences.'];
  return entries.map((entry) => {
    const bins = entry.first.bins.map((first, position) => [
      `${position / 10}–${(position + 1) / 10}`,
      ...binCells(first),
      ...binCells(entry.firstFive.bins[position]!),
    ]);
    const all = ['all', ...binCells(entry.first), ...binCells(entry.firstFive)];
    const heading = ['confidence', 'first results', 'mean', 'relevant', 'first five', 'mean', 'relevant'];
    return [
      `${title(entry)}: ${entry.contestant}, how far its confidences are to be believed (percent)`,
      textTable([heading, ...bins, all]),
      `  first results: ${errors(entry.first)}; first five: ${errors(entry.firstFive)}`,
    ].join('\n');
  });
}

function binCells({ results, meanConfidence, shareRelevant }: Bin): readonly string[] {
  return results === 0 ? ['0', '', ''] : [String(results), percent(meanConfidence), percent(shareRelevant)];
}

function errors({ brier, calibrationError }: Reliability): string {
  return `Brier score ${brier.toFixed(4)}, expected calibration error ${calibrationError.toFixed(4)}`;
}

function title({ of, sets }: Pick<Mean, 'of' | 'sets'>): string {
  const name = { all: 'All', tune: 'Tuned on', 'held-out': 'Held out' }[of];
  return `${name} (${sets.length} ${sets.length === 1 ? 'set' : 'sets'})`;
}

function cells({ contestant, figures, versusBaseline }: Entry): readonly string[] {
  const { hit1, recall5, ndcg10 } = figures;
  return [contestant, ...[hit1, recall5, ndcg10].map(withInterval), signed(versusBaseline?.ndcg10)];
}

function withInterval({ mean, low, high }: Figure): string {
  return `${percent(mean)} [${percent(low)}, ${percent(high)}]`;
}

/** A difference with its sign; empty where there is none. */
function signed(figure: Figure | undefined): string {
  if (!figure) return '';
  const [mean, low, high] = [figure.mean, figure.low, figure.high].map(
    (value) => `${value < 0 ? '−' : '+'}${percent(Math.abs(value))}`,
  );
  return `${mean} [${low}, ${high}]`;
}
