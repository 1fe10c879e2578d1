import { inverseDocumentFrequency, type SlicedWork } from '../kit.ts';
import type { Use } from './uses.ts';

/** The part of a vote that queries have which are alike; the rest have single words. */
const ALIKE = 0.7;
/** The similarity below which a query says nothing of another. */
const MIN_SIMILARITY = 0.1;
/** The power of their similarity that queries weigh: near ones much more than far ones. */
const NEARNESS = 1.5;
/** The vote below which nothing is said of a tool: chance. */
const BAR = 0.12;
/** The latest queries that are asked whether the others would have predicted what was used after them. */
const ASKED = 50;
/** The share of them that has to be predicted for what was learned to be trusted in full. */
const TRUSTED = 0.3;
/** The part of a vote that a tool has which the search had put first by itself: its use corrected nothing. */
const CONFIRMED = 0.25;
/** The evidence against every tool that is there beforehand, in conversations: one use proves little. */
const DOUBT = 2;

/** A query of a conversation, with the tools that were used after it. */
interface PastQuery {
  readonly words: readonly string[];
  readonly voter: string;
  /** The part of a vote that each has, up to 1. */
  readonly tools: Map<string, number>;
  /** From 0 to 1: half after a half-life. */
  weight: number;
  /** The sum of the idf of its words. */
  size: number;
}

/** A word of past queries. */
interface PastWord {
  readonly queries: PastQuery[];
  idf: number;
  /** The shares that its queries give to tools, counted when the word is first asked for. */
  shares?: ReadonlyMap<string, number>;
}

/** Votes: a past query, and the weight of its vote, up to 1. */
type Votes = Iterable<readonly [query: PastQuery, weight: number]>;

/** Which tools are used after which words, by the queries of a scope. */
export class Associations {
  /** The uses that they are of. */
  readonly size: number;
  readonly #queries: readonly PastQuery[];
  readonly #words = new Map<string, PastWord>();
  /** The idf of a word that no query had. */
  readonly #unknown: number;
  #trust: number | undefined;

  /**
   * @param now - milliseconds since 1970.
   * @param halfLife - milliseconds after which a use weighs half.
   */
  constructor(uses: readonly Use[], now: number, halfLife: number) {
    this.size = uses.length;
    this.#queries = queriesOf(uses, now, halfLife);
    for (const query of this.#queries) {
      for (const text of query.words) {
        const word = this.#words.get(text) ?? { queries: [], idf: 0 };
        this.#words.set(text, word);
        word.queries.push(query);
      }
    }
    const weightOf = (queries: readonly PastQuery[]): number => sumOf(queries.map(({ weight }) => weight));
    const total = weightOf(this.#queries);
    this.#unknown = inverseDocumentFrequency(0, total);
    for (const word of this.#words.values()) {
      word.idf = inverseDocumentFrequency(weightOf(word.queries), total);
      for (const query of word.queries) query.size += word.idf;
    }
  }

  /**
   * How far past use speaks for each tool after these words, from 0 to 1. What is hardly spoken for is left out. The first
   * time that it says anything, it measures how far past queries predict one another, from 0 to 1, which may take tenths of a
   * second. Where every query wants another tool, what was used after one says nothing of the next, and only the tools that
   * were never used would pay for it.
   */
  *votes(words: readonly string[]): SlicedWork<ReadonlyMap<string, number>> {
    const votes = this.#votes(words);
    if (votes.size === 0) return votes;
    if (this.#trust === undefined) {
      let [predicted, asked] = [0, 0];
      for (const query of this.#queries.slice(-ASKED)) {
        const [first] = [...this.#votes(query.words, query.voter)].sort(([, one], [, other]) => other - one);
        yield;
        if (first) asked += 1;
        if (first && query.tools.has(first[0])) predicted += 1;
      }
      this.#trust = Math.min(1, (predicted + 1) / (asked + 2) / TRUSTED);
    }
    const trust = this.#trust;
    return new Map([...votes].map(([tool, vote]) => [tool, vote * trust]));
  }

  /** @param without - a conversation that has no vote. */
  #votes(words: readonly string[], without?: string): ReadonlyMap<string, number> {
    const known = words.flatMap((word) => this.#words.get(word) ?? []);
    const size = sumOf(known.map(({ idf }) => idf)) + (words.length - known.length) * this.#unknown;
    const shared = new Map<PastQuery, number>();
    for (const { queries, idf } of known)
      for (const query of queries) shared.set(query, (shared.get(query) ?? 0) + idf);
    // The more alike the queries, the stronger the vote.
    const alike = [...shared].flatMap(([query, common]) => {
      const similarity = common / Math.sqrt(size * query.size);
      return similarity < MIN_SIMILARITY ? [] : [[query, query.weight * similarity ** NEARNESS] as const];
    });
    const sums = new Map<string, number>();
    const add = (ofTools: ReadonlyMap<string, number>, part: number): void => {
      for (const [tool, share] of ofTools) sums.set(tool, (sums.get(tool) ?? 0) + part * share);
    };
    add(shares(alike, without), ALIKE);
    for (const word of known) {
      const votes = (): Votes => word.queries.map((query) => [query, query.weight] as const);
      if (without === undefined) word.shares ??= shares(votes(), without);
      const ofWord = without === undefined ? word.shares : shares(votes(), without);
      add(ofWord ?? new Map(), ((1 - ALIKE) * word.idf) / size);
    }
    return new Map([...sums].filter(([, sum]) => sum >= BAR));
  }
}

function queriesOf(uses: readonly Use[], now: number, halfLife: number): readonly PastQuery[] {
  const queries = new Map<string, PastQuery>();
  for (const { words, voter, tool, usedAt, wasFirst = false } of uses) {
    const key = `${voter} ${words.join('')}`;
    const query = queries.get(key) ?? { words, voter, tools: new Map(), weight: 0, size: 0 };
    queries.set(key, query);
    query.tools.set(tool, Math.max(query.tools.get(tool) ?? 0, wasFirst ? CONFIRMED : 1));
    query.weight = Math.max(query.weight, 2 ** (-Math.max(0, now - usedAt) / halfLife));
  }
  return [...queries.values()];
}

/**
 * The share of the conversations that each tool has, from 0 to 1. A conversation has one vote for a tool, its strongest,
 * however often it used it.
 */
function shares(votes: Votes, without: string | undefined): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  const ofTools = new Map<string, Map<string, number>>();
  const raise = (weights: Map<string, number>, voter: string, weight: number): void => {
    if (weight > (weights.get(voter) ?? 0)) weights.set(voter, weight);
  };
  for (const [{ voter, tools }, weight] of votes) {
    if (voter === without) continue;
    raise(all, voter, weight);
    for (const [tool, part] of tools) {
      const weights = ofTools.get(tool) ?? new Map<string, number>();
      ofTools.set(tool, weights);
      raise(weights, voter, weight * part);
    }
  }
  const total = sumOf(all.values()) + DOUBT;
  return new Map([...ofTools].map(([tool, weights]) => [tool, sumOf(weights.values()) / total]));
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const each of numbers) sum += each;
  return sum;
}
