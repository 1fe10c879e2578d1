import { messageOf } from './errors.ts';
import type { ToolSearchFilterPhase } from './filter/policy.ts';

/** Something that happened, for logs, metrics and traces. Besides the queries, no event holds what was said or returned. */
export type ToolSearchEvent =
  /** A search was answered. `loaded` lists what it loaded at once (`search.autoLoad`, `select:`). */
  | {
      readonly type: 'search';
      readonly queries: readonly string[];
      readonly results: readonly string[];
      readonly loaded: readonly string[];
    }
  /** A load was asked for by name. */
  | {
      readonly type: 'load';
      readonly loaded: readonly string[];
      readonly alreadyLoaded: readonly string[];
      readonly notFound: readonly string[];
    }
  /** A tool was called that was not loaded, and has been loaded for the next step. `called` is what the model wrote. */
  | { readonly type: 'load-on-miss'; readonly called: string; readonly loaded: string }
  /** A call of a tool was refused because the filter denies it by now. */
  | { readonly type: 'call-denied'; readonly toolName: string }
  /** The filter threw, rejected or took longer than `filterTimeout`: the tool, by its callable name, counts as denied. */
  | {
      readonly type: 'filter-failed';
      readonly toolName: string;
      readonly phase: ToolSearchFilterPhase;
      readonly error: unknown;
    }
  /**
   * There was no time for the filter to answer about all tools, of the whole catalog in phase `search`: `asked` were
   * answered, and those that are `left` count as denied.
   */
  | {
      readonly type: 'filter-budget';
      readonly phase: ToolSearchFilterPhase;
      readonly asked: number;
      readonly left: number;
    }
  /** The store threw, rejected or took too long: the run goes on with what the request loaded itself. */
  | { readonly type: 'store-failed'; readonly operation: StoreOperation; readonly error: unknown }
  /** Loaded tools had to make room for others: `maxLoadedTools`, `maxLoadedTokens`. */
  | { readonly type: 'evict'; readonly toolNames: readonly string[] }
  /** Tools were unloaded by the model or by `unload()`. */
  | { readonly type: 'unload'; readonly toolNames: readonly string[] }
  /** The function `tools` threw, rejected or took too long: the run goes on without its tools. */
  | { readonly type: 'tools-failed'; readonly error: unknown }
  /**
   * Whether a request's catalog is sent whole, without search (`passthroughBelow`). `limit` is the one that decided: of
   * several the first that the catalog does not stay below. `size` is what the catalog has of it; counting ends where
   * that is clear.
   */
  | {
      readonly type: 'passthrough';
      readonly isSentWhole: boolean;
      readonly limit: 'tools' | 'tokens' | 'contextShare';
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
   * `mode: 'native'` did not act: for this model only, with `unsupported-model` and `model-changed`, else for the rest of
   * the request. `model` is provider and id.
   */
  | {
      readonly type: 'native-off';
      readonly reason: NativeOffReason;
      readonly model: string;
      readonly error?: unknown;
    }
  /**
   * A run with a call of a meta-tool ended after so many steps with a tool's result, without an answer: `maxSteps`, which
   * is 5 where nobody sets it, or else `stopWhen` or an abort. Mastra tells no input processor when a run ends: it is seen
   * when the thread goes on, or at once where the processor stands in `outputProcessors` as well.
   */
  | { readonly type: 'run-cut'; readonly steps: number }
  /**
   * An option has a value that is most likely not what was meant, as `message` says. Reported once for each option: `ttl`
   * and `search.minScore` in the constructor, `filter` and `search.minConfidence` when their use shows it.
   */
  | {
      readonly type: 'option-doubt';
      readonly option: 'ttl' | 'filter' | 'search.minScore' | 'search.minConfidence';
      readonly message: string;
    }
  /** A tool of the catalog has a flaw. Reported once for each tool and problem. */
  | {
      readonly type: 'tool-problem';
      readonly toolName: string;
      readonly problem: ToolProblem;
      readonly message: string;
    };

/**
 * - `unsupported-model`: it has no tool search, or is not known to have one.
 * - `model-changed`: another model than the step was prepared for, by `prepareStep` or a later processor.
 * - `refused`: the provider answered 400 and named its tool search.
 * - `not-rewritten`: neither `processLLMRequest` nor the model that the step returned was called, so that the searches in the
 *   conversation cannot be given the form that the provider wants.
 * - `failed`: `native.detect`, or the rewriting of the prompt, threw.
 */
export type NativeOffReason = 'unsupported-model' | 'model-changed' | 'refused' | 'not-rewritten' | 'failed';

/** What a store was asked to do. */
export type StoreOperation = 'get' | 'add' | 'remove' | 'clear' | 'useMastra';

/**
 * - `missing-description`: it can only be found by its name.
 * - `renamed`: providers refuse its name, so it is searched, loaded and called under another.
 * - `left-out`: it cannot be taken, as `message` says; in the constructor only where its repaired name is taken as well.
 * - `unreadable-schema`: its parameters cannot be searched.
 * - `sent-anyway`: the agent has the same tool itself, under another name.
 * - `unsendable`: it cannot be read or converted, so that it is not sent when it is loaded.
 */
export type ToolProblem =
  | 'missing-description'
  | 'renamed'
  | 'left-out'
  | 'unreadable-schema'
  | 'sent-anyway'
  | 'unsendable';

/** The part of a Mastra logger that is used. */
export interface WarningLogger {
  warn(message: string): void;
}

/** Warnings of one kind in a row, and the milliseconds after which they may come again. */
const MAX_ALIKE = 5;
const QUIET = 10_000;
/** Warnings of tools with the same problem. */
const MAX_PROBLEMS = 20;

/** Sends events to `onEvent`, and faults and problems to the log as well. */
export class Reporter {
  readonly #onEvent: ((event: ToolSearchEvent) => void) | undefined;
  #logger: WarningLogger | undefined;
  /** When each kind of warning was first written lately, and how often since. */
  readonly #recent = new Map<string, { since: number; count: number }>();
  readonly #problems = new Map<ToolProblem, number>();
  readonly #doubted = new Set<string>();
  /** Warnings from the constructor wait for the logger that Mastra brings with registration or the first step. */
  #waiting: string[] | undefined = [];

  constructor(onEvent?: (event: ToolSearchEvent) => void) {
    this.#onEvent = onEvent;
  }

  report(event: ToolSearchEvent): void {
    if (event.type === 'option-doubt') {
      if (this.#doubted.has(event.option)) return;
      this.#doubted.add(event.option);
    }
    const warning = describe(event);
    if (warning !== undefined) this.#warnOfKind(event, warning);
    try {
      // An async handler's rejection must not become an unhandled one.
      const returned: unknown = this.#onEvent?.(ownCopy(event));
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // What `onEvent` throws changes nothing: documented at the option.
    }
  }

  /** From now on warnings go to `logger`, or to the console when there is none. */
  useLogger(logger: WarningLogger | undefined): void {
    this.#logger = logger ?? this.#logger;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const warning of waiting ?? []) this.#warn(warning);
  }

  /** A filter or store that is down fails for every tool and step: a few lines say as much as thousands. */
  #warnOfKind(event: ToolSearchEvent, message: string): void {
    if (event.type === 'tool-problem') {
      this.#warnOfTool(event.problem, message);
      return;
    }
    const kind = event.type === 'filter-failed' ? `${event.type} ${event.phase}` : event.type;
    const now = Date.now();
    const recent = this.#recent.get(kind);
    const { since, count } = recent && now - recent.since < QUIET ? recent : { since: now, count: 0 };
    this.#recent.set(kind, { since, count: count + 1 });
    if (count < MAX_ALIKE) this.#warn(message);
    else if (count === MAX_ALIKE)
      this.#warn(`${message} (more of this kind go to onEvent only, for ${QUIET / 1000} s)`);
  }

  /** Each is reported once, but a large catalog may have hundreds. */
  #warnOfTool(problem: ToolProblem, message: string): void {
    const count = this.#problems.get(problem) ?? 0;
    this.#problems.set(problem, count + 1);
    if (count < MAX_PROBLEMS) this.#warn(message);
    else if (count === MAX_PROBLEMS) this.#warn(`${message} (more tools with this problem go to onEvent only)`);
  }

  #warn(message: string): void {
    if (this.#waiting) {
      this.#waiting.push(message);
      return;
    }
    try {
      (this.#logger ?? console).warn(`[tool-search] ${message}`);
    } catch {
      // A logger that is out of order is no reason to end a run.
    }
  }
}

