/** The result of work; undefined at once where the signal is aborted first. The work goes on, but nobody hears of it. */
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
