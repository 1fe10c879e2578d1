import { asRecord } from '../util/record.ts';
import { stream, type Writer } from './chunks.ts';
import type { ToolSearchEvent } from './events.ts';
import type { Place, PlacedEvent } from './reporter.ts';
import { type Span, showInSpan } from './spans.ts';

/**
 * The place for the events of a step or call; undefined where it is neither traced nor streamed.
 *
 * @param context - what Mastra handed to the step or call.
 * @param streams - whether events are to be streamed: the option `streamEvents`.
 */
export function placeOf(context: unknown, streams: boolean): Place | undefined {
  const { tracingContext, writer: given } = asRecord(context) ?? {};
  const span = validSpan(asRecord(tracingContext)?.['currentSpan'] as Span | undefined);
  const writer = streams ? (given as Writer | undefined) : undefined;
  if (!span && !writer) return undefined;
  return { show: (event) => show(event, span, writer), ofCall: (call) => placeOf(call, streams) };
}

/** The span, but for that of a run that is not sampled. */
function validSpan(span: Span | undefined): Span | undefined {
  try {
    return span?.isValid ? span : undefined;
  } catch {
    // A tracer that is out of order is no reason to end a run.
    return undefined;
  }
}

/** Never throws: neither a tracer nor a stream that is out of order is a reason to end a run, or to miss the other. */
function show(event: PlacedEvent, span: Span | undefined, writer: Writer | undefined): void {
  try {
    if (span) showInSpan(event, span);
  } catch {}
  try {
    if (writer) stream(event as ToolSearchEvent, writer);
  } catch {}
}
