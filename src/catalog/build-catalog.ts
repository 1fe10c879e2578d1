import type { RequestContext } from '@mastra/core/request-context';
import { invalidOption, messageOf, ToolSearchError } from '../errors.ts';
import type { EventOrigin } from '../events/origin.ts';
import { Reporter } from '../events/reporter.ts';
import { ended } from '../util/text.ts';
import { inTime } from '../util/timeout.ts';
import type { CatalogEntry } from './catalog.ts';
import { DocumentCache, type GroupOf } from './document-cache.ts';
import { ToolProblems } from './entry.ts';
import { isLazyTool, isSearchable, proxyOfLazyTool, type ToolStub } from './lazy-tools.ts';
import { MemoryCatalog } from './memory-catalog.ts';
import { describedByName, formerName, isAcceptedName, isCalledById, originalNameOf, repairName } from './names.ts';
import { type AnyTool, descriptionOf, isMastraTool, type MastraTool, toMastraTool } from './tool.ts';

interface ReadCatalogOptions {
  /** Names that no tool may have: those of the meta-tools. */
  readonly reservedNames?: readonly string[];
  readonly keywords?: ReadonlyMap<string, readonly string[]>;
  readonly groupOf?: GroupOf | undefined;
  /** Receives one `tool-problem` event per tool and problem. */
  readonly reporter?: Reporter;
  /** Receives each refused tool, which the catalog leaves out. Without this callback, the first refusal throws. */
  readonly onRefused?: (error: ToolSearchError, name: string) => void;
  /** A cache shared by the catalogs of several runs. It replaces `keywords`, `groupOf` and `reporter`. */
  readonly documentCache?: DocumentCache;
}

/**
 * Reads tools that are in memory.
 *
 * @param tools - as {@link listedTools} lists a record.
 * @throws ToolSearchError `invalid-tool`, `duplicate-tool` or `reserved-name`, without `onRefused`.
 */
export function readCatalog(tools: readonly ListedTool[], options: ReadCatalogOptions = {}): MemoryCatalog {
  const { reservedNames = [], keywords = new Map(), groupOf, reporter = new Reporter(() => {}) } = options;
  const { documentCache = new DocumentCache(new ToolProblems(reporter), keywords, groupOf) } = options;
  const { problems } = documentCache;
  const entries = new Map<string, CatalogEntry>();
  const aliases = new Map<string, string>();
  const taken = new Map<string, ListedTool>();
  const oddNames: { key: string; id: string; tool: object }[] = [];
  const again: { key: string; id: string }[] = [];

  const refuse = (code: ToolSearchError['code'], name: string, message: string): void => {
    const error = new ToolSearchError(code, message);
    if (!options.onRefused) throw error;
    options.onRefused(error, name);
  };
  const add = (name: string, key: string, tool: object): void => {
    const description = descriptionOf(tool);
    if (description === '') problems.report(name, 'missing-description');
    const originalName = originalNameOf(key, tool);
    entries.set(name, {
      ...{ name, key, tool: asMastraTool(name, tool), isResolved: false },
      description: name === originalName ? description : describedByName(description, originalName),
      ...(isLazyTool(tool) ? { isLazy: true } : {}),
      ...(originalName === name ? {} : { originalName }),
    });
    // Original names overwrite record keys as aliases.
    if (originalName !== name) aliases.set(originalName, name);
    if (key !== name && !aliases.has(key)) aliases.set(key, name);
  };
  const take = (listed: ListedTool): void => {
    const { key, tool: value } = listed;
    if ('error' in listed) throw listed.error;
    if (!listed.isTool) {
      const advice =
        'Make it with createTool() of @mastra/core or tool() of the AI SDK, and await lists such as mcp.listTools().';
      refuse('invalid-tool', key, `tools["${key}"] is not a tool (${kindOf(key, value)}). ${advice}`);
      return;
    }
    const tool = value as object;
    const id = callNameOf(key, tool);
    const other = taken.get(id);
    if (reservedNames.includes(id)) {
      const message = `The tool under key "${key}" is called "${id}", which is the name of a meta-tool. Rename the tool, or the meta-tool in metaTools.`;
      refuse('reserved-name', id, message);
    } else if (other?.tool === tool) again.push({ key, id });
    else if (other) {
      const message = `Two tools are both called "${id}" (keys "${other.key}" and "${key}"). Give one of them another id.`;
      refuse('duplicate-tool', id, message);
    } else {
      if (isAcceptedName(id)) add(id, key, tool);
      else oddNames.push({ key, id, tool });
      taken.set(id, listed);
    }
  };
  /** Refuses a tool that cannot be read, and no other. */
  const attempt = (key: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (error instanceof ToolSearchError) throw error;
      const fault = ended(messageOf(error));
      refuse(
        'invalid-tool',
        key,
        `tools["${key}"] cannot be read: ${fault} Give the tool, or its field, as a plain value.`,
      );
    }
  };
  for (const listed of tools) attempt(listed.key, () => take(listed));

  // Refused names are repaired last, so that a repaired name never displaces a tool that really has the name.
  const isTaken = (name: string): boolean => entries.has(name) || reservedNames.includes(name);
  const formerNames = new Map<string, string>();
  const real = new Set(entries.keys());
  const wasTaken = (name: string): boolean => real.has(name) || formerNames.has(name) || reservedNames.includes(name);
  for (const { key, id, tool } of oddNames) {
    const name = repairName(id, isTaken);
    const former = formerName(id, wasTaken);
    if (!wasTaken(former)) formerNames.set(former, name);
    const isFree = !isTaken(name);
    problems.report(id, isFree ? 'renamed' : 'left-out', name);
    if (isFree) attempt(key, () => add(name, key, tool));
  }
  // One tool object may stand under several keys: the further keys become aliases.
  for (const { key, id } of again) {
    const name = aliases.get(id) ?? id;
    if (entries.has(name) && !aliases.has(key)) aliases.set(key, name);
  }
  for (const [former, name] of formerNames) if (!entries.has(former) && !aliases.has(former)) aliases.set(former, name);
  return new MemoryCatalog(entries, aliases, documentCache);
}

