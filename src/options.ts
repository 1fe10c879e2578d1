import { isAcceptedName } from './catalog/names.ts';
import { invalidOption } from './errors.ts';
import type { ToolSearchEvent } from './events.ts';
import type { AnyTool } from './mastra/tool.ts';
import type { ToolSearchFilter } from './policy.ts';
import { type MetaToolNames, parameterDescriptions } from './prompts.ts';
import { contextStore } from './registry/context.ts';
import { memoryStore } from './registry/memory.ts';
import { defaultScope, type ScopeRequest } from './registry/scope.ts';
import type { LoadedToolStore } from './registry/store.ts';
import { bm25Scorer } from './scorers/bm25.ts';
import type { ToolScorer } from './scorers/scorer.ts';

export interface ToolSearchProcessorOptions {
  /**
   * The tools that can be searched and loaded, by any key. A tool is called by its `id`, or by its key where it has
   * none. May be left out together with `includeResolvedTools`.
   */
  tools?: Record<string, AnyTool>;
  /**
   * Makes the tools that the agent resolved for the request searchable too, and withholds them until they are loaded.
   * Their record key is the name they are called by. This takes in the tools of memory, workspace, skills and browser
   * as well: pin what the agent's instructions rely on with `alwaysLoaded`.
   *
   * @default false
   */
  includeResolvedTools?: boolean;
  /**
   * Lists every tool the request may see (name and short description) in the system text, so that the model can skip
   * the search. Costs those tokens on every step.
   *
   * @default false
   */
  injectCatalog?: boolean;
  search?: {
    /**
     * How many results a search returns when the model does not say.
     *
     * @default 5
     */
    topK?: number;
    /**
     * Results must score above this, on the scale of the scorer.
     *
     * @default 0
     */
    minScore?: number;
    /**
     * Loads what a search returns at once, and leaves `load_tool` out: two turns instead of three.
     *
     * @default false
     */
    autoLoad?: boolean;
    /** How tools are ranked. @default bm25Scorer() */
    scorer?: ToolScorer;
  };
  /**
   * Where loaded tools are remembered: `'in-memory'` (this process), `'context'` (the conversation itself), or a store.
   *
   * @default 'in-memory'
   */
  storage?: 'in-memory' | 'context' | LoadedToolStore;
  /**
   * Milliseconds without use after which a thread's loaded tools are forgotten. 0 keeps them.
   *
   * @default 3_600_000 (one hour)
   */
  ttl?: number;
  /** Decides for each request which tools it may see, load and use. A throw or a rejection means no. */
  filter?: ToolSearchFilter;
  /** Names of tools that are sent on every step, without search. The filter's active phase is asked for them. */
  alwaysLoaded?: readonly string[];
  /** Other names and descriptions for the meta-tools and their parameters. */
  metaTools?: { search?: SearchToolWording; load?: LoadToolWording };
  /**
   * The key under which a request's loaded tools are kept. Requests with the same key share them; undefined keeps
   * them to this request.
   *
   * @default resource and thread together, and this request alone where there is no thread
   */
  scope?: (request: ScopeRequest) => string | undefined;
  /** Receives every event. What it throws changes nothing. */
  onEvent?: (event: ToolSearchEvent) => void;
}

/** What the model is told of a tool or a parameter. */
export interface Wording {
  /** 1 to 128 letters, digits, `_` and `-`. */
  name?: string;
  description?: string;
}

export interface SearchToolWording extends Wording {
  parameters?: { query?: Wording; maxResults?: Wording };
}

export interface LoadToolWording extends Wording {
  parameters?: { toolName?: Wording; toolNames?: Wording };
}

interface ResolvedWording {
  readonly name: string;
  readonly description: string;
}

export interface ResolvedMetaTools {
  readonly names: MetaToolNames;
  /** The user's own texts; undefined for the built-in ones. */
  readonly searchDescription: string | undefined;
  readonly loadDescription: string | undefined;
  readonly parameters: {
    readonly query: ResolvedWording;
    readonly maxResults: ResolvedWording;
    readonly toolName: ResolvedWording;
    readonly toolNames: ResolvedWording;
  };
}

