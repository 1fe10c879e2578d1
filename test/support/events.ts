// An expectation of an event that does not say when and where it happened is no expectation of that.
import { expect } from 'vitest';

/** Fields that say when and where something happened, and how long it took. */
const CONTEXT = ['time', 'runId', 'step', 'agentId', 'threadId', 'resourceId', 'ms'];

type Fields = Readonly<Record<string, unknown>>;

/** An event without its context: what remains is the same in every run. */
export function essence(event: object): Fields {
  return Object.fromEntries(Object.entries(event).filter(([key]) => !CONTEXT.includes(key)));
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isEvent(value: unknown): value is Fields {
  return isObject(value) && typeof value['type'] === 'string' && typeof value['time'] === 'number';
}

expect.addEqualityTesters([
  function (one: unknown, other: unknown, testers): boolean | undefined {
    if (!isObject(one) || !isObject(other) || isEvent(one) === isEvent(other)) return undefined;
    return this.equals(essence(one), essence(other), testers);
  },
]);
