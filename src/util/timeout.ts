/** Longer ones do not fit a timer. */
export const MAX_TIMER: number = 2 ** 31 - 1;

/** Milliseconds that a timer may be late without a reason of its own. */
const USUAL_DELAY = 20;

/**
 * Calls back when so many milliseconds have passed; never, where they do not fit a timer. Returns what calls it off.
 *
 * A process that was busy itself runs its timers before it reads the answers that arrived meanwhile. So once, a timer
 * that is late by more than is usual is granted as much again, up to its time.
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
 * The result of work that may take so many milliseconds. Rejects afterwards; a late failure then reaches nobody.
 *
 * @param late - called when the time is up, for what it rejects with.
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
