import type { EventOrigin } from './origin.ts';
import type { ToolSearchFilterPhase } from './phase.ts';
import type {
  EvictionCause,
  MessageReason,
  MissCause,
  NativeOffReason,
  PinOperation,
  PreselectReason,
  ReturnedTool,
  SearchVerdict,
  SourceOperation,
  StoreOperation,
  ToolProblem,
} from './reasons.ts';

/**
 * Something that happened, when and in which run, for logs, metrics and traces. Besides the queries, no event holds what
 * was said or returned.
 *
 * @example
 * ```ts
 * const onEvent = (event: ToolSearchEvent) => {
 *   if (event.type === 'search') console.log(event.runId, event.queries, event.results);
 * };
 * new ToolSearchProcessor({ tools, onEvent });
 * ```
 */
export type ToolSearchEvent = EventOrigin & {
  /** When it was reported, in milliseconds since 1970, as `Date.now()` tells it. */
  readonly time: number;
} & ToolSearchOccurrence;

/**
 * What happened: the part of a {@link ToolSearchEvent} that its `type` decides.
 *
 * @example
 * ```ts
 * const isFault = (event: ToolSearchOccurrence) => 'error' in event;
 * ```
 */
export type ToolSearchOccurrence =
  /** A step was prepared, before its model call. Tokens are estimated from definitions. */
  | {
      readonly type: 'step';
      /** The tools whose definitions the model gets, the agent's own and the meta-tools too. */
      readonly sent: readonly string[];
      /** How many tools of the catalog it does not get; absent over a `ToolSource`. */
      readonly deferred?: number;
      /** The preselected tools in `sent` that were not called yet. */
      readonly preselected: readonly string[];
      readonly tokensSent: number;
      /** What the whole catalog would have cost besides; below 0 where the meta-tools cost more than they save. Absent over a `ToolSource`. */
      readonly tokensSaved?: number;
      readonly ms: number;
    }
  /** A search of the model was answered. */
  // @see docs/learning.md
  // @see docs/how-it-works.md#what-the-users-message-finds
  // @cause without a fit (`verdict`), words of your users are missing; again and again, the scorer does not fit
  // @remedy look at the queries; add `search.keywords`; try [another scorer](choosing-a-scorer.md)
  | {
      readonly type: 'search';
      readonly queries: readonly string[];
      /** The tools, best first. */
      readonly results: readonly string[];
      /** What it loaded at once (`search.autoLoad`, `select:`). */
      readonly loaded: readonly string[];
      /** The results with a higher score from past use; absent where there are none. */
      readonly byUse?: readonly string[];
      /** Set where the model loaded or called unknown names, and the words of these names were searched. */
      readonly forNames?: true;
      /**
       * Why the user's message was searched as well, and the results that only the message found. Absent where it was not searched.
       * `verdict` is about the queries.
       */
      readonly byMessage?: { readonly reason: MessageReason; readonly results: readonly string[] };
      /** The name of the scorer, or of the `ToolSource`. */
      readonly scorer: string;
      /** How many tools were searched; absent over a `ToolSource`. */
      readonly candidates?: number;
      /** How many tools the filter hid, including those that it had no time to answer. Absent over a `ToolSource`. */
      readonly denied?: number;
      /** The results as `{ name, score, confidence }`, in their order. */
      readonly returned: readonly ReturnedTool[];
      /** `'fits'`, `'weak'` (something matches, probably nothing fits), `'nothing'` or `'failed'`. */
      readonly verdict: SearchVerdict;
      readonly ms: number;
    }
  /** A load was asked for by name. */
  | {
      readonly type: 'load';
      /**
       * Who asked: the model with `load_tool`, the provider's tool search, a skill that the model activated, or the request by its
       * `toolChoice`. A `toolChoice` of a tool that is `denied`, `failed` or has `noRoom` becomes `'auto'`.
       */
      readonly by: 'model' | 'provider' | 'request' | 'skill';
      readonly loaded: readonly string[];
      readonly alreadyLoaded: readonly string[];
      /** Names that no tool has. */
      readonly notFound: readonly string[];
      /** Tools that the request may not load or use. The model reads that no tool has that name. */
      readonly denied: readonly string[];
      /** Tools above the limit of `maxLoaded`, or of one call; absent where there are none. */
      readonly noRoom?: readonly string[];
      /** Tools without a definition, or with one that cannot be sent; absent where there are none. */
      readonly failed?: readonly string[];
      readonly ms: number;
    }
  /** A tool of the catalog was called, and ran. */
  | {
      readonly type: 'call';
      readonly toolName: string;
      /** Whether it returned; false where it threw, or refused its input. */
      readonly ok: boolean;
      readonly ms: number;
    }
  /** A tool was called that was not loaded, and has been loaded for the next step. */
  // @cause the model calls tools from memory
  // @remedy pin them with `alwaysLoaded`, or `injectCatalog: 'names'`
  | {
      readonly type: 'load-on-miss';
      /** What the model wrote. */
      readonly called: string;
      readonly loaded: string;
    }
  /** A tool was called through `call_tool`, and runs. */
  | { readonly type: 'call-through'; readonly toolName: string }
  /** A tool was called that was not sent, and nothing came of it. */
  | {
      readonly type: 'miss';
      /** What the model wrote. */
      readonly called: string;
      /** `'unknown'` (no tool has such a name), `'denied'`, `'no-room'` or `'failed'`. */
      readonly cause: MissCause;
    }
  /** The preselection of a run was decided, before its first model call (`preselect`). */
  // @see docs/fewer-turns.md#what-is-reported
  | {
      readonly type: 'preselect';
      /** The tools that are sent. */
      readonly tools: readonly string[];
      /** How likely the right one is among them and those that are there anyway, else that of the best one. */
      readonly confidence?: number;
      /** Why there are none. */
      readonly reason?: PreselectReason;
      /** What your code threw. */
      readonly error?: unknown;
      readonly ms?: number;
    }
  /** A tool was called with success after a search that had shown it: `learning` counts the use. */
  // @see docs/learning.md
  | { readonly type: 'learn'; readonly toolName: string }
  /** Tools were unloaded. */
  | {
      readonly type: 'unload';
      readonly toolNames: readonly string[];
      /** The model with `unload_tool`, or the method `unload()`. */
      readonly by: 'model' | 'method';
    }
  /** Loaded tools were unloaded to make room for others. */
  // @cause threads use more tools than fit
  // @remedy raise `maxLoaded`
  | {
      readonly type: 'evict';
      readonly toolNames: readonly string[];
      /** `'tools'` or `'tokens'`, the part of `maxLoaded` that was reached, or `'left-catalog'` for names that no tool has any more. */
      readonly cause: EvictionCause;
    }
  /** A call of a tool was refused because the filter denies it by now. */
  // @cause a right was withdrawn after the tool was loaded, or the phases disagree
  // @remedy check the phases `load` and `active` of the [filter](tools-per-user.md#permissions)
  | { readonly type: 'call-denied'; readonly toolName: string }
  /** Whether a request's catalog is sent whole, without search (`passthroughBelow`), was decided. */
  | {
      readonly type: 'passthrough';
      readonly isSentWhole: boolean;
      /** The one that decided: of several the first that the catalog does not stay below. */
      readonly limit: 'tools' | 'tokens' | 'share';
      /** The size of the catalog in the unit of `limit`; tokens for a share. Counting stops when the decision is clear. */
      readonly size: number;
      /** 0 for a share where the context window is not known. */
      readonly below: number;
    }
  /** The filter threw, rejected or took longer than `timeouts.filter`: the tool counts as denied. */
  // @cause the database of the filter is down, or slow
  // @remedy [read the rights once](tools-per-user.md#filters-that-ask-a-database)
  | {
      readonly type: 'filter-failed';
      /** By its callable name. */
      readonly toolName: string;
      readonly phase: ToolSearchFilterPhase;
      readonly error: unknown;
    }
  /** The time for the filter ran out before it had answered about all tools (in phase `search`: all tools of the catalog). */
  // @cause the filter is slow
  // @remedy [read the rights once](tools-per-user.md#filters-that-ask-a-database)
  | {
      readonly type: 'filter-budget';
      readonly phase: ToolSearchFilterPhase;
      /** How many were answered. */
      readonly asked: number;
      /** How many count as denied. */
      readonly left: number;
    }
  /**
   * The store threw, rejected or took longer than `timeouts.store`: the run goes on with what it knows of the thread, and
   * what it loads itself.
   */
  // @cause the store is down, or slow
  // @remedy [look at the store](restarts.md), or raise `timeouts.store`
  | { readonly type: 'store-failed'; readonly operation: StoreOperation; readonly error: unknown }
  /**
   * A tool is not as it was pinned, or is new on a server that has pins (`pins`). Again after ten minutes, where nobody has
   * accepted it.
   */
  // @see docs/trust.md
  // @cause a server has changed a tool after you looked at it; or two tenants have different tools of one name
  // @remedy look at `diff`, then `processor.acceptDefinition(toolName, { digest })`; for tenants set [`pins.scope`](trust.md#tenants)
  | {
      readonly type: 'definition-changed';
      readonly toolName: string;
      /** The MCP server, where the tool tells it. */
      readonly server?: string;
      readonly change: 'changed' | 'new';
      /** What differs, in a line of quoted and cut texts; empty for a new tool. */
      readonly diff: string;
      /** The digest of the definition that was seen. */
      readonly digest: string;
      /** What `pins.scope` returned; absent where it is `'global'`. */
      readonly scope?: string;
      /** Whether the tool is hidden until the definition is accepted. */
      readonly withheld: boolean;
    }
  /** A definition instructs the model beyond the use of its tool, or has hidden characters (`onSuspicious`). */
  // @see docs/trust.md
  // @cause a server wants to steer the model; one honest definition in a thousand reads alike
  // @remedy look at `evidence`; drop the server, or `processor.acceptDefinition(toolName, { digest })`
  | {
      readonly type: 'definition-suspicious';
      readonly toolName: string;
      readonly server?: string;
      /** The rule of `lint` that found it. */
      readonly rule: 'instructs-model' | 'hidden-characters';
      /** The place in the definition; empty where it is the whole tool. */
      readonly path: string;
      /** What was found, in a sentence of quoted and cut texts. */
      readonly evidence: string;
      readonly digest: string;
      readonly scope?: string;
      readonly withheld: boolean;
    }
  /** The store of `pins`, or its function `scope`, threw, rejected or took longer than `timeouts.store`. */
  // @cause the store is down, or slow
  // @remedy look at the store, or raise `timeouts.store`
  | {
      readonly type: 'pins-failed';
      readonly operation: PinOperation;
      /** Whether tools whose pins are not known are hidden until it works again. */
      readonly withheld: boolean;
      readonly error: unknown;
    }
  /** The agent's skills threw, rejected or took longer than `timeouts.tools` (`skills`): the run goes on without them. */
  // @cause the workspace of the skills cannot be read
  // @remedy look at its filesystem
  | { readonly type: 'skills-failed'; readonly error: unknown }
  /** The function `tools` threw, rejected or took longer than `timeouts.tools`: the run goes on without its tools. */
  // @cause a server of yours is down, or slow
  // @remedy raise `timeouts.tools`; [limit the wait for each server](tools-per-user.md#a-function-of-the-request)
  | { readonly type: 'tools-failed'; readonly error: unknown }
  /**
   * A method of the `ToolSource` threw, rejected or took longer than `timeouts.tools`: the run goes on without its answer.
   */
  // @cause the source is down, or slow; or its tables are not there
  // @remedy see its `error`; raise `timeouts.tools`; call [`migrate()`](tool-source.md)
  | {
      readonly type: 'source-failed';
      /** The name of the source. */
      readonly source: string;
      readonly operation: SourceOperation;
      readonly error: unknown;
    }
  /**
   * The `resolve` of a lazy tool threw, rejected, took longer than `timeouts.tools` or returned no tool: the run goes on
   * without that tool.
   */
  // @cause a definition cannot be had
  // @remedy mend `resolve` of the tool, or raise `timeouts.tools`
  | { readonly type: 'stub-failed'; readonly toolName: string; readonly error: unknown }
  /** The scope function threw: the request keeps its loads to itself. */
  // @cause what `scope` reads is not there in every request
  // @remedy let it return `undefined` then
  | { readonly type: 'scope-failed'; readonly error: unknown }
  /** The scorer threw or rejected: the model is told that the search is out of order. */
  // @cause a model or service of the scorer is down
  // @remedy see its `error`; search by words as well with [`hybridScorer`](choosing-a-scorer.md#hybridscorer)
  | {
      readonly type: 'scorer-failed';
      readonly scorer: string;
      readonly error: unknown;
      /**
       * Set where only a part failed and the search went on without it: a part of a hybrid or its cache, `search.rerank` as
       * `rerank`, or what was learned as `learning`.
       */
      readonly survived?: true;
    }
  /**
   * `search.embedder`: the vectors of the tools of a catalog. While they are `pending`, searches use words alone; once they are
   * `ready`, searches use meaning as well. Not reported where all were there at once.
   */
  // @cause `pending` without `ready`: the embedding model is slow, or down
  // @remedy keep vectors beyond the process with `cache`; see `scorer-failed`
  // @see docs/choosing-a-scorer.md#searchembedder
  | {
      readonly type: 'embedding';
      readonly state: 'pending' | 'ready';
      /** Tools of the catalog. */
      readonly tools: number;
      /** Tools that had no vector at first. */
      readonly missing: number;
      /** Since the index was made. */
      readonly ms: number;
    }
  /**
   * `mode: 'native'` was off: for this model only, with `unsupported-model` and `model-changed`, else for the rest of the request.
   */
  // @see docs/native-mode.md#when-the-provider-refuses
  | {
      readonly type: 'native-off';
      readonly reason: NativeOffReason;
      /** Provider and id. */
      readonly model: string;
      readonly error?: unknown;
    }
  /**
   * A run that called a meta-tool ended after `steps` steps with a tool's result and without an answer. The cause is `maxSteps` (by
   * default 5), `stopWhen` or an abort.
   */
  // @cause `maxSteps` is too low
  // @remedy [raise it](#the-answer-is-empty)
  | { readonly type: 'run-cut'; readonly steps: number }
  /**
   * The value of an option is probably a mistake, as `message` says. Reported once for each option: `ttl`, `timeouts`,
   * `search.minScore` and an empty record of `tools` in the constructor, the others when their use shows it. `processors` is about
   * the lists of an agent in which the processor stands.
   */
  // @cause an option says something else than what you mean
  // @remedy do what `message` says
  | {
      readonly type: 'option-doubt';
      readonly option:
        | 'tools'
        | 'ttl'
        | 'timeouts'
        | 'filter'
        | 'processors'
        | 'search.minScore'
        | 'search.minConfidence'
        | 'search.pending'
        | 'preselect';
      readonly message: string;
    }
  /** A tool of the catalog has a flaw. Reported once for each tool and problem. */
  // @cause a tool has a flaw; with `refused-schema`, the provider of a model refuses its definition
  // @remedy do what `message` says; see [the problems](events.md#events) and [refused definitions](how-it-works.md#definitions-that-providers-refuse)
  | {
      readonly type: 'tool-problem';
      readonly toolName: string;
      readonly problem: ToolProblem;
      readonly message: string;
    };

