import { ToolSearchError } from '../errors.ts';
import type { Reporter } from '../reporter.ts';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';
import { CHUNK, type SlicedWork } from '../util/time-slices.ts';
import { CatalogReporter } from './catalog-reporter.ts';
import type { ToolDocument } from './document.ts';
import type { CatalogEntry } from './entry.ts';
import { type ListedTool, listedTools } from './listed-tools.ts';
import { isAcceptedName, repairName } from './names.ts';
import { duplicate, notATool, reserved, unreadable } from './refusals.ts';
import { isTool, type MastraTool, toMastraTool } from './tool.ts';
import { isCalledById, originalNameOf, resolvedNames } from './tool-name.ts';

/**
 * All tools that a request can search, by the name the model calls.
 *
 * A catalog never changes. One is made in the constructor; a request with tools of its own gets a view of it.
 */
export class Catalog {
  readonly #entries: ReadonlyMap<string, CatalogEntry>;
  /** Record keys and refused ids, to the callable name, so that loading by key works as it does in @mastra/core. */
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #reporter: CatalogReporter;
  /** The catalog of which this is the part that a request may see. */
  readonly whole: Catalog | undefined;
  /** Parts of this catalog, by the names that they lack: a processor serves few agents. */
  readonly #parts = new Lru<Catalog>(16);
  /** Whether it is empty because nobody could tell what stands in it. */
  readonly isUnknown: boolean;
  #documents: readonly ToolDocument[] | undefined;

