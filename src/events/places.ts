// Shows events in Mastra: in the spans of a trace, and on the stream of a run.
import { messageOf } from '../errors.ts';
import { asRecord, given, isRecord } from '../util/record.ts';
import { cut } from '../util/text.ts';
import type { Place, PlacedEvent } from './reporter.ts';
import { entries, type ToolSearchChunk, type ToolSearchEvent } from './table.ts';

interface Writer {
  custom(chunk: object): unknown;
}

/**
 * Returns the place for the events of a step or call. Undefined if it is neither traced nor streamed (`streamEvents`).
 */
export function placeOf(context: unknown, streams: boolean): Place | undefined {
  const { tracingContext, writer: ownWriter } = asRecord(context) ?? {};
  const span = validSpan(asRecord(tracingContext)?.['currentSpan'] as Span | undefined);
  const writer = streams ? (ownWriter as Writer | undefined) : undefined;
  if (!span && !writer) return undefined;
  return { show: (event) => show(event, span, writer), ofCall: (call) => placeOf(call, streams) };
}

/** Drops the span of a run that is not sampled. */
function validSpan(span: Span | undefined): Span | undefined {
  try {
    return span?.isValid ? span : undefined;
  } catch {
    // A failing tracer must not end a run.
    return undefined;
  }
}

/** Never throws. A failing tracer or stream affects neither the run nor the other of the two. */
function show(event: PlacedEvent, span: Span | undefined, writer: Writer | undefined): void {
  try {
    if (span) showInSpan(event, span);
  } catch {}
  try {
    if (writer) stream(event as ToolSearchEvent, writer);
  } catch {}
}

/** Streams what a user interface may show of an event. Errors of the stream are ignored. */
function stream(event: ToolSearchEvent, writer: Writer): void {
  const shown = entries[event.type]?.chunk?.(event);
  if (!shown) return;
  const { time, step, agentId, runId } = event;
  const chunk: ToolSearchChunk = {
    type: 'data-tool-search',
    id: 'tool-search',
    data: { ...shown, time, ...given({ step, agentId, runId }) },
    transient: true,
  };
  const written = writer.custom(chunk);
  if (written instanceof Promise) written.catch(() => {});
}

interface Span {
  readonly type?: string;
  readonly isValid?: boolean;
  readonly endTime?: Date | undefined;
  update(options: object): void;
  createChildSpan(options: object): Span;
  createEventSpan(options: object): Span;
  end(options?: object): void;
  error(options: object): void;
}

/** Limit of the items of a list in a span. The number of all items is a further attribute. */
const MAX_ITEMS = 50;
/** Limit of a text in a span, in characters. */
const MAX_TEXT = 200;
/** Limit of the spans for events of one step or call. Further events are only counted. */
const MAX_SPANS = 20;

/**
 * Fields that are left out of attributes: ids that Mastra's spans have, words of queries, and errors, which a span has
 * in another place.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['time', 'runId', 'step', 'agentId', 'threadId', 'resourceId'],
  ...['queries', 'query', 'message', 'error'],
]);

interface Shown {
  attributes: object;
  spans: number;
}

const shownBy = new WeakMap<Span, Shown>();

/** Shows an event in the span of the step or call in which it happened. */
function showInSpan(event: PlacedEvent, span: Span): void {
  const { spanOf, hasSpan = spanOf === undefined } = entries[event.type] ?? {};
  if (spanOf === undefined && !hasSpan) return;
  const shown = shownBy.get(span) ?? { attributes: {}, spans: 0 };
  shownBy.set(span, shown);
  const toolSearch = attributesOf(event);
  const standsForIt = span.endTime === undefined && span.type === spanOf;
  if (standsForIt) addAttributes(span, shown, toolSearch);
  if (standsForIt && !hasSpan) return;
  shown.spans += 1;
  if (shown.spans <= MAX_SPANS) addSpan(event, span, toolSearch);
  else if (span.endTime === undefined) addAttributes(span, shown, { spansLeftOut: shown.spans - MAX_SPANS });
}

/** Adds attributes. A span replaces the value of an attribute, so one attribute holds all of ours. */
function addAttributes(span: Span, shown: Shown, added: object): void {
  shown.attributes = { ...shown.attributes, ...added };
  span.update({ attributes: { toolSearch: shown.attributes } });
}

/** Adds a span for an event: an error, a piece of work that took time, or a point in time. */
function addSpan({ type, time, ms, error }: PlacedEvent, parent: Span, toolSearch: object): void {
  const options = { type: 'generic', name: `tool-search: ${type}`, attributes: { toolSearch } };
  if (error === undefined && ms === undefined) {
    parent.createEventSpan(options);
    return;
  }
  const span = parent.createChildSpan({ ...options, startTime: new Date(time - (ms ?? 0)) });
  if (error === undefined) span.end();
  else span.error({ error: error instanceof Error ? error : new Error(messageOf(error)), endSpan: true });
}

function attributesOf(event: PlacedEvent): object {
  const attributes = bounded(event) as Record<string, unknown>;
  for (const [name, value] of Object.entries(event)) {
    const isCut = Array.isArray(value) && value.length > MAX_ITEMS && Object.hasOwn(attributes, name);
    if (isCut) attributes[`${name}Count`] = value.length;
  }
  return attributes;
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, MAX_TEXT);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(bounded);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, bounded(field)]));
}