type Occurrence<Type> = Extract<ToolSearchOccurrence, { readonly type: Type }>;

/**
 * What a user interface may show of a tool search, as `streamEvents` sends it on the stream of a run: a transient chunk,
 * which no memory keeps. It names only tools that the request may use.
 *
 * @example
 * ```ts
 * const show = ({ data }: ToolSearchChunk) => {
 *   if (data.type === 'search') console.log(`Found ${data.tools.length} tools`);
 * };
 * ```
 */
export interface ToolSearchChunk {
  readonly type: 'data-tool-search';
  /** Always the same: where a client keeps chunks in spite of `transient`, each takes the place of the one before. */
  readonly id: 'tool-search';
  readonly data: ToolSearchChunkData;
  readonly transient: true;
}

/**
 * The data of a {@link ToolSearchChunk}.
 *
 * - `step`: a model call begins. `tools`: those that the model is sent, meta-tools and the agent's own too.
 * - `preselect`: tools that the run begins with, as the user's words ask for them.
 * - `search`: the model searched, and found `tools`.
 * - `load`: tools were loaded for the next step.
 * - `run`: a tool was called through `call_tool`, and runs.
 * - `miss`: a tool was called that was not loaded. It is loaded, and the model is asked to call it again.
 *
 * @example
 * ```ts
 * const isFound = ({ type, tools }: ToolSearchChunkData) => type === 'search' && tools.length > 0;
 * ```
 */