export interface ResolvedOptions {
  readonly tools: unknown;
  readonly includeResolvedTools: boolean;
  readonly injectCatalog: boolean;
  readonly topK: number;
  readonly minScore: number;
  readonly autoLoad: boolean;
  readonly scorer: ToolScorer;
  readonly store: LoadedToolStore;
  /** What the store was made from. */
  readonly storage: 'in-memory' | 'context' | 'custom';
  readonly ttl: number;
  readonly filter: ToolSearchFilter | undefined;
  readonly alwaysLoaded: ReadonlySet<string>;
  readonly metaTools: ResolvedMetaTools;
  readonly scope: (request: ScopeRequest) => string | undefined;
  readonly onEvent: ((event: ToolSearchEvent) => void) | undefined;
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws ToolSearchError `invalid-option`, naming the option, the value and what is expected.
 */
export function resolveOptions(options: ToolSearchProcessorOptions): ResolvedOptions {
  if (!isRecord(options)) throw invalidOption('options', options, 'an object, e.g. { tools }');
  const { search = {}, storage = 'in-memory', ttl = 3_600_000, scope = defaultScope } = options;
  if (!isRecord(search)) throw invalidOption('search', search, 'an object');
  const { topK = 5, minScore = 0, scorer = bm25Scorer() } = search;

  check(Number.isInteger(topK) && topK >= 1, 'search.topK', topK, 'a whole number of at least 1');
  check(typeof minScore === 'number' && !Number.isNaN(minScore), 'search.minScore', minScore, 'a number');
  check(isScorer(scorer), 'search.scorer', scorer, 'a ToolScorer, e.g. bm25Scorer() or tieredScorer()');
  check(typeof ttl === 'number' && ttl >= 0, 'ttl', ttl, 'milliseconds, 0 or more (0 keeps loaded tools)');
  check(isFunctionOrAbsent(options.filter), 'filter', options.filter, 'a function');
  check(isFunctionOrAbsent(options.onEvent), 'onEvent', options.onEvent, 'a function');
  check(typeof scope === 'function', 'scope', scope, 'a function');
  if (options.tools === undefined && options.includeResolvedTools !== true) {
    throw invalidOption('tools', undefined, 'a record of tools; only with includeResolvedTools may it be left out');
  }

  return {
    tools: options.tools === undefined ? {} : options.tools,
    includeResolvedTools: flag('includeResolvedTools', options.includeResolvedTools),
    injectCatalog: flag('injectCatalog', options.injectCatalog),
    topK,
    minScore,
    autoLoad: flag('search.autoLoad', search.autoLoad),
    scorer,
    store: resolveStore(storage),
    storage: storage === 'in-memory' || storage === 'context' ? storage : 'custom',
    // A store reads 0 as "keep"; so is forever.
    ttl: ttl === Number.POSITIVE_INFINITY ? 0 : ttl,
    filter: options.filter,
    alwaysLoaded: resolveNames('alwaysLoaded', options.alwaysLoaded ?? []),
    metaTools: resolveMetaTools(options.metaTools ?? {}),
    scope,
    onEvent: options.onEvent,
  };
}

function resolveStore(storage: unknown): LoadedToolStore {
  if (storage === 'in-memory') return memoryStore();
  if (storage === 'context') return contextStore();
  const store = storage as Partial<LoadedToolStore>;
  const isStore =
    isRecord(storage) && [store.get, store.add, store.clear].every((method) => typeof method === 'function');
  if (!isStore) throw invalidOption('storage', storage, `'in-memory', 'context' or a store with get, add and clear`);
  return store as LoadedToolStore;
}

function resolveNames(option: string, value: unknown): ReadonlySet<string> {
  const isNames = Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
  if (!isNames) throw invalidOption(option, value, 'an array of tool names');
  return new Set(value as string[]);
}

function resolveMetaTools(metaTools: NonNullable<ToolSearchProcessorOptions['metaTools']>): ResolvedMetaTools {
  if (!isRecord(metaTools)) throw invalidOption('metaTools', metaTools, 'an object with search and load');
  for (const path of ['search', 'load'] as const) {
    const { parameters = {} } = metaTools[path] ?? {};
    if (!isRecord(parameters)) throw invalidOption(`metaTools.${path}.parameters`, parameters, 'an object');
  }
  const search = wording('metaTools.search', metaTools.search, 'search_tools');
  const load = wording('metaTools.load', metaTools.load, 'load_tool');
  if (search.name === load.name) {
    throw invalidOption('metaTools.load.name', load.name, `another name than metaTools.search.name`);
  }
  const parameter = (
    path: string,
    name: keyof typeof parameterDescriptions,
    own: Wording | undefined,
  ): ResolvedWording => {
    const resolved = wording(`${path}.parameters.${name}`, own, name);
    return { name: resolved.name, description: resolved.description ?? parameterDescriptions[name] };
  };
  const parameters = {
    query: parameter('metaTools.search', 'query', metaTools.search?.parameters?.query),
    maxResults: parameter('metaTools.search', 'maxResults', metaTools.search?.parameters?.maxResults),
    toolName: parameter('metaTools.load', 'toolName', metaTools.load?.parameters?.toolName),
    toolNames: parameter('metaTools.load', 'toolNames', metaTools.load?.parameters?.toolNames),
  };
  for (const [first, second, path] of [
    [parameters.query, parameters.maxResults, 'metaTools.search.parameters'],
    [parameters.toolName, parameters.toolNames, 'metaTools.load.parameters'],
  ] as const) {
    if (first.name === second.name) throw invalidOption(path, first.name, 'two different names');
  }
  return {
    names: {
      search: search.name,
      load: load.name,
      toolName: parameters.toolName.name,
      toolNames: parameters.toolNames.name,
    },
    searchDescription: search.description,
    loadDescription: load.description,
    parameters,
  };
}

function wording(
  path: string,
  value: Wording | undefined,
  defaultName: string,
): { name: string; description: string | undefined } {
  if (value !== undefined && !isRecord(value)) throw invalidOption(path, value, 'an object with name and description');
  const { name = defaultName, description } = value ?? {};
  check(
    typeof name === 'string' && isAcceptedName(name),
    `${path}.name`,
    name,
    '1 to 128 letters, digits, "_" and "-"',
  );
  check(
    description === undefined || (typeof description === 'string' && description.trim() !== ''),
    `${path}.description`,
    description,
    'a text',
  );
  return { name, description };
}

function isScorer(value: unknown): boolean {
  const scorer = value as Partial<ToolScorer>;
  return isRecord(value) && typeof scorer.index === 'function' && typeof scorer.name === 'string';
}

function isFunctionOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}

function flag(option: string, value: unknown): boolean {
  check(value === undefined || typeof value === 'boolean', option, value, 'true or false');
  return value === true;
}

function check(holds: boolean, option: string, value: unknown, expected: string): void {
  if (!holds) throw invalidOption(option, value, expected);
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
