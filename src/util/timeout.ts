/** The longest time of a Node timer, in milliseconds. */
export const MAX_TIMER: number = 2 ** 31 - 1;

/** Milliseconds by which a timer may be late in a process that is not busy. */
const USUAL_DELAY = 20;

/**
 * A timer that does not blame others for the work of this process. Returns the function that stops it. A time above
 * `MAX_TIMER` never ends.
 *
 * A process that was busy runs its timers before it reads the answers that arrived meanwhile. A timer that comes late
 * therefore waits once more, as long as it is late, so that those answers can still be in time.
 */
export function startTimer(milliseconds: number, callback: () => void): () => void {
  if (milliseconds > MAX_TIMER) return () => {};
  const start = performance.now();
  const end = (): void => {
    const delay = performance.now() - start - milliseconds;
    if (delay <= USUAL_DELAY) callback();
    else timer = setTimeout(callback, Math.min(delay, milliseconds));
  };
  let timer = setTimeout(end, milliseconds);
  return () => clearTimeout(timer);
}

/**
 * The result of work, within so many milliseconds; a rejection after them. The work goes on, but nobody hears of it.
 *
 * @param late - makes the error of that rejection.
 */
export async function inTime<Value>(
  work: Promise<Value>,
  milliseconds: number,
  late: () => Error = () => new Error(`it took longer than ${milliseconds} ms`),
): Promise<Value> {
  let stop = (): void => {};
  const end = new Promise<never>((_, reject) => {
    stop = startTimer(milliseconds, () => reject(late()));
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    stop();
  }
}
