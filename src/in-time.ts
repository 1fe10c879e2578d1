/** Longer ones do not fit a timer. */
const MAX_TIMER = 2 ** 31 - 1;

/** The result of work that may take so many milliseconds. Rejects afterwards; a late failure then reaches nobody. */
export async function inTime<Value>(work: Promise<Value>, milliseconds: number): Promise<Value> {
  if (milliseconds > MAX_TIMER) return work;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${milliseconds} ms`)), milliseconds);
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
