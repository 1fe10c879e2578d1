import type { ToolDocument } from '../catalog/document.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { ToolQuery } from '../query/query.ts';
import type { ScorerContext } from './context.ts';

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
  index(documents: readonly ToolDocument[], context?: ScorerContext): MaybePromise<ToolIndex>;
}
