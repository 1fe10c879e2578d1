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
  const random = generator(seed);
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample++) {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[Math.floor(random() * values.length)] ?? 0;
    means[resample] = sum / values.length;
  }
  return { mean: meanOf(values), resamples: means };
}

/** The difference of two estimates that were drawn with the same seed. */
export function difference(first: Estimate, second: Estimate): Estimate {
  return {
    mean: first.mean - second.mean,
    resamples: first.resamples.map((value, resample) => value - (second.resamples[resample] ?? 0)),
  };
}

/** The mean over sets, in which every set counts the same. */
export function average(estimates: readonly Estimate[]): Estimate {
  return {
    mean: meanOf(estimates.map(({ mean }) => mean)),
    resamples: Float64Array.from({ length: estimates[0]?.resamples.length ?? 0 }, (_, resample) =>
      meanOf(estimates.map(({ resamples }) => resamples[resample] ?? 0)),
    ),
  };
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
): { readonly mean: number; readonly low: number; readonly high: number } {
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

/** Numbers from 0 up to 1, the same ones for the same seed: the seed hashed with FNV-1a, then mulberry32. */
function generator(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
