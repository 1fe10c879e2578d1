import type { ToolDocument } from '../catalog/document.ts';
import type { ToolQuery } from '../query/query.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import type { ScorerContext } from './context.ts';
import type { Explanation } from './explanation.ts';

/** A tool's name with its relevance. Higher is better; the scale belongs to the scorer. */
export interface Match {
  readonly name: string;
  readonly score: number;
}

/** The searchable form of one catalog. */
export interface ToolIndex {
  /**
   * All matching tools, best first, ties broken by name (code unit order). Empty when nothing matches.
   *
   * A tool that one of `query.required` does not match at all is left out. Limits, permissions and `select:` are
   * the processor's business: an index ignores `query.limit` and is never asked a query that has `select`.
   */
  search(query: ToolQuery): MaybePromise<readonly Match[]>;
  /**
   * The same matches as `search`, one by one. For an index that can put off the sorting of what nobody looks at: most
   * requests look at the first few only. Asked instead of `search` where it is there.
   */
  ranked?(query: ToolQuery): MaybePromise<Iterable<Match>>;
  /**
   * The index after a change of the catalog, which costs less than a new one; undefined where it would not. This index
   * stays as it is: other requests go on asking it.
   *
   * @param added - what is new, and the new form of what has changed.
   * @param removed - the names of what is gone, and of what has changed.
   */
  update?(added: readonly ToolDocument[], removed: readonly string[]): MaybePromise<ToolIndex | undefined>;
  /**
   * The index of a part of the catalog. It answers as one that is built of these tools alone, to the last digit: else its
   * scores would tell of tools that a request may not see. This index stays as it is, and may live shorter or longer.
   *
   * An index leaves the method out where nothing that it says of a tool depends on the other tools.
   */
  restrictedTo?(names: ReadonlySet<string>): MaybePromise<ToolIndex>;
  /**
   * How likely each of the names is what the query asked for, from 0 to 1, in their order. Asked after the search, with
   * the same query object, for the tools that are shown, best first: what is hidden must not show in the figures.
   * An index that cannot tell leaves the method out, or returns an empty list.
   */
  confidence?(query: ToolQuery, names: readonly string[]): MaybePromise<readonly number[]>;
  /** Why the name matches the query: for users' own eyes and tests, never for the model. */
  explain?(query: ToolQuery, name: string): MaybePromise<Explanation | undefined>;
}

/**
 * A ranking strategy.
 *
 * `index` runs once for each distinct catalog, before its first search, so expensive work belongs there. One index
 * serves many requests at once and must not keep anything of a query. What it throws ends the search with a message
 * to the model and an event, never the run. A fault that it survives, such as that of a cache, goes to
 * `context.report`; there is no context where no processor has the index built.
 */
export interface ToolScorer {
  readonly name: string;
  /**
   * False where none of its indexes has `confidence`: then the processor refuses `search.minConfidence` at once. Left
   * out, it is seen, and reported, at the first search.
   */
  readonly givesConfidence?: boolean;
  /** True where all matches are meant. Else a search leaves out those with less than 15 % of the best one's score. */
  readonly keepsTail?: boolean;
  index(documents: readonly ToolDocument[], context?: ScorerContext): MaybePromise<ToolIndex>;
}
