import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Permissions, Visible } from '../filter/permissions.ts';
import type { IncrementalIndex, ToolIndex, ToolMatch } from '../scorers/scorer.ts';
import type { ToolQuery } from '../scorers/words/query.ts';

/** One search, as a {@link Searcher} is asked for it. */
export interface SearchCall<Of extends Catalog = Catalog> {
  readonly query: ToolQuery;
  readonly wanted: number;
  readonly catalog: Of;
  readonly permissions: Permissions;
  /** Whether a tool counts towards `wanted`. */
  readonly counts: (entry: CatalogEntry) => boolean;
  readonly explain?: boolean | undefined;
  readonly origin?: EventOrigin | undefined;
}

/** What a query found among the visible tools. */
export interface Searched {
  readonly visible: Visible;
  readonly matches: Iterable<ToolMatch>;
  readonly index: ToolIndex & Pick<IncrementalIndex, 'unmentionedApp'>;
  /** How many tools were searched; absent where nobody knows. */
  readonly candidates?: number;
}

/**
 * Finds what matches a query among the tools that a request may see: by the scorer's indexes, or by asking a source. A
 * processor has one, which knows its kind of catalog.
 */
export interface Searcher {
  /** What ranks, as events name it. */
  readonly ranks: 'scorer' | 'source';
  /** How many queries one message of the user may become. */
  readonly maxQueries: number;
  /**
   * Undefined where the search failed, which is reported.
   *
   * @throws what the scorer throws, for the caller to report.
   */
  search(call: SearchCall): Promise<Searched | undefined>;
  /** Makes a catalog ready to be searched. Rejects where the scorer fails; the next search tries again. */
  ready(catalog: Catalog, origin?: EventOrigin): Promise<unknown>;
  /** Makes the constructor's catalog ready as soon as the process has time, so that the first search need not wait. */
  prepare(origin?: EventOrigin): void;
  /** Drops the caches. */
  clear(): void;
}
