import type { ToolSearchEvent } from '../kit.ts';
import { asRecord } from '../util/record.ts';
import { type Funnel, FunnelCounter } from './usage.ts';

/**
 * Counts the events of a log ({@link parseEvents}) or of a test. A live processor counts its own: `processor.stats()`.
 *
 * A conversation is identified by thread and resource, else by run. The events of one conversation have to be in order;
 * conversations may be interleaved. Events of unknown types are ignored, and so are missing fields of older events.
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
  /** Number of lines that are no JSON, or no event. */
  readonly broken: number;
}

/**
 * Reads a log of JSON lines, one event a line, as `onEvent` wrote them. Empty lines are ignored. A line that is no event, such
 * as the last line of a truncated log, is counted as broken. The fields of events are not validated.
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
    // trim() also removes the byte order mark with which a file may begin.
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
