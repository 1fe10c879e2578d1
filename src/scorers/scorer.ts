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
   * The index of a part of the catalog. It must answer exactly as an index of these tools alone: otherwise its scores
   * would tell of tools that a request may not see. This index stays as it is, and may live shorter or longer than the
   * result.
   *
   * Leave the method out if nothing that the index says of a tool depends on the other tools.
   */
  restrictedTo?(names: ReadonlySet<string>): ToolIndex | Promise<ToolIndex>;
  /**
   * Rates how likely each of the names is what the query asked for, from 0 to 1, in their order. Called after `search`
   * with the same query object, for the tools that are shown, best first; hidden tools must not influence the figures.
   * An index that cannot rate leaves the method out, or returns an empty list.
   */
  confidence?(query: ToolQuery, names: readonly string[]): readonly number[] | Promise<readonly number[]>;
  /** Why the name matches the query: for people and tests, never for the model. */
  explain?(query: ToolQuery, name: string): MatchExplanation | undefined | Promise<MatchExplanation | undefined>;
}

/**
 * A ranking strategy.
 *
 * `index` runs once for each distinct catalog, before its first search, so expensive work belongs there. One index
 * serves many requests at once and must not keep anything of a query. An error that `index` or a search throws ends the
 * search with a message to the model and an event; the run goes on. A fault that the search survives, such as that of a
 * cache, is reported to `context`, which is absent where no processor builds the index.
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
   * False if none of the scorer's indexes has `confidence`: the processor then refuses options that need it, such as
   * `search.minConfidence`, in its constructor. Left out, a missing `confidence` is noticed and reported at the first
   * search.
   */
  readonly givesConfidence?: boolean;
  /**
   * Scorers with the same key index the same tools alike. The processors of one process share the indexes of such
   * scorers. Without a key, each processor builds its own.
   */
  readonly key?: string;
  /** True if even low-scoring matches are relevant. Otherwise a search drops matches below 5 % of the best score. */
  readonly keepsTail?: boolean;
  index(documents: readonly ToolDocument[], context?: ScorerContext): ToolIndex | Promise<ToolIndex>;
}

/**
 * A fault that a search survives: the rest of the scorer answers.
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
 * What a processor passes to a scorer whose index it builds.
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
  /** The count of the catalog's tools. */
  readonly tools: number;
  /** The count of tools without a vector when the index was made. */
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
  /** The words of the query, in their order, with what each found. A word that found nothing has a score of 0. */
  readonly words: readonly WordExplanation[];
  /** The share of the query that the tool covers, from 0 to 1. Rare words count more. */
  readonly coverage: number;
  /** The share of the name's words that the query has, from 0 to 1. Synonyms count less. */
  readonly nameCoverage: number;
  /** Whether the query, or one of its words, is the tool's name in some spelling. */
  readonly isNamed: boolean;
  /**
   * The addends of the score, where words and meaning ranked the tool. A tool below the closely compared ones has one
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
   * How the word was found: the `word` itself, another `form` of it, a `compound` (two words written as one), a `guess`
   * at a word that the catalog does not have (by its beginning, or with a few wrong letters), a `synonym`, or by
   * `server`: in the text about all tools of the server or group.
   */
  readonly by: 'word' | 'form' | 'compound' | 'guess' | 'synonym' | 'server' | 'nothing';
  /** The fields with a match, each with the term frequency, weighted by field boost and length. */
  readonly fields: Readonly<Record<string, number>>;
  /** The word's part of the score, before the coverage factor. */
  readonly score: number;
}

/**
 * An index that can also sort and rerank lazily, follow changes of its catalog, and tell how close its tools are.
 * Internal: the extra methods pay off in catalogs of thousands, and other scorers need none of them.
 */
export interface IncrementalIndex extends ToolIndex {
  /** An app that the query names and that no tool mentions, as the query writes it. */
  unmentionedApp?(query: ToolQuery): MaybePromise<string | undefined>;
  /**
   * The cosines of the 50 tools closest to a query, the highest first, whether they match or not.
   *
   * @param names - the tools that count; all if it is left out.
   */
  closest?(query: ToolQuery, names?: ReadonlySet<string>): MaybePromise<readonly number[]>;
  /**
   * Whether too many tools have no vector yet for the index to rank: a hybrid then ranks without it. Tools whose
   * vectors failed are tried again, after a while.
   *
   * @param visible - the names that the request may see; all if it is left out.
   */
  isPending?(visible?: ReadonlySet<string>): boolean;
  /**
   * The matches of `search`, one by one. Called in place of `search`, because most requests look at the first few
   * matches only.
   */
  ranked?(query: ToolQuery): MaybePromise<Iterable<ToolMatch>>;
  /** Compares tools over thousands of queries, each asking which tools score at least as high as a given one. */
  contest?(): ToolContest;
  /**
   * A first ranking without calls to other services. Called on an index that has tools the request may not see: the
   * order says which tools the filter is asked about first.
   */
  draft?(query: ToolQuery): MaybePromise<readonly ToolMatch[]>;
  /**
   * The index after a change of the catalog; undefined if a new index would cost less. This index stays as it is,
   * because other requests go on using it.
   *
   * @param added - new tools, and the new form of changed ones.
   * @param removed - the names of tools that are gone or changed.
   */
  update?(added: readonly ToolDocument[], removed: readonly string[]): MaybePromise<IncrementalIndex | undefined>;
}

/** Compares tools by their own words. Caches a lot, so it is meant for short-lived use. */
export interface ToolContest {
  /**
   * The matches of a query that score at least as high as the tool, which is among them; best first, with the scores of
   * a search. Undefined if the query does not find the tool.
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
