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
 * An event with its time and its run, for logs, metrics and traces. Except for queries, no event contains what was said
 * in the conversation or what a tool returned.
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
  /** The time of the report, in milliseconds since 1970, as `Date.now()` returns it. */
  readonly time: number;
} & ToolSearchOccurrence;

/**
 * The part of a {@link ToolSearchEvent} that depends on its `type`.
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
      /** The tools whose definitions the model receives, including the agent's own and the meta-tools. */
      readonly sent: readonly string[];
      /** Number of catalog tools whose definitions are not sent. Absent over a `ToolSource`. */
      readonly deferred?: number;
      /** The preselected tools in `sent` that were not called yet. */
      readonly preselected: readonly string[];
      readonly tokensSent: number;
      /**
       * Tokens saved, compared with sending the whole catalog. Below 0 if the meta-tools cost more than they save.
       * Absent over a `ToolSource`.
       */
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
      /** The found tools, best first. */
      readonly results: readonly string[];
      /** Tools that the search loaded at once (`search.autoLoad`, `select:`). */
      readonly loaded: readonly string[];
      /** Results whose score past use has raised. Absent if there are none. */
      readonly byUse?: readonly string[];
      /** Set if the model loaded or called unknown names, and the words of these names were searched. */
      readonly forNames?: true;
      /**
       * Why the user's message was searched as well, and the results that only the message found. Absent if the message
       * was not searched. `verdict` concerns only the queries.
       */
      readonly byMessage?: { readonly reason: MessageReason; readonly results: readonly string[] };
      /** The name of the scorer, or of the `ToolSource`. */
      readonly scorer: string;
      /** Number of searched tools. Absent over a `ToolSource`. */
      readonly candidates?: number;
      /** Number of tools that the filter hid, including those for which it had no time. Absent over a `ToolSource`. */
      readonly denied?: number;
      /** The results as `{ name, score, confidence }`, in their order. */
      readonly returned: readonly ReturnedTool[];
      /** `'fits'`, `'weak'` (something matches, probably nothing fits), `'nothing'` or `'failed'`. */
      readonly verdict: SearchVerdict;
      readonly ms: number;
    }
  /** Tools were requested by name. */
  | {
      readonly type: 'load';
      /**
       * Who requested them: the model with `load_tool`, the provider's tool search, a skill that the model activated,
       * or the request with its `toolChoice`. If the tool of a `toolChoice` is `denied`, `failed` or has `noRoom`, the
       * `toolChoice` becomes `'auto'`.
       */
      readonly by: 'model' | 'provider' | 'request' | 'skill';
      readonly loaded: readonly string[];
      readonly alreadyLoaded: readonly string[];
      /** Names that no tool has. */
      readonly notFound: readonly string[];
      /** Tools that the request may not load or use. The model is told that no tool has such a name. */
      readonly denied: readonly string[];
      /** Tools beyond the limit of `maxLoaded`, or of one call. Absent if there are none. */
      readonly noRoom?: readonly string[];
      /** Tools whose definition could not be resolved, or cannot be sent. Absent if there are none. */
      readonly failed?: readonly string[];
      readonly ms: number;
    }
  /** A tool of the catalog was called, and ran. */
  | {
      readonly type: 'call';
      readonly toolName: string;
      /** Whether the tool returned a result. False if it threw, or refused its input. */
      readonly ok: boolean;
      readonly ms: number;
    }
  /** A tool was called before it was loaded, and was loaded for the next step. */
  // @cause the model calls tools from memory
  // @remedy pin them with `alwaysLoaded`, or `injectCatalog: 'names'`
  | {
      readonly type: 'load-on-miss';
      /** The name that the model wrote. */
      readonly called: string;
      readonly loaded: string;
    }
  /** A tool was called through `call_tool` or by a program, and runs. */
  | { readonly type: 'call-through'; readonly toolName: string }
  /** A tool was called that was not sent, and could not be loaded either. */
  | {
      readonly type: 'miss';
      /** The name that the model wrote. */
      readonly called: string;
      /** `'unknown'` (no tool has such a name), `'denied'`, `'no-room'` or `'failed'`. */
      readonly cause: MissCause;
    }
  /** The tools of a run were preselected, before its first model call (`preselect`). */
  // @see docs/fewer-turns.md#what-is-reported
  | {
      readonly type: 'preselect';
      /** The preselected tools. */
      readonly tools: readonly string[];
      /**
       * The probability that the right tool is among the preselected tools and those that are sent anyway. If no tool
       * is likely enough, the confidence of the best one.
       */
      readonly confidence?: number;
      /** Why no tool was preselected. */
      readonly reason?: PreselectReason;
      /** The error that was thrown. */
      readonly error?: unknown;
      readonly ms?: number;
    }
  /** A tool was called successfully after a search had shown it: `learning` counts the use. */
  // @see docs/learning.md
  | { readonly type: 'learn'; readonly toolName: string }
  /** Tools were unloaded. */
  | {
      readonly type: 'unload';
      readonly toolNames: readonly string[];
      /** Who unloaded them: the model with `unload_tool`, or the method `unload()`. */
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
  /** A call was refused, because the filter denies the tool by now. */
  // @cause a right was withdrawn after the tool was loaded, or the phases disagree
  // @remedy check the phases `load` and `active` of the [filter](tools-per-user.md#permissions)
  | { readonly type: 'call-denied'; readonly toolName: string }
  /** It was decided whether the catalog of a request is sent whole, without search (`passthroughBelow`). */
  | {
      readonly type: 'passthrough';
      readonly isSentWhole: boolean;
      /** The decisive limit: the first that the catalog does not stay below, or the last if it stays below all. */
      readonly limit: 'tools' | 'tokens' | 'share';
      /** The size of the catalog in the unit of `limit`; tokens for a share. Counting stops when the decision is clear. */
      readonly size: number;
      /** The value of the limit, in the unit of `size`. 0 for a share if the context window is unknown. */
      readonly below: number;
    }
  /** The filter threw, rejected or took longer than `timeouts.filter`: the tool counts as denied. */
  // @cause the database of the filter is down, or slow
  // @remedy [read the rights once](tools-per-user.md#filters-that-ask-a-database)
  | {
      readonly type: 'filter-failed';
      /** The name that the model calls. */
      readonly toolName: string;
      readonly phase: ToolSearchFilterPhase;
      readonly error: unknown;
    }
  /**
   * The time for the filter was over before it had answered for all tools (in phase `search`: all tools of the
   * catalog).
   */
  // @cause the filter is slow
  // @remedy [read the rights once](tools-per-user.md#filters-that-ask-a-database)
  | {
      readonly type: 'filter-budget';
      readonly phase: ToolSearchFilterPhase;
      /** Number of tools for which the filter answered. */
      readonly asked: number;
      /** Number of the other tools, which count as denied. */
      readonly left: number;
    }
  /**
   * The store threw, rejected or took longer than `timeouts.store`: the run goes on with the loaded tools that it
   * knows, and with those that it loads itself.
   */
  // @cause the store is down, or slow
  // @remedy [look at the store](restarts.md), or raise `timeouts.store`
  | { readonly type: 'store-failed'; readonly operation: StoreOperation; readonly error: unknown }
  /**
   * The definition of a tool differs from its pin, or the tool is new on a server that has pins (`pins`). Reported
   * again after ten minutes, unless somebody has accepted the definition.
   */
  // @see docs/trust.md
  // @cause a server has changed a tool after you looked at it; or two tenants have different tools of one name
  // @remedy look at `diff`, then `processor.acceptDefinition(toolName, { digest })`; for tenants set [`pins.scope`](trust.md#tenants)
  | {
      readonly type: 'definition-changed';
      readonly toolName: string;
      /** The MCP server, if the tool names one. */
      readonly server?: string;
      readonly change: 'changed' | 'new';
      /** The differences in one line, with texts quoted and cut. Empty for a new tool. */
      readonly diff: string;
      /** The digest of the definition that was seen. */
      readonly digest: string;
      /** The key that `pins.scope` returned. Absent if the option is `'global'`. */
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
      /** The rule of `lint` that the definition breaks. */
      readonly rule: 'instructs-model' | 'hidden-characters';
      /** The place in the definition. Empty if the finding is about the definition as a whole. */
      readonly path: string;
      /** The finding in one sentence, with texts quoted and cut. */
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
      /** Whether tools with unknown pins are hidden until the store works again. */
      readonly withheld: boolean;
      readonly error: unknown;
    }
  /**
   * Reading the agent's skills failed, or took longer than `timeouts.tools` (`skills`): the run goes on without them.
   */
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
  /** The function `scope` threw: the request shares its loaded tools with no other. */
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
       * Set if only a part failed and the search went on without it: a part of a hybrid scorer or its cache;
       * `search.rerank`, with the scorer `rerank`; or past use, with the scorer `learning`.
       */
      readonly survived?: true;
    }
  /**
   * The state of a catalog's vectors (`search.embedder`). While they are `pending`, searches go by words and the
   * built-in table; once they are `ready`, by the model's vectors in place of the table. Not reported if all vectors were available at once.
   */
  // @cause `pending` without `ready`: the embedding model is slow, or down
  // @remedy keep vectors beyond the process with `cache`; see `scorer-failed`
  // @see docs/choosing-a-scorer.md#searchembedder
  | {
      readonly type: 'embedding';
      readonly state: 'pending' | 'ready';
      /** Number of tools in the catalog. */
      readonly tools: number;
      /** Number of tools that had no vector at first. */
      readonly missing: number;
      /** Milliseconds since the index was made. */
      readonly ms: number;
    }
  /**
   * Native mode is off: with `unsupported-model` and `model-changed` for this model, with `append-refused` only for
   * definitions in mid-conversation, otherwise for the rest of the request.
   */
  // @see docs/native-mode.md#when-the-provider-refuses
  | {
      readonly type: 'native-off';
      readonly reason: NativeOffReason;
      /** Provider and id of the model. */
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
 * A chunk about a tool search for user interfaces, which `streamEvents` sends on the stream of a run. The chunk is
 * transient, so no memory keeps it. It names only tools that the request may use.
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
  /** The same in all chunks: if a client keeps chunks in spite of `transient`, each replaces the one before. */
  readonly id: 'tool-search';
  readonly data: ToolSearchChunkData;
  readonly transient: true;
}

