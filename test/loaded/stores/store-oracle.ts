import fc from 'fast-check';
import type { AddOptions, LoadedToolStore } from 'mastra-tool-search';
import { expect } from 'vitest';

const scope = fc.constantFrom('one', 'One');
const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'constructor', '__proto__', '2', '10'), {
  maxLength: 5,
});
const addOptions = fc.record(
  { ttl: fc.constantFrom(0, 10_000, 60_000), max: fc.integer({ min: 1, max: 4 }) },
  { requiredKeys: ['ttl'] },
) as fc.Arbitrary<AddOptions>;

/** One call of a store with its arguments, or time that passes. */
export type Operation =
  | ['add', scope: string, names: string[], options: AddOptions]
  | ['remove', scope: string, names: string[]]
  | ['get' | 'clear', scope: string]
  | ['advance', milliseconds: number];

/** Times are multiples of seven seconds and no ttl is, so that nothing depends on the very moment of an expiry. */
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('add' as const), scope, names, addOptions) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('get' as const), scope) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('clear' as const), scope) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('remove' as const), scope, names) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('advance' as const), fc.constantFrom(7000, 35_000, 70_000)) },
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
  const looks = ['one', 'One'].map((last): Operation => ['get', last]);
  for (const [what, first, ...rest] of [...operations, ...looks]) {
    if (what === 'advance') {
      if (!advance) continue;
      lists.advance(first);
      await advance(first);
    } else if (what !== 'remove' || store.remove) {
      const args = [prefix + first, ...rest] as unknown as Parameters<ListStore['add']>;
      const expected = lists[what](...args);
      const found = await store[what]?.(...args);
      if (what === 'get') expect(found).toEqual(expected);
    }
  }
}
