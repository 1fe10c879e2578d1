import { messageOf } from './errors.ts';
import type { NativeOffReason, ToolProblem, ToolSearchEvent } from './events.ts';

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
  /** The first warning of each kind within the quiet time, and the count since. */
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

  /** Sends warnings to `logger` from now on, or to the console when there is none. */
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

  /** Warns of the first tools with a problem: each is reported once, but a large catalog may have hundreds. */
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
    case 'stub-failed':
      return `The definition of "${event.toolName}" could not be resolved; the run goes on without the tool: ${messageOf(event.error)}`;
    case 'scope-failed':
      return `The scope function failed; this request keeps its loaded tools to itself: ${messageOf(event.error)}`;
    case 'scorer-failed':
      return `The scorer "${event.scorer}" failed${event.survived ? '; the search goes on without what failed' : ''}: ${messageOf(event.error)}`;
    case 'preselect':
      return event.error === undefined
        ? undefined
        : `"preselect" failed; the run goes on without: ${messageOf(event.error)}`;
    case 'native-off':
      return describeNativeOff(event.reason, event.model, event.error);
    case 'call-off':
      return `The code of call mode cannot be loaded; the request gets the tools of load mode: ${messageOf(event.error)}`;
    case 'run-cut':
      return `A run ended after ${event.steps} steps with a tool's result, without an answer. If nobody stopped it, give it more: defaultOptions: { maxSteps: 20 } of the agent; Mastra's default is 5`;
    case 'option-doubt':
    case 'tool-problem':
      return event.message;
    default:
      return undefined;
  }
}

function describeNativeOff(reason: NativeOffReason, model: string, error: unknown): string {
  switch (reason) {
    case 'unsupported-model':
      return `The model "${model}" has no tool search that can be used`;
    case 'model-changed':
      return `The model was changed to "${model}" after its tools were chosen; it gets the search tool of load mode`;
    case 'refused':
      return `The provider refused its tool search; the request goes on without: ${messageOf(error)}`;
    case 'append-refused':
      return `The provider refused definitions in mid-conversation; they go into the list of tools: ${messageOf(error)}`;
    case 'not-rewritten':
      return 'Mastra called neither processLLMRequest nor the model that the step returned, so native mode is off for this request';
    case 'failed':
      return `Native mode failed and is off for this request: ${messageOf(error)}`;
  }
}
