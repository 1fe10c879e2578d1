import { type LoadedToolStore, type MemoryStore, memoryStore, type ToolSearchEvent } from 'mastra-tool-search';
import { Reporter } from '../../src/events/reporter.ts';
import { Registry } from '../../src/loaded/registry.ts';

export const TTL = 60_000;
export const settings: ConstructorParameters<typeof Registry>[1] = {
  ttl: TTL,
  timeout: 1_000,
  maxTools: 100,
  countsCalled: false,
};

/** A registry over a store of which single methods can be replaced, and which has to be called as an object. */
export function setup(
  methods: Partial<LoadedToolStore> = {},
  maxTools: number = settings.maxTools,
): {
  readonly registry: Registry;
  readonly inner: MemoryStore;
  readonly events: ToolSearchEvent[];
} {
  const events: ToolSearchEvent[] = [];
  const inner = memoryStore();
  const members = { get: inner.get, add: inner.add, clear: inner.clear, ...methods };
  const store = Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      if (typeof member !== 'function') return [name, member];
      return [
        name,
        function (this: unknown, ...args: readonly unknown[]): unknown {
          if (this !== store) throw new TypeError('A class could not use `this`.');
          return (member as (...all: readonly unknown[]) => unknown)(...args);
        },
      ];
    }),
  ) as unknown as LoadedToolStore;
  const registry = new Registry(store, { ...settings, maxTools }, new Reporter((event) => events.push(event)));
  return { registry, inner, events };
}

export const error: Error = new Error('store down');
function fail(): never {
  throw error;
}

/** The two ways in which a method of a store fails. */
export const faults: readonly { readonly fault: string; readonly fail: () => never | Promise<never> }[] = [
  { fault: 'throws', fail },
  { fault: 'rejects', fail: () => Promise.reject(error) },
];
