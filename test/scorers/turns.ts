import { vi } from 'vitest';

/** How many turns of the event loop others have while the work is done, on a clock that is always late. */
export async function turnsDuring(work: () => unknown): Promise<number> {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    if (isDone) return;
    turns++;
    setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    isDone = true;
    clock.mockRestore();
  }
  return turns;
}
