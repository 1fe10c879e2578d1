/** Searches of one source at once. Each holds hundreds of documents, and one thread ranks them all. */
const PLACES = 4;

/** Lets a few searches through at once. The others wait for their turn, in the order in which they came. */
export class Places {
  #free = PLACES;
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
