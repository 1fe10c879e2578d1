/** Batches at once: one is prepared here while the database writes another. */
const BATCHES = 2;

/** Works on a few batches at once. Their parts `inTurn` run one after the other, as one session wants it. */
export class Pipeline {
  readonly #busy = new Set<Promise<void>>();
  #last: Promise<unknown> = Promise.resolve();

  /** Begins the work on a batch as soon as there is room. Rejects where that on an earlier one failed. */
  async begin(work: () => Promise<void>): Promise<void> {
    while (this.#busy.size >= BATCHES) await Promise.race(this.#busy);
    const batch = work();
    this.#busy.add(batch);
    // A failed batch stays in the set, so that the next begin() rejects.
    batch.then(
      () => this.#busy.delete(batch),
      () => {},
    );
  }

  /** Does a part of the work once the parts that were asked for before are done. */
  inTurn<Result>(part: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(part);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Waits for all work. Rejects where some of it failed. */
  async end(): Promise<void> {
    await Promise.all(this.#busy);
  }

  /** Waits until nothing is under way, whatever came of it. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#busy);
  }
}
