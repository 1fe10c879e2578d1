/** The longer input is so many times as long as the shorter. */
const TIMES = 8;
/** Work that is linear grows 8 times, work that is quadratic 64 times: half-way on their scale. */
const MOST = 24;
const RUNS = 3;

/**
 * How many times longer the work takes for an input that is 8 times as long: the shortest of several runs each. What is
 * too short to be told from the noise counts as that.
 *
 * @param noise - milliseconds.
 */
async function growthOf(work: (length: number) => unknown, length: number, noise: number): Promise<number> {
  const shortest = async (size: number): Promise<number> => {
    let best = Number.POSITIVE_INFINITY;
    for (let run = 0; run < RUNS; run++) {
      const start = performance.now();
      await work(size);
      best = Math.min(best, performance.now() - start);
      // It is clear enough by then, and quadratic work takes long.
      if (best > 500) break;
    }
    return best;
  };
  const short = Math.max(noise, await shortest(length));
  return (await shortest(length * TIMES)) / short;
}

interface Measured {
  /** Of the shorter input. */
  readonly length?: number;
  /** Milliseconds. */
  readonly noise?: number;
  /** A busy machine, or the garbage of others, can spoil a measurement, but not each. @default 4 */
  readonly attempts?: number;
}

/** Whether work grows far less than with the square of its input. */
export async function isLinear(
  work: (length: number) => unknown,
  { length = 2_000, noise = 0.2, attempts = 4 }: Measured = {},
): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if ((await growthOf(work, length, noise)) <= MOST) return true;
  }
  return false;
}
