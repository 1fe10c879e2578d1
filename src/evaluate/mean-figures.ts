import { bootstrap, interval } from './bootstrap.ts';
import type { Figures } from './figures.ts';

/**
 * A mean with the interval in which it lies on 95 of 100 other draws of the cases. Shares from 0 to 1.
 *
 * @example
 * ```ts
 * const show = ({ mean, low, high }: Figure) => `${mean} [${low}, ${high}]`;
 * ```
 */
export interface Figure {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The mean of each figure.
 *
 * @example
 * ```ts
 * const line = ({ hit1, recall }: MeanFigures) => `first ${hit1.mean}, shown ${recall.mean}`;
 * ```
 */
export type MeanFigures = Readonly<Record<keyof Figures, Figure>>;

/** The mean of each figure over cases, or of differences of figures. */
export function meanFigures(all: readonly Figures[]): MeanFigures {
  const mean = (key: keyof Figures): Figure => {
    const values = all.map((figures) => figures[key]);
    const estimate = bootstrap(values, key);
    const [low, high] = interval(estimate);
    return { mean: estimate.mean, low, high };
  };
  return { hit1: mean('hit1'), recall: mean('recall'), mrr: mean('mrr'), ndcg10: mean('ndcg10') };
}
