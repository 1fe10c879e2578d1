import type { EventOrigin } from '../events/origin.ts';
import type { ToolDocument } from '../scorers/document.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import type { SlicedWork } from '../util/time-slices.ts';
import type { CatalogEntry, ToolProblems } from './entry.ts';

export { type CatalogEntry, isClients } from './entry.ts';

/** The request for which a source may be asked. */
export interface SourceCall {
  readonly abortSignal?: AbortSignal | undefined;
  /** Where the events of the call come from. */
  readonly origin?: EventOrigin | undefined;
  /** The default scope of the request, for which tools are kept for the time when the source is down. */
  readonly scope?: (() => string | undefined) | undefined;
  readonly explain?: boolean | undefined;
}

/**
 * All tools that a request can search, by the names that the model calls. `MemoryCatalog` holds them; the catalog over a
 * {@link ToolSource}, which is a wing, holds those that the source has named in the run.
 */
export interface Catalog {
  readonly problems: ToolProblems;
  /** Whether `entries` has all tools. A source never lists all its tools, so that its catalog grows. */
  readonly isComplete: boolean;
  /** Whether the catalog is empty because its tools could not be resolved. */
  readonly isUnknown?: boolean;
  /** The whole catalog, where this one is the part of it that a request may see. */
  readonly whole?: Catalog | undefined;
  /** The tools that are here, in the order of their records. */
  readonly entries: Iterable<CatalogEntry>;
  readonly size: number;

  /** The tool that the model calls `name`, or the one that stands under the record key `name`. */
  get(name: string): CatalogEntry | undefined;
  /** The name by which the model calls the tool of this spelling; the spelling itself where there is none. */
  nameOf(spelling: string): string;
  /** A tool's name and its other spellings: stores and conversations may have the tool under each. */
  spellingsOf(name: string): readonly string[];
  /** The names, and the other spellings that lead to a tool: record keys, and ids that are no name for the model. */
  spellings(): Iterable<string>;
  /** The number of spellings, at most. */
  readonly spellingCount: number;
  /** The document of an entry of this catalog, also under another name. */
  readDocument(entry: CatalogEntry): ToolDocument;
  /** The other copies of a tool: of the same server, installed several times. */
  copiesOf(name: string): readonly CatalogEntry[];

  /** Fetches the tools of names, and of patterns such as `github_*`, that are not here yet. Never rejects. */
  reach(names: Iterable<string>, call?: SourceCall): MaybePromise<void>;
  /** Whether the source could not be asked for a name, or a pattern. */
  isUnreachable(name: string): boolean;
  /** Where to look for the tools that unknown names may mean. Never rejects. */
  near(names: readonly string[], call: SourceCall): MaybePromise<readonly Near[]>;

  /** The part of this catalog that a request may see. It has no trace of the other tools. */
  restrictedTo(visible: ReadonlySet<CatalogEntry>): Catalog;
  /** This catalog without the tools that the agent sends itself, which are reported. */
  withoutOwn(own: readonly OwnTool[]): Catalog;
  /** This catalog with tools that are sent anyway, for a search. Their entries have a document, and cannot be called. */
  withSent(tools: readonly OwnTool[]): Catalog;
  /**
   * This catalog with the tools of one request, which replace those of the same name or record key.
   *
   * @param isTaken - whether no tool of the request may have a name.
   */
  withResolved(tools: Readonly<Record<string, unknown>>, isTaken?: (name: string) => boolean): Catalog;
}

/** A tool of the agent's own, by its key. */
export type OwnTool = readonly [key: string, tool: object];

/** A catalog in which some names are looked up that no tool has. */
export interface Near {
  readonly catalog: Catalog;
  readonly names: readonly string[];
}

export function namesIn({ entries }: Pick<Catalog, 'entries'>): readonly string[] {
  return Array.from(entries, ({ name }) => name);
}

/** The documents that scorers see of the tools that are here. */
export function* documentsOf(catalog: Pick<Catalog, 'entries' | 'readDocument'>): SlicedWork<readonly ToolDocument[]> {
  const documents: ToolDocument[] = [];
  for (const entry of catalog.entries) {
    documents.push(catalog.readDocument(entry));
    yield;
  }
  return documents;
}
