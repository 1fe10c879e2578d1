import { hash } from 'node:crypto';
import type { EventOrigin } from '../events/origin.ts';
import { copiesIn } from '../scorers/copies.ts';
import type { ToolDocument } from '../scorers/document.ts';
import { Lru } from '../util/lru.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { asRecord } from '../util/record.ts';
import { runToEnd, type SlicedWork } from '../util/time-slices.ts';
import { toolDocument } from './document.ts';
import type { DocumentCache } from './document-cache.ts';
import type { CatalogEntry, ToolProblems } from './entry.ts';
import { describedByName, resolvedNames } from './names.ts';
import { descriptionOf, isTool, type MastraTool } from './tool.ts';

export { type CatalogEntry, isClients } from './entry.ts';

/** One call of a source: until when, and where its events come from. */
export interface SourceCall {
  readonly abortSignal?: AbortSignal | undefined;
  readonly origin?: EventOrigin | undefined;
  /** Whose tools are remembered for the time when the source is down: the resource and the thread, as the default scope. */
  readonly scope?: string | undefined;
  readonly explain?: boolean | undefined;
}

/**
 * All tools that a request can search, by the name the model calls: here those that are in memory, in `source.ts` those of
 * a source. Which one it is, only the code that makes it knows. It never changes: a request with tools of its own gets
 * another one, made from the constructor's.
 */
export class Catalog {
  readonly #entries: ReadonlyMap<string, CatalogEntry>;
  /** Record keys and refused ids, with the name the model calls: as in @mastra/core, a tool can be loaded by its key. */
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #documentCache: DocumentCache;
  /** The whole catalog, where this one is the part of it that a request may see. */
  readonly whole: Catalog | undefined;
  /** Whether the catalog is empty because its tools could not be resolved. */
  readonly isUnknown: boolean;
  /** Cache: this catalog without the names of an agent, or with its tools: each has its index. A processor serves few agents. */
  readonly #ofAgents = new Lru<Catalog>(32);
  #documents: readonly ToolDocument[] | undefined;
  /** All copies of the tools that have some, by the name of each. */
  #copies: ReadonlyMap<string, readonly CatalogEntry[]> | undefined;

  constructor(
    entries: ReadonlyMap<string, CatalogEntry>,
    aliases: ReadonlyMap<string, string>,
    documentCache: DocumentCache,
    { isUnknown = false, whole }: { readonly isUnknown?: boolean; readonly whole?: Catalog } = {},
  ) {
    this.#entries = entries;
    this.#aliases = aliases;
    this.#documentCache = documentCache;
    this.isUnknown = isUnknown;
    this.whole = whole;
  }

  get problems(): ToolProblems {
    return this.#documentCache.problems;
  }

