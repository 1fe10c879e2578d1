// What a run of the bench measures. Times are milliseconds, sizes MB.
import type { Figures as Quality } from '../retrieval/metrics.ts';

export interface SourceFigures {
  readonly corpus: string;
  readonly machine: string;
  readonly queries: number;
  readonly load: readonly LoadFigures[];
  /** Of the parts, those that were measured. */
  readonly database?: readonly SearchFigures[];
  readonly process?: readonly ProcessFigures[];
  readonly quality?: readonly QualityFigures[];
}

/** Of one sync. */
export interface LoadFigures {
  readonly documents: number;
  readonly seconds: number;
  readonly megabytes: number;
}

/** Of a process that only searches a database. */
export interface SearchFigures {
  readonly documents: number;
  /** The first search of the process, which connects. */
  readonly first: number;
  readonly alone: Percentiles;
  readonly together: Percentiles;
  /** Searches per second, where 32 wait at once. */
  readonly perSecond: number;
  /** CPU time of a search, one at a time: in the process, and in the database. */
  readonly cpuHere: number;
  readonly cpuThere: number;
  /** The most memory that the process ever had. */
  readonly megabytes: number;
}

/** Of a process that holds the tools and their index. */
export interface ProcessFigures {
  readonly documents: number;
  readonly build: number;
  /** CPU time of a search. */
  readonly cpu: number;
  readonly alone: Percentiles;
  readonly megabytes: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

/** Means over the queries of a set. */
export interface QualityFigures extends Quality {
  readonly set: string;
  /** All documents that are searched; those of the set alone, where it is not hidden. */
  readonly documents: number;
  readonly isHidden: boolean;
  readonly engine: Engine;
}

export type Engine = 'in process' | 'PostgreSQL';

/**
 * How the CPU time of a search grows with the documents, from 10,000 on: the exponent of the curve through what was measured,
 * 1 where twice the documents take twice the time. Undefined with fewer than two sizes.
 */
export function exponentOf(figures: readonly SearchFigures[]): number | undefined {
  const points = figures
    .filter(({ documents }) => documents >= 10_000)
    .map(({ documents, cpuHere, cpuThere }) => [Math.log(documents), Math.log(cpuHere + cpuThere)] as const);
  if (points.length < 2) return undefined;
  const mean = (place: 0 | 1): number => points.reduce((sum, point) => sum + point[place], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const variance = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return covariance / variance;
}
