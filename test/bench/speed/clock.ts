export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The value that this share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** So that the garbage of the one is not collected in the time of the other. */
export function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('run node with --expose-gc');
  globalThis.gc();
}

/** The longest time in which nothing else could run while `work` was awaited. */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let last = performance.now();
  const note = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const turn = (): void => {
    note();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  note();
  isOver = true;
  return longest;
}
