import { messageOf } from '../errors.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import type { ToolDocument } from './document.ts';
import type { ToolQuery } from './words/query.ts';

/**
 * A tool's name with its relevance. Higher is better; the scale belongs to the scorer.
 *
 * @example
 * ```ts
 * const byScore = (one: ToolMatch, other: ToolMatch) => other.score - one.score || (one.name < other.name ? -1 : 1);
 * ```
 */
export interface ToolMatch {
  readonly name: string;
  readonly score: number;
}

/**
 * The searchable form of one catalog.
 *
 * @example
 * ```ts
 * const index: ToolIndex = await bm25Scorer().index([]);
 * ```
 */
export interface ToolIndex {
  /**
   * All matching tools, best first, ties broken by name (code unit order). Empty when nothing matches.
   *
   * A tool that one of `query.required` does not match at all is left out. Limits, permissions and `select:` are
   * the processor's business: an index is never asked a query that has `select`.
   */
  search(query: ToolQuery): readonly ToolMatch[] | Promise<readonly ToolMatch[]>;
  /**
   * The index of a part of the catalog. It answers as one that is built of these tools alone, to the last digit: else
   * its scores would tell of tools that a request may not see. This index stays as it is, and may live shorter or
   * longer.
   *
   * An index leaves the method out where nothing that it says of a tool depends on the other tools.
   */
  restrictedTo?(names: ReadonlySet<string>): ToolIndex | Promise<ToolIndex>;
  /**
   * Rates how likely each of the names is what the query asked for, from 0 to 1, in their order. Asked after the
   * search, with the same query object, for the tools that are shown, best first: what is hidden must not show in the
   * figures. An index that cannot tell leaves the method out, or returns an empty list.
   */
  confidence?(query: ToolQuery, names: readonly string[]): readonly number[] | Promise<readonly number[]>;
  /** Why the name matches the query: for users' own eyes and tests, never for the model. */
  explain?(query: ToolQuery, name: string): MatchExplanation | undefined | Promise<MatchExplanation | undefined>;
}

/**
 * A ranking strategy.
 *
 * `index` runs once for each distinct catalog, before its first search, so expensive work belongs there. One index
 * serves many requests at once and must not keep anything of a query. What it throws ends the search with a message
 * to the model and an event, never the run. A fault that it survives, such as that of a cache, goes to
 * `context.report`; there is no context where no processor has the index built.
 *
 * @example
 * ```ts
 * // Ranks by how many words of the query stand in the name.
 * const byName: ToolScorer = {
 *   name: 'by-name',
 *   index: (documents) => ({
 *     search: ({ keywords }) =>
 *       documents
 *         .map(({ name }) => ({ name, score: keywords.filter((word) => name.includes(word)).length }))
 *         .filter(({ score }) => score > 0)
 *         .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1)),
 *   }),
 * };
 * new ToolSearchProcessor({ tools, search: { scorer: byName } });
 * ```
 */
export interface ToolScorer {
  readonly name: string;
  /**
   * False where none of its indexes has `confidence`: then the processor refuses `search.minConfidence` at once. Left
   * out, it is seen, and reported, at the first search.
   */
  readonly givesConfidence?: boolean;
  /**
   * Tells scorers apart that would index the same tools differently. The processors of a process share the indexes of
   * scorers with one key; left out, each processor builds its own.
   */
  readonly key?: string;
  /** True if even low-scoring matches are relevant. Otherwise a search drops matches below 5 % of the best score. */
  readonly keepsTail?: boolean;
  index(documents: readonly ToolDocument[], context?: ScorerContext): ToolIndex | Promise<ToolIndex>;
}

/**
 * A fault that a search survives: it is answered without what is at fault.
 *
 * @example
 * ```ts
 * const print = ({ scorer, error }: ScorerFault) => console.warn(scorer, error);
 * ```
 */
export interface ScorerFault {
  /** The name of the scorer, or of the scorer's part, that failed. */
  readonly scorer: string;
  readonly error: unknown;
}

/**
 * The processor's hand to an index that it has built.
 *
 * @example
 * ```ts
 * const quiet: ScorerContext = { report: () => {} };
 * const index = await bm25Scorer().index([], quiet);
 * ```
 */
export interface ScorerContext {
  /** Reports a fault as an event and a log line. Faults that end a search are thrown instead. */
  report(fault: ScorerFault): void;
}

/** The progress of embedding a catalog's tools. */
export interface EmbeddingState {
  readonly state: 'pending' | 'ready';
  /** Tools of the catalog. */
  readonly tools: number;
  /** Tools that had no vector when the index was made. */
  readonly missing: number;
  /** Milliseconds since the index was made. */
  readonly ms: number;
}

/** The context that this package gives its own scorers. */
export interface EmbeddingContext extends ScorerContext {
  /** Emits an event when vectors are pending, and when they are ready. */
  embedding?(state: EmbeddingState): void;
}

/** The context of an index that is built without a processor. */
export const consoleContext: ScorerContext = {
  report: ({ scorer, error }) => console.warn(`[tool-search] The scorer "${scorer}": ${messageOf(error)}`),
};

