/** What Mastra wrote into spans: the options of each, and its updates. */
export interface SpanRecord {
  readonly type: string;
  readonly written: unknown[];
}

/**
 * A span that records what Mastra's own code writes into it and its children, for `tracingContext.currentSpan` of a run.
 * It knows the part of a span that Mastra's loop uses.
 */
export function recordingSpan(records: SpanRecord[], type = 'root', parent?: object): object {
  const record: SpanRecord = { type, written: [] };
  records.push(record);
  const write = (options: unknown): void => void record.written.push(options);
  const span = {
    ...{ id: `${records.length}`, traceId: 'trace', type, name: type, isValid: true, isInternal: false, parent },
    createChildSpan(options: { type: string }) {
      const child = recordingSpan(records, options.type, span);
      records.at(-1)?.written.push(options);
      return child;
    },
    createEventSpan: () => recordingSpan(records, 'event', span),
    ...{ update: write, end: write, error: write, createTracker: () => undefined },
    findParent(wanted: string): object | undefined {
      return type === wanted ? span : (parent as typeof span | undefined)?.findParent(wanted);
    },
    executeInContext: async <Value>(run: () => Promise<Value>) => run(),
    executeInContextSync: <Value>(run: () => Value) => run(),
    getParentSpanId: () => undefined,
    exportSpan: () => ({ id: span.id }),
    getCorrelationContext: () => ({}),
  };
  return span;
}

/** As an exporter would write it. */
export function asText(records: readonly SpanRecord[]): string {
  const seen = new WeakSet<object>();
  return JSON.stringify(records, (key, value: unknown) => {
    if (['requestContext', 'mastra', 'tracingPolicy'].includes(key)) return undefined;
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return undefined;
    seen.add(value);
    return value;
  });
}
