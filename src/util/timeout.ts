/** The longest time of a Node timer, in milliseconds. */
export const MAX_TIMER: number = 2 ** 31 - 1;

/** Milliseconds by which a timer may be late in a process that is not busy. */
const USUAL_DELAY = 20;

/**
 * Starts a timer and returns the function that stops it. A time above `MAX_TIMER` never ends.
 *
 * A busy process runs its timers before it reads the answers that arrived meanwhile. A timer that is late therefore
 * waits once more, for as long as it was late, so that those answers still count as in time.
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
 * Returns the result of work, or rejects after so many milliseconds. The work itself goes on, and its result is
 * ignored.
 *
 * @param late - makes the error of the rejection.
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

/**
 * Returns the result of work, or undefined as soon as the signal is aborted. The work itself goes on, and its result is
 * ignored.
 */
export async function unlessAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value | undefined> {
  let stop = (): void => {};
  const end = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([end, work]);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Waits until the work is done, the time is up, or the signal is aborted. The work must not reject. */
export async function waitFor(
  work: Promise<unknown>,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let stop = (): void => {};
  const end = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const stopTimer = startTimer(milliseconds, stop);
  signal?.addEventListener('abort', stop);
  await Promise.race([work, end]);
  stopTimer();
  signal?.removeEventListener('abort', stop);
}

/** Runs tasks of the same key one after another, and tasks of different keys concurrently. */
export class KeyedQueue {
  readonly #patience: number;
  /** The last task of each key that has one. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** @param patience - milliseconds that a task which hangs may hold up the next. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    // The next task starts when the one before is done, has failed, or hangs for too long.
    const result = before === undefined ? task() : inTime(before, this.#patience).then(task, task);
    this.#last.set(key, result);
    const forget = (): void => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    result.then(forget, forget);
    return result;
  }
}
