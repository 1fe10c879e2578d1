import { hash } from 'node:crypto';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';
import { runToEnd, type SlicedWork } from '../util/time-slices.ts';
import type { Catalog, CatalogEntry, ToolProblems } from './catalog.ts';
import { copiesIn } from './copies.ts';
import { type ToolDocument, toolDocument } from './document.ts';
import type { DocumentCache } from './document-cache.ts';
import { resolvedNames } from './names.ts';
import { descriptionOf, isTool, type MastraTool } from './tool.ts';

/**
 * A catalog whose tools are all in memory. It never changes: a request with tools of its own gets another one, made from
 * the constructor's.
 */
export class MemoryCatalog implements Catalog {
  readonly #entries: ReadonlyMap<string, CatalogEntry>;
  /** Record keys and refused ids, with the name the model calls: as in @mastra/core, a tool can be loaded by its key. */
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #documentCache: DocumentCache;
  /** The whole catalog, where this one is the part of it that a request may see. */
  readonly whole: MemoryCatalog | undefined;
  /** Cache: this catalog without the names of an agent, or with its tools: each has its index. A processor serves few agents. */
  readonly #ofAgents = new Lru<MemoryCatalog>(32);
  readonly isUnknown: boolean;
  #documents: readonly ToolDocument[] | undefined;
  /** All copies of the tools that have some, by the name of each. */
  #copies: ReadonlyMap<string, readonly CatalogEntry[]> | undefined;

  constructor(
    entries: ReadonlyMap<string, CatalogEntry>,
    aliases: ReadonlyMap<string, string>,
    documentCache: DocumentCache,
    { isUnknown = false, whole }: { readonly isUnknown?: boolean; readonly whole?: MemoryCatalog } = {},
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

  get size(): number {
    return this.#entries.size;
  }

  get total(): number {
    return this.#entries.size;
  }

  reach(): void {}

  isUnreachable(): boolean {
    return false;
  }

  near(): MemoryCatalog {
    return this;
  }

  /** In the order of their records: the constructor's, then the request's. */
  get entries(): Iterable<CatalogEntry> {
    return this.#entries.values();
  }

  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  *spellings(): Iterable<string> {
    yield* this.#entries.keys();
    for (const alias of this.#aliases.keys()) if (this.get(alias) && !this.#entries.has(alias)) yield alias;
  }

  get spellingCount(): number {
    return this.#entries.size + this.#aliases.size;
  }

  nameOf(spelling: string): string {
    return this.get(spelling)?.name ?? spelling;
  }

  spellingsOf(name: string): readonly string[] {
    return [name, ...this.#aliases.keys()].filter((spelling) => spelling === name || this.get(spelling)?.name === name);
  }

  get(name: string): CatalogEntry | undefined {
    return this.#entries.get(name) ?? this.#entries.get(this.#aliases.get(name) ?? name);
  }

  /** They are read once and kept. */
  *readDocuments(): SlicedWork<readonly ToolDocument[]> {
    if (this.#documents) return this.#documents;
    const documents: ToolDocument[] = [];
    for (const entry of this.#entries.values()) {
      documents.push(this.#documentCache.read(entry));
      yield;
    }
    this.#documents = documents;
    return documents;
  }

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

  readDocument(entry: CatalogEntry): ToolDocument {
    return this.#documentCache.read(entry);
  }

  restrictedTo(visible: ReadonlySet<CatalogEntry>): MemoryCatalog {
    const entries = new Map([...this.#entries].filter(([, entry]) => visible.has(entry)));
    const aliases = new Map([...this.#aliases].filter(([, name]) => entries.has(name)));
    return new MemoryCatalog(entries, aliases, this.#documentCache, { isUnknown: this.isUnknown, whole: this });
  }

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

  without(names: readonly string[]): MemoryCatalog {
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

  #ofAgent(key: string, change: (entries: Map<string, CatalogEntry>) => void): MemoryCatalog {
    const cached = this.#ofAgents.get(key);
    if (cached) return cached;
    const entries = new Map(this.#entries);
    change(entries);
    const catalog = new MemoryCatalog(entries, this.#aliases, this.#documentCache, { isUnknown: this.isUnknown });
    this.#ofAgents.set(key, catalog);
    return catalog;
  }

  /** Keeps documents alone of the tools, so that requests whose tools read alike share the catalog. */
  withSent(tools: Iterable<readonly [name: string, tool: object]>): MemoryCatalog {
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

  withResolved(
    tools: Readonly<Record<string, unknown>>,
    isTaken: (name: string) => boolean = () => false,
  ): MemoryCatalog {
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
      const entry: CatalogEntry = { name, key, tool: tool as MastraTool, description, isResolved: true };
      entries.set(name, originalName === name ? entry : { ...entry, originalName });
    }
    return new MemoryCatalog(entries, aliases, this.#documentCache);
  }
}