/**
 * Why a tool matches a query.
 *
 * @example
 * ```ts
 * const [best] = await processor.search('send an email', { explain: true });
 * const explanation: MatchExplanation | undefined = best?.explanation;
 * console.log(explanation?.coverage);
 * ```
 */
export interface MatchExplanation {
  /**
   * The words of the query with what they found, in their order; words that found nothing are there with a score of 0.
   */
  readonly words: readonly WordExplanation[];
  /** The share of the query that the tool covers, from 0 to 1. Rare words count more. */
  readonly coverage: number;
  /** The share of the name's words that the query has, from 0 to 1. Synonyms count less. */
  readonly nameCoverage: number;
  /** Whether the query, or one of its words, is the tool's name in some spelling. */
  readonly isNamed: boolean;
  /**
   * What the score is the sum of, where the tool was ranked by words and meaning; what follows the first tools has one
   * feature, `rest`. Absent with a scorer of words alone.
   */
  readonly features?: readonly FeatureExplanation[];
}

/**
 * What one feature of a tool adds to its score.
 *
 * @example
 * ```ts
 * const byMeaning = (features: readonly FeatureExplanation[]) =>
 *   features.filter(({ of }) => of === 'meaning').reduce((sum, { score }) => sum + score, 0);
 * ```
 */
export interface FeatureExplanation {
  readonly feature: string;
  /** Whether the feature measures the query's words, their meaning, or the tool itself. */
  readonly of: 'words' | 'meaning' | 'tool';
  /** The tool's value of the feature, before weighting. */
  readonly value: number;
  /** The feature's part of the score. */
  readonly score: number;
}

/**
 * What one word of a query found in a tool.
 *
 * @example
 * ```ts
 * const say = ({ word, found, by }: WordExplanation) => `${word} found ${found} (${by})`;
 * ```
 */
export interface WordExplanation {
  /** A word of the query. */
  readonly word: string;
  /** The tool's word that the query word matched; empty without a match. */
  readonly found: string;
  /**
   * The way it was found: the `word` itself, another `form` of it, a `compound` (two words written as one), a `guess`
   * at a word that the catalog does not have (its beginning, or a few wrong letters), a `synonym`, or in what the
   * `server`, or the group, of the tool says of all its tools.
   */
  readonly by: 'word' | 'form' | 'compound' | 'guess' | 'synonym' | 'server' | 'nothing';
  /** The fields with a match, each with the term frequency, weighted by field boost and length. */
  readonly fields: Readonly<Record<string, number>>;
  /** The word's part of the score, before the coverage factor. */
  readonly score: number;
}

/**
 * An index that can put off sorting and reranking, follow a change of its catalog, and say how close its tools are. For this
 * package alone: what is saved is worth the methods in a catalog of thousands, and no scorer has to know of them.
 */
export interface IncrementalIndex extends ToolIndex {
  /** An app that the query names and that no tool mentions, as the query writes it. */
  unmentionedApp?(query: ToolQuery): MaybePromise<string | undefined>;
  /**
   * The cosines of the 50 tools that are closest to a query, the highest first, whether they match or not.
   *
   * @param names - the tools that count; all without it.
   */
  closest?(query: ToolQuery, names?: ReadonlySet<string>): MaybePromise<readonly number[]>;
  /**
   * Whether too many of its tools have no vector yet for it to rank by: a hybrid goes on without it. Looks for those that
   * failed again, after a while.
   *
   * @param visible - the names that the request may see; all without it.
   */
  isPending?(visible?: ReadonlySet<string>): boolean;
  /**
   * The matches of `search`, one by one. Asked instead of it where it is there, as most requests look at the first few
   * matches only.
   */
  ranked?(query: ToolQuery): MaybePromise<Iterable<ToolMatch>>;
  /** Compares tools over thousands of queries, each asking which tools score at least as high as a given one. */
  contest?(): ToolContest;
  /**
   * A first ranking, which asks nobody outside. Asked of an index that holds tools which the request may not see: it says
   * which tools the filter is asked about first.
   */
  draft?(query: ToolQuery): MaybePromise<readonly ToolMatch[]>;
  /**
   * The index after a change of the catalog, which costs less than a new one; undefined where it would not. This index
   * stays as it is: other requests go on asking it.
   *
   * @param added - what is new, and the new form of what has changed.
   * @param removed - the names of what is gone, and of what has changed.
   */
  update?(added: readonly ToolDocument[], removed: readonly string[]): MaybePromise<IncrementalIndex | undefined>;
}

/** Compares tools by their own words. It caches a lot, so it is meant for short-lived use. */
export interface ToolContest {
  /**
   * The matches of a query that score no less than a tool, best first, with that tool and the scores of a search; undefined
   * where the query does not find the tool.
   *
   * @param query - without required words.
   */
  upTo(name: string, query: ToolQuery): readonly ToolMatch[] | undefined;
  /** The words of a query, with what each adds to the score of a tool. */
  wordsOf(name: string, query: ToolQuery): readonly Pick<WordExplanation, 'word' | 'score'>[];
}

/** Sorts in place: best first, ties by name in code unit order. */
export function bestFirst(matches: ToolMatch[]): ToolMatch[] {
  return matches.sort((first, second) => second.score - first.score || (first.name < second.name ? -1 : 1));
}
