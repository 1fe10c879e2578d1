/** Searches of one source at once. Each holds hundreds of documents, and one thread ranks them all. */
const PERMITS = 4;

/** A semaphore: a few searches run at once, the others wait in the order in which they came. */
export class Semaphore {
  #free = PERMITS;
  readonly #waiting: (() => void)[] = [];

  async within<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
