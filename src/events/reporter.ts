import { messageOf } from '../errors.ts';
import type { ToolSearchEvent, ToolSearchOccurrence } from './events.ts';
import type { EventOrigin } from './origin.ts';
import type { NativeOffReason, ToolProblem } from './reasons.ts';

/** The part of a Mastra logger that is used. */
export interface WarningLogger {
  warn(message: string): void;
}

/** Warnings of one kind in a row, and the milliseconds after which they may come again. */
const MAX_ALIKE = 5;

const QUIET = 10_000;

/** Warnings of tools with the same problem. */
const MAX_PROBLEMS = 20;

/** Told of an event, which is its own to keep, and of where it comes from. */
export type Listener = (event: ToolSearchEvent, origin: EventOrigin) => unknown;

/** Sends events to `onEvent` and other listeners, and faults and problems to the log as well. */
export class Reporter {
  readonly #listeners: Listener[] = [];
  #logger: WarningLogger | undefined;
  /** The first warning of each kind within the quiet time, and the count since. */
  readonly #recent = new Map<string, { since: number; count: number }>();
  readonly #problems = new Map<ToolProblem, number>();
  readonly #doubted = new Set<string>();
  /** Warnings from the constructor wait for the logger that Mastra brings with registration or the first step. */
  #waiting: string[] | undefined = [];

  constructor(onEvent?: (event: ToolSearchEvent) => void) {
    if (onEvent) this.listen((event) => onEvent(event));
  }

  /** Sends all events from now on to a listener as well. */
  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Whether anybody listens: else nothing needs to be found out for an event alone. */
  get isHeard(): boolean {
    return this.#listeners.length > 0;
  }

  /** @param origin - where it comes from; left out where it concerns no single request. */
  report(occurrence: ToolSearchOccurrence, origin: EventOrigin = {}): void {
    if (occurrence.type === 'option-doubt') {
      if (this.#doubted.has(occurrence.option)) return;
      this.#doubted.add(occurrence.option);
    }
    if ('message' in occurrence || isFault(occurrence)) this.#log(occurrence);
    const shown = placeIn(origin)?.show;
    const event = eventOf(occurrence, origin);
    for (const listener of shown ? [...this.#listeners, shown] : this.#listeners) {
      try {
        // An async handler's rejection must not become an unhandled one.
        const returned: unknown = listener(ownCopy(event), origin);
        if (returned instanceof Promise) returned.catch(() => {});
      } catch {
        // What a listener throws changes nothing: documented at the option.
      }
    }
  }

  /** Sends warnings to `logger` from now on, or to the console when there is none. */
  useLogger(logger: WarningLogger | undefined): void {
    this.#logger = logger ?? this.#logger;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const warning of waiting ?? []) this.#warn(warning);
  }

  /** Most processes have no fault: the texts for them are a chunk of the package. */
  #log(event: ToolSearchOccurrence): void {
    const note = this.#noteFor(event);
    if (note === undefined) return;
    if ('message' in event) {
      this.#warn(`${event.message}${note}`);
      return;
    }
    const fault = 'error' in event ? messageOf(event.error) : '';
    this.#warn(`${lineOf(event, fault)}${note}`);
  }

  /**
   * What stands behind the line of an event; undefined where it gets none. A filter or store that is down fails for every
   * tool and step, and a large catalog may have hundreds of tools with a problem: a few lines say as much as thousands.
   */
  #noteFor(event: ToolSearchOccurrence): string | undefined {
    if (event.type === 'tool-problem') {
      const count = this.#problems.get(event.problem) ?? 0;
      this.#problems.set(event.problem, count + 1);
      if (count < MAX_PROBLEMS) return '';
      return count === MAX_PROBLEMS ? ' (more tools with this problem go to onEvent only)' : undefined;
    }
    const kind = event.type === 'filter-failed' ? `${event.type} ${event.phase}` : event.type;
    const now = Date.now();
    const recent = this.#recent.get(kind);
    const { since, count } = recent && now - recent.since < QUIET ? recent : { since: now, count: 0 };
    this.#recent.set(kind, { since, count: count + 1 });
    if (count < MAX_ALIKE) return '';
    return count === MAX_ALIKE ? ` (more of this kind go to onEvent only, for ${QUIET / 1000} s)` : undefined;
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

/** Types that go to the log, besides those that end with `-failed` and those that have a `message`. */
const FAULTS: readonly string[] = ['filter-budget', 'native-off', 'call-off', 'run-cut'];

function isFault(event: ToolSearchOccurrence): boolean {
  const { type } = event;
  return type === 'preselect' ? event.error !== undefined : type.endsWith('-failed') || FAULTS.includes(type);
}

function eventOf(occurrence: ToolSearchOccurrence, origin: EventOrigin): ToolSearchEvent {
  const { runId, step, agentId, threadId, resourceId } = origin;
  return { time: Date.now(), runId, step, agentId, threadId, resourceId, ...occurrence } as ToolSearchEvent;
}

/**
 * The listener's to keep and to change, to the last list of it; without fields that are undefined. An error is handed on
 * as it is.
 */
function ownCopy<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ownCopy) as Value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, key === 'error' ? field : ownCopy(field)])) as Value;
}