export interface ToolSearchChunkData {
  readonly type: 'step' | 'preselect' | 'search' | 'load' | 'run' | 'miss';
  /** Names of tools; of a search the best first. */
  readonly tools: readonly string[];
  /** What the model searched for. Only with `search`. */
  readonly queries?: readonly string[];
  /** When it happened, in milliseconds since 1970. */
  readonly time: number;
  /** The step of the request, from 1. */
  readonly step?: number;
  /** The agent: that of a sub-agent, where one searched. */
  readonly agentId?: string;
  readonly runId?: string;
}

/** What becomes of an event: in the log, in traces, on a stream. Its row of `docs/events.md` is its docstring above. */
export interface EventEntry<Of = ToolSearchOccurrence> {
  /** Says what failed, for the log and for the error of `processor.search()`. */
  fails?(event: Of): string;
  /** The line of the log, or its end where `fails` begins it; undefined for none. `fault` is the message of the error. */
  warns?(event: Of, fault: string): string | undefined;
  /** The type of Mastra's span that stands for it. */
  readonly spanOf?: 'processor_run' | 'tool_call';
  /** Whether it has a span of its own: by default where no span of Mastra stands for it. */
  readonly hasSpan?: boolean;
  /** What a user interface may show; undefined for nothing. Names that were not found may be those of forbidden tools. */
  chunk?(event: Of): Pick<ToolSearchChunkData, 'type' | 'tools' | 'queries'> | undefined;
}

