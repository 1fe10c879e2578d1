import fc from 'fast-check';
import type { AddOptions, LoadedToolStore } from 'mastra-tool-search';
import { expect } from 'vitest';

/** One call of a store, or time that passes. */
export type Operation =
  | { readonly do: 'add'; readonly scope: string; readonly names: readonly string[]; readonly options: AddOptions }
  | { readonly do: 'remove'; readonly scope: string; readonly names: readonly string[] }
  | { readonly do: 'get' | 'clear'; readonly scope: string }
  | { readonly do: 'advance'; readonly milliseconds: number };

const scope = fc.constantFrom('one', 'One');
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'constructor', '__proto__', '2', '10');
const names = fc.array(name, { maxLength: 5 });
const addOptions = fc
  .record({
    ttl: fc.constantFrom(0, 10_000, 60_000),
    max: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  })
  .map(({ ttl, max }): AddOptions => (max === undefined ? { ttl } : { ttl, max }));

/** Times are multiples of seven seconds and no ttl is, so that nothing depends on the very moment of an expiry. */
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), scope, names, options: addOptions }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('get' as const), scope }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), scope }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), scope, names }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(7000, 35_000, 70_000).map((milliseconds) => ({ do: 'advance' as const, milliseconds })),
  },
);

interface Kept {
  readonly names: readonly string[];
  readonly ttl: number;
  readonly usedAt: number;
}

/** The interface in its plainest form: lists, and a clock that is moved by hand. */
class ListStore {
  readonly #kept = new Map<string, Kept>();
  #now = 0;

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  get(scope: string): readonly string[] {
    const kept = this.#living(scope);
    if (kept) this.#kept.set(scope, { ...kept, usedAt: this.#now });
    return kept?.names ?? [];
  }

  add(scope: string, added: readonly string[], { ttl, max }: AddOptions): void {
    if (added.length === 0) return;
    const all = [...new Set([...(this.#living(scope)?.names ?? []), ...added])];
    this.#kept.set(scope, { names: max === undefined ? all : all.slice(-max), ttl, usedAt: this.#now });
  }

  clear(scope: string): void {
    this.#kept.delete(scope);
  }

  remove(scope: string, removed: readonly string[]): void {
    const kept = this.#living(scope);
    const names = kept?.names.filter((name) => !removed.includes(name)) ?? [];
    if (kept && names.length > 0) this.#kept.set(scope, { ...kept, names });
    else this.#kept.delete(scope);
  }

  #living(scope: string): Kept | undefined {
    const kept = this.#kept.get(scope);
    return kept && (kept.ttl === 0 || this.#now - kept.usedAt <= kept.ttl) ? kept : undefined;
  }
}

/** Does the same to a store and to plain lists, and expects the same of both. Without a clock no time passes. */
export async function compareWithLists(
  store: LoadedToolStore,
  advance: ((milliseconds: number) => void | Promise<void>) | undefined,
  prefix: string,
  operations: readonly Operation[],
): Promise<void> {
  const lists = new ListStore();
  for (const step of operations) {
    if (step.do === 'advance') {
      if (!advance) continue;
      lists.advance(step.milliseconds);
      await advance(step.milliseconds);
      continue;
    }
    const key = prefix + step.scope;
    if (step.do === 'add') {
      lists.add(key, step.names, step.options);
      await store.add(key, step.names, step.options);
    } else if (step.do === 'remove') {
      if (!store.remove) continue;
      lists.remove(key, step.names);
      await store.remove(key, step.names);
    } else if (step.do === 'clear') {
      lists.clear(key);
      await store.clear(key);
    } else {
      expect(await store.get(key)).toEqual(lists.get(key));
    }
  }
  for (const last of ['one', 'One']) expect(await store.get(prefix + last)).toEqual(lists.get(prefix + last));
}
