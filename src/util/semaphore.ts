/** Lets a bounded number of tasks run at once; the others wait in their order. */
export class Semaphore {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param most - the limit of concurrent tasks, above which this task waits. */
  async run<Value>(most: number, task: () => Promise<Value>): Promise<Value> {
    if (this.#running >= most) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#running++;
    try {
      return await task();
    } finally {
      // Hands the place to the next in the queue, so that a new caller cannot take it first.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
