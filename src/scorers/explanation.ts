/** Why a tool matches a query. */
export interface Explanation {
  /** What the words of the query found, in their order; words that found nothing are there with a score of 0. */
  readonly words: readonly WordExplanation[];
  /** The share of the query that the tool covers, rare words counting more, from 0 to 1. */
  readonly coverage: number;
  /** The share of the words of the tool's name that the query has, synonyms for less, from 0 to 1. */
  readonly nameCoverage: number;
  /** Whether the query, or one of its words, is the tool's name in some spelling. */
  readonly isNamed: boolean;
}

export interface WordExplanation {
  /** A word of the query. */
  readonly word: string;
  /** The word of the tool that it found; empty when it found none. */
  readonly found: string;
  /**
   * How: the `word` itself, another `form` of it, a `compound` (two words written as one), a `guess` at a word that the
   * catalog does not have (its beginning, or a few wrong letters), or a `synonym`.
   */
  readonly by: 'word' | 'form' | 'compound' | 'guess' | 'synonym' | 'nothing';
  /** Where it was found, with the frequency there, weighted by field and length. */
  readonly fields: Readonly<Record<string, number>>;
  /** What it adds before coverage is taken into account. */
  readonly score: number;
}
