import { hash } from 'node:crypto';
import type { ToolQuery } from '../scorers/words/query.ts';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';
import { CHUNK, type SlicedWork } from '../util/time-slices.ts';
import type { ToolDocument } from './document.ts';
import { type DocumentCache, toolDocument } from './documents.ts';
import type { CandidateAnswer, CatalogEntry } from './entry.ts';
import { resolvedNames } from './names.ts';
import type { SourceCall } from './source-client.ts';
import { descriptionOf, isTool, type MastraTool } from './tool.ts';
import type { ToolProblems } from './tool-problems.ts';

/**
 * All tools that a request can search, by the name the model calls.
 *
 * A catalog never changes. A request with tools of its own gets another one, made from that of the constructor. Only the
 * catalog of a run over a source grows: it has the tools that the run has met.
 */
export class Catalog {
  readonly #entries: ReadonlyMap<string, CatalogEntry>;
  /** Record keys and refused ids, with the name the model calls: as in @mastra/core, a tool can be loaded by its key. */
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #documentCache: DocumentCache;
  /** The whole catalog, where this one is the part of it that a request may see. */
  readonly whole: Catalog | undefined;
  /** Cache: this catalog without some names, by those names. A processor serves few agents. */
  readonly #parts = new Lru<Catalog>(16);
  /** Cache: this catalog with tools that are sent anyway, by their documents. */
  readonly #wider = new Lru<Catalog>(16);
  /** Whether the catalog is empty because its tools could not be resolved. */
  readonly isUnknown: boolean;
  #documents: readonly ToolDocument[] | undefined;

  constructor(
    entries: ReadonlyMap<string, CatalogEntry>,
    aliases: ReadonlyMap<string, string>,
    documentCache: DocumentCache,
    isUnknown = false,
    whole?: Catalog,
  ) {
    this.isUnknown = isUnknown;
    this.#entries = entries;
    this.#aliases = aliases;
    this.#documentCache = documentCache;
    this.whole = whole;
  }

  /** Over a source: meets the tools of names, and of patterns such as `github_*`. Never rejects. Absent where all tools are here. */
  reach?(names: Iterable<string>, call?: SourceCall): Promise<void>;

  /** Over a source: whether it could not be asked for a name, or a pattern. */
  isUnreachable?(name: string): boolean;

  /** Over a source: the tools that an unknown name may mean, as a catalog of their own. Never rejects. */
  near?(name: string, call: SourceCall): Promise<Catalog>;

  /**
   * Over a source: what it finds for a query, best first. Absent where all tools are here.
   *
   * @throws what the source throws, which is reported.
   */
  candidates?(query: ToolQuery, limit: number, call: SourceCall): Promise<CandidateAnswer>;