  constructor(
    entries: ReadonlyMap<string, CatalogEntry>,
    aliases: ReadonlyMap<string, string>,
    reporter: CatalogReporter,
    isUnknown = false,
    whole?: Catalog,
  ) {
    this.isUnknown = isUnknown;
    this.#entries = entries;
    this.#aliases = aliases;
    this.#reporter = reporter;
    this.whole = whole;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** In the order of the record: constructor tools first, then the request's. */
  get entries(): Iterable<CatalogEntry> {
    return this.#entries.values();
  }

  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  /** The names, and what else leads to a tool: a record key, or an id that is no name for the model. */
  *spellings(): Iterable<string> {
    yield* this.#entries.keys();
    for (const alias of this.#aliases.keys()) if (this.get(alias) && !this.#entries.has(alias)) yield alias;
  }

  /** How many, at most. */
  get spellingCount(): number {
    return this.#entries.size + this.#aliases.size;
  }

  /** What the model calls the tool that goes by this name; the name itself for an unknown one. */
  nameOf(spelling: string): string {
    return this.get(spelling)?.name ?? spelling;
  }

  /** A tool's name, and what else leads to it: stores and conversations may have it under each. */
  spellingsOf(name: string): readonly string[] {
    return [name, ...this.#aliases.keys()].filter((spelling) => spelling === name || this.get(spelling)?.name === name);
  }

  /** The tool the model calls `name`, or the one that stands under the record key `name`. */
  get(name: string): CatalogEntry | undefined {
    const known = this.#entries.get(name);
    const alias = known ? undefined : this.#aliases.get(name);
    return alias === undefined ? known : this.#entries.get(alias);
  }

  /** What scorers see. Read once, then kept. */
  *readDocuments(): SlicedWork<readonly ToolDocument[]> {
    if (this.#documents) return this.#documents;
    const documents: ToolDocument[] = [];
    for (const entry of this.#entries.values()) {
      if (documents.push(this.#reporter.document(entry)) % CHUNK === 0) yield;
    }
    this.#documents = documents;
    return documents;
  }

  /** This catalog without its other tools, of which it knows nothing. */
  restrictedTo(visible: ReadonlySet<CatalogEntry>): Catalog {
    const entries = new Map([...this.#entries].filter(([, entry]) => visible.has(entry)));
    const aliases = new Map([...this.#aliases].filter(([, name]) => entries.has(name)));
    return new Catalog(entries, aliases, this.#reporter, this.isUnknown, this);
  }

  /** Tells of tools that the agent sends anyway, under another name. */
  noteSentAnyway(own: Iterable<readonly [key: string, tool: unknown]>): void {
    for (const [key, tool] of own) {
      const id = asRecord(tool)?.['id'];
      const entry = typeof id === 'string' && id !== key ? this.#entries.get(id) : undefined;
      // Two tools may have one id.
      if (entry && entry.description === describe(tool as object)) {
        this.#reporter.problem(entry.name, 'sent-anyway', key);
      }
    }
  }

  /** This catalog without what the agent sends anyway, under the same name. Reported. */
  without(names: readonly string[]): Catalog {
    const left = names.filter((name) => this.#entries.has(name));
    if (left.length === 0) return this;
    const key = JSON.stringify(left);
    const known = this.#parts.get(key);
    if (known) return known;
    const entries = new Map(this.#entries);
    for (const name of left) {
      entries.delete(name);
      this.#reporter.refused(
        name,
        'the agent has a tool of that name itself, which is sent on every step. Take one of the two away, or rename it.',
      );
    }
    const part = new Catalog(entries, this.#aliases, this.#reporter);
    this.#parts.set(key, part);
    return part;
  }

  /**
   * This catalog plus the tools of one request, which win over constructor tools of the same name, or of the name that
   * they have for a record key.
   *
   * @param isTaken - names that none of them may have.
   */
  withResolved(tools: Readonly<Record<string, unknown>>, isTaken: (name: string) => boolean = () => false): Catalog {
    const entries = new Map(this.#entries);
    const aliases = new Map(this.#aliases);
    const resolved = Object.entries(tools).filter((entry): entry is [string, object] => isTool(entry[1]));
    const names = resolvedNames(resolved, isTaken);
    // What a tool is called counts for less here than where another one stands: Mastra looks by key first.
    for (const { name, originalName } of names.values())
      if (originalName !== name && !isTaken(originalName)) aliases.set(originalName, name);
    for (const [key, tool] of resolved) {
      const { name = key, originalName = key, isShared } = names.get(key) ?? {};
      const description = describe(tool);
      if (description === '') this.#reporter.problem(name, 'missing-description');
      if (isShared) this.#reporter.sharedName(originalName, name);
      else if (name !== originalName && name !== key) this.#reporter.problem(originalName, 'renamed', name);
      entries.delete(key);
      if (key !== name) aliases.set(key, name);
      const entry: CatalogEntry = { name, key, tool: tool as MastraTool, description, isResolved: true };
      entries.set(name, originalName === name ? entry : { ...entry, originalName });
    }
    return new Catalog(entries, aliases, this.#reporter);
  }
}

/**
 * The catalog of the constructor's tools.
 *
 * @throws ToolSearchError `invalid-option`, `invalid-tool`, `duplicate-tool` or `reserved-name`.
 */
export function createCatalog(
  tools: unknown,
  reservedNames: readonly string[],
  reporter: Reporter,
  keywords: ReadonlyMap<string, readonly string[]> = new Map(),
): Catalog {
  return catalogOf(listedTools(tools), reservedNames, new CatalogReporter(reporter, keywords), (error) => {
    throw error;
  });
}

/** @param refuse - told of a tool that cannot be taken; when it returns, the tool is left out. */
export function catalogOf(
  tools: readonly ListedTool[],
  reservedNames: readonly string[],
  reporter: CatalogReporter,
  refuse: (error: ToolSearchError, name: string) => void,
): Catalog {
  const entries = new Map<string, CatalogEntry>();
  const aliases = new Map<string, string>();
  const taken = new Map<string, ListedTool>();
  const refused: { key: string; id: string; tool: object }[] = [];

  const add = (name: string, key: string, tool: object): void => {
    const description = describe(tool);
    if (description === '') reporter.problem(name, 'missing-description');
    const originalName = originalNameOf(key, tool);
    const entry: CatalogEntry = { name, key, tool: toMastraTool(name, tool), description, isResolved: false };
    entries.set(name, originalName === name ? entry : { ...entry, originalName });
    // What a tool is called counts for more than where another one stands.
    if (originalName !== name) aliases.set(originalName, name);
    if (key !== name && !aliases.has(key)) aliases.set(key, name);
  };

  /** A tool that cannot be read is refused, alone. */
  const attempt = (key: string, take: () => void): void => {
    try {
      take();
    } catch (error) {
      if (error instanceof ToolSearchError) throw error;
      refuse(unreadable(key, error), key);
    }
  };

  const again: { key: string; id: string }[] = [];
  const take = (listed: ListedTool): void => {
    const { key, tool: value, isTool: isOne } = listed;
    if ('error' in listed) throw listed.error;
    if (!isOne) {
      refuse(notATool(key, value), key);
      return;
    }
    const tool = value as object;
    const id = isCalledById(key, tool) ? originalNameOf(key, tool) : key;
    const other = taken.get(id);
    if (reservedNames.includes(id)) refuse(reserved(id, key), id);
    else if (other?.tool === tool) again.push({ key, id });
    else if (other) refuse(duplicate(id, other.key, key), id);
    else {
      if (isAcceptedName(id)) add(id, key, tool);
      else refused.push({ key, id, tool });
      taken.set(id, listed);
    }
  };
  for (const listed of tools) attempt(listed.key, () => take(listed));

  // Only now, so that a repaired name never takes the place of a tool that really has it.
  const isTaken = (name: string): boolean => entries.has(name) || reservedNames.includes(name);
  for (const { key, id, tool } of refused) {
    const name = repairName(id, isTaken);
    if (isTaken(name)) {
      reporter.problem(id, 'left-out', name);
      continue;
    }
    reporter.problem(id, 'renamed', name);
    attempt(key, () => add(name, key, tool));
  }
  // One tool under several keys.
  for (const { key, id } of again) {
    const name = aliases.get(id) ?? id;
    if (entries.has(name) && !aliases.has(key)) aliases.set(key, name);
  }
  return new Catalog(entries, aliases, reporter);
}

function describe(tool: object): string {
  try {
    const { description } = tool as { description?: unknown };
    return typeof description === 'string' ? description.trim() : '';
  } catch {
    // A getter that throws: a tool without a description, for all we can tell.
    return '';
  }
}
