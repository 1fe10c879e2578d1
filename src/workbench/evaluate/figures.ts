import { meanWithInterval } from './bootstrap.ts';

/**
 * The figures of one ranking, each from 0 to 1.
 *
 * @example
 * ```ts
 * const none: Figures = { hit1: 0, recall: 0, mrr: 0, ndcg10: 0 };
 * ```
 */
export interface Figures {
  /** Whether the first result is relevant. */
  readonly hit1: number;
  /** The share of needs that the results served which a model is shown. */
  readonly recall: number;
  /** 1 over the place of the first relevant result; 0 where there is none. */
  readonly mrr: number;
  /** Discounted gain of the first ten results. */
  readonly ndcg10: number;
}

/** The deepest result that a figure reads. */
export const DEPTH = 10;

/**
 * The figures of a ranking.
 *
 * @param ranked - names, best first, each once.
 * @param groups - lists of interchangeable tools, one for each need of the query.
 * @param shown - how many results a model is shown.
 */
export function figuresOf(
  ranked: readonly string[],
  relevant: readonly string[],
  groups: readonly (readonly string[])[],
  shown: number,
): Figures {
  return {
    hit1: hit(ranked, relevant, 1),
    recall: recall(ranked, groups, shown),
    mrr: reciprocalRank(ranked, relevant),
    ndcg10: ndcg(ranked, relevant, DEPTH),
  };
}

/** 1 when one of the first `depth` results is relevant, else 0. */
export function hit(ranked: readonly string[], relevant: readonly string[], depth: number): number {
  return ranked.slice(0, depth).some((name) => relevant.includes(name)) ? 1 : 0;
}

/** The share of the groups of which at least one tool is among the first `depth` results. */
export function recall(ranked: readonly string[], groups: readonly (readonly string[])[], depth: number): number {
  const found = new Set(ranked.slice(0, depth));
  return groups.filter((group) => group.some((name) => found.has(name))).length / groups.length;
}

/** 1 over the place of the first relevant result, from 1 on; 0 where there is none. */
export function reciprocalRank(ranked: readonly string[], relevant: readonly string[]): number {
  const place = ranked.findIndex((name) => relevant.includes(name));
  return place < 0 ? 0 : 1 / (place + 1);
}

/** Normalised discounted cumulative gain: relevant counts 1, over a ranking that begins with relevant tools only. */
export function ndcg(ranked: readonly string[], relevant: readonly string[], depth: number): number {
  const wanted = new Set(relevant);
  let gain = 0;
  for (const [position, name] of ranked.slice(0, depth).entries()) if (wanted.has(name)) gain += discount(position);
  let ideal = 0;
  for (let position = 0; position < Math.min(depth, wanted.size); position++) ideal += discount(position);
  return gain / ideal;
}

function discount(position: number): number {
  return 1 / Math.log2(position + 2);
}

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