  get problems(): ToolProblems {
    return this.#documentCache.problems;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The tools in the order of their records: the constructor's, then the request's. */
  get entries(): Iterable<CatalogEntry> {
    return this.#entries.values();
  }

  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  /** The names, and the other spellings that lead to a tool: record keys, and ids that are no name for the model. */
  *spellings(): Iterable<string> {
    yield* this.#entries.keys();
    for (const alias of this.#aliases.keys()) if (this.get(alias) && !this.#entries.has(alias)) yield alias;
  }

  /** The number of spellings, at most. */
  get spellingCount(): number {
    return this.#entries.size + this.#aliases.size;
  }

  /** The name by which the model calls the tool of this spelling; the spelling itself where there is none. */
  nameOf(spelling: string): string {
    return this.get(spelling)?.name ?? spelling;
  }

  /** A tool's name and its other spellings: stores and conversations may have the tool under each. */
  spellingsOf(name: string): readonly string[] {
    return [name, ...this.#aliases.keys()].filter((spelling) => spelling === name || this.get(spelling)?.name === name);
  }

  /** The tool that the model calls `name`, or the one that stands under the record key `name`. */
  get(name: string): CatalogEntry | undefined {
    const entry = this.#entries.get(name);
    const alias = entry ? undefined : this.#aliases.get(name);
    return alias === undefined ? entry : this.#entries.get(alias);
  }

  /** The documents that scorers see. They are read once and kept. */
  *readDocuments(): SlicedWork<readonly ToolDocument[]> {
    if (this.#documents) return this.#documents;
    const documents: ToolDocument[] = [];
    for (const entry of this.#entries.values()) {
      if (documents.push(this.#documentCache.read(entry)) % CHUNK === 0) yield;
    }
    this.#documents = documents;
    return documents;
  }

  /** The part of this catalog that a request may see. It knows nothing of the other tools. */
  restrictedTo(visible: ReadonlySet<CatalogEntry>): Catalog {
    const entries = new Map([...this.#entries].filter(([, entry]) => visible.has(entry)));
    const aliases = new Map([...this.#aliases].filter(([, name]) => entries.has(name)));
    return new Catalog(entries, aliases, this.#documentCache, this.isUnknown, this);
  }

  /** Reports tools that the agent sends anyway, under another name. */
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

  /** This catalog without the tools that the agent sends anyway, under the same name; they are reported. */
  without(names: readonly string[]): Catalog {
    const left = names.filter((name) => this.#entries.has(name));
    if (left.length === 0) return this;
    const key = JSON.stringify(left);
    const cached = this.#parts.get(key);
    if (cached) return cached;
    const entries = new Map(this.#entries);
    for (const name of left) {
      entries.delete(name);
      this.problems.refused(
        name,
        'the agent has a tool of that name itself, which is sent on every step. Take one of the two away, or rename it.',
      );
    }
    const part = new Catalog(entries, this.#aliases, this.#documentCache);
    this.#parts.set(key, part);
    return part;
  }

  /**
   * This catalog and tools that are sent anyway, for a search. Of these it holds documents alone, so that requests whose
   * tools read alike share it.
   */
  withSent(tools: Iterable<readonly [name: string, tool: object]>): Catalog {
    const documents = [...tools].map(([name, tool]) => toolDocument(name, tool).document);
    if (documents.length === 0) return this;
    const key = hash('sha256', JSON.stringify(documents), 'base64');
    const cached = this.#wider.get(key);
    if (cached) return cached;
    const entries = new Map(this.#entries);
    for (const document of documents) {
      const { name, description } = document;
      const tool = { id: name, description } as MastraTool;
      this.#documentCache.keep(tool, document);
      entries.set(name, { name, key: name, tool, description, isResolved: false, isSent: true });
    }
    const wider = new Catalog(entries, this.#aliases, this.#documentCache, this.isUnknown);
    this.#wider.set(key, wider);
    return wider;
  }

  /**
   * This catalog and the tools of one request. These replace a constructor tool whose name is the name or the record key
   * of one of theirs.
   *
   * @param isTaken - whether no tool of the request may have a name.
   */
  withResolved(tools: Readonly<Record<string, unknown>>, isTaken: (name: string) => boolean = () => false): Catalog {
    const entries = new Map(this.#entries);
    const aliases = new Map(this.#aliases);
    const resolved = Object.entries(tools).filter((entry): entry is [string, object] => isTool(entry[1]));
    const names = resolvedNames(resolved, isTaken);
    // A record key counts for more here than another tool's original name: Mastra looks by key first.
    for (const { name, originalName } of names.values())
      if (originalName !== name && !isTaken(originalName)) aliases.set(originalName, name);
    for (const [key, tool] of resolved) {
      const { name = key, originalName = key, isShared } = names.get(key) ?? {};
      const description = descriptionOf(tool);
      const { problems } = this;
      if (description === '') problems.report(name, 'missing-description');
      if (isShared) problems.sharedName(originalName, name);
      else if (name !== originalName && name !== key) problems.report(originalName, 'renamed', name);
      entries.delete(key);
      if (key !== name) aliases.set(key, name);
      const entry: CatalogEntry = { name, key, tool: tool as MastraTool, description, isResolved: true };
      entries.set(name, originalName === name ? entry : { ...entry, originalName });
    }
    return new Catalog(entries, aliases, this.#documentCache);
  }
}
