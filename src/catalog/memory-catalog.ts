import { hash } from 'node:crypto';
import { copiesIn } from '../scorers/copies.ts';
import type { ToolDocument } from '../scorers/document.ts';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';
import { runToEnd } from '../util/time-slices.ts';
import { type Catalog, documentsOf, type NamesToGuess, type OwnTool } from './catalog.ts';
import { toolDocument } from './document.ts';
import type { DocumentCache } from './document-cache.ts';
import type { CatalogEntry, ToolProblems } from './entry.ts';
import { describedByName, resolvedNames } from './names.ts';
import { descriptionOf, isTool, type MastraTool } from './tool.ts';

/** The immutable catalog of tools in memory. A request with tools of its own gets a new one. */
export class MemoryCatalog implements Catalog {
  readonly isComplete = true;
  readonly isUnknown: boolean;
  readonly whole: MemoryCatalog | undefined;
  readonly #entries: ReadonlyMap<string, CatalogEntry>;
  /** Callable names by record key and by refused id: as in @mastra/core, a tool can be loaded by its key. */
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #documentCache: DocumentCache;
  /** Cache: views with, and without, the own tools of an agent. Each view has an index; a processor serves few agents. */
  readonly #ofAgents = new Lru<MemoryCatalog>(32);
  /** Groups of copies, by the name of each member. */
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

  get entries(): Iterable<CatalogEntry> {
    return this.#entries.values();
  }

  get(name: string): CatalogEntry | undefined {
    return this.#entries.get(name) ?? this.#entries.get(this.#aliases.get(name) ?? name);
  }

  nameOf(spelling: string): string {
    return this.get(spelling)?.name ?? spelling;
  }

  spellingsOf(name: string): readonly string[] {
    return [name, ...this.#aliases.keys()].filter((spelling) => spelling === name || this.get(spelling)?.name === name);
  }

  *spellings(): Iterable<string> {
    for (const { name } of this.entries) yield name;
    for (const alias of this.#aliases.keys()) if (this.get(alias) && !this.#entries.has(alias)) yield alias;
  }

  get spellingCount(): number {
    return this.size + this.#aliases.size;
  }

  readDocument(entry: CatalogEntry): ToolDocument {
    return this.#documentCache.read(entry);
  }

  copiesOf(name: string): readonly CatalogEntry[] {
    if (this.whole) return this.whole.copiesOf(name).filter((copy) => this.#entries.has(copy.name));
    this.#copies ??= this.#readCopies();
    return this.#copies.get(name)?.filter((copy) => copy.name !== name) ?? [];
  }

  #readCopies(): Map<string, readonly CatalogEntry[]> {
    const documents = runToEnd(documentsOf(this));
    const copies = new Map<string, readonly CatalogEntry[]>();
    for (const ids of copiesIn(documents)?.all.values() ?? []) {
      const entries = ids.flatMap((id) => this.#entries.get(documents[id]?.name ?? '') ?? []);
      for (const { name } of entries) copies.set(name, entries);
    }
    return copies;
  }

  reach(): void {}

  failedToReach(): boolean {
    return false;
  }

  catalogsFor(names: readonly string[]): readonly NamesToGuess[] {
    return names.length > 0 ? [{ catalog: this, names }] : [];
  }

  restrictedTo(visible: ReadonlySet<CatalogEntry>): MemoryCatalog {
    const entries = new Map([...this.#entries].filter(([, entry]) => visible.has(entry)));
    const aliases = new Map([...this.#aliases].filter(([, name]) => entries.has(name)));
    return new MemoryCatalog(entries, aliases, this.#documentCache, { isUnknown: this.isUnknown, whole: this });
  }

  withoutOwn(own: readonly OwnTool[]): MemoryCatalog {
    for (const [key, tool] of own) {
      const id = asRecord(tool)?.['id'];
      const entry = typeof id === 'string' && id !== key ? this.#entries.get(id) : undefined;
      // Equal ids do not prove the same tool; the description must be equal too.
      if (entry && entry.description === descriptionOf(tool)) this.problems.report(entry.name, 'sent-anyway', key);
    }
    const left = own.map(([key]) => key).filter((key) => this.#entries.has(key));
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

  /** Requests whose tools have equal documents share the catalog, and with it the index. */
  withSent(tools: readonly OwnTool[]): MemoryCatalog {
    const documents = tools.map(([name, tool]) => toolDocument(name, tool).document);
    if (documents.length === 0) return this;
    return this.#ofAgent(hash('sha256', JSON.stringify(documents), 'base64'), (entries) => {
      for (const document of documents) {
        const { name, description } = document;
        const tool = { id: name, description } as MastraTool;
        entries.set(name, { name, key: name, tool, description, isResolved: false, isSent: true, document });
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

  withResolved(
    tools: Readonly<Record<string, unknown>>,
    isTaken: (name: string) => boolean = () => false,
  ): MemoryCatalog {
    const entries = new Map(this.#entries);
    const aliases = new Map(this.#aliases);
    const { problems } = this;
    const resolved = Object.entries(tools).filter((entry): entry is [string, object] => isTool(entry[1]));
    const names = resolvedNames(resolved, isTaken);
    // Record keys overwrite original names as aliases: Mastra looks up a tool by key first.
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
    return new MemoryCatalog(entries, aliases, this.#documentCache);
  }
}
