import type { RequestContext } from '@mastra/core/request-context';
import type { ToolRecord, ToolsFunction } from '../catalog/build-catalog.ts';
import type { ToolGroup } from '../catalog/groups.ts';
import { serverOf } from '../catalog/groups.ts';
import type { ToolSource } from '../catalog/tool-source.ts';
import type { ToolSearchEvent } from '../events/table.ts';
import { injectCatalogOption } from '../features/inject-catalog.ts';
import { type LearningOptions, learningOption } from '../features/learning/options.ts';
import { type PassthroughLimits, passthroughOption } from '../features/passthrough.ts';
import { alwaysLoadedOption, trustServerHintsOption } from '../features/pinned.ts';
import type { ChoosingPreselectOptions, PreselectOptions } from '../features/preselect/options.ts';
import { skillsOption } from '../features/skills.ts';
import {
  type DefinitionHandling,
  onSuspiciousOption,
  type PinsOptions,
  pinsOption,
} from '../features/trust/options.ts';
import type { ToolSearchFilter } from '../filter/filter.ts';
import { defaultScope, type ScopeRequest } from '../loaded/identity.ts';
import type { LoadedToolStore } from '../loaded/stores/store.ts';
import { type MetaToolsOption, metaToolsOption } from '../meta-tools/options.ts';
import { type CodeOptions, codeOption } from '../modes/code/options.ts';
import { type NativeOptions, nativeOptions } from '../modes/native-options.ts';
import { anEmbedder, type SearchEmbedder } from '../scorers/meaning/embedder.ts';
import type { ToolScorer } from '../scorers/scorer.ts';
import type { Rerank } from '../search/rerank.ts';
import {
  aFunction,
  aText,
  type Check,
  type Complete,
  eachOf,
  flag,
  hasMethods,
  isAtLeast,
  milliseconds,
  must,
  numberFrom,
  type OptionTable,
  object,
  oneOf,
  share,
  wholeNumber,
} from '../util/check.ts';
import { isRecord } from '../util/record.ts';
import { didYouMean, likeliestNames } from '../util/suggest.ts';

/**
 * The options of `ToolSearchProcessor`. An unknown one is refused, at every level.
 *
 * @example
 * ```ts
 * const options: ToolSearchProcessorOptions = {
 *   tools,
 *   search: { topK: 3, minConfidence: 0.01 },
 *   maxLoaded: { tools: 20 },
 *   timeouts: { filter: 2_000 },
 * };
 * ```
 */
