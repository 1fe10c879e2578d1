import { Ballots } from './ballots.ts';
import type { Use } from './use.ts';

/** A query of a conversation, with the tools that were used after it. */
export interface PastQuery {
  readonly words: readonly string[];
  readonly voter: string;
  readonly tools: Set<string>;
  /** From 0 to 1: half after a half-life. */
  weight: number;
  /** The rarities of its words together. */
  size: number;
}

/** A word of past queries. */
interface PastWord {
  readonly queries: PastQuery[];
  readonly ballots: Ballots;
  rarity: number;
}

/** Past queries, and their words. */
export class PastQueries {
  readonly all: readonly PastQuery[];
  readonly #words = new Map<string, PastWord>();
  /** The rarity of a word that no query had. */
  readonly #unknown: number;

  /**
   * @param now - milliseconds since 1970.
   * @param halfLife - milliseconds after which a use weighs half.
   */
  constructor(uses: readonly Use[], now: number, halfLife: number) {
    this.all = queriesOf(uses, now, halfLife);
    for (const query of this.all) for (const word of query.words) this.#note(word, query);
    const weight = weightOf(this.all);
    const rarityOf = (of: number): number => Math.log(1 + (weight - of + 0.5) / (of + 0.5));
    this.#unknown = rarityOf(0);
    for (const word of this.#words.values()) {
      word.rarity = rarityOf(weightOf(word.queries));
      for (const query of word.queries) query.size += word.rarity;
    }
  }

  word(word: string): PastWord | undefined {
    return this.#words.get(word);
  }

  /** The rarities of words together, those that no query had included. */
  sizeOf(words: readonly string[]): number {
    return words.reduce((sum, word) => sum + (this.#words.get(word)?.rarity ?? this.#unknown), 0);
  }

  /** The queries that share words with these, with their likeness, from 0 to 1. */
  *alike(words: readonly string[]): Iterable<readonly [query: PastQuery, likeness: number]> {
    const shared = new Map<PastQuery, number>();
    for (const each of words) {
      const word = this.#words.get(each);
      for (const query of word?.queries ?? []) shared.set(query, (shared.get(query) ?? 0) + (word?.rarity ?? 0));
    }
    const size = this.sizeOf(words);
    for (const [query, common] of shared) yield [query, common / Math.sqrt(size * query.size)];
  }

  #note(word: string, query: PastQuery): void {
    const noted = this.#words.get(word) ?? { queries: [], ballots: new Ballots(), rarity: 0 };
    this.#words.set(word, noted);
    noted.queries.push(query);
    noted.ballots.cast(query.voter, query.tools, query.weight);
  }
}

function queriesOf(uses: readonly Use[], now: number, halfLife: number): readonly PastQuery[] {
  const queries = new Map<string, PastQuery>();
  for (const { words, voter, tool, usedAt } of uses) {
    const key = `${voter} ${words.join('')}`;
    const query = queries.get(key) ?? { words, voter, tools: new Set(), weight: 0, size: 0 };
    queries.set(key, query);
    query.tools.add(tool);
    query.weight = Math.max(query.weight, 2 ** (-Math.max(0, now - usedAt) / halfLife));
  }
  return [...queries.values()];
}

function weightOf(queries: readonly PastQuery[]): number {
  return queries.reduce((sum, { weight }) => sum + weight, 0);
}
