import { asRecord, type ToolSearchEvent } from '../kit.ts';
import { type Funnel, FunnelCounter } from './usage.ts';

/**
 * Counts events: of a log ({@link parseEvents}), or of a test. A live processor counts its own: `processor.stats()`.
 *
 * Conversations are told apart by thread and resource, else by run. Their events have to be in order; how those of
 * different ones are mixed does not matter. Events of unknown types, and of older shapes, are passed over as far as they
 * do not tell.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 * import { funnel, parseEvents } from 'mastra-tool-search/evaluate';
 *
 * const { events } = parseEvents(readFileSync('events.jsonl', 'utf8'));
 * const { stages, searches, unmatched } = funnel(events);
 * console.table(stages);
 * console.log(`${searches.askedAgain} of ${searches.total} searches asked again`, unmatched);
 * ```
 */
export function funnel(events: Iterable<ToolSearchEvent>): Funnel {
  const counter = new FunnelCounter(Number.POSITIVE_INFINITY);
  for (const event of events) counter.add(event);
  return counter.funnel();
}

/**
 * The events of a log.
 *
 * @example
 * ```ts
 * const warn = ({ broken }: ParsedEvents) => broken > 0 && console.warn(`${broken} lines are no events`);
 * ```
 */
export interface ParsedEvents {
  readonly events: readonly ToolSearchEvent[];
  /** How many lines are no JSON, or no event. */
  readonly broken: number;
}

/**
 * Reads a log of JSON lines, one event a line, as `onEvent` wrote them. Empty lines do not count; a line that is no event,
 * such as the last one of a log that was cut off, is counted and passed over. Nobody vouches for the fields of an event.
 *
 * @example
 * ```ts
 * import { parseEvents } from 'mastra-tool-search/evaluate';
 *
 * const { events, broken } = parseEvents('{"time":1,"type":"call-denied","toolName":"send_email"}\n{"time":');
 * console.log(events.length, broken); // 1 1
 * ```
 */
export function parseEvents(text: string): ParsedEvents {
  const events: ToolSearchEvent[] = [];
  let broken = 0;
  for (const line of text.split('\n')) {
    // A file may begin with a byte order mark, which trimming takes as well.
    const trimmed = line.trim();
    if (trimmed === '') continue;
    const event = eventIn(trimmed);
    if (event) events.push(event);
    else broken += 1;
  }
  return { events, broken };
}

function eventIn(line: string): ToolSearchEvent | undefined {
  try {
    const value = asRecord(JSON.parse(line));
    return typeof value?.['type'] === 'string' ? (value as unknown as ToolSearchEvent) : undefined;
  } catch {
    return undefined;
  }
}
