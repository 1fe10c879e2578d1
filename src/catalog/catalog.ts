import { invalidOption, ToolSearchError } from '../errors.ts';
import type { Reporter, ToolProblem } from '../events.ts';
import { isProviderTool, isTool, type MastraTool, toMastraTool } from '../mastra/tool.ts';
import { type ToolDocument, toolDocument } from './document.ts';
import { isAcceptedName, repairName } from './names.ts';

/** A searchable tool under the name the model calls. */
export interface CatalogEntry {
  readonly name: string;
  readonly tool: MastraTool;
  /** Empty when the tool has none. */
  readonly description: string;
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

  /** What scorers see. Built at the first search, then kept. */
  get documents(): readonly ToolDocument[] {
    this.#documents ??= [...this.#entries.values()].map((entry) => this.#reporter.document(entry));
    return this.#documents;
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
  if (!isRecordOfTools(tools)) {
    throw invalidOption('tools', tools, 'a record of tools by name; await what is still a promise');
  }
  const catalogReporter = new CatalogReporter(reporter);
  const entries = new Map<string, CatalogEntry>();
  const aliases = new Map<string, string>();
  const keyOf = new Map<string, string>();
  const refused: { key: string; id: string; tool: object }[] = [];

  const add = (name: string, key: string, tool: object): void => {
    const description = describe(tool);
    if (description === '') catalogReporter.problem(name, 'missing-description');
    entries.set(name, { name, tool: toMastraTool(name, tool), description, isResolved: false });
    if (key !== name) aliases.set(key, name);
  };

  for (const [key, tool] of Object.entries(tools)) {
    if (!isTool(tool)) throw notATool(key, tool);
    const id = callableName(key, tool);
    if (reservedNames.includes(id)) throw reserved(id, key);
    const other = keyOf.get(id);
    if (other !== undefined) throw duplicate(id, other, key);
    keyOf.set(id, key);
    if (isAcceptedName(id)) add(id, key, tool);
    else refused.push({ key, id, tool });
  }

  // Only now, so that a repaired name never takes the place of a tool that really has it.
  for (const { key, id, tool } of refused) {
    const name = repairName(id);
    if (!isAcceptedName(name) || entries.has(name) || reservedNames.includes(name)) {
      catalogReporter.problem(id, 'left-out', name);
    } else {
      catalogReporter.problem(id, 'renamed', name);
      add(name, key, tool);
      aliases.set(id, name);
    }
  }
  for (const [name, list] of keywords) catalogReporter.keywords.set(name, list);
  return new Catalog(entries, aliases, catalogReporter);
}

/** An object, but neither a list nor a promise nor a Map: the entries of those are no tools. */
function isRecordOfTools(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return !(Symbol.iterator in value) && typeof (value as { then?: { call?: unknown } }).then?.call !== 'function';
}

/** Reports each problem of each tool once, however many requests meet it, and builds documents. */
class CatalogReporter {
  readonly #reporter: Reporter;
  readonly #reported = new Set<string>();
  /** The user's words for tools, by the name the model calls. */
  readonly keywords: Map<string, readonly string[]> = new Map();
  /** By tool object: a tool that comes again with the next request is not read again. */
  readonly #documents = new WeakMap<object, ToolDocument>();

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  document({ name, tool }: CatalogEntry): ToolDocument {
    const known = this.#documents.get(tool);
    if (known?.name === name) return known;
    const { document, problem } = toolDocument(name, tool, this.keywords.get(name));
    if (problem !== undefined) this.problem(name, 'unreadable-schema', problem);
    this.#documents.set(tool, document);
    return document;
  }

  problem(toolName: string, problem: ToolProblem, detail = ''): void {
    const key = `${problem} ${toolName}`;
    // Names come from requests, so the memory of what was said is bounded.
    if (this.#reported.has(key) || this.#reported.size >= 10_000) return;
    this.#reported.add(key);
    this.#reporter.report({ type: 'tool-problem', toolName, problem, message: explain(toolName, problem, detail) });
  }
}

function explain(toolName: string, problem: ToolProblem, detail: string): string {
  const name = JSON.stringify(toolName);
  switch (problem) {
    case 'missing-description':
      return `Tool ${name} has no description, so it can only be found by its name and parameters. Describe it.`;
    case 'renamed':
      return `Tool ${name} has a name that providers refuse; it is searched, loaded and called as "${detail}". Use 1 to 128 letters, digits, "_" and "-".`;
    case 'left-out':
      return `Tool ${name} has a name that providers refuse, and "${detail}" is taken or reserved, so it is left out. Use 1 to 128 letters, digits, "_" and "-".`;
    case 'unreadable-schema':
      return `The input schema of tool ${name} could not be read for searching: ${detail}. The tool itself works.`;
  }
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
    value === null ? 'null' : typeof value === 'object' ? 'an object without execute or schema' : typeof value;
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