export interface ToolSearchProcessorOptions {
  /**
   * The tools that can be searched and loaded, by any key, or by server and key as `mcp.listToolsets()` returns them. A
   * tool is called by its `id`, or by its key where it has none. A name of more than 64 characters, or with characters
   * that providers refuse, gets a stable other one. May be left out together with `includeResolvedTools`.
   *
   * A {@link ToolStub} brings its definition when it is loaded.
   *
   * A function is called once in each run: for tools of the caller, or tools that come and go. When it fails, the run
   * goes on without them. Return the same tool objects where they are the same: what was read of them is kept.
   *
   * A {@link ToolSource}, known by its methods `search` and `get`, holds tools outside the process.
   *
   * @see docs/tools-per-user.md
   */
  tools?: ToolRecord | ToolsFunction | ToolSource;
  /**
   * Makes the tools that the agent resolved for the request searchable too, and hides them until they are loaded. They are called
   * by their `id`, as in `@mastra/core`, and reached by their record key as well. The tools of memory, workspace, skills and
   * browser are included: pin those that the agent's instructions need with `alwaysLoaded`.
   *
   * @default false
   */
  includeResolvedTools?: boolean;
  /**
   * Lists the tools the request may see in the system text, up to 1,000, so that the model can skip the search: `true`
   * with short descriptions, but for tools that the client sent; `'names'` without. Costs those tokens on every step.
   * The list stays the same in all steps of a request.
   *
   * @default false
   */
  injectCatalog?: boolean | 'names';
  /**
   * How the model reaches tools. `'load'`: it searches and loads with meta-tools, and a loaded tool stands in the tool list from
   * the next step on. `'call'`: it searches, and calls what was found with `call_tool` in its next step; the tool list never
   * changes, with any model. `'native'`: with the tool search of Anthropic's and OpenAI's models, so that the beginning of the
   * prompt never changes and stays cached; for other models see `native.fallback`.
   *
   * @default 'load'
   */
  mode?: 'load' | 'call' | 'native' | 'code';
  /** Where the programs of `mode: 'code'` run; refused in other modes. @see docs/code-mode.md */
  code?: CodeOptions;
  /** Settings of native mode; refused without `mode: 'native'`. */
  native?: NativeOptions;
  search?: {
    /** Results of a search when the model does not say how many. @default 5 */
    topK?: number;
    /**
     * Results must score above this, on the scale of the scorer. `minConfidence` has one scale for every catalog.
     *
     * - `wordsAndMeaningScorer`: a sum of features, open-ended. Only differences mean something: in a catalog of 1,500 tools
     *   the right ones scored 6 to 38, the others 5 to 17.
     * - `bm25Scorer`: open-ended, and higher in larger catalogs. In one of 1,500 tools the right ones scored 3 to 120,
     *   the others 1 to 19.
     * - `tieredScorer`: for each keyword the weight of its tier, 2 to 10 by default.
     * - `semanticScorer`: the cosine, from `minSimilarity` to 1.
     * - `hybridScorer`: a share, up to 1; up to 2 for a tool that the query names.
     * - `miniSearchScorer`: open-ended, by the boosts.
     *
     * @default 0
     * @see docs/choosing-a-scorer.md#scales
     */
    minScore?: number;
    /**
     * Each search loads its results, and there is no `load_tool`: two turns instead of three. A result that may not be loaded is
     * not shown.
     *
     * @default false
     */
    autoLoad?: boolean;
    /**
     * The lowest confidence of a result, from 0 to 1. Where no result reaches it, the message says so. 0.01 drops one in two
     * hundred of the right tools. Refused with a scorer that gives no confidence, as all but `wordsAndMeaningScorer` and
     * `bm25Scorer` are.
     *
     * @default 0 (off)
     * @see docs/choosing-a-scorer.md#confidence
     */
    minConfidence?: number;
    /**
     * Searches the user's last message too, and shows its best results beside those of the model's query, within the
     * same number. `'fallback'`: where a query finds nothing that clearly matches, or repeats an earlier one, or shares
     * no word with the message. `true`: in every search.
     *
     * @default 'fallback'
     * @see docs/how-it-works.md#what-the-users-message-finds
     */
    useMessage?: boolean | 'fallback';
    /** The scorer that ranks the tools. @default wordsAndMeaningScorer() @see docs/choosing-a-scorer.md */
    scorer?: ToolScorer;
    /**
     * Ranks by meaning as well as by words: `'built-in'` by a table of word vectors, which is a part of this package and
     * needs no model; `false` by words alone. An embedding model of the AI SDK or Mastra, a function from texts to vectors, or
     * one with settings ({@link SearchEmbedderOptions}) takes the table's place as soon as the vectors of tools are there.
     *
     * @default 'built-in'
     * @see docs/choosing-a-scorer.md#searchembedder
     */
    embedder?: SearchEmbedder;
    /**
     * The MCP servers whose tools are not there yet, for a request: results name them as `pending`, and a model searches
     * again later. Called in each search; returns at once.
     *
     * @see docs/tools-per-user.md#servers-that-are-still-connecting
     */
    pending?: (request: { requestContext?: RequestContext }) => readonly string[];
    /**
     * Reranks the best 100 matches before they are shown, for example with a cross-encoder or a business rule.
     * @see docs/choosing-a-scorer.md#ranking-anew
     */
    rerank?: Rerank;
    /**
     * Tokens for the definitions in the results of one search, and for those that `preselect` suggests, with
     * `mode: 'call'` and `'code'`: the best get theirs, the others a signature. Estimated from their JSON by tokenx.
     *
     * @default 1_500
     * @see docs/fewer-turns.md#call-mode
     */
    schemaTokens?: number;
    /** Words that people use for a tool, by its name, id or key. They are searched as a separate field. */
    keywords?: Readonly<Record<string, readonly string[]>>;
  };
  /**
   * Where loaded tools are kept: `'in-memory'` (this process), `'context'` (the conversation itself), or a store.
   *
   * @default 'in-memory'
   * @see docs/restarts.md
   */
  storage?: 'in-memory' | 'context' | LoadedToolStore;
  /** Milliseconds without use after which a thread's loaded tools are forgotten. 0 keeps them. @default 3_600_000 (one hour) */
  ttl?: number;
  /** Bounds of what a thread may have loaded at once. */
  maxLoaded?: {
    /**
     * Loaded tools of a thread. Above it, tools that left the catalog are unloaded first, then the least recently used. Providers
     * accept 128 tools in all.
     *
     * @default 64, and Infinity with `native.execution: 'server'`, where the provider decides
     */
    tools?: number;
    /** Tokens of the loaded tools' definitions, estimated from their JSON by tokenx. @default Infinity */
    tokens?: number;
  };
  /**
   * Decides for each request which tools it may see, load and use. A throw or a rejection means no. It may take its
   * time: it is asked in parallel, and once about each tool in a request, for the phase active once in a step.
   *
   * @see docs/tools-per-user.md#permissions
   */
  filter?: ToolSearchFilter;
  /** Milliseconds that a run waits for code of yours. `Infinity` waits for ever. */
  timeouts?: {
    /** Milliseconds for `tools` as a function, and for each call of a source; then the run goes on without. @default 10_000 */
    tools?: number;
    /**
     * Milliseconds for one answer of the filter; then the tool counts as denied. A search waits for a second at most, and for
     * another where it loads; an answer that comes later is there for the next search.
     *
     * @default 10_000
     */
    filter?: number;
    /** Milliseconds for one operation of the store; then the run goes on without it. @default 2_000 */
    store?: number;
    /**
     * Milliseconds that `preselect` waits for an index that is being built; then the run goes on without, and the index goes on
     * being built for the next one.
     *
     * @default 2_000
     */
    index?: number;
    /**
     * Milliseconds for `preselect`, code of yours and the search together, from when the index is there; then the run goes on
     * without.
     *
     * @default 120, and 2,000 with `preselect.choose`
     */
    preselect?: number;
  };
  /**
   * A catalog smaller than this is sent whole, without meta-tools, as far as the filter permits: searching costs more
   * than it saves. A number of tools (8 is a good value), or several limits, all of which it has to stay below. What the
   * filter lets the request find is counted. Decided for each run.
   *
   * @default 0 (off)
   * @see docs/performance.md#when-it-pays
   */
  passthroughBelow?: number | PassthroughLimits;
  /** Names of tools that are sent on every step, without search. The filter's active phase is asked for them. */
  alwaysLoaded?: readonly string[];
  /**
   * Pins, as `alwaysLoaded` does, the tools that their MCP server wants to be sent always (`_meta["anthropic/alwaysLoad"]`,
   * which servers set for Claude Code): those of all servers, or of these, by the names that your MCP client has for them. At
   * most 4,000 tokens of definitions; the others are searched, with an event. Mastra does not tell the server of tools that the
   * agent resolved: only `true` pins them.
   *
   * @default false
   */
  trustServerHints?: boolean | readonly string[];
  /**
   * What happens when the model calls a permitted tool that it was not sent. `'load'`: it is loaded for the next step, and the
   * model is told to call it again; with `mode: 'call'`, the model is told to call it through `call_tool`. `'error'`: Mastra's own
   * error.
   *
   * @default 'load'
   * @see docs/how-it-works.md#a-call-of-a-tool-that-is-not-loaded
   */
  onMiss?: 'load' | 'error';
  /**
   * Searches the user's last message before the first model call of a run, and sends the tools that it probably needs at the end of
   * the tool list, for this run: no search and no load where the words are clear. A tool that is called stays loaded. Needs a
   * scorer with confidences, such as the default; or else `choose`, a function that names the tools.
   *
   * @default false
   * @see docs/fewer-turns.md#preselect
   */
  preselect?: boolean | PreselectOptions | ChoosingPreselectOptions;
  /**
   * Learns from use: a tool that was called with success after a search ranks higher in similar searches, and is found by them. It
   * keeps no text, but keyed hashes and vectors, separately for each resource.
   *
   * @default false
   * @see docs/learning.md
   */
  learning?: boolean | LearningOptions;
  /**
   * Remembers each definition as it was first seen, and tells when it changes: a server may change a tool after somebody has
   * looked at it. With `onChange: 'withhold'`, the default, a changed tool is hidden until it is accepted.
   *
   * @default none
   * @see docs/trust.md#pins
   */
  pins?: PinsOptions;
  /**
   * Looks for definitions that instruct the model beyond the use of their tool, or have hidden characters: they are an event
   * (`'tell'`), or hidden as well (`'withhold'`).
   *
   * @default none
   * @see docs/trust.md#suspicious-definitions
   */
  onSuspicious?: DefinitionHandling;
  /**
   * Joins Mastra's skills with their tools: a skill that the model activates loads the tools that its `allowed-tools` name, and
   * a search names the skills that fit beside the tools.
   *
   * @default false
   * @see docs/skills.md
   */
  skills?: boolean;
  /**
   * The group of a tool: `select:github_*` and `load_tool({ toolNames: ['github_*'] })` load those whose name begins
   * so, else those of the group of that name. Search results tell it where the catalog has several. Tools are found by
   * the name of their server or group too, and a little by its description, or the server's instructions.
   *
   * @default the MCP server that the tool comes from
   */
  groups?: ToolGroup;
  /**
   * Other names and descriptions for the meta-tools. `systemText: 'firm'` is for models that answer in prose; another text
   * is your own. `unload: true` adds `unload_tool`. `load` is refused with `search.autoLoad`, `call` without call mode.
   *
   * @default names and texts of core's class
   * @see docs/how-it-works.md#what-the-model-is-told
   */
  metaTools?: MetaToolsOption;
  /**
   * The key under which a request's loaded tools are kept. Requests with the same key share them; with undefined, no other request
   * has them.
   *
   * @default resource and thread together, and this request alone where there is no thread, or an id is no text
   */
  scope?: (request: ScopeRequest) => string | undefined;
  /** Receives a copy of every event. An exception in it changes nothing. @see docs/events.md */
  onEvent?: (event: ToolSearchEvent) => void;
  /**
   * Streams what a user interface may show of searches and loads, as transient chunks of the type `data-tool-search`
   * ({@link ToolSearchChunk}), which memory does not keep. They go to everybody who reads the stream of a run.
   *
   * @default false
   * @see docs/events.md#chunks-for-a-user-interface
   */
  streamEvents?: boolean;
}

