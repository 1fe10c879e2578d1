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
  const place = ranked.findIndex((name) => relevant.includes(name));
  return {
    hit1: hit(ranked, relevant, 1),
    recall: recall(ranked, groups, shown),
    mrr: place < 0 ? 0 : 1 / (place + 1),
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

/** Normalised discounted cumulative gain: relevant counts 1, over a ranking that begins with relevant tools only. */
export function ndcg(ranked: readonly string[], relevant: readonly string[], depth: number): number {
  const wanted = new Set(relevant);
  const gain = (isRelevant: (place: number) => boolean): number =>
    Array.from({ length: depth }, (_, place) => (isRelevant(place) ? 1 / Math.log2(place + 2) : 0)).reduce(
      (sum, one) => sum + one,
      0,
    );
  return gain((place) => wanted.has(ranked[place] ?? '')) / gain((place) => place < wanted.size);
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
  const mean = (key: keyof Figures): Figure => {
    const values = all.map((figures) => figures[key]);
    return meanWithInterval(values, key, [least, 1]);
  };
  return { hit1: mean('hit1'), recall: mean('recall'), mrr: mean('mrr'), ndcg10: mean('ndcg10') };
}

/** A mean with what it would have been on other draws of the same queries. */
export interface Estimate {
  readonly mean: number;
  readonly resamples: Float64Array;
}

export const RESAMPLES = 1_000;

/**
 * Draws the queries anew, with replacement. The same seed gives the same draws, so that two systems measured with one
 * seed are compared query by query, while sets with seeds of their own stay independent.
 */
export function bootstrap(values: readonly number[], seed: string, resamples: number = RESAMPLES): Estimate {
  const random = randomFrom(hashOf(seed));
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample++) {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[Math.floor(random() * values.length)] ?? 0;
    means[resample] = sum / values.length;
  }
  return { mean: meanOf(values), resamples: means };
}

/** The middle 95% of the resamples. */
export function interval({ resamples }: Estimate): readonly [low: number, high: number] {
  const sorted = resamples.toSorted();
  return [quantile(sorted, 0.025), quantile(sorted, 0.975)];
}

/** The value of a normal distribution between whose negative and itself 95 of 100 draws lie. */
const Z = 1.96;

/**
 * The mean of values with the interval in which it lies on 95 of 100 other draws. Values that are all equal, as a single
 * one is, give each draw the same mean: of them is known only, by Wilson's interval, how many others may be among other
 * draws, from the least to the most that a value can be.
 */
export function meanWithInterval(
  values: readonly number[],
  seed: string,
  [least, most]: readonly [least: number, most: number],
): Figure {
  const [first = 0] = values;
  // No case changed: nothing is said of how others would.
  const isUnchanged = least < 0 && first === 0;
  if (values.every((value) => value === first)) {
    const others = isUnchanged ? 0 : Z ** 2 / (values.length + Z ** 2);
    return { mean: first, low: first + others * (least - first), high: first + others * (most - first) };
  }
  const estimate = bootstrap(values, seed);
  const [low, high] = interval(estimate);
  return { mean: estimate.mean, low, high };
}

/** The number at a share of the way through numbers in ascending order; between two of them, the nearer one. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The seed as a number: FNV-1a. */
function hashOf(seed: string): number {
  let hash = 0x811c9dc5;
  for (const character of seed) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash;
}

/** Numbers from 0 up to 1, the same ones for the same seed: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
