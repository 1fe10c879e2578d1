import type { RequestContext } from '@mastra/core/request-context';
import { invalidOption, messageOf, ToolSearchError } from '../errors.ts';
import type { EventOrigin } from '../events/origin.ts';
import { Reporter } from '../events/reporter.ts';
import { ended } from '../util/text.ts';
import { inTime } from '../util/timeout.ts';
import { type CatalogEntry, ToolProblems } from './catalog.ts';
import { DocumentCache, type GroupOf } from './document-cache.ts';
import { isLazyTool, proxyOfLazyTool, type ToolStub } from './lazy-tools.ts';
import { MemoryCatalog } from './memory.ts';
import { isAcceptedName, isCalledById, originalNameOf, repairName } from './names.ts';
import {
  type AnyTool,
  descriptionOf,
  isTool as isDefined,
  isMastraTool,
  type MastraTool,
  toMastraTool,
} from './tool.ts';

/** How {@link readCatalog} reads tools, and what receives their problems. */
export interface ReadCatalogOptions {
  /** Names that no tool may have: those of the meta-tools. */
  readonly reservedNames?: readonly string[];
  /** The user's words for tools, by any name of the tool. */
  readonly keywords?: ReadonlyMap<string, readonly string[]>;
  readonly groupOf?: GroupOf | undefined;
  /** Receives the event `tool-problem` for whatever is doubtful about a tool; once for a tool and problem. */
  readonly reporter?: Reporter;
  /** Receives each tool that cannot be taken, which is left out. Without it, the first one throws. */
  readonly onRefused?: (error: ToolSearchError, name: string) => void;
}

/**
 * Reads tools that are in memory.
 *
 * @param tools - as {@link listedTools} lists a record.
 * @throws ToolSearchError `invalid-tool`, `duplicate-tool` or `reserved-name`, without `onRefused`.
 */
export function readCatalog(tools: readonly ListedTool[], options: ReadCatalogOptions = {}): MemoryCatalog {
  const { reservedNames = [], keywords = new Map(), groupOf, reporter = new Reporter(() => {}) } = options;
  const refuse = (error: ToolSearchError, name: string): void => {
    if (!options.onRefused) throw error;
    options.onRefused(error, name);
  };
  return buildCatalog(tools, reservedNames, new DocumentCache(new ToolProblems(reporter), keywords, groupOf), refuse);
}

/**
 * The catalog of a list of tools.
 *
 * @param refuse - receives each tool that cannot be taken; when it returns, the tool is left out.
 */
function buildCatalog(
  tools: readonly ListedTool[],
  reservedNames: readonly string[],
  documentCache: DocumentCache,
  refuse: (error: ToolSearchError, name: string) => void,
): MemoryCatalog {
  const { problems } = documentCache;
  const entries = new Map<string, CatalogEntry>();
  const aliases = new Map<string, string>();
  const taken = new Map<string, ListedTool>();
  const refused: { key: string; id: string; tool: object }[] = [];

  const add = (name: string, key: string, tool: object): void => {
    const description = descriptionOf(tool);
    if (description === '') problems.report(name, 'missing-description');
    const originalName = originalNameOf(key, tool);
    const entry: CatalogEntry = { name, key, tool: asMastraTool(name, tool), description, isResolved: false };
    entries.set(name, originalName === name ? entry : { ...entry, originalName });
    // An original name counts for more than another tool's record key.
    if (originalName !== name) aliases.set(originalName, name);
    if (key !== name && !aliases.has(key)) aliases.set(key, name);
  };

  /** Refuses a tool that cannot be read, and no other. */
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
    const id = callNameOf(key, tool);
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

  // Refused ids are repaired last, so that a repaired name never takes the place of a tool that really has it.
  const isTaken = (name: string): boolean => entries.has(name) || reservedNames.includes(name);
  for (const { key, id, tool } of refused) {
    const name = repairName(id, isTaken);
    if (isTaken(name)) {
      problems.report(id, 'left-out', name);
      continue;
    }
    problems.report(id, 'renamed', name);
    attempt(key, () => add(name, key, tool));
  }
  // A tool may stand under several keys.
  for (const { key, id } of again) {
    const name = aliases.get(id) ?? id;
    if (entries.has(name) && !aliases.has(key)) aliases.set(key, name);
  }
  return new MemoryCatalog(entries, aliases, documentCache);
}