type SearchOptions = NonNullable<ToolSearchProcessorOptions['search']>;
type Timeouts = NonNullable<ToolSearchProcessorOptions['timeouts']>;

const wordsOfTool: Check = must(`an array of words, e.g. ['make a ticket']`, Array.isArray, { parts: eachOf(aText) });

type SearchDefaults =
  | 'topK'
  | 'minScore'
  | 'autoLoad'
  | 'minConfidence'
  | 'embedder'
  | 'keywords'
  | 'schemaTokens'
  | 'useMessage';

export type CompleteSearch = Complete<SearchOptions, SearchDefaults>;

export const searchOptions: OptionTable<SearchOptions, SearchDefaults> = {
  topK: { default: 5, check: wholeNumber },
  minScore: {
    default: 0,
    check: must('a number', (value) => typeof value === 'number' && !Number.isNaN(value)),
  },
  autoLoad: { default: false, check: flag },
  minConfidence: { default: 0, check: share },
  scorer: {
    check: must(
      'a ToolScorer, e.g. bm25Scorer() or tieredScorer()',
      (value) => isRecord(value) && hasMethods(value, 'index') && typeof value['name'] === 'string',
    ),
  },
  embedder: { default: 'built-in', check: anEmbedder },
  rerank: { check: aFunction },
  pending: { check: aFunction },
  keywords: {
    default: {},
    check: must(`a record of words by tool name, e.g. { create_issue: ['make a ticket'] }`, isRecord, {
      parts: (keywords) =>
        Object.entries(keywords as object).map(([tool, words]) => [`.${tool.slice(0, 100)}`, words, wordsOfTool]),
    }),
  },
  schemaTokens: { default: 1_500, check: numberFrom(0) },
  useMessage: {
    default: 'fallback',
    check: oneOf(true, false, 'fallback'),
  },
};

