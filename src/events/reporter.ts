import { messageOf, ToolSearchError } from '../errors.ts';
import type { EventOrigin } from './origin.ts';
import type { ToolProblem } from './reasons.ts';
import { entries, type ToolSearchEvent, type ToolSearchOccurrence } from './table.ts';

export interface WarningLogger {
  warn(message: string): void;
}

/** Warnings of one kind in a row, and the milliseconds after which they may come again. */
const MAX_ALIKE = 5;
const QUIET = 10_000;

/** Warnings of tools with the same problem. */
const MAX_PROBLEMS = 20;

/** Events of these types are kept for whoever looks in later, and so many of them: about half a kilobyte each. */
const KEPT: readonly string[] = ['search', 'load', 'call', 'load-on-miss', 'miss', 'call-denied'];
const MAX_KEPT = 200;

/** Told of an event, which is its own to keep, and of where it comes from. */
export type Listener = (event: ToolSearchEvent, origin: EventOrigin) => unknown;

/** Sends events to `onEvent` and other listeners, and faults and problems to the log as well. */
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

  /** The last events of what the model did, the latest last. */
  get kept(): readonly ToolSearchEvent[] {
    return this.#kept.map(ownCopy);
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

  #log(event: ToolSearchOccurrence): void {
    const entry = entries[event.type];
    const line = entry?.warns?.(event, 'error' in event ? messageOf(event.error) : '');
    const note = line === undefined ? undefined : this.#noteFor(event);
    if (note !== undefined) this.#warn(`${entry?.fails?.(event) ?? ''}${line}${note}`);
  }

  /** What stands behind the line of an event; undefined where it gets none, as enough of its kind were written. */
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

/** The listener's to keep and to change, without undefined fields. An error is handed on as it is. */
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

/** Notes the faults of a question of a developer, for whom an empty answer is not to stand for a fault. */
export class Faults {
  readonly #faults: ToolSearchEvent[] = [];
  readonly origin: PlacedOrigin = {
    place: { show: (event) => this.#note(event as ToolSearchEvent), ofCall: () => undefined },
  };

  /** The error to throw: where the tools could not be had, and for an empty answer anything that failed; else undefined. */
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
