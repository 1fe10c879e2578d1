import { meanOf } from '../../../src/workbench/evaluate/metrics.ts';
import { type MeasuredSet, type Run, SHOWN } from './measure.ts';
import { type Half, halfOf } from './sets.ts';

/** One result with what was said about it and what is true. */
export interface Judged {
  readonly confidence: number;
  readonly isRelevant: boolean;
}

/** How far confidences are to be believed. Shares and errors are from 0 to 1. */
export interface Reliability extends Bin {
  /** The mean squared distance of confidence and truth; 0 is best. */
  readonly brier: number;
  /** The mean distance of confidence and share over the bins, each counted by its results: the expected calibration error. */
  readonly calibrationError: number;
  /** Ten of them, from 0–0.1 to 0.9–1. */
  readonly bins: readonly Bin[];
}

export interface Bin {
  readonly results: number;
  /** NaN without results, and null in JSON, as is the share. */
  readonly meanConfidence: number;
  readonly shareRelevant: number;
}

/** The confidences of one contestant over several sets, whose queries all count the same. */
export interface ReliabilityEntry {
  readonly contestant: string;
  readonly of: Half;
  readonly sets: readonly string[];
  /** Of first results. */
  readonly first: Reliability;
  /** Of all that a model is shown: the first five. */
  readonly firstFive: Reliability;
}

const BINS = 10;

/** One entry for each contestant that gives confidences, and each half of the sets. */
export function reliabilityEntries(measured: readonly MeasuredSet[]): readonly ReliabilityEntry[] {
  const contestants = measured[0]?.runs.map(({ contestant }) => contestant) ?? [];
  return contestants.flatMap((contestant, position) =>
    (['tune', 'held-out'] as const).flatMap((of) => {
      const chosen = measured.filter(({ set }) => halfOf(set.name) === of);
      const judged = (depth: number): readonly Judged[] =>
        chosen.flatMap(({ runs }) => judgedResults(runs[position], depth));
      if (judged(1).length === 0) return [];
      const sets = chosen.map(({ set }) => set.name);
      return { contestant, of, sets, first: reliabilityOf(judged(1)), firstFive: reliabilityOf(judged(SHOWN)) };
    }),
  );
}

export function reliabilityOf(judged: readonly Judged[]): Reliability {
  const binned = Array.from({ length: BINS }, (): Judged[] => []);
  for (const result of judged) binned[binFor(result.confidence)]?.push(result);
  const bins = binned.map(binOf);
  return {
    ...binOf(judged),
    brier: meanOf(judged.map(({ confidence, isRelevant }) => (confidence - Number(isRelevant)) ** 2)),
    calibrationError: bins
      .filter(({ results }) => results > 0)
      .map((bin) => (bin.results / judged.length) * Math.abs(bin.meanConfidence - bin.shareRelevant))
      .reduce((sum, error) => sum + error, 0),
    bins,
  };
}

function binFor(confidence: number): number {
  return Math.max(0, Math.min(BINS - 1, Math.floor(confidence * BINS)));
}

function binOf(judged: readonly Judged[]): Bin {
  return {
    results: judged.length,
    meanConfidence: meanOf(judged.map(({ confidence }) => confidence)),
    shareRelevant: meanOf(judged.map(({ isRelevant }) => Number(isRelevant))),
  };
}

function judgedResults(run: Run | undefined, depth: number): readonly Judged[] {
  return (run?.searches ?? []).flatMap(({ query, found }) =>
    found
      .slice(0, depth)
      .flatMap(({ name, confidence }) =>
        confidence === undefined ? [] : { confidence, isRelevant: query.relevant.includes(name) },
      ),
  );
}