  /** The number of all tools; undefined over a source, which does not say: then `entries` has a part of them. */
  get total(): number | undefined {
    return this.size;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The tools that are here, in the order of their records; over a source, those that it has named in this run. */
  get entries(): Iterable<CatalogEntry> {
    return this.#entries.values();
  }

  get names(): Iterable<string> {
    return Array.from(this.entries, ({ name }) => name);
  }

  /** The tool that the model calls `name`, or the one that stands under the record key `name`. */
  get(name: string): CatalogEntry | undefined {
    return this.#entries.get(name) ?? this.#entries.get(this.#aliases.get(name) ?? name);
  }

  /** The name by which the model calls the tool of this spelling; the spelling itself where there is none. */
  nameOf(spelling: string): string {
    return this.get(spelling)?.name ?? spelling;
  }

  /** A tool's name and its other spellings: stores and conversations may have the tool under each. */
  spellingsOf(name: string): readonly string[] {
    return [name, ...this.#aliases.keys()].filter((spelling) => spelling === name || this.get(spelling)?.name === name);
  }

  /** The names, and the other spellings that lead to a tool: record keys, and ids that are no name for the model. */
  *spellings(): Iterable<string> {
    yield* this.names;
    for (const alias of this.#aliases.keys()) if (this.get(alias) && !this.#entries.has(alias)) yield alias;
  }

  /** The number of spellings, at most. */
  get spellingCount(): number {
    return this.size + this.#aliases.size;
  }

  /** The documents that scorers see of the tools that are here. They are read once and kept. */
  *readDocuments(): SlicedWork<readonly ToolDocument[]> {
    if (this.#documents) return this.#documents;
    const documents: ToolDocument[] = [];
    for (const entry of this.entries) {
      documents.push(this.readDocument(entry));
      yield;
    }
    // One that grows has others the next time.
    if (this.total !== undefined) this.#documents = documents;
    return documents;
  }

  /** The document of an entry of this catalog, also under another name. */
  readDocument(entry: CatalogEntry): ToolDocument {
    return this.#documentCache.read(entry);
  }

  /** The other copies of a tool that are here: of the same server, installed several times. */
  copiesOf(name: string): readonly CatalogEntry[] {
    if (this.whole) return this.whole.copiesOf(name).filter((copy) => this.#entries.has(copy.name));
    this.#copies ??= this.#readCopies();
    return this.#copies.get(name)?.filter((copy) => copy.name !== name) ?? [];
  }

  #readCopies(): Map<string, readonly CatalogEntry[]> {
    const documents = runToEnd(this.readDocuments());
    const copies = new Map<string, readonly CatalogEntry[]>();
    for (const ids of copiesIn(documents)?.all.values() ?? []) {
      const entries = ids.flatMap((id) => this.#entries.get(documents[id]?.name ?? '') ?? []);
      for (const { name } of entries) copies.set(name, entries);
    }
    return copies;
  }

  /** Fetches the tools of names, and of patterns such as `github_*`, that are not here yet. Never rejects. */
  reach(_names: Iterable<string>, _call?: SourceCall): MaybePromise<void> {}

  /** Whether the source could not be asked for a name, or a pattern. */
  isUnreachable(_name: string): boolean {
    return false;
  }

  /** A catalog with the tools that an unknown name may mean. Never rejects. */
  near(_name: string, _call: SourceCall): MaybePromise<Catalog> {
    return this;
  }

  /** The part of this catalog that a request may see. It has no trace of the other tools. */
  restrictedTo(visible: ReadonlySet<CatalogEntry>): Catalog {
    const entries = new Map([...this.#entries].filter(([, entry]) => visible.has(entry)));
    const aliases = new Map([...this.#aliases].filter(([, name]) => entries.has(name)));
    return new Catalog(entries, aliases, this.#documentCache, { isUnknown: this.isUnknown, whole: this });
  }

  /** Reports tools that the agent sends itself, under another name. */
  noteSentAnyway(own: Iterable<readonly [key: string, tool: unknown]>): void {
    for (const [key, tool] of own) {
      const id = asRecord(tool)?.['id'];
      const entry = typeof id === 'string' && id !== key ? this.#entries.get(id) : undefined;
      // Two tools may have one id.
      if (entry && entry.description === descriptionOf(tool as object)) {
        this.problems.report(entry.name, 'sent-anyway', key);
      }
    }
  }

  /** This catalog without the tools that the agent sends itself, under the same name; they are reported. */
  without(names: readonly string[]): Catalog {
    const left = names.filter((name) => this.#entries.has(name));
    if (left.length === 0) return this;
    return this.#ofAgent(JSON.stringify(left), (entries) => {
      for (const name of left) {
        entries.delete(name);
        this.problems.refused(
          name,
          'the agent has a tool of that name itself, which is sent on every step. Take one of the two away, or rename it.',
        );
      }
    });
  }

  /**
   * This catalog and tools that are sent anyway, for a search. Their entries have a document, and cannot be called: so
   * requests whose tools read alike share the catalog.
   */
  withSent(tools: Iterable<readonly [name: string, tool: object]>): Catalog {
    const documents = [...tools].map(([name, tool]) => toolDocument(name, tool).document);
    if (documents.length === 0) return this;
    return this.#ofAgent(hash('sha256', JSON.stringify(documents), 'base64'), (entries) => {
      for (const document of documents) {
        const { name, description } = document;
        const tool = { id: name, description } as MastraTool;
        entries.set(name, { name, key: name, tool, description, isResolved: false, isSent: true, document });
      }
    });
  }

  #ofAgent(key: string, change: (entries: Map<string, CatalogEntry>) => void): Catalog {
    const cached = this.#ofAgents.get(key);
    if (cached) return cached;
    const entries = new Map(this.#entries);
    change(entries);
    const catalog = new Catalog(entries, this.#aliases, this.#documentCache, { isUnknown: this.isUnknown });
    this.#ofAgents.set(key, catalog);
    return catalog;
  }

  /**
   * This catalog and the tools of one request, which replace those of the same name or record key.
   *
   * @param isTaken - whether no tool of the request may have a name.
   */
  withResolved(tools: Readonly<Record<string, unknown>>, isTaken: (name: string) => boolean = () => false): Catalog {
    const entries = new Map(this.#entries);
    const aliases = new Map(this.#aliases);
    const { problems } = this;
    const resolved = Object.entries(tools).filter((entry): entry is [string, object] => isTool(entry[1]));
    const names = resolvedNames(resolved, isTaken);
    // A record key counts for more here than another tool's original name: Mastra looks by key first.
    for (const { name, originalName } of names.values())
      if (originalName !== name && !isTaken(originalName)) aliases.set(originalName, name);
    for (const [key, tool] of resolved) {
      const { name = key, originalName = key, isShared } = names.get(key) ?? {};
      const description = descriptionOf(tool);
      if (description === '') problems.report(name, 'missing-description');
      if (isShared) problems.sharedName(originalName, name);
      else if (name !== originalName && name !== key) problems.report(originalName, 'renamed', name);
      entries.delete(key);
      if (key !== name) aliases.set(key, name);
      const shown = name === key ? description : describedByName(description, originalName);
      const entry: CatalogEntry = { name, key, tool: tool as MastraTool, description: shown, isResolved: true };
      entries.set(name, originalName === name ? entry : { ...entry, originalName });
    }
    for (const { name, formerName } of names.values())
      if (formerName !== undefined && !aliases.has(formerName) && !isTaken(formerName)) aliases.set(formerName, name);
    return new Catalog(entries, aliases, this.#documentCache);
  }
}