/**
 * The data of a {@link ToolSearchChunk}.
 *
 * - `step`: a model call begins. `tools` are those that the model is sent, including meta-tools and the agent's own.
 * - `preselect`: the run begins with tools that match the user's message.
 * - `search`: the model searched, and found `tools`.
 * - `load`: tools were loaded for the next step.
 * - `run`: a tool was called through `call_tool` or by a program, and runs.
 * - `miss`: a tool was called before it was loaded. It is loaded now, and the model is asked to call it again.
 *
 * @example
 * ```ts
 * const isFound = ({ type, tools }: ToolSearchChunkData) => type === 'search' && tools.length > 0;
 * ```
 */
export interface ToolSearchChunkData {
  readonly type: 'step' | 'preselect' | 'search' | 'load' | 'run' | 'miss';
  /** Names of tools; the best first, if they were found by a search. */
  readonly tools: readonly string[];
  /** The queries of the model. Only with `search`. */
  readonly queries?: readonly string[];
  /** The time of the event, in milliseconds since 1970. */
  readonly time: number;
  /** The step of the request, from 1. */
  readonly step?: number;
  /** The agent, which may be a sub-agent. */
  readonly agentId?: string;
  readonly runId?: string;
}

/**
 * How an event appears in the log, in traces and on a stream. The docstring of the event above is its row in
 * `docs/events.md`.
 */
export interface EventEntry<Of = ToolSearchOccurrence> {
  /** Returns what failed, for the log and for the error of `processor.search()`. */
  fails?(event: Of): string;
  /**
   * Returns the line for the log, or its end if `fails` returns its beginning. Undefined for no line. `fault` is the
   * message of the error.
   */
  warns?(event: Of, fault: string): string | undefined;
  /** The type of Mastra's span that represents the event, and gets its attributes. */
  readonly spanOf?: 'processor_run' | 'tool_call';
  /** Whether the event has a span of its own. By default, if no span of Mastra represents it. */
  readonly hasSpan?: boolean;
  /**
   * Returns what a user interface may show; undefined for nothing. Names that were not found must not be shown: they
   * may be names of forbidden tools.
   */
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
    // An unknown name may be the name of a forbidden tool, so its words are sent to no client.
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

/** The entries, by any type: traces also show records that are no events, such as the building of an index. */
export const entries: Readonly<Record<string, EventEntry | undefined>> = EVENTS as never;
