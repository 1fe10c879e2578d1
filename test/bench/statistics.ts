// Times and what is made of them.
import { quantile } from '../../src/workbench/evaluate/metrics.ts';

export { meanOf as mean } from '../../src/workbench/evaluate/metrics.ts';
export { grouped } from '../../src/workbench/grouped.ts';

/** The value at a share of the way through all values in ascending order. */
export function percentile(values: readonly number[], share: number): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    share,
  );
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** So that the garbage of one run is not collected in the time of another. */
export function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('run node with --expose-gc');
  globalThis.gc();
}

interface Rounds {
  readonly rounds: number;
  /** First rounds whose values are dropped. */
  readonly warmUp?: number;
  /** Seconds after which no further round begins, once there were three. */
  readonly seconds?: number;
}

/** Runs all in turns, another one first in each round, so that all meet the same machine. Returns the values of each run. */
export async function inTurns<Value>(
  runs: readonly ((round: number) => Promise<Value>)[],
  { rounds, warmUp = 0, seconds = Number.POSITIVE_INFINITY }: Rounds,
): Promise<readonly (readonly Value[])[]> {
  const values = runs.map((): Value[] => []);
  const end = performance.now() + seconds * 1_000;
  for (let round = -warmUp; round < rounds && (round < 3 || performance.now() < end); round++) {
    for (let turn = 0; turn < runs.length; turn++) {
      const at = (turn + round + warmUp) % runs.length;
      const value = await runs[at]!(round);
      if (round >= 0) values[at]!.push(value);
    }
  }
  return values;
}

/** Milliseconds of each run, in turns. */
export function timesInTurns(
  runs: readonly (() => Promise<unknown>)[],
  rounds: Rounds,
): Promise<readonly (readonly number[])[]> {
  return inTurns(
    runs.map((run) => () => timed(run)),
    rounds,
  );
}
