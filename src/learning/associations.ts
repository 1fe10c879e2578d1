import type { SlicedWork } from '../kit.ts';
import { PastQueries } from './past-queries.ts';
import type { Use } from './use.ts';
import { Votes } from './votes.ts';

/** The part of a vote that queries have which are alike; the rest have single words. */
const ALIKE = 0.7;
/** The similarity below which a query says nothing of another. */
const MIN_SIMILARITY = 0.1;
/** The power of their similarity that queries weigh: near ones much more than far ones. */
const NEARNESS = 1.5;
/** The vote below which nothing is said of a tool: chance. */
const BAR = 0.12;
/** The latest queries that are asked whether the others would have told what was used after them. */
const ASKED = 50;
/** The share of them that has to be told for what was learned to be trusted in full. */
const TRUSTED = 0.3;

/** Which tools are used after which words, by the queries of a scope. */
export class Associations {
  readonly #past: PastQueries;
  #trust: number | undefined;

  /**
   * @param now - milliseconds since 1970.
   * @param halfLife - milliseconds after which a use weighs half.
   */
  constructor(uses: readonly Use[], now: number, halfLife: number) {
    this.#past = new PastQueries(uses, now, halfLife);
  }

  /**
   * How far past use speaks for each tool after these words, from 0 to 1. What is hardly spoken for is left out. The first
   * time that it says anything may take a tenth of a second, later ones a millisecond.
   */
  *votes(words: readonly string[]): SlicedWork<ReadonlyMap<string, number>> {
    const votes = this.#votes(words);
    if (votes.size === 0) return votes;
    const trust = this.#trust ?? (yield* this.#measureTrust());
    this.#trust = trust;
    return new Map([...votes].map(([tool, vote]) => [tool, vote * trust]));
  }

  /**
   * How far past queries tell of one another, from 0 to 1. Where every query wants another tool, what was used after one
   * says nothing of the next, and only the tools that were never used would pay for it.
   */
  *#measureTrust(): SlicedWork<number> {
    let told = 0;
    let asked = 0;
    for (const { words, voter, tools } of this.#past.all.slice(-ASKED)) {
      const [first] = [...this.#votes(words, voter)].sort(([, one], [, other]) => other - one);
      yield;
      if (!first) continue;
      asked += 1;
      if (tools.has(first[0])) told += 1;
    }
    return Math.min(1, (told + 1) / (asked + 2) / TRUSTED);
  }

  /** @param without - a conversation that is not heard. */
  #votes(words: readonly string[], without?: string): ReadonlyMap<string, number> {
    const votes = new Map<string, number>();
    const add = (tool: string, vote: number): void => void votes.set(tool, (votes.get(tool) ?? 0) + vote);
    const alike = new Votes();
    for (const [{ voter, tools, weight }, similarity] of this.#past.alike(words)) {
      if (similarity < MIN_SIMILARITY || voter === without) continue;
      alike.cast(voter, tools, weight * similarity ** NEARNESS);
    }
    for (const [tool, share] of alike.shares()) add(tool, ALIKE * share);
    const size = this.#past.sizeOf(words);
    for (const each of words) {
      const word = this.#past.word(each);
      if (!word) continue;
      const part = ((1 - ALIKE) * word.idf) / size;
      for (const [tool, share] of word.votes.shares(without)) add(tool, part * share);
    }
    for (const [tool, vote] of votes) if (vote < BAR) votes.delete(tool);
    return votes;
  }
}
