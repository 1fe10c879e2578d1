import type { ToolSearchFilterPhase } from '../filter/filter.ts';
import type { EventOrigin } from './origin.ts';
import type {
  EvictionCause,
  MessageReason,
  MissCause,
  NativeOffReason,
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
  /** A search of the model was answered. `loaded` lists what it loaded at once (`search.autoLoad`, `select:`). */
  | {
      readonly type: 'search';
      readonly queries: readonly string[];
      readonly results: readonly string[];
      readonly loaded: readonly string[];
      /** The results that past use boosted; absent where it boosted none. */
      readonly byUse?: readonly string[];
      /** Set where the words of names were searched that no tool has: the model loaded or called them. */
      readonly forNames?: true;
      /**
       * Why the user's message was searched as well, and the results that it alone found; absent where it was not. The
       * verdict is that of the queries.
       */
      readonly byMessage?: { readonly reason: MessageReason; readonly results: readonly string[] };
      /** The name of the scorer, or of the `ToolSource`. */
      readonly scorer: string;
      /** How many tools there were to find; absent over a `ToolSource`, which does not tell. */
      readonly candidates?: number;
      /** How many the filter hid; those about which it had no time to answer count. Absent over a `ToolSource`. */
      readonly denied?: number;
      /** The results with what they were rated, in their order. */
      readonly returned: readonly ReturnedTool[];
      readonly verdict: SearchVerdict;
      readonly ms: number;
    }
  /** A load was asked for by name. */
  | {
      readonly type: 'load';
      /** Who asked: the model with `load_tool`, the tool search of its provider, or the request by its `toolChoice`. */
      readonly by: 'model' | 'provider' | 'request';
      readonly loaded: readonly string[];
      readonly alreadyLoaded: readonly string[];
      /** Names that no tool has. */
      readonly notFound: readonly string[];
      /** Tools that the request may not load or use. The model is told that there are none of that name. */
      readonly denied: readonly string[];
      /** Tools for which `maxLoaded`, or what one call may load, left no room; absent where all found room. */
      readonly noRoom?: readonly string[];
      /** Tools without a definition, or with one that cannot be sent; absent where there are none. */
      readonly failed?: readonly string[];
      readonly ms: number;
    }
  /** A tool was called that was not loaded, and has been loaded for the next step. `called` is what the model wrote. */
  | { readonly type: 'load-on-miss'; readonly called: string; readonly loaded: string }
  /**
   * What a run begins with, decided before its first model call (`preselect`): `tools` are sent, or there is a `reason`
   * why none is. `confidence` is how likely the right one is among them, and those that are there anyway.
   */
  | {
      readonly type: 'preselect';
      readonly tools: readonly string[];
      readonly confidence?: number;
      /** The classifier's choice, with its probability. */
      readonly choice?: string;
      readonly probability?: number;
      readonly reason?: PreselectReason;
      readonly error?: unknown;
      readonly ms?: number;
    }
  /** A tool was called that was not sent, and runs. `called` is what the model wrote. */
  | { readonly type: 'run-on-miss'; readonly called: string; readonly toolName: string }
  /** A tool was called that was not sent, and nothing came of it. `called` is what the model wrote. */
  | { readonly type: 'miss'; readonly called: string; readonly cause: MissCause }
  /** A tool of the catalog was called, and ran. */
  | {
      readonly type: 'call';
      readonly toolName: string;
      /** Whether it returned; false where it threw, or refused its input. */
      readonly ok: boolean;
      readonly ms: number;
    }
  /** A step was prepared, before its model call. Tokens are those of definitions, estimated. */
  | {
      readonly type: 'step';
      /** The tools whose definitions the model gets, the agent's own and the meta-tools too. */
      readonly sent: readonly string[];
      /** How many tools of the catalog it does not get; absent over a `ToolSource`. */
      readonly deferred?: number;
      /** The part of `sent` that the user's words asked for, and nobody has called yet. */
      readonly preselected: readonly string[];
      readonly tokensSent: number;
      /** What the whole catalog would have cost besides; below 0 where the meta-tools cost more than they save. Absent over a `ToolSource`. */
      readonly tokensSaved?: number;
      readonly ms: number;
    }
  /** A tool was called with success after a search that had shown it: `learning` counts the use. */
  | { readonly type: 'learn'; readonly toolName: string }
  /** A call of a tool was refused because the filter denies it by now. */
  | { readonly type: 'call-denied'; readonly toolName: string }
  /**
   * The filter threw, rejected or took longer than `timeouts.filter`: the tool, by its callable name, counts as denied.
   */
  | {
      readonly type: 'filter-failed';
      readonly toolName: string;
      readonly phase: ToolSearchFilterPhase;
      readonly error: unknown;
    }
  /**
   * The time for the filter ran out before it had answered about all tools, of the whole catalog in phase `search`:
   * `asked` were answered, and those that are `left` count as denied.
   */
  | {
      readonly type: 'filter-budget';
      readonly phase: ToolSearchFilterPhase;
      readonly asked: number;
      readonly left: number;
    }
  /** The store threw, rejected or took too long: the run goes on with what the request loaded itself. */
  | { readonly type: 'store-failed'; readonly operation: StoreOperation; readonly error: unknown }
  /** Loaded tools had to make room for others. */
  | { readonly type: 'evict'; readonly toolNames: readonly string[]; readonly cause: EvictionCause }
  /** Tools were unloaded: by the model with `unload_tool`, or by the method `unload()`. */
  | { readonly type: 'unload'; readonly toolNames: readonly string[]; readonly by: 'model' | 'method' }
  /** The function `tools` threw, rejected or took too long: the run goes on without its tools. */
  | { readonly type: 'tools-failed'; readonly error: unknown }
  /** A method of the `ToolSource` threw, rejected or took too long: the run goes on without its answer. */
  | {
      readonly type: 'source-failed';
      /** The name of the source. */
      readonly source: string;
      readonly operation: SourceOperation;
      readonly error: unknown;
    }
  /** The `resolve` of a lazy tool threw, rejected, took too long or returned no tool: the run goes on without that tool. */
  | { readonly type: 'stub-failed'; readonly toolName: string; readonly error: unknown }
  /**
   * Whether a request's catalog is sent whole, without search (`passthroughBelow`). `limit` is the one that decided: of
   * several the first that the catalog does not stay below. `size` is what the catalog has of it; counting ends where
   * that is clear.
   */
  | {
      readonly type: 'passthrough';
      readonly isSentWhole: boolean;
      readonly limit: 'tools' | 'tokens';
      readonly size: number;
      readonly below: number;
    }
  /** The scope function threw: the request keeps its loads to itself. */
  | { readonly type: 'scope-failed'; readonly error: unknown }
  /**
   * The scorer threw or rejected: the model is told that the search is out of order. With `survived`, only a part of it
   * did, such as one of a hybrid's or its cache, and the search went on without that.
   */
  | { readonly type: 'scorer-failed'; readonly scorer: string; readonly error: unknown; readonly survived?: true }
  /**
   * `mode: 'native'` did not act: for this model only, with `unsupported-model` and `model-changed`, else for the rest
   * of the request. `model` is provider and id.
   */
  | {
      readonly type: 'native-off';
      readonly reason: NativeOffReason;
      readonly model: string;
      readonly error?: unknown;
    }
  /** The code of call mode could not be loaded: the request is in load mode. */
  | { readonly type: 'call-off'; readonly error: unknown }
  /**
   * A run with a call of a meta-tool ended after so many steps with a tool's result, without an answer: `maxSteps`,
   * which is 5 where nobody sets it, or else `stopWhen` or an abort. Mastra tells no input processor when a run ends:
   * from its fifth step on it is seen by what does not follow, else when the thread goes on, or at once where the
   * processor stands in `outputProcessors` as well.
   */
  | { readonly type: 'run-cut'; readonly steps: number }
  /**
   * An option has a value that is most likely not what was meant, as `message` says. Reported once for each option:
   * `ttl` and `search.minScore` in the constructor, the others when their use shows it.
   */
  | {
      readonly type: 'option-doubt';
      readonly option: 'tools' | 'ttl' | 'filter' | 'search.minScore' | 'search.minConfidence' | 'preselect';
      readonly message: string;
    }
  /** A tool of the catalog has a flaw. Reported once for each tool and problem. */
  | {
      readonly type: 'tool-problem';
      readonly toolName: string;
      readonly problem: ToolProblem;
      readonly message: string;
    };
