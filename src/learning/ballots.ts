/** The evidence against every tool that is there beforehand, in conversations: one use proves little. */
const DOUBT = 3;

/** Votes for tools. A conversation has one for a tool, its strongest, however often it used it. */
export class Ballots {
  readonly #all = new Map<string, number>();
  readonly #ofTools = new Map<string, Map<string, number>>();

  /** @param weight - of the vote, up to 1. */
  cast(voter: string, tools: Iterable<string>, weight: number): void {
    raise(this.#all, voter, weight);
    for (const tool of tools) {
      const voters = this.#ofTools.get(tool) ?? new Map<string, number>();
      this.#ofTools.set(tool, voters);
      raise(voters, voter, weight);
    }
  }

  /**
   * The share of the conversations that each tool has, from 0 to 1.
   *
   * @param without - a conversation that is not heard.
   */
  *shares(without?: string): Iterable<readonly [tool: string, share: number]> {
    const all = sumOf(this.#all, without) + DOUBT;
    for (const [tool, voters] of this.#ofTools) yield [tool, sumOf(voters, without) / all];
  }
}

function raise(votes: Map<string, number>, voter: string, weight: number): void {
  votes.set(voter, Math.max(votes.get(voter) ?? 0, weight));
}

function sumOf(votes: ReadonlyMap<string, number>, without: string | undefined): number {
  let sum = 0;
  for (const weight of votes.values()) sum += weight;
  return without === undefined ? sum : sum - (votes.get(without) ?? 0);
}
