/** The rest after the first failure, in ms. It doubles with each further one, up to the longest. */
const FIRST_REST = 1_000;
const LONGEST_REST = 60_000;

/** The pause of what has failed, so that a service that is down neither slows every search nor is flooded. */
export class Rest {
  #failures = 0;
  #until = 0;

  get isOn(): boolean {
    return Date.now() < this.#until;
  }

  /** Failures of one moment count as one. */
  failed(): void {
    if (this.isOn) return;
    this.#until = Date.now() + Math.min(LONGEST_REST, FIRST_REST * 2 ** this.#failures);
    this.#failures++;
  }

  worked(): void {
    this.#failures = 0;
  }

  /** Ends the pause; the next failure makes a longer one all the same. */
  end(): void {
    this.#until = 0;
  }
}
