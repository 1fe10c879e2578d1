/** Longer ones do not fit a timer. */
export const MAX_TIMER: number = 2 ** 31 - 1;

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
  if (milliseconds > MAX_TIMER) return work;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
