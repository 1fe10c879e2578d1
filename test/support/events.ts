// Expectations of events that say nothing of when, where and how are no expectations of that.
import { expect } from 'vitest';

/** Fields that say when and where something happened, how long it took, and how it came about. */
const CONTEXT = [
  ...['time', 'runId', 'step', 'agentId', 'threadId', 'resourceId', 'ms'],
  ...['scorer', 'candidates', 'denied', 'returned', 'verdict', 'by', 'noRoom', 'failed', 'cause'],
];
/** Events of every step and call: a list of what happened is about the others. */
const FREQUENT = ['step', 'call'];

type Fields = Readonly<Record<string, unknown>>;

/** An event without its context: what remains is the same in every run. */
export function essence(event: object, expected: object = {}): Fields {
  return Object.fromEntries(Object.entries(event).filter(([key]) => key in expected || !CONTEXT.includes(key)));
}

function isEvent(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  const { type, time } = value as { type?: unknown; time?: unknown };
  return typeof type === 'string' && typeof time === 'number';
}

const isFrequent = (value: unknown): boolean => isEvent(value) && FREQUENT.includes(String(value['type']));
const types = (values: readonly unknown[]): unknown[] => values.map((value) => (value as Fields | null)?.['type']);

const KEY = Symbol.for('mastra-tool-search.test.events');
const place = globalThis as { [KEY]?: true };
if (!place[KEY]) {
  place[KEY] = true;
  expect.addEqualityTesters([
    function (one: unknown, other: unknown, testers): boolean | undefined {
      if (Array.isArray(one) && Array.isArray(other)) {
        const [told, expected] = one.some(isFrequent) ? [one, other] : [other, one];
        if (!told.some(isFrequent) || types(expected).some((type) => FREQUENT.includes(String(type)))) return undefined;
        return this.equals(
          told.filter((event) => !isFrequent(event)),
          expected,
          testers,
        );
      }
      if (isEvent(one) === isEvent(other)) return undefined;
      const [event, expected] = isEvent(one) ? [one, other] : [other as Fields, one];
      if (typeof expected !== 'object' || expected === null || !('type' in expected) || 'time' in expected)
        return undefined;
      return this.equals(essence(event, expected), expected, testers);
    },
  ]);
}
