/** Batches that are under way at once: one is worked on here while the database works on another. */
const LANES = 2;

/** Work on batches, a few at once, of which the parts in turn happen one after the other, as a session wants it. */
export class Lanes {
  readonly #busy = new Set<Promise<void>>();
  #last: Promise<unknown> = Promise.resolve();

  /** Begins the work on a batch as soon as there is room. Rejects where that on an earlier one failed. */
  async begin(work: () => Promise<void>): Promise<void> {
    while (this.#busy.size >= LANES) await Promise.race(this.#busy);
    const lane = work();
    this.#busy.add(lane);
    // Where it failed, it stays, so that whoever comes next hears of it.
    lane.then(
      () => this.#busy.delete(lane),
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