/** Every event. */
export const EVENTS: { readonly [Type in ToolSearchOccurrence['type']]: EventEntry<Occurrence<Type>> } = {
  step: {
    spanOf: 'processor_run',
    chunk: ({ sent }) => ({ type: 'step', tools: sent }),
  },
  search: {
    ...{ spanOf: 'tool_call', hasSpan: true },
    // A name that no tool has may be that of a forbidden one: its words go to no client.
    chunk: ({ forNames, results, queries }) => (forNames ? undefined : { type: 'search', tools: results, queries }),
  },
  load: {
    spanOf: 'tool_call',
    chunk: ({ loaded }) => (loaded.length > 0 ? { type: 'load', tools: loaded } : undefined),
  },
  call: { hasSpan: false },
  'load-on-miss': {
    chunk: ({ loaded }) => ({ type: 'miss', tools: [loaded] }),
  },
  'call-through': {
    ...{ spanOf: 'tool_call', hasSpan: false },
    chunk: ({ toolName }) => ({ type: 'run', tools: [toolName] }),
  },
  miss: {},
  preselect: {
    warns({ error, reason }, fault) {
      if (error !== undefined) return `"preselect" failed; the run goes on without: ${fault}`;
      const limit = { timeout: 'timeouts.preselect', 'index-timeout': 'timeouts.index' }[String(reason)];
      return limit && `"preselect" took longer than "${limit}"; the run goes on without.`;
    },
    chunk: ({ tools }) => (tools.length > 0 ? { type: 'preselect', tools } : undefined),
  },
  learn: {},
  unload: { spanOf: 'tool_call' },
  evict: {},
  'call-denied': {},
  passthrough: {},
  'filter-failed': {
    fails: ({ toolName, phase }) => `The filter failed for "${toolName}" in phase ${phase}`,
    warns: (_, fault) => `, which counts as a denial: ${fault}`,
  },
  'filter-budget': {
    warns: ({ phase, asked, left }) =>
      `The filter is slow: of ${asked + left} tools in phase ${phase}, there was time for ${asked}; the others count as denied`,
  },
  'store-failed': {
    fails: ({ operation }) => `The store failed to ${operation} loaded tools`,
    warns: (_, fault) => `; the run goes on without it: ${fault}`,
  },
  'definition-changed': {
    warns({ toolName, change, diff, withheld }) {
      const fact = change === 'new' ? 'is new on a server whose tools are pinned' : `is not as it was pinned (${diff})`;
      return `Tool ${JSON.stringify(toolName)} ${fact}${isHidden(withheld)}`;
    },
  },
  'definition-suspicious': {
    warns: ({ toolName, evidence, withheld }) =>
      `Tool ${JSON.stringify(toolName)} is suspicious${isHidden(withheld)}: ${evidence}`,
  },
  'pins-failed': {
    fails: ({ operation }) => `The pins of tools failed (${operation})`,
    warns: ({ withheld }, fault) =>
      `; ${withheld ? 'tools whose pins are not known are withheld' : 'the run goes on without them'}: ${fault}`,
  },
  'skills-failed': {
    fails: () => 'The skills of the agent failed',
    warns: (_, fault) => `; the run goes on without them: ${fault}`,
  },
  'tools-failed': {
    fails: () => 'The function "tools" failed',
    warns: (_, fault) => `; the run goes on without its tools: ${fault}`,
  },
  'source-failed': {
    fails: ({ source, operation }) => `The source "${source}" failed at ${operation}()`,
    warns: (_, fault) => `; the run goes on without its answer: ${fault}`,
  },
  'stub-failed': {
    fails: ({ toolName }) => `The definition of "${toolName}" could not be resolved`,
    warns: (_, fault) => `; the run goes on without the tool: ${fault}`,
  },
  'scope-failed': {
    fails: () => 'The scope function failed',
    warns: (_, fault) => `; this request keeps its loaded tools to itself: ${fault}`,
  },
  'scorer-failed': {
    fails: ({ scorer }) => `The scorer "${scorer}" failed`,
    warns: ({ survived }, fault) => `${survived ? '; the search goes on without what failed' : ''}: ${fault}`,
  },
  embedding: {},
  'native-off': {
    warns: ({ reason, model }, fault) => nativeOff[reason](model, fault),
  },
  'run-cut': {
    warns: ({ steps }) =>
      `A run ended after ${steps} steps with a tool's result, without an answer. If nobody stopped it, give it more: defaultOptions: { maxSteps: 20 } of the agent; Mastra's default is 5`,
  },
  'option-doubt': {
    warns: ({ message }) => message,
  },
  'tool-problem': {
    warns: ({ message }) => message,
  },
};

function isHidden(withheld: boolean): string {
  return withheld ? ', and is withheld until it is accepted' : '';
}

const nativeOff: Readonly<Record<NativeOffReason, (model: string, fault: string) => string>> = {
  'unsupported-model': (model) => `The model "${model}" has no tool search that can be used`,
  'model-changed': (model) =>
    `The model was changed to "${model}" after its tools were chosen; it gets the search tool of load mode`,
  refused: (_, fault) => `The provider refused its tool search; the request goes on without: ${fault}`,
  'append-refused': (_, fault) =>
    `The provider refused definitions in mid-conversation; they go into the list of tools: ${fault}`,
  'not-rewritten': () =>
    'Mastra called neither processLLMRequest nor the model that the step returned, so native mode is off for this request',
  failed: (_, fault) => `Native mode failed and is off for this request: ${fault}`,
};

/** The entries by type, for an event of any, and for what is no event, such as how an index came to be. */
export const entries: Readonly<Record<string, EventEntry | undefined>> = EVENTS as never;
