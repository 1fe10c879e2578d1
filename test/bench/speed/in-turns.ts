import { median } from './clock.ts';
import type { Side } from './contestants.ts';
import type { Figure, Sides } from './figures.ts';

/** What one run measured, by measure. */
export type Times = Readonly<Partial<Record<string, number>>>;

export interface Turns {
  readonly catalog: string;
  /** At most so many runs of each side. */
  readonly rounds: number;
  /** After so many seconds no more than three. */
  readonly seconds?: number;
}

/** Runs the sides in turns, each first as often as last. The median of each measure, without the first tenth of runs. */
export async function inTurns(
  runs: ReadonlyMap<Side, () => Promise<Times>>,
  { catalog, rounds, seconds = Number.POSITIVE_INFINITY }: Turns,
): Promise<readonly Figure[]> {
  const taken = new Map<string, Record<Side, number[]>>();
  const end = performance.now() + seconds * 1_000;
  for (let round = 0; round < rounds && (round < 3 || performance.now() < end); round++) {
    const order = round % 2 === 0 ? [...runs] : [...runs].reverse();
    for (const [side, run] of order) {
      for (const [measure, time = Number.NaN] of Object.entries(await run())) {
        const times = taken.get(measure) ?? { core: [], ours: [] };
        taken.set(measure, times);
        times[side].push(time);
      }
    }
  }
  return [...taken].map(([measure, times]) => ({ measure, catalog, ...middle(times) }));
}

function middle(times: Readonly<Record<Side, readonly number[]>>): Sides {
  const runs = Object.entries(times).filter(([, all]) => all.length > 0);
  return Object.fromEntries(runs.map(([side, all]) => [side, median(all.slice(Math.floor(all.length / 10)))]));
}
