import { inTime } from '../../util/timeout.ts';

/** An answer that several runs wait for. It is given up only when all of them are aborted, or when it takes too long. */
export class SharedAnswer<Value> {
  readonly #end = new AbortController();
  readonly #value: Promise<Value>;
  #waiting = 0;
  #isSettled = false;
  /** Whether somebody was told of it. */
  isTold = false;

  /** @param timeout - milliseconds that the answer may take. */
  constructor(ask: (signal: AbortSignal) => Promise<Value>, timeout: number) {
    this.#value = inTime(ask(this.#end.signal), timeout).finally(() => {
      this.#isSettled = true;
      this.#end.abort();
    });
  }

  /** Whether nobody waited for it any longer. */
  get isGivenUp(): boolean {
    return this.#end.signal.aborted && !this.#isSettled;
  }

  /** Calls back where there is no answer. */
  onFailure(callback: () => void): void {
    this.#value.catch(callback);
  }

  /** The answer for one run. Rejects, for this run alone, when that is aborted. */
  async forRun(signal: AbortSignal | undefined): Promise<Value> {
    let leave = (): void => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason);
    });
    signal?.addEventListener('abort', leave);
    if (signal?.aborted) leave();
    this.#waiting += 1;
    try {
      return await Promise.race([left, this.#value]);
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#end.abort();
    }
  }
}
