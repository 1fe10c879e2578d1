import { meanWithInterval } from './bootstrap.ts';
import type { Figures } from './figures.ts';

/**
 * A mean with the interval in which it lies on 95 of 100 other draws of the cases. Shares from 0 to 1. Cases that all went
 * alike, as a single one does, have Wilson's interval: of one case, from 0.21 to 1.
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

/**
 * The mean of each figure over cases, or of differences of figures.
 *
 * @param least - the least that a figure can be.
 */
export function meanFigures(all: readonly Figures[], least: 0 | -1 = 0): MeanFigures {
  const mean = (key: keyof Figures): Figure =>
    meanWithInterval(
      all.map((figures) => figures[key]),
      key,
      [least, 1],
    );
  return { hit1: mean('hit1'), recall: mean('recall'), mrr: mean('mrr'), ndcg10: mean('ndcg10') };
}
