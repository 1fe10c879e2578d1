import type { Use } from './use.ts';
import { Votes } from './votes.ts';

/** The part of a vote that a tool has which the search had put first by itself: its use corrected nothing. */
const CONFIRMED = 0.25;

/** A query of a conversation, with the tools that were used after it. */
export interface PastQuery {
  /** Its place among all. */
  readonly at: number;
  readonly words: readonly string[];
  readonly voter: string;
  /** The part of a vote that each has, up to 1. */
  readonly tools: Map<string, number>;
  /** From 0 to 1: half after a half-life. */
  weight: number;
  /** The rarities of its words together. */
  size: number;
}

/** A word of past queries. */
interface PastWord {
  readonly queries: PastQuery[];
  idf: number;
  /** Made when the word is asked for. */
  votes?: Votes;
}

/** Past queries, and their words. */
export class PastQueries {
  readonly all: readonly PastQuery[];
  readonly #words = new Map<string, PastWord>();
  /** The idf of a word that no query had. */
  readonly #unknown: number;

  /**
   * @param now - milliseconds since 1970.
   * @param halfLife - milliseconds after which a use weighs half.
   */
  constructor(uses: readonly Use[], now: number, halfLife: number) {
    this.all = queriesOf(uses, now, halfLife);
    for (const query of this.all) for (const word of query.words) this.#note(word, query);
    const weight = weightOf(this.all);
    const idfOf = (of: number): number => Math.log(1 + (weight - of + 0.5) / (of + 0.5));
    this.#unknown = idfOf(0);
    for (const word of this.#words.values()) {
      word.idf = idfOf(weightOf(word.queries));
      for (const query of word.queries) query.size += word.idf;
    }
  }

  /** The idf of a word, and its votes; undefined for one that no query had. */
  word(word: string): { readonly idf: number; readonly votes: Votes } | undefined {
    const known = this.#words.get(word);
    if (!known) return undefined;
    const votes = known.votes ?? new Votes();
    if (!known.votes) for (const { voter, tools, weight } of known.queries) votes.cast(voter, tools, weight);
    known.votes = votes;
    return { idf: known.idf, votes };
  }

  /** The rarities of words together, those that no query had included. */
  sizeOf(words: readonly string[]): number {
    return words.reduce((sum, word) => sum + (this.#words.get(word)?.idf ?? this.#unknown), 0);
  }

  /** The queries that share words with these, with their similarity, from 0 to 1. */
  *alike(words: readonly string[]): Iterable<readonly [query: PastQuery, similarity: number]> {
    const shared = new Float64Array(this.all.length);
    for (const each of words) {
      const { queries = [], idf = 0 } = this.#words.get(each) ?? {};
      for (const { at } of queries) shared[at] = (shared[at] ?? 0) + idf;
    }
    const size = this.sizeOf(words);
    for (const query of this.all) {
      const common = shared[query.at] ?? 0;
      if (common > 0) yield [query, common / Math.sqrt(size * query.size)];
    }
  }

  #note(word: string, query: PastQuery): void {
    const noted = this.#words.get(word) ?? { queries: [], idf: 0 };
    this.#words.set(word, noted);
    noted.queries.push(query);
  }
}

function queriesOf(uses: readonly Use[], now: number, halfLife: number): readonly PastQuery[] {
  const queries = new Map<string, PastQuery>();
  for (const { words, voter, tool, usedAt, wasFirst = false } of uses) {
    const key = `${voter} ${words.join('')}`;
    const query = queries.get(key) ?? { at: queries.size, words, voter, tools: new Map(), weight: 0, size: 0 };
    queries.set(key, query);
    query.tools.set(tool, Math.max(query.tools.get(tool) ?? 0, wasFirst ? CONFIRMED : 1));
    query.weight = Math.max(query.weight, 2 ** (-Math.max(0, now - usedAt) / halfLife));
  }
  return [...queries.values()];
}

function weightOf(queries: readonly PastQuery[]): number {
  return queries.reduce((sum, { weight }) => sum + weight, 0);
}
