import { messageOf, ToolSearchError } from '../errors.ts';
import type { EventOrigin } from './origin.ts';
import type { ToolProblem } from './reasons.ts';
import { entries, type ToolSearchEvent, type ToolSearchOccurrence } from './table.ts';

export interface WarningLogger {
  warn(message: string): void;
}

/** Limit of the warnings of one kind, and the milliseconds after which the count starts again. */
const MAX_ALIKE = 5;
const QUIET = 10_000;

/** Limit of the tools with the same problem that get a warning. */
const MAX_PROBLEMS = 20;

/**
 * Types of events that are kept for an inspector that is opened later, and the limit of kept events. An event takes
 * about half a kilobyte.
 */
const KEPT: readonly string[] = ['search', 'load', 'call', 'load-on-miss', 'miss', 'call-denied'];
const MAX_KEPT = 200;

/** Receives a copy of each event, and the origin of the event. */
export type Listener = (event: ToolSearchEvent, origin: EventOrigin) => unknown;

/** Reports events to `onEvent` and other listeners, and writes faults and problems to the log as well. */
export class Reporter {
  readonly #listeners: Listener[] = [];
  readonly #kept: ToolSearchEvent[] = [];
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

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Copies of the kept events, the latest last. */
  get kept(): readonly ToolSearchEvent[] {
    return this.#kept.map(ownCopy);
  }

  /** Whether there is a listener. If not, data that only an event needs is not collected. */
  get isHeard(): boolean {
    return this.#listeners.length > 0;
  }

  /** @param origin - left out for an event that concerns no single request. */
  report(occurrence: ToolSearchOccurrence, origin: EventOrigin = {}): void {
    if (occurrence.type === 'option-doubt') {
      if (this.#doubted.has(occurrence.option)) return;
      this.#doubted.add(occurrence.option);
    }
    this.#log(occurrence);
    const { runId, step, agentId, threadId, resourceId } = origin;
    const ids = { runId, step, agentId, threadId, resourceId };
    const event = { time: Date.now(), ...ids, ...occurrence } as ToolSearchEvent;
    if (KEPT.includes(event.type) && this.#kept.push(event) > MAX_KEPT) this.#kept.shift();
    const shown = placeIn(origin)?.show;
    for (const listener of shown ? [...this.#listeners, shown] : this.#listeners) {
      try {
        // An async handler's rejection must not become an unhandled one.
        const returned: unknown = listener(ownCopy(event), origin);
        if (returned instanceof Promise) returned.catch(() => {});
      } catch {
        // Errors of listeners are ignored, as the option documents.
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

  #log(event: ToolSearchOccurrence): void {
    const entry = entries[event.type];
    const line = entry?.warns?.(event, 'error' in event ? messageOf(event.error) : '');
    const note = line === undefined ? undefined : this.#noteFor(event);
    if (note !== undefined) this.#warn(`${entry?.fails?.(event) ?? ''}${line}${note}`);
  }

  /**
   * Returns the end of the line of an event. Undefined if the event gets no line, because the limit of its kind is
   * reached.
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
      // A failing logger must not end a run.
    }
  }
}

/**
 * Copies an event, so that a listener may keep and change it. Undefined fields are dropped, and an error is passed on
 * as it is.
 */
function ownCopy<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ownCopy) as Value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, key === 'error' ? field : ownCopy(field)])) as Value;
}

/** Shows the events of a step, or of a call of a meta-tool, in Mastra: in a span, and on a stream. */
export interface Place {
  readonly show: (event: PlacedEvent) => void;
  /** Returns the place of a call in the step. A call has a span and a stream of its own. */
  readonly ofCall: (context: unknown) => Place | undefined;
}

/** An event, or the record of an index that was built. */
export interface PlacedEvent {
  readonly type: string;
  readonly time: number;
  readonly ms?: number;
  readonly error?: unknown;
}

/** An origin with its place. Events get only the ids of an origin. */
export interface PlacedOrigin extends EventOrigin {
  readonly place?: Place | undefined;
}

export function placeIn(origin: PlacedOrigin | undefined): Place | undefined {
  return origin?.place;
}

/** Collects the faults of a search that the developer makes, so that an empty answer never hides a fault. */
export class Faults {
  readonly #faults: ToolSearchEvent[] = [];
  readonly origin: PlacedOrigin = {
    place: { show: (event) => this.#note(event as ToolSearchEvent), ofCall: () => undefined },
  };

  /**
   * Returns the error to throw, if any: a failure of the function `tools` always, another fault only for an empty
   * answer.
   */
  errorFor(isEmpty: boolean): ToolSearchError | undefined {
    const fault = this.#faults.find(({ type }) => isEmpty || type === 'tools-failed');
    if (!fault) return undefined;
    if (fault.type === 'filter-budget') return new ToolSearchError('search-failed', SLOW_FILTER);
    const { error } = fault as { readonly error?: unknown };
    const message = `${entries[fault.type]?.fails?.(fault)}: ${messageOf(error)}`;
    return new ToolSearchError('search-failed', message, { cause: error });
  }

  #note(event: ToolSearchEvent): void {
    const isFault = entries[event.type]?.fails !== undefined || event.type === 'filter-budget';
    if (isFault && !('survived' in event && event.survived)) this.#faults.push(event);
  }
}

const SLOW_FILTER =
  'The filter is so slow that there was no time to ask it about all tools; those that are left count as denied.';
