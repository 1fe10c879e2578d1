import { ToolSearchError } from '../errors.ts';
import type { Reporter } from '../events.ts';
import { isProviderTool, isTool, type MastraTool, toMastraTool } from '../mastra/tool.ts';
import { CHUNK, type SlicedWork } from '../slices.ts';
import { CatalogReporter } from './catalog-reporter.ts';
import type { ToolDocument } from './document.ts';
import { type ListedTool, listedTools } from './listed-tools.ts';
import { isAcceptedName, repairName } from './names.ts';

/** A searchable tool under the name the model calls. */
export interface CatalogEntry {
  readonly name: string;
  readonly tool: MastraTool;
  /** Empty when the tool has none. */
  readonly description: string;
  /** What its author calls it, where that is no name for the model. */
  readonly originalName?: string;
  /** Whether it came from this request (`args.tools`) rather than from the constructor. */
  readonly isResolved: boolean;
}

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
  #documents: readonly ToolDocument[] | undefined;

  constructor(
    entries: ReadonlyMap<string, CatalogEntry>,
    aliases: ReadonlyMap<string, string>,
    reporter: CatalogReporter,
  ) {
    this.#entries = entries;
    this.#aliases = aliases;
    this.#reporter = reporter;
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

  /**
   * This catalog plus the tools of one request, which win over constructor tools of the same name. Their record key
   * is the name the model calls, whatever their `id`.
   */
  withResolved(tools: Readonly<Record<string, unknown>>): Catalog {
    const entries = new Map(this.#entries);
    for (const [name, tool] of Object.entries(tools)) {
      if (!isTool(tool)) continue;
      const description = describe(tool);
      if (description === '') this.#reporter.problem(name, 'missing-description');
      entries.set(name, { name, tool: tool as MastraTool, description, isResolved: true });
    }
    return new Catalog(entries, this.#aliases, this.#reporter);
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
  const keyOf = new Map<string, string>();
  const refused: { key: string; id: string; tool: object }[] = [];

  const add = (name: string, key: string, tool: object, id: string): void => {
    const description = describe(tool);
    if (description === '') reporter.problem(name, 'missing-description');
    const entry: CatalogEntry = { name, tool: toMastraTool(name, tool), description, isResolved: false };
    entries.set(name, id === name ? entry : { ...entry, originalName: id });
    // What a tool is called counts for more than where another one stands.
    if (id !== name) aliases.set(id, name);
    if (key !== name && !aliases.has(key)) aliases.set(key, name);
  };

  for (const { key, tool: value, isTool: isOne } of tools) {
    if (!isOne) {
      refuse(notATool(key, value), key);
      continue;
    }
    const tool = value as object;
    const id = callableName(key, tool);
    const other = keyOf.get(id);
    if (reservedNames.includes(id)) refuse(reserved(id, key), id);
    else if (other !== undefined) refuse(duplicate(id, other, key), id);
    else {
      keyOf.set(id, key);
      if (isAcceptedName(id)) add(id, key, tool, id);
      else refused.push({ key, id, tool });
    }
  }

  // Only now, so that a repaired name never takes the place of a tool that really has it.
  const isTaken = (name: string): boolean => entries.has(name) || reservedNames.includes(name);
  for (const { key, id, tool } of refused) {
    const name = repairName(id, isTaken);
    if (isTaken(name)) {
      reporter.problem(id, 'left-out', name);
      continue;
    }
    reporter.problem(id, 'renamed', name);
    add(name, key, tool, id);
  }
  return new Catalog(entries, aliases, reporter);
}

/** The `id` of a tool, else its key. A provider's tool has an id of the provider's, never a callable name. */
function callableName(key: string, tool: object): string {
  const id = isProviderTool(tool) ? undefined : (tool as { id?: unknown }).id;
  return typeof id === 'string' && id !== '' ? id : key;
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

function notATool(key: string, value: unknown): ToolSearchError {
  const what =
    value instanceof Promise
      ? 'a promise'
      : value === null
        ? 'null'
        : typeof value === 'object'
          ? 'an object without execute or schema'
          : typeof value;
  return new ToolSearchError(
    'invalid-tool',
    `tools["${key}"] is not a tool (${what}). Make it with createTool() of @mastra/core or tool() of the AI SDK, and await lists such as mcp.listTools().`,
  );
}

function reserved(id: string, key: string): ToolSearchError {
  return new ToolSearchError(
    'reserved-name',
    `The tool under key "${key}" is called "${id}", which is the name of a meta-tool. Rename the tool, or the meta-tool in metaTools.`,
  );
}

function duplicate(id: string, firstKey: string, secondKey: string): ToolSearchError {
  return new ToolSearchError(
    'duplicate-tool',
    `Two tools are both called "${id}" (keys "${firstKey}" and "${secondKey}"). Give one of them another id.`,
  );
}