/** Where the events of a step, or of a call of a meta-tool, are shown besides: in a span of Mastra, on a stream. */
export interface Place {
  readonly show: (event: PlacedEvent) => void;
  /** The place of a call in the step, which has a span and a stream of its own. */
  readonly ofCall: (context: unknown) => Place | undefined;
}

/** An event, or how an index came to be. */
export interface PlacedEvent {
  readonly type: string;
  readonly time: number;
  /** How long it took, until then. */
  readonly ms?: number;
  readonly error?: unknown;
}

/** An origin with its place. An event has the ids of an origin alone. */
export interface PlacedOrigin extends EventOrigin {
  readonly place?: Place | undefined;
}

export function placeIn(origin: PlacedOrigin | undefined): Place | undefined {
  return origin?.place;
}

/**
 * The line of the log for a fault.
 *
 * @param fault - the message of its error.
 */
export function lineOf(event: ToolSearchOccurrence, fault: string): string {
  switch (event.type) {
    case 'filter-failed':
      return `The filter failed for "${event.toolName}" in phase ${event.phase}, which counts as a denial: ${fault}`;
    case 'filter-budget':
      return `The filter is slow: of ${event.asked + event.left} tools in phase ${event.phase}, there was time for ${event.asked}; the others count as denied`;
    case 'store-failed':
      return `The store failed to ${event.operation} loaded tools; the run goes on without it: ${fault}`;
    case 'tools-failed':
      return `The function "tools" failed; the run goes on without its tools: ${fault}`;
    case 'source-failed':
      return `The source "${event.source}" failed at ${event.operation}(); the run goes on without its answer: ${fault}`;
    case 'stub-failed':
      return `The definition of "${event.toolName}" could not be resolved; the run goes on without the tool: ${fault}`;
    case 'scope-failed':
      return `The scope function failed; this request keeps its loaded tools to itself: ${fault}`;
    case 'scorer-failed':
      return `The scorer "${event.scorer}" failed${event.survived ? '; the search goes on without what failed' : ''}: ${fault}`;
    case 'preselect':
      return `"preselect" failed; the run goes on without: ${fault}`;
    case 'native-off':
      return describeNativeOff(event.reason, event.model, fault);
    case 'call-off':
      return `Tools that are not sent cannot be run; the request gets load mode: ${fault}`;
    case 'run-cut':
      return `A run ended after ${event.steps} steps with a tool's result, without an answer. If nobody stopped it, give it more: defaultOptions: { maxSteps: 20 } of the agent; Mastra's default is 5`;
    default:
      return event.type;
  }
}

function describeNativeOff(reason: NativeOffReason, model: string, fault: string): string {
  switch (reason) {
    case 'unsupported-model':
      return `The model "${model}" has no tool search that can be used`;
    case 'model-changed':
      return `The model was changed to "${model}" after its tools were chosen; it gets the search tool of load mode`;
    case 'refused':
      return `The provider refused its tool search; the request goes on without: ${fault}`;
    case 'append-refused':
      return `The provider refused definitions in mid-conversation; they go into the list of tools: ${fault}`;
    case 'not-rewritten':
      return 'Mastra called neither processLLMRequest nor the model that the step returned, so native mode is off for this request';
    case 'failed':
      return `Native mode failed and is off for this request: ${fault}`;
  }
}
