import { type Funnel, FunnelCounter, type ToolSearchEvent } from '../../kit.ts';

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
