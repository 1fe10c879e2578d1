// Times and what is made of them.
import { type Estimate, meanOf } from '../../src/workbench/evaluate/metrics.ts';

/** The value that this share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** A share in percent, with one decimal. */
export function percent(share: number): string {
  return (share * 100).toFixed(1);
}

/** Three digits. */
export function threeDigits(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** So that the garbage of the one is not collected in the time of the other. */
export function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('run node with --expose-gc');
  globalThis.gc();
}

/** Runs all in turns, each first as often as last, and hands over what each run took. */
export async function inTurns<Key, Value>(
  runs: ReadonlyMap<Key, () => Promise<Value>>,
  round: number,
  take: (key: Key, value: Value) => void,
): Promise<void> {
  const order = round % 2 === 0 ? [...runs] : [...runs].reverse();
  for (const [key, run] of order) take(key, await run());
}

/** Milliseconds of each run in the rounds behind the warm-up, in which all take turns. */
export async function timesInTurns(
  runs: readonly (() => Promise<unknown>)[],
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): Promise<readonly (readonly number[])[]> {
  const times = runs.map((): number[] => []);
  for (let round = -warmUp; round < rounds; round++) {
    for (let turn = 0; turn < runs.length; turn++) {
      const position = (turn + round + warmUp) % runs.length;
      const time = await timed(runs[position]!);
      if (round >= 0) times[position]!.push(time);
    }
  }
  return times;
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
