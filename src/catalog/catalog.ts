import type { MaybePromise } from '../util/maybe-promise.ts';
import type { SlicedWork } from '../util/time-slices.ts';
import type { ToolDocument } from './document.ts';
import type { CatalogEntry } from './entry.ts';
import type { SourceCall } from './source-client.ts';
import type { ToolProblems } from './tool-problems.ts';

/**
 * All tools that a request can search, by the name the model calls: in memory (`memory.ts`), or over a source (`source.ts`).
 * Which one it is, only the code that makes it knows.
 */
export interface Catalog {
  readonly problems: ToolProblems;
  /** Whether the catalog is empty because its tools could not be resolved. */
  readonly isUnknown: boolean;
  /** The number of all tools; undefined over a source, which does not say: then `entries` has a part of them. */
  readonly total: number | undefined;
  /** The number of the tools that are here. */
  readonly size: number;
  /** The tools that are here: over a source, those that the run has met. */
  readonly entries: Iterable<CatalogEntry>;
  readonly names: Iterable<string>;

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

  /** The documents that scorers see of the tools that are here. */
  readDocuments(): SlicedWork<readonly ToolDocument[]>;
  /** The document of an entry of this catalog. */
  readDocument(entry: CatalogEntry): ToolDocument;
  /** The other copies of a tool that are here: of the same server, installed several times. */
  copiesOf(name: string): readonly CatalogEntry[];

  /** Fetches the tools of names, and of patterns such as `github_*`, that are not here yet. Never rejects. */
  reach(names: Iterable<string>, call?: SourceCall): MaybePromise<void>;
  /** Whether the source could not be asked for a name, or a pattern. */
  isUnreachable(name: string): boolean;
  /** A catalog with the tools that an unknown name may mean. Never rejects. */
  near(name: string, call: SourceCall): MaybePromise<Catalog>;

  /** The part of this catalog that a request may see. It has no trace of the other tools. */
  restrictedTo(visible: ReadonlySet<CatalogEntry>): Catalog;
  /** This catalog without the tools that the agent sends itself, under the same name; they are reported. */
  without(names: readonly string[]): Catalog;
  /** This catalog and tools that are sent anyway, for a search. Their entries have a document, and cannot be called. */
  withSent(tools: Iterable<readonly [name: string, tool: object]>): Catalog;
  /**
   * This catalog and the tools of one request, which replace those of the same name or record key.
   *
   * @param isTaken - whether no tool of the request may have a name.
   */
  withResolved(tools: Readonly<Record<string, unknown>>, isTaken?: (name: string) => boolean): Catalog;
  /** Reports tools that the agent sends itself, under another name. */
  noteSentAnyway(own: Iterable<readonly [key: string, tool: unknown]>): void;
}
