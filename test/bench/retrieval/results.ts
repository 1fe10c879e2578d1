import {
  average,
  bootstrap,
  difference,
  type Estimate,
  interval,
  meanOf,
  RESAMPLES,
} from '../../../src/workbench/evaluate/bootstrap.ts';
import { type Run, searchTimes } from './measure.ts';
import { METRICS, type Metric } from './metrics.ts';
import { type ReliabilityEntry, reliabilityEntries } from './reliability.ts';
import type { LabelledSet } from './sets.ts';
import { type Half, halfOf } from './split.ts';
import type { VerdictEntry } from './verdict/judge.ts';

/** All that a run of the bench found out, as it is written to the JSON file. Figures are shares from 0 to 1. */
export interface Results {
  readonly baseline: string;
  readonly resamples: number;
  readonly sets: readonly SetResults[];
  /** Means in which every set counts the same: of all sets, and of the halves where they are asked for. */
  readonly means: readonly MeanResults[];
  /** Where it was asked for: of contestants that give confidences. */
  readonly reliability?: readonly ReliabilityEntry[];
  /** Where it was asked for: of each set and contestant, how often it was said that nothing fits. */
  readonly verdict?: readonly VerdictEntry[];
}

export interface SetResults {
  readonly set: string;
  readonly half: Half;
  readonly tools: number;
  readonly queries: number;
  readonly contestants: readonly SetEntry[];
}

export interface MeanResults {
  readonly of: 'all' | Half;
  readonly sets: readonly string[];
  readonly contestants: readonly Entry[];
}

export type PerMetric<Value> = Readonly<Record<Metric, Value>>;

/** A mean with its 95% interval. */
export interface Figure {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface Entry {
  readonly contestant: string;
  readonly figures: PerMetric<Figure>;
  /** This contestant minus the baseline, query by query; absent for the baseline and where it did not run. */
  readonly versusBaseline?: PerMetric<Figure>;
}

export interface SetEntry extends Entry {
  readonly buildMilliseconds: number;
  readonly searchMilliseconds: { readonly median: number; readonly p95: number };
  readonly styles: Readonly<Record<string, PerMetric<number> & { readonly queries: number }>>;
  readonly misses?: readonly Miss[];
}

/** A query of which the first five results do not serve every need. */
export interface Miss {
  readonly id: string;
  readonly query: string;
  readonly style?: string;
  readonly relevant: readonly string[];
  readonly found: readonly string[];
}

export interface MeasuredSet {
  readonly set: LabelledSet;
  readonly runs: readonly Run[];
}

export interface ResultsOptions {
  readonly baseline: string;
  readonly misses: boolean;
  readonly split: boolean;
  readonly reliability: boolean;
}

export function resultsOf(measured: readonly MeasuredSet[], options: ResultsOptions): Results {
  const { baseline, misses, split, reliability } = options;
  const estimated = measured.map(({ set, runs }) => ({
    set,
    runs,
    estimates: runs.map((run) => estimatesOf(run, set)),
  }));
  const parts = split ? (['tune', 'held-out', 'all'] as const) : (['all'] as const);
  return {
    baseline,
    resamples: RESAMPLES,
    sets: estimated.map(({ set, runs, estimates }) => ({
      set: set.name,
      half: halfOf(set.name),
      tools: set.tools.length,
      queries: set.queries.length,
      contestants: entries(estimates, baseline).map((entry, position) => withDetails(entry, runs[position]!, misses)),
    })),
    means: parts.flatMap((of) => {
      const chosen = estimated.filter(({ set }) => of === 'all' || halfOf(set.name) === of);
      if (chosen.length === 0) return [];
      return { of, sets: chosen.map(({ set }) => set.name), contestants: entries(mean(chosen), baseline) };
    }),
    ...(reliability ? { reliability: reliabilityEntries(measured) } : {}),
  };
}

interface Estimates {
  readonly contestant: string;
  readonly metrics: PerMetric<Estimate>;
}

function estimatesOf({ contestant, searches }: Run, set: LabelledSet): Estimates {
  const estimate = (metric: Metric): Estimate =>
    bootstrap(
      searches.map(({ figures }) => figures[metric]),
      set.name,
    );
  return { contestant, metrics: perMetric(estimate) };
}

function mean(chosen: readonly { readonly estimates: readonly Estimates[] }[]): readonly Estimates[] {
  const contestants = chosen[0]?.estimates.map(({ contestant }) => contestant) ?? [];
  return contestants.map((contestant, position) => ({
    contestant,
    metrics: perMetric((metric) => average(chosen.map(({ estimates }) => estimates[position]!.metrics[metric]))),
  }));
}

function entries(estimates: readonly Estimates[], baseline: string): readonly Entry[] {
  const base = estimates.find(({ contestant }) => contestant === baseline);
  return estimates.map(({ contestant, metrics }) => ({
    contestant,
    figures: perMetric((metric) => figure(metrics[metric])),
    ...(base && contestant !== baseline
      ? { versusBaseline: perMetric((metric) => figure(difference(metrics[metric], base.metrics[metric]))) }
      : {}),
  }));
}

function withDetails(entry: Entry, run: Run, misses: boolean): SetEntry {
  const styles = new Set(run.searches.flatMap(({ query }) => query.style ?? []));
  return {
    ...entry,
    buildMilliseconds: run.buildMilliseconds,
    searchMilliseconds: searchTimes(run),
    styles: Object.fromEntries([...styles].map((style) => [style, styleFigures(run, style)])),
    ...(misses ? { misses: missesOf(run) } : {}),
  };
}

function styleFigures({ searches }: Run, style: string): PerMetric<number> & { readonly queries: number } {
  const chosen = searches.filter(({ query }) => query.style === style);
  return { queries: chosen.length, ...perMetric((metric) => meanOf(chosen.map(({ figures }) => figures[metric]))) };
}

function missesOf({ searches }: Run): readonly Miss[] {
  return searches
    .filter(({ figures }) => figures.recall5 < 1)
    .map(({ query: { id, query, style, relevant }, found }) => ({
      id,
      query,
      ...(style === undefined ? {} : { style }),
      relevant,
      found: found.map(({ name }) => name),
    }));
}

function figure(estimate: Estimate): Figure {
  const [low, high] = interval(estimate);
  return { mean: estimate.mean, low, high };
}

function perMetric<Value>(value: (metric: Metric) => Value): PerMetric<Value> {
  return Object.fromEntries(METRICS.map((metric) => [metric, value(metric)])) as PerMetric<Value>;
}
