import type { EventOrigin } from '../events/origin.ts';
import type { ToolDocument } from '../scorers/document.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import type { SlicedWork } from '../util/time-slices.ts';
import type { CatalogEntry, ToolProblems } from './entry.ts';

export { type CatalogEntry, isClients } from './entry.ts';

/** What a call of a source needs to know of its request. */
export interface SourceCall {
  readonly abortSignal?: AbortSignal | undefined;
  /** Where the events of the call come from. */
  readonly origin?: EventOrigin | undefined;
  /** The request's default scope. Fetched tools are cached under it, and serve while the source is down. */
  readonly scope?: (() => string | undefined) | undefined;
  readonly explain?: boolean | undefined;
}

/**
 * All tools that a request can search, by the names that the model calls. `MemoryCatalog` has all of its tools in
 * memory. The catalog of a {@link ToolSource} has the tools that the source has named in the run; its code is loaded on
 * demand.
 */
export interface Catalog {
  readonly problems: ToolProblems;
  /** Whether `entries` has all tools. A source never lists all its tools, so that its catalog grows. */
  readonly isComplete: boolean;
  /** Whether the catalog is empty because its tools could not be resolved. */
  readonly isUnknown?: boolean;
  /** The unrestricted catalog, where this one is a request's visible part of it. */
  readonly whole?: Catalog | undefined;
  /** The tools of this catalog, in record order. */
  readonly entries: Iterable<CatalogEntry>;
  readonly size: number;

  /** The tool that the model calls `name`, or the one that stands under the record key `name`. */
  get(name: string): CatalogEntry | undefined;
  /** The name by which the model calls the tool of this spelling; the spelling itself if no tool has it. */
  nameOf(spelling: string): string;
  /** A tool's name and its other spellings: stores and conversations may have the tool under each. */
  spellingsOf(name: string): readonly string[];
  /** All spellings that `get` resolves: names, record keys, and ids that the model cannot call. */
  spellings(): Iterable<string>;
  /** An upper bound of the number of spellings. */
  readonly spellingCount: number;
  /** The search document of an entry. */
  readDocument(entry: CatalogEntry): ToolDocument;
  /** The entries of the same tool from other installations of its server. */
  copiesOf(name: string): readonly CatalogEntry[];

  /** Fetches missing tools by name, or by a pattern such as `github_*`. Never rejects. */
  reach(names: Iterable<string>, call?: SourceCall): MaybePromise<void>;
  /** Whether the source failed when it was asked for this name or pattern. */
  failedToReach(name: string): boolean;
  /** Catalogs to search for the tools that unknown names may mean. Never rejects. */
  catalogsFor(names: readonly string[], call: SourceCall): MaybePromise<readonly NamesToGuess[]>;

  /** The part of this catalog that a request may see. It has no trace of the other tools. */
  restrictedTo(visible: ReadonlySet<CatalogEntry>): Catalog;
  /** This catalog without the tools that the agent sends itself. Name clashes are reported. */
  withoutOwn(own: readonly OwnTool[]): Catalog;
  /** This catalog plus tools that are sent anyway, so that searches show them. Their entries cannot be called. */
  withSent(tools: readonly OwnTool[]): Catalog;
  /**
   * This catalog with the tools of one request, which replace those of the same name or record key.
   *
   * @param isTaken - whether a name is taken, so that no tool of the request may have it.
   */
  withResolved(tools: Readonly<Record<string, unknown>>, isTaken?: (name: string) => boolean): Catalog;
}

/** A tool of the agent's own, by its key. */
export type OwnTool = readonly [key: string, tool: object];

/** Names that no tool has, and the catalog in which to look for similar ones. */
export interface NamesToGuess {
  readonly catalog: Catalog;
  readonly names: readonly string[];
}

export function namesIn({ entries }: Pick<Catalog, 'entries'>): readonly string[] {
  return Array.from(entries, ({ name }) => name);
}

/** The catalog's documents, as scorers see them. */
export function* documentsOf(catalog: Pick<Catalog, 'entries' | 'readDocument'>): SlicedWork<readonly ToolDocument[]> {
  const documents: ToolDocument[] = [];
  for (const entry of catalog.entries) {
    documents.push(catalog.readDocument(entry));
    yield;
  }
  return documents;
}
