/** The evidence against every tool that is there beforehand, in conversations: one use proves little. */
const DOUBT = 2;

/** Weights by conversation, with their sum. */
class Weights {
  readonly #ofRaters = new Map<string, number>();
  #sum = 0;

  /** A conversation has its greatest weight. */
  raise(voter: string, weight: number): void {
    const before = this.#ofRaters.get(voter) ?? 0;
    if (weight <= before) return;
    this.#ofRaters.set(voter, weight);
    this.#sum += weight - before;
  }

  /** @param voter - one that is not heard. */
  without(voter: string | undefined): number {
    return voter === undefined ? this.#sum : this.#sum - (this.#ofRaters.get(voter) ?? 0);
  }
}

/** Votes for tools. A conversation has one for a tool, its strongest, however often it used it. */
export class Votes {
  readonly #all = new Weights();
  readonly #ofTools = new Map<string, Weights>();

  /**
   * @param tools - the part of the weight that each is given, up to 1.
   * @param weight - of the vote, up to 1.
   */
  cast(voter: string, tools: ReadonlyMap<string, number>, weight: number): void {
    this.#all.raise(voter, weight);
    for (const [tool, part] of tools) {
      const weights = this.#ofTools.get(tool) ?? new Weights();
      this.#ofTools.set(tool, weights);
      weights.raise(voter, weight * part);
    }
  }

  /**
   * The share of the conversations that each tool has, from 0 to 1.
   *
   * @param without - a conversation that is not heard.
   */
  *shares(without?: string): Iterable<readonly [tool: string, share: number]> {
    const all = this.#all.without(without) + DOUBT;
    for (const [tool, weights] of this.#ofTools) yield [tool, Math.max(0, weights.without(without)) / all];
  }
}