/** The listener's to keep and to change: the lists of an event are those of answers. An error is handed on as it is. */
function ownCopy(event: ToolSearchEvent): ToolSearchEvent {
  const fields = Object.entries(event).map(([key, value]) => [key, Array.isArray(value) ? [...value] : value]);
  return Object.fromEntries(fields) as ToolSearchEvent;
}

function describe(event: ToolSearchEvent): string | undefined {
  switch (event.type) {
    case 'filter-failed':
      return `The filter failed for "${event.toolName}" in phase ${event.phase}, which counts as a denial: ${messageOf(event.error)}`;
    case 'filter-budget':
      return `The filter is slow: of ${event.asked + event.left} tools in phase ${event.phase}, there was time for ${event.asked}; the others count as denied`;
    case 'store-failed':
      return `The store failed to ${event.operation} loaded tools; the run goes on without it: ${messageOf(event.error)}`;
    case 'tools-failed':
      return `The function "tools" failed; the run goes on without its tools: ${messageOf(event.error)}`;
    case 'scope-failed':
      return `The scope function failed; this request keeps its loaded tools to itself: ${messageOf(event.error)}`;
    case 'scorer-failed':
      return `The scorer "${event.scorer}" failed${event.survived ? '; the search goes on without what failed' : ''}: ${messageOf(event.error)}`;
    case 'native-off':
      return describeNativeOff(event);
    case 'run-cut':
      return `A run ended after ${event.steps} steps with a tool's result, without an answer. If nobody stopped it, give it more: defaultOptions: { maxSteps: 20 } of the agent; Mastra's default is 5`;
    case 'option-doubt':
    case 'tool-problem':
      return event.message;
    default:
      return undefined;
  }
}

function describeNativeOff({ reason, model, error }: Extract<ToolSearchEvent, { type: 'native-off' }>): string {
  switch (reason) {
    case 'unsupported-model':
      return `The model "${model}" has no tool search that can be used`;
    case 'model-changed':
      return `The model was changed to "${model}" after its tools were chosen; it gets the portable search tool`;
    case 'refused':
      return `The provider refused its tool search; the request goes on without: ${messageOf(error)}`;
    case 'not-rewritten':
      return 'Mastra called neither processLLMRequest nor the model that the step returned, so native mode is off for this request';
    case 'failed':
      return `Native mode failed and is off for this request: ${messageOf(error)}`;
  }
}