type TimeoutDefaults = 'tools' | 'filter' | 'store' | 'index';

export type CompleteTimeouts = Complete<Timeouts, TimeoutDefaults>;

/** The default of `preselect` depends on how it chooses. */
export const timeoutOptions: OptionTable<Timeouts, TimeoutDefaults> = {
  tools: { default: 10_000, check: milliseconds },
  filter: { default: 10_000, check: milliseconds },
  store: { default: 2_000, check: milliseconds },
  index: { default: 2_000, check: milliseconds },
  preselect: { check: milliseconds },
};

const maxLoadedOptions: OptionTable<NonNullable<ToolSearchProcessorOptions['maxLoaded']>> = {
  tools: {
    check: must(wholeNumber.expected, (value) => value === Number.POSITIVE_INFINITY || wholeNumber.holds(value)),
  },
  tokens: { check: numberFrom(1) },
};

type Defaults =
  | 'includeResolvedTools'
  | 'injectCatalog'
  | 'mode'
  | 'storage'
  | 'ttl'
  | 'alwaysLoaded'
  | 'trustServerHints'
  | 'onMiss'
  | 'skills'
  | 'groups'
  | 'scope'
  | 'streamEvents';

export type CompleteOptions = Complete<ToolSearchProcessorOptions, Defaults>;

