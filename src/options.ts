import { serverOf, type ToolGroup } from './catalog/groups.ts';
import { checkOption, invalidOption, isRecord } from './errors.ts';
import type { ToolSearchEvent } from './events.ts';
import type { AnyTool } from './mastra/tool.ts';
import type { ToolSearchFilter } from './policy.ts';
import { contextStore } from './registry/context.ts';
import { memoryStore } from './registry/memory.ts';
import type { Caps } from './registry/room.ts';
import { defaultScope, type ScopeRequest } from './registry/scope.ts';
import type { LoadedToolStore } from './registry/store.ts';
import { bm25Scorer } from './scorers/bm25.ts';
import type { ToolScorer } from './scorers/scorer.ts';
import type { SynonymGroup } from './scorers/tool-synonyms.ts';
import { type MetaToolsOption, type ResolvedMetaTools, resolveMetaTools } from './wording.ts';

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
    /**
     * Results must be at least this likely to be what was asked for, from 0 to 1; where nothing is, the message says so.
     * 0.05 is a good value. Only for scorers that give a confidence, such as the default.
     *
     * @default 0 (off)
     */
    minConfidence?: number;
    /** How tools are ranked. @default bm25Scorer() */
    scorer?: ToolScorer;
    /** Words that people use for a tool, by the name it is called by. Searched as a part of the tool of their own. */
    keywords?: Readonly<Record<string, readonly string[]>>;
    /** Words that mean alike, for the default scorer. Replaces the built-in vocabulary. @default toolSynonyms */
    synonyms?: readonly SynonymGroup[];
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
  /**
   * Milliseconds that the store may take for one operation, before the run goes on without it. `Infinity` waits.
   *
   * @default 2_000
   */
  storeTimeout?: number;
  /**
   * How many tools a thread may have loaded at once. When more come, the least recently used go.
   *
   * @default Infinity
   */
  maxLoadedTools?: number;
  /**
   * The same for the tokens of the loaded tools' definitions, estimated as a quarter of the characters of their JSON.
   *
   * @default Infinity
   */
  maxLoadedTokens?: number;
  /** Decides for each request which tools it may see, load and use. A throw or a rejection means no. */
  filter?: ToolSearchFilter;
  /** Names of tools that are sent on every step, without search. The filter's active phase is asked for them. */
  alwaysLoaded?: readonly string[];
  /**
   * When the model calls a tool that is not loaded, loads it for the next step, through the load phase, and tells the
   * model to call it again.
   *
   * @default true
   */
  loadOnMiss?: boolean;
  /**
   * The group of a tool: `select:github_*` and `load_tool({ toolNames: ['github_*'] })` load those whose name begins so,
   * else those of the group of that name. Search results tell it where the catalog has several.
   *
   * @default the MCP server that the tool comes from
   */
  groups?: ToolGroup;
  /** Other names and descriptions for the meta-tools and their parameters. */
  metaTools?: MetaToolsOption;
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

export interface ResolvedOptions {
  readonly tools: unknown;
  readonly includeResolvedTools: boolean;
  readonly injectCatalog: boolean;
  readonly topK: number;
  readonly minScore: number;
  readonly minConfidence: number;
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  readonly autoLoad: boolean;
  readonly scorer: ToolScorer;
  readonly store: LoadedToolStore;
  /** What the store was made from. */
  readonly storage: 'in-memory' | 'context' | 'custom';
  readonly ttl: number;
  readonly storeTimeout: number;
  readonly caps: Caps;
  readonly filter: ToolSearchFilter | undefined;
  readonly alwaysLoaded: ReadonlySet<string>;
  readonly loadOnMiss: boolean;
  readonly groups: ToolGroup;
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
  const { search = {}, storage = 'in-memory', ttl = 3_600_000, scope = defaultScope, groups = serverOf } = options;
  if (!isRecord(search)) throw invalidOption('search', search, 'an object');
  const {
    storeTimeout = 2_000,
    maxLoadedTools = Number.POSITIVE_INFINITY,
    maxLoadedTokens = Number.POSITIVE_INFINITY,
  } = options;
  const { topK = 5, minScore = 0, minConfidence = 0, synonyms } = search;
  const scorer = search.scorer === undefined ? bm25Scorer(synonyms === undefined ? {} : { synonyms }) : search.scorer;