/** The name that the model calls a record's tool by, before any repair. */
function callNameOf(key: string, tool: object): string {
  return isCalledById(key, tool) ? originalNameOf(key, tool) : key;
}

/** The name and the catalog form of one tool, without a catalog. */
export function namedTool(key: string, tool: object): { readonly name: string; readonly tool: MastraTool } {
  const name = callNameOf(key, tool);
  return { name, tool: asMastraTool(name, tool) };
}

function asMastraTool(name: string, tool: object): MastraTool {
  return isLazyTool(tool) ? proxyOfLazyTool(name, tool) : toMastraTool(name, tool);
}

function kindOf(key: string, value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  if (value === null) return 'null';
  if (typeof value === 'object') return 'an object without execute or schema';
  const isOfSource = typeof value === 'function' && (key === 'search' || key === 'get');
  return isOfSource ? 'function; a ToolSource has both search() and get()' : typeof value;
}

export interface ListedTool {
  /** The record key; a tool of a toolset has the toolset's name as a prefix. */
  readonly key: string;
  readonly tool: unknown;
  readonly isTool: boolean;
  readonly toolset?: string;
  readonly error?: unknown;
}

/**
 * The tools of a record, as `mcp.listTools()` returns it, or of a record of such records, as `mcp.listToolsets()` does.
 *
 * @throws ToolSearchError `invalid-option` if `tools` is no record.
 */
export function listedTools(tools: unknown): readonly ListedTool[] {
  if (isMcpClient(tools)) {
    throw invalidOption(
      'tools',
      tools,
      'a record of tools by name; of an MCPClient, what await mcp.listTools() returns',
    );
  }
  if (!isRecordOfTools(tools)) {
    throw invalidOption('tools', tools, 'a record of tools by name; await what is still a promise');
  }
  // A toolset with a tool named "parameters" looks like a tool.
  const members = membersOf(tools, (value) => isMastraTool(value) || (isSearchable(value) && !isToolset(value)));
  const listed = members.filter((member) => member.isTool || 'error' in member);
  const others = members.filter((member) => !member.isTool && !('error' in member));
  const areServersWithoutTools = listed.length === 0 && others.every(({ tool }) => isEmpty(tool));
  const hasToolsets = areServersWithoutTools || others.some(({ tool }) => isToolset(tool));
  for (const member of others) {
    const { key: toolset, tool } = member;
    if (!hasToolsets || !(isToolset(tool) || isEmpty(tool))) {
      listed.push(member);
      continue;
    }
    for (const inner of membersOf(tool as object)) {
      listed.push({ ...inner, key: `${toolset}_${inner.key}`, ...('error' in inner ? {} : { toolset }) });
    }
  }
  return listed;
}

