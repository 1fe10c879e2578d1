import { messageOf } from '../errors.ts';
import type { ToolSearchEvent, ToolSearchOccurrence } from './events.ts';
import type { EventOrigin } from './origin.ts';
import { placeIn } from './place.ts';
import type { ToolProblem } from './reasons.ts';

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
    void import('./log-lines.ts')
      .then(({ lineOf }) => lineOf(event, fault))
      .catch(() => `${event.type}: ${fault}`)
      .then((line) => this.#warn(`${line}${note}`));
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
