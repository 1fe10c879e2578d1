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
  /** The share of needs that the results shown to a model serve. */
  readonly recall: number;
  /** Reciprocal rank of the first relevant result; 0 if there is none. */
  readonly mrr: number;
  /** nDCG of the first ten results. */
  readonly ndcg10: number;
}

/** The lowest rank that a figure reads. */
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

/** The share of groups with at least one tool among the first `depth` results. */
export function recall(ranked: readonly string[], groups: readonly (readonly string[])[], depth: number): number {
  const found = new Set(ranked.slice(0, depth));
  return groups.filter((group) => group.some((name) => found.has(name))).length / groups.length;
}

/** Normalised discounted cumulative gain with binary relevance. */
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
 * A mean with its 95 % bootstrap confidence interval, in shares from 0 to 1. If all values are equal, as with one case, it is
 * Wilson's interval: for one case, from 0.21 to 1.
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
 * @param least - the lowest possible value of a figure.
 */
export function meanFigures(all: readonly Figures[], least: 0 | -1 = 0): MeanFigures {
  const mean = (key: keyof Figures): Figure => {
    const values = all.map((figures) => figures[key]);
    return meanWithInterval(values, key, [least, 1]);
  };
  return { hit1: mean('hit1'), recall: mean('recall'), mrr: mean('mrr'), ndcg10: mean('ndcg10') };
}

/** A mean with the means of its bootstrap resamples. */
export interface Estimate {
  readonly mean: number;
  readonly resamples: Float64Array;
}

export const RESAMPLES = 1_000;

/**
 * Resamples the queries with replacement. The same seed gives the same draws, so that two systems with one seed are compared
 * query by query, while sets with different seeds stay independent.
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

/** The 95 % percentile interval of the resamples. */
export function interval({ resamples }: Estimate): readonly [low: number, high: number] {
  const sorted = resamples.toSorted();
  return [quantile(sorted, 0.025), quantile(sorted, 0.975)];
}

/** The 97.5 % quantile of the standard normal distribution. */
const Z = 1.96;

/**
 * The mean of values with its 95 % confidence interval. Equal values, such as a single one, give no bootstrap variance; their
 * interval is Wilson's, which assumes that other draws may contain any value from `least` to `most`.
 */
export function meanWithInterval(
  values: readonly number[],
  seed: string,
  [least, most]: readonly [least: number, most: number],
): Figure {
  const [first = 0] = values;
  // Differences that are all 0 have an empty interval.
  const isUnchanged = least < 0 && first === 0;
  if (values.every((value) => value === first)) {
    const others = isUnchanged ? 0 : Z ** 2 / (values.length + Z ** 2);
    return { mean: first, low: first + others * (least - first), high: first + others * (most - first) };
  }
  const estimate = bootstrap(values, seed);
  const [low, high] = interval(estimate);
  return { mean: estimate.mean, low, high };
}

/** The quantile of ascending numbers, taken from the nearest one. */
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