  checkOption(Number.isInteger(topK) && topK >= 1, 'search.topK', topK, 'a whole number of at least 1');
  checkOption(typeof minScore === 'number' && !Number.isNaN(minScore), 'search.minScore', minScore, 'a number');
  checkOption(
    typeof minConfidence === 'number' && minConfidence >= 0 && minConfidence <= 1,
    'search.minConfidence',
    minConfidence,
    'a number from 0 to 1',
  );
  checkOption(
    synonyms === undefined || search.scorer === undefined,
    'search.synonyms',
    synonyms,
    'left out where there is a search.scorer; give it to the scorer, as in bm25Scorer({ synonyms })',
  );
  checkOption(isScorer(scorer), 'search.scorer', scorer, 'a ToolScorer, e.g. bm25Scorer() or tieredScorer()');
  checkOption(typeof ttl === 'number' && ttl >= 0, 'ttl', ttl, 'milliseconds, 0 or more (0 keeps loaded tools)');
  checkOption(isAbove(storeTimeout, 1), 'storeTimeout', storeTimeout, 'milliseconds, 1 or more');
  const isCount = Number.isInteger(maxLoadedTools) || maxLoadedTools === Number.POSITIVE_INFINITY;
  checkOption(isCount && maxLoadedTools >= 1, 'maxLoadedTools', maxLoadedTools, 'a whole number of at least 1');
  checkOption(isAbove(maxLoadedTokens, 1), 'maxLoadedTokens', maxLoadedTokens, 'a number of at least 1');
  checkOption(isFunctionOrAbsent(options.filter), 'filter', options.filter, 'a function');
  checkOption(isFunctionOrAbsent(options.onEvent), 'onEvent', options.onEvent, 'a function');
  checkOption(typeof groups === 'function', 'groups', groups, 'a function');
  checkOption(typeof scope === 'function', 'scope', scope, 'a function');
  if (options.tools === undefined && options.includeResolvedTools !== true) {
    throw invalidOption('tools', undefined, 'a record of tools; only with includeResolvedTools may it be left out');
  }

  return {
    tools: options.tools === undefined ? {} : options.tools,
    includeResolvedTools: flag('includeResolvedTools', options.includeResolvedTools),
    injectCatalog: flag('injectCatalog', options.injectCatalog),
    topK,
    minScore,
    minConfidence,
    keywords: resolveKeywords(search.keywords === undefined ? {} : search.keywords),
    autoLoad: flag('search.autoLoad', search.autoLoad),
    scorer,
    store: resolveStore(storage),
    storage: storage === 'in-memory' || storage === 'context' ? storage : 'custom',
    // A store reads 0 as "keep"; so is forever.
    ttl: ttl === Number.POSITIVE_INFINITY ? 0 : ttl,
    storeTimeout,
    caps: { tools: maxLoadedTools, tokens: maxLoadedTokens },
    filter: options.filter,
    groups,
    loadOnMiss: flag('loadOnMiss', options.loadOnMiss, true),
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

function resolveKeywords(value: unknown): ReadonlyMap<string, readonly string[]> {
  const isKeywords = (list: unknown): boolean => Array.isArray(list) && list.every((word) => typeof word === 'string');
  if (!isRecord(value) || !Object.values(value as object).every(isKeywords)) {
    throw invalidOption(
      'search.keywords',
      value,
      `a record of words by tool name, e.g. { create_issue: ['make a ticket'] }`,
    );
  }
  return new Map(Object.entries(value as Record<string, readonly string[]>));
}

function isScorer(value: unknown): boolean {
  const scorer = value as Partial<ToolScorer>;
  return isRecord(value) && typeof scorer.index === 'function' && typeof scorer.name === 'string';
}

function isAbove(value: unknown, least: number): boolean {
  return typeof value === 'number' && value >= least;
}

function isFunctionOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}

function flag(option: string, value: unknown, otherwise = false): boolean {
  checkOption(value === undefined || typeof value === 'boolean', option, value, 'true or false');
  return (value ?? otherwise) === true;
}