/** Whether the value is an MCPClient. In a record, a tool named "listTools" is an object, not a function. */
function isMcpClient(value: unknown): boolean {
  return typeof (value as { listTools?: unknown } | null | undefined)?.listTools === 'function';
}

/** The values of a record. A getter that throws costs only its own value. */
function membersOf(record: object, isOne: (value: unknown) => boolean = isSearchable): ListedTool[] {
  return Object.keys(record).map((key) => {
    try {
      const tool = (record as Record<string, unknown>)[key];
      return { key, tool, isTool: isOne(tool) };
    } catch (error) {
      return { key, tool: undefined, isTool: false, error };
    }
  });
}

/** Whether all entries are tools, and at least one can be read. An entry that cannot be read may be a tool as well. */
function isToolset(value: unknown): boolean {
  if (!isRecordOfTools(value)) return false;
  const members = membersOf(value);
  return members.some((member) => member.isTool) && members.every((member) => member.isTool || 'error' in member);
}

/** Whether the value is an empty toolset, as of a server without tools. */
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

interface FunctionSettings extends Pick<ReadCatalogOptions, 'reservedNames' | 'keywords' | 'groupOf'> {
  /** Milliseconds that one call of the function may take. */
  readonly timeout: number;
  /** Whether to report a function that has never returned a tool. */
  readonly doubtsEmpty?: boolean;
}

/** Reports that there is nothing to find. */
export function doubtEmpty(what: string, reporter: Reporter): void {
  const message = `${what} no tool, so the model has nothing to find. mcp.listTools() returns none of a server that is down, or of which one tool is malformed: mcp.listToolsWithErrors() says why.`;
  reporter.report({ type: 'option-doubt', option: 'tools', message });
}

/** The catalog of a run whose tools could not be resolved. */
export function emptyCatalog(
  reporter: Reporter,
  documentCache: DocumentCache = new DocumentCache(new ToolProblems(reporter), new Map()),
): MemoryCatalog {
  return new MemoryCatalog(new Map(), new Map(), documentCache, { isUnknown: true });
}

/** Makes the catalog of each run, where `tools` is a function. */
export class FunctionCatalogs {
  readonly #resolve: ToolsFunction;
  readonly #settings: FunctionSettings;
  readonly #reporter: Reporter;
  readonly #documentCache: DocumentCache;
  #hasTools = false;
  /**
   * Cache: catalogs by their first tool and by their last, because all users may share one of the two. A cached catalog is
   * reused only for exactly the same tools, so that no user gets another user's.
   */
  readonly #made = new WeakMap<object, { readonly list: readonly ListedTool[]; readonly catalog: MemoryCatalog }>();

  constructor(resolve: ToolsFunction, settings: FunctionSettings, reporter: Reporter) {
    this.#resolve = resolve;
    this.#settings = settings;
    this.#reporter = reporter;
    const { keywords = new Map(), groupOf } = settings;
    this.#documentCache = new DocumentCache(new ToolProblems(reporter), keywords, groupOf);
  }

  /** The catalog of a run. Never rejects: where the function fails, the run goes on with an empty catalog. */
  async catalog(requestContext: RequestContext | undefined, origin?: EventOrigin): Promise<MemoryCatalog> {
    try {
      const resolved = (async () => this.#resolve(requestContext ? { requestContext } : {}))();
      const list = listedTools(await inTime(resolved, this.#settings.timeout));
      this.#hasTools ||= list.length > 0;
      if (!this.#hasTools && this.#settings.doubtsEmpty)
        doubtEmpty('The function "tools" has returned', this.#reporter);
      return this.#catalogOf(list);
    } catch (error) {
      this.#reporter.report({ type: 'tools-failed', error }, origin);
      return emptyCatalog(this.#reporter, this.#documentCache);
    }
  }

  #catalogOf(list: readonly ListedTool[]): MemoryCatalog {
    const ends = [list[0]?.tool, list.at(-1)?.tool].filter((tool) => typeof tool === 'object' && tool !== null);
    for (const end of ends) {
      const made = this.#made.get(end);
      const isSame = ({ key, tool }: ListedTool, at: number): boolean =>
        key === made?.list[at]?.key && tool === made.list[at].tool;
      if (made?.list.length === list.length && list.every(isSame)) return made.catalog;
    }
    const catalog = readCatalog(list, {
      ...this.#settings,
      documentCache: this.#documentCache,
      onRefused: ({ message }, name) => this.#documentCache.problems.refused(name, message),
    });
    for (const end of ends) this.#made.set(end, { list, catalog });
    return catalog;
  }
}
