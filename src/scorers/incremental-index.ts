import type { ToolDocument } from '../catalog/document.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import type { ToolIndex, ToolMatch } from './scorer.ts';
import type { ToolQuery } from './words/query.ts';

/**
 * An index that can put off sorting and reranking, follow a change of its catalog, and say how close its tools are. For this package alone: what is
 * saved is worth the methods in a catalog of thousands, and no scorer has to know of them.
 */
export interface IncrementalIndex extends ToolIndex {
  /**
   * The cosines of the 50 tools that are closest to a query, the highest first, whether they match or not.
   *
   * @param names - the tools that count; all without it.
   */
  closest?(query: ToolQuery, names?: ReadonlySet<string>): MaybePromise<readonly number[]>;
  /**
   * The matches of `search`, one by one. Asked instead of it where it is there, as most requests look at the first few
   * matches only.
   */
  ranked?(query: ToolQuery): MaybePromise<Iterable<ToolMatch>>;
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
