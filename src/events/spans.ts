import { messageOf } from '../errors.ts';
import { isRecord } from '../util/record.ts';
import { cut } from '../util/text.ts';
import type { PlacedEvent } from './reporter.ts';

/** The part of Mastra's span that is used. */
export interface Span {
  readonly type?: string;
  /** False for the span of a run that is not sampled. */
  readonly isValid?: boolean;
  readonly endTime?: Date | undefined;
  update(options: object): void;
  createChildSpan(options: object): Span;
  createEventSpan(options: object): Span;
  end(options?: object): void;
  error(options: object): void;
}

/** Items of a list that a span holds; the count of all stands beside it. */
const MAX_ITEMS = 50;
/** Characters of a name that a model wrote. */
const MAX_TEXT = 200;
/** Spans of their own for the events of one step or call; the others are counted. */
const MAX_SPANS = 20;

/** Events that a span of Mastra stands for, by its type. All others have a span of their own below it. */
const STANDS_FOR: Readonly<Record<string, readonly string[]>> = {
  processor_run: ['step'],
  tool_call: ['search', 'load', 'unload'],
};

/** The event that has a span of its own as well, for the time that it took. */
const ALSO_BELOW = 'search';

/** The event of a call that has a span of Mastra's own. */
const TRACED = 'call';

/** Fields that no span holds: ids that Mastra's spans have, words of queries, and errors, which stand elsewhere. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['time', 'runId', 'step', 'agentId', 'threadId', 'resourceId'],
  ...['queries', 'query', 'message', 'error'],
]);

/** What a span of Mastra shows so far. */
interface Shown {
  attributes: object;
  /** Spans below it. */
  spans: number;
}

const shownBy = new WeakMap<Span, Shown>();

/** Shows an event in the span of the step or call in which it happened. */
export function showInSpan(event: PlacedEvent, span: Span): void {
  if (event.type === TRACED) return;
  const shown = shownBy.get(span) ?? { attributes: {}, spans: 0 };
  shownBy.set(span, shown);
  const toolSearch = attributesOf(event);
  const standsForIt = span.endTime === undefined && STANDS_FOR[span.type ?? '']?.includes(event.type) === true;
  if (standsForIt) tell(span, shown, toolSearch);
  if (standsForIt && event.type !== ALSO_BELOW) return;
  shown.spans += 1;
  if (shown.spans <= MAX_SPANS) addSpan(event, span, toolSearch);
  else if (span.endTime === undefined) tell(span, shown, { spansLeftOut: shown.spans - MAX_SPANS });
}

/** Adds attributes. A span keeps the last value of each attribute alone, so that all stand in one. */
function tell(span: Span, shown: Shown, added: object): void {
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

/** The event as attributes. */
function attributesOf(event: PlacedEvent): object {
  const fields = Object.entries(event).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(
    fields.flatMap(([name, value]: [string, unknown]) =>
      Array.isArray(value) && value.length > MAX_ITEMS
        ? [
            [name, bounded(value)],
            [`${name}Count`, value.length],
          ]
        : [[name, bounded(value)]],
    ),
  );
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, MAX_TEXT);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(bounded);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, bounded(field)]));
}