/** The name by which a tool of a record is called, before it is repaired. */
export function callNameOf(key: string, tool: object): string {
  return isCalledById(key, tool) ? originalNameOf(key, tool) : key;
}

/** A tool in whatever form it is given, as the processor has it. */
export function asMastraTool(name: string, tool: object): MastraTool {
  return isLazyTool(tool) ? proxyOfLazyTool(name, tool) : toMastraTool(name, tool);
}

function notATool(key: string, value: unknown): ToolSearchError {
  const what =
    value instanceof Promise
      ? 'a promise'
      : value === null
        ? 'null'
        : typeof value === 'object'
          ? 'an object without execute or schema'
          : typeof value === 'function' && (key === 'search' || key === 'get')
            ? 'function; a ToolSource has both search() and get()'
            : typeof value;
  return new ToolSearchError(
    'invalid-tool',
    `tools["${key}"] is not a tool (${what}). Make it with createTool() of @mastra/core or tool() of the AI SDK, and await lists such as mcp.listTools().`,
  );
}

function unreadable(key: string, error: unknown): ToolSearchError {
  return new ToolSearchError(
    'invalid-tool',
    `tools["${key}"] cannot be read: ${ended(messageOf(error))} Give the tool, or its field, as a plain value.`,
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

/** Whether the value is a tool, or a lazy one. */
const isTool = (value: unknown): boolean => isDefined(value) || isLazyTool(value);

/** A value that the user gave as a tool. */
export interface ListedTool {
  /** The key in the record; for a tool of a toolset, with the name of the toolset in front. */
  readonly key: string;
  readonly tool: unknown;
  /** Whether the value is a tool. */
  readonly isTool: boolean;
  /** The name of its toolset, where it is in one. */
  readonly toolset?: string;
  /** The error that reading the value threw. */
  readonly error?: unknown;
}

/**
 * The tools of a record, as `mcp.listTools()` returns it, or of a record of such records, as `mcp.listToolsets()` does.
 *
 * @throws ToolSearchError `invalid-option` for what is no record.
 */
export function listedTools(tools: unknown): readonly ListedTool[] {
  if (!isRecordOfTools(tools)) {
    throw invalidOption('tools', tools, 'a record of tools by name; await what is still a promise');
  }
  const listed: ListedTool[] = [];
  const others: [key: string, value: unknown][] = [];
  for (const key of Object.keys(tools)) {
    try {
      const tool = tools[key];
      // A toolset may have a tool that is called "parameters".
      if (isMastraTool(tool) || (isTool(tool) && !isToolset(tool))) listed.push({ key, tool, isTool: true });
      else others.push([key, tool]);
    } catch (error) {
      listed.push({ key, tool: undefined, isTool: false, error });
    }
  }
  const areServersWithoutTools = listed.length === 0 && others.every(([, value]) => isEmpty(value));
  const hasToolsets = areServersWithoutTools || others.some(([, value]) => isToolset(value));
  for (const [key, value] of others) {
    if (hasToolsets && (isToolset(value) || isEmpty(value))) listed.push(...membersOf(key, value as object));
    else listed.push({ key, tool: value, isTool: false });
  }
  return listed;
}

/** The tools of a toolset. */
function* membersOf(toolset: string, tools: object): Iterable<ListedTool> {
  for (const inner of Object.keys(tools)) {
    const key = `${toolset}_${inner}`;
    try {
      const tool = (tools as Record<string, unknown>)[inner];
      yield { key, tool, isTool: isTool(tool), toolset };
    } catch (error) {
      yield { key, tool: undefined, isTool: false, error };
    }
  }
}

/** Whether all entries are tools, and at least one can be read. An entry that cannot be read may be a tool as well. */
function isToolset(value: unknown): boolean {
  if (!isRecordOfTools(value)) return false;
  let tools = 0;
  for (const key of Object.keys(value)) {
    try {
      if (!isTool(value[key])) return false;
      tools += 1;
    } catch {
      // Left out, alone.
    }
  }
  return tools > 0;
}

/** Whether the value is a toolset without tools, as of a server that has none. */
function isEmpty(value: unknown): boolean {
  return isRecordOfTools(value) && Object.keys(value).length === 0;
}

/** Whether the value is an object of entries: no list, no promise and no Map, whose entries are no tools. */
function isRecordOfTools(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return !(Symbol.iterator in value) && typeof (value as { then?: { call?: unknown } }).then?.call !== 'function';
}

/**
 * Tools by name, or by server and name.
 *
 * @example
 * ```ts
 * import { z } from 'zod';
 *
 * const byServer: ToolRecord = { office: tools, clock: { description: 'The time.', inputSchema: z.object({}) } };
 * new ToolSearchProcessor({ tools: byServer });
 * ```
 */
export type ToolRecord = Record<string, AnyTool | ToolStub | Record<string, AnyTool | ToolStub>>;

/**
 * The tools of one run.
 *
 * @example
 * ```ts
 * const ofUser: ToolsFunction = ({ requestContext }) => (requestContext?.get('isAdmin') ? tools : {});
 * new ToolSearchProcessor({ tools: ofUser });
 * ```
 */
export type ToolsFunction = (args: { requestContext?: RequestContext }) => ToolRecord | Promise<ToolRecord>;

/** Settings that catalogs of runs share. */
interface FunctionSettings {
  readonly reservedNames: readonly string[];
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  readonly groupOf?: GroupOf;
  /** Milliseconds that the function may take. */
  readonly timeout: number;
}

/** A catalog, with the tools that it was made of. */
interface Made {
  readonly list: readonly ListedTool[];
  readonly catalog: MemoryCatalog;
}

/** Makes the catalog of each run, where `tools` is a function. */
export class FunctionCatalogs {
  readonly #resolve: ToolsFunction;
  readonly #settings: FunctionSettings;
  readonly #reporter: Reporter;
  readonly #documentCache: DocumentCache;
  /**
   * Cache: catalogs by their first tool and by their last, as one of the two may be every user's. A catalog is used again
   * only for exactly the same tools: others are another user's.
   */
  readonly #made = new WeakMap<object, Made>();

  constructor(resolve: ToolsFunction, settings: FunctionSettings, reporter: Reporter) {
    this.#resolve = resolve;
    this.#settings = settings;
    this.#reporter = reporter;
    this.#documentCache = new DocumentCache(new ToolProblems(reporter), settings.keywords, settings.groupOf);
  }

  /** The catalog of a run. Never throws: where the function fails, the run goes on without its tools. */
  async catalog(requestContext: RequestContext | undefined, origin?: EventOrigin): Promise<MemoryCatalog> {
    try {
      const resolved = (async () => this.#resolve(requestContext ? { requestContext } : {}))();
      return this.#catalogOf(listedTools(await inTime(resolved, this.#settings.timeout)));
    } catch (error) {
      this.#reporter.report({ type: 'tools-failed', error }, origin);
      return new MemoryCatalog(new Map(), new Map(), this.#documentCache, true);
    }
  }

  #catalogOf(list: readonly ListedTool[]): MemoryCatalog {
    const keys = [list[0]?.tool, list.at(-1)?.tool].filter((tool) => typeof tool === 'object' && tool !== null);
    for (const key of keys) {
      const made = this.#made.get(key);
      if (made && areSame(made.list, list)) return made.catalog;
    }
    const catalog = buildCatalog(list, this.#settings.reservedNames, this.#documentCache, ({ message }, name) => {
      this.#documentCache.problems.refused(name, message);
    });
    for (const key of keys) this.#made.set(key, { list, catalog });
    return catalog;
  }
}

function areSame(first: readonly ListedTool[], second: readonly ListedTool[]): boolean {
  return (
    first.length === second.length &&
    first.every(({ key, tool }, position) => key === second[position]?.key && tool === second[position]?.tool)
  );
}
