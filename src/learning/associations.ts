import type { SlicedWork } from '../kit.ts';
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
  /** The votes of its queries, counted when the word is asked for. */
  votes?: Votes;
}

/** Which tools are used after which words, by the queries of a scope. */
export class Associations {
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
    this.#queries = queriesOf(uses, now, halfLife);
    for (const query of this.#queries) {
      for (const text of query.words) {
        const word = this.#words.get(text) ?? { queries: [], idf: 0 };
        this.#words.set(text, word);
        word.queries.push(query);
      }
    }
    const total = weightOf(this.#queries);
    const idfOf = (weight: number): number => Math.log(1 + (total - weight + 0.5) / (weight + 0.5));
    this.#unknown = idfOf(0);
    for (const word of this.#words.values()) {
      word.idf = idfOf(weightOf(word.queries));
      for (const query of word.queries) query.size += word.idf;
    }
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
   * How far past queries predict one another, from 0 to 1. Where every query wants another tool, what was used after one
   * says nothing of the next, and only the tools that were never used would pay for it.
   */
  *#measureTrust(): SlicedWork<number> {
    let predicted = 0;
    let asked = 0;
    for (const { words, voter, tools } of this.#queries.slice(-ASKED)) {
      const [first] = [...this.#votes(words, voter)].sort(([, one], [, other]) => other - one);
      yield;
      if (!first) continue;
      asked += 1;
      if (tools.has(first[0])) predicted += 1;
    }
    return Math.min(1, (predicted + 1) / (asked + 2) / TRUSTED);
  }

  /** @param without - a conversation that has no vote. */
  #votes(words: readonly string[], without?: string): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    const add = (votes: Votes, part: number): void => {
      for (const [tool, share] of votes.shares(without)) sums.set(tool, (sums.get(tool) ?? 0) + part * share);
    };
    const size = words.reduce((sum, word) => sum + (this.#words.get(word)?.idf ?? this.#unknown), 0);
    add(this.#votesOfQueriesLike(words, size), ALIKE);
    for (const text of words) {
      const word = this.#words.get(text);
      if (word) add(votesOf(word), ((1 - ALIKE) * word.idf) / size);
    }
    for (const [tool, sum] of sums) if (sum < BAR) sums.delete(tool);
    return sums;
  }

  /** The votes of the queries that share words with these: the more alike, the stronger. */
  #votesOfQueriesLike(words: readonly string[], size: number): Votes {
    const shared = new Map<PastQuery, number>();
    for (const text of words) {
      const { queries = [], idf = 0 } = this.#words.get(text) ?? {};
      for (const query of queries) shared.set(query, (shared.get(query) ?? 0) + idf);
    }
    const votes = new Votes();
    for (const [{ voter, tools, weight, size: other }, common] of shared) {
      const similarity = common / Math.sqrt(size * other);
      if (similarity >= MIN_SIMILARITY) votes.cast(voter, tools, weight * similarity ** NEARNESS);
    }
    return votes;
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

function weightOf(queries: readonly PastQuery[]): number {
  return queries.reduce((sum, { weight }) => sum + weight, 0);
}

function votesOf(word: PastWord): Votes {
  if (word.votes) return word.votes;
  const votes = new Votes();
  for (const { voter, tools, weight } of word.queries) votes.cast(voter, tools, weight);
  word.votes = votes;
  return votes;
}

/** Votes for tools. A conversation has one for a tool, its strongest, however often it used it. */
class Votes {
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

  /** The share of the conversations that each tool has, from 0 to 1, without the votes of one of them. */
  *shares(without: string | undefined): Iterable<readonly [tool: string, share: number]> {
    const all = this.#all.without(without) + DOUBT;
    for (const [tool, weights] of this.#ofTools) yield [tool, Math.max(0, weights.without(without)) / all];
  }
}

/** The greatest weight of each conversation, with their sum. */
class Weights {
  readonly #ofVoters = new Map<string, number>();
  #sum = 0;

  raise(voter: string, weight: number): void {
    const before = this.#ofVoters.get(voter) ?? 0;
    if (weight <= before) return;
    this.#ofVoters.set(voter, weight);
    this.#sum += weight - before;
  }

  without(voter: string | undefined): number {
    return this.#sum - (voter === undefined ? 0 : (this.#ofVoters.get(voter) ?? 0));
  }
}