export const processorOptions: OptionTable<ToolSearchProcessorOptions, Defaults> = {
  tools: {},
  includeResolvedTools: { default: false, check: flag },
  injectCatalog: injectCatalogOption,
  mode: { default: 'load', check: oneOf('load', 'call', 'native', 'code') },
  code: codeOption,
  native: {
    check: object('an object with execution, detect, fallback or append'),
    of: nativeOptions,
  },
  search: { check: object('an object'), of: searchOptions },
  storage: {
    default: 'in-memory',
    check: must(
      `'in-memory', 'context' or a store with get, add and clear, e.g. redisStore({ client }) from 'mastra-tool-search/redis'`,
      (value) =>
        value === 'in-memory' || value === 'context' || (isRecord(value) && hasMethods(value, 'get', 'add', 'clear')),
      {
        hint: (value) => didYouMean(typeof value === 'string' ? likeliestNames(value, ['in-memory', 'context']) : []),
      },
    ),
  },
  ttl: {
    default: 3_600_000,
    check: must('milliseconds, 0 or more (0 keeps loaded tools)', (value) => isAtLeast(value, 0)),
  },
  maxLoaded: { check: object('an object with tools and tokens'), of: maxLoadedOptions },
  filter: { check: aFunction },
  timeouts: { check: object('an object with tools, filter, store, index and preselect'), of: timeoutOptions },
  passthroughBelow: passthroughOption,
  alwaysLoaded: alwaysLoadedOption,
  trustServerHints: trustServerHintsOption,
  onMiss: {
    default: 'load',
    check: oneOf('load', 'error'),
  },
  preselect: {
    check: must(
      'true, false or an object, e.g. { minConfidence: 0.5 }',
      (value) => typeof value === 'boolean' || isRecord(value),
    ),
  },
  learning: learningOption,
  pins: pinsOption,
  onSuspicious: onSuspiciousOption,
  skills: skillsOption,
  groups: { default: serverOf, check: aFunction },
  metaTools: metaToolsOption,
  scope: { default: defaultScope, check: aFunction },
  onEvent: { check: aFunction },
  streamEvents: {
    default: false,
    check: flag,
  },
};
