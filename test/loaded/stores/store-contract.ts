import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { AddOptions, LoadedToolStore } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { leavesPrototypesClean } from '../../support/clean-prototypes.ts';
import { alikeScopes, oddNames, oddScopes } from './store-odd-input.ts';
import { compareWithLists, operation } from './store-oracle.ts';

/** A store under test. It must be empty, and nobody else may use it. */
export interface StoreRig {
  readonly store: LoadedToolStore;
  /** Moves the clock of the store. Without it the tests about time are skipped. */
  readonly advance?: (milliseconds: number) => void | Promise<void>;
  readonly close?: () => void | Promise<void>;
}

export interface StoreContractOptions {
  /** Runs of the property test. @default 100 */
  readonly runs?: number;
  /** Whether the store has `remove`, which is optional. @default true */
  readonly hasRemove?: boolean;
  /** A store whose connection is closed, for a store that has one. */
  readonly closed?: () => LoadedToolStore | Promise<LoadedToolStore>;
}

const KEEP: AddOptions = { ttl: 0 };
const MINUTE = 60_000;

/**
 * What a `LoadedToolStore` has to do: this suite is the definition of the interface. Run it on yours:
 *
 *     describeStore('redisStore()', async () => ({ store: redisStore({ client, prefix: randomUUID() }) }));
 */
export function describeStore(
  name: string,
  create: () => StoreRig | Promise<StoreRig>,
  options: StoreContractOptions = {},
): void {
  const { runs = 100, hasRemove = true, closed } = options;

  describe(`${name} is a LoadedToolStore: it`, () => {
    leavesPrototypesClean();
    let rig: StoreRig;
    beforeAll(async () => {
      rig = await create();
    });
    afterAll(() => rig?.close?.());

    const newScope = (): string => `scope-${randomUUID()}`;
    const get = async (scope: string): Promise<readonly string[]> => rig.store.get(scope);
    const add = async (scope: string, names: readonly string[], how: AddOptions = KEEP): Promise<void> =>
      rig.store.add(scope, names, how);
    const remove = async (scope: string, names: readonly string[]): Promise<void> => rig.store.remove?.(scope, names);
    const clear = async (scope: string): Promise<void> => rig.store.clear(scope);
    const itWithClock = (title: string, body: (advance: (milliseconds: number) => Promise<void>) => Promise<void>) =>
      it(title, async (context: TestContext) => {
        const { advance } = rig;
        if (!advance) return context.skip('the clock of the store cannot be moved');
        await body(async (milliseconds) => advance(milliseconds));
      });

    it('returns names in load order, and leaves a name that is added again in its place', async () => {
      const scope = newScope();
      await add(scope, ['c', 'a', 'a']);
      await add(scope, ['b']);
      expect(await get(scope)).toEqual(['c', 'a', 'b']);
      await add(scope, ['d', 'c', 'a']);
      expect(await get(scope)).toEqual(['c', 'a', 'b', 'd']);
    });

    it('knows nothing of an unknown scope, also after it was read or cleared', async () => {
      const scope = newScope();
      for (let time = 0; time < 2; time++) {
        expect(await get(scope)).toEqual([]);
        await clear(scope);
      }
    });

    it('returns a copy, and does not hold on to the array it was given', async () => {
      const scope = newScope();
      const names = ['a'];
      const adding = add(scope, names);
      names.push('b');
      await adding;
      const returned = (await get(scope)) as string[];
      // A frozen list cannot reach the store either.
      if (!Object.isFrozen(returned)) returned.push('c');
      expect(await get(scope)).toEqual(['a']);
      expect(names).toEqual(['a', 'b']);
    });

    it('changes nothing when no names are added', async () => {
      const scope = newScope();
      await add(scope, []);
      expect(await get(scope)).toEqual([]);
      await add(scope, ['a', 'b']);
      await add(scope, [], { ttl: 0, max: 1 });
      expect(await get(scope)).toEqual(['a', 'b']);
    });

    it('forgets a scope that is cleared, takes it up again, and never mixes two', async () => {
      const [one, other] = [newScope(), newScope()];
      await add(one, ['a', 'b']);
      await add(other, ['b']);
      expect([await get(one), await get(other)]).toEqual([['a', 'b'], ['b']]);
      await clear(one);
      expect([await get(one), await get(other)]).toEqual([[], ['b']]);
      await add(one, ['b']);
      expect(await get(one)).toEqual(['b']);
    });

    for (const { why, one, other } of alikeScopes) {
      it(`tells scopes apart that differ by ${why}`, async () => {
        const prefix = newScope();
        for (const [first, second] of [
          [one, other],
          [prefix + one, prefix + other],
        ] as const) {
          await add(first, ['a']);
          expect(await get(second)).toEqual([]);
          await add(second, ['b']);
          expect([await get(first), await get(second)]).toEqual([['a'], ['b']]);
          await clear(first);
          expect([await get(first), await get(second)]).toEqual([[], ['b']]);
          await clear(second);
        }
      });
    }

    for (const { why, scope } of oddScopes) {
      it(`takes any text as a scope: ${why}`, async () => {
        expect(await get(scope)).toEqual([]);
        await add(scope, ['a', 'b']);
        expect(await get(scope)).toEqual(['a', 'b']);
        await clear(scope);
        expect(await get(scope)).toEqual([]);
      });
    }

    it('keeps odd names as they are, in order', async () => {
      const scope = newScope();
      await add(scope, oddNames);
      await add(scope, [...oddNames].reverse());
      expect(await get(scope)).toEqual(oddNames);
    });

    it('drops the oldest names above max, which counts a name by its first load', async () => {
      const [scope, other] = [newScope(), newScope()];
      await add(scope, ['a', 'b'], { ttl: 0, max: 3 });
      await add(scope, ['c', 'd'], { ttl: 0, max: 3 });
      expect(await get(scope)).toEqual(['b', 'c', 'd']);
      await add(scope, ['e', 'f', 'g', 'h'], { ttl: 0, max: 3 });
      expect(await get(scope)).toEqual(['f', 'g', 'h']);
      await add(other, ['a', 'b']);
      await add(other, ['a', 'c'], { ttl: 0, max: 2 });
      expect(await get(other)).toEqual(['b', 'c']);
    });

    it('loses nothing when many add at once, and keeps one place for a name', async () => {
      const scope = newScope();
      const batches = Array.from({ length: 40 }, (_, n) => [`a${n}`, `b${n}`, `c${n}`]);
      await Promise.all(batches.flatMap((names) => [add(scope, names), add(scope, names)]));
      const names = await get(scope);
      expect([...names].sort()).toEqual(batches.flat().sort());
      for (const [first, ...rest] of batches) {
        const start = names.indexOf(first as string);
        expect(names.slice(start + 1, start + 3)).toEqual(rest);
      }
    });

    it('shows a reader each add as a whole or not at all', async () => {
      const scope = newScope();
      const reads: Promise<readonly string[]>[] = [];
      const writes: Promise<void>[] = [];
      for (let n = 0; n < 20; n++) {
        writes.push(add(scope, [`a${n}`, `b${n}`]));
        reads.push(get(scope));
      }
      const seen = await Promise.all(reads);
      await Promise.all(writes);
      const final = await get(scope);
      for (const names of seen) {
        expect(names).toEqual(final.slice(0, names.length));
        expect(names.length % 2).toBe(0);
      }
    });

    itWithClock('forgets a scope that was idle for longer than its ttl, and starts it anew', async (advance) => {
      const scope = newScope();
      await add(scope, ['a'], { ttl: MINUTE });
      await advance(2 * MINUTE);
      expect(await get(scope)).toEqual([]);
      await add(scope, ['b'], { ttl: MINUTE });
      await advance(2 * MINUTE);
      await add(scope, ['c'], { ttl: MINUTE });
      expect(await get(scope)).toEqual(['c']);
    });

    itWithClock('restarts the clock of a scope that is read or added to', async (advance) => {
      const [read, added, idle] = [newScope(), newScope(), newScope()];
      for (const scope of [read, idle]) await add(scope, ['a'], { ttl: MINUTE });
      for (const name of ['a', 'b', 'b', 'c']) {
        await add(added, [name], { ttl: MINUTE });
        await advance(0.75 * MINUTE);
        expect(await get(read)).toEqual(['a']);
      }
      expect([await get(added), await get(idle)]).toEqual([['a', 'b', 'c'], []]);
      await advance(2 * MINUTE);
      expect(await get(read)).toEqual([]);
    });

    itWithClock('keeps a scope with ttl 0, and goes by the ttl of the last add', async (advance) => {
      const [kept, shortened, lengthened] = [newScope(), newScope(), newScope()];
      await add(kept, ['a'], KEEP);
      await add(shortened, ['a'], KEEP);
      await add(shortened, ['b'], { ttl: MINUTE });
      await add(lengthened, ['a'], { ttl: MINUTE });
      await add(lengthened, ['b'], { ttl: 10 * MINUTE });
      await advance(2 * MINUTE);
      expect([await get(shortened), await get(lengthened)]).toEqual([[], ['a', 'b']]);
      await advance(100 * 365 * 24 * 60 * MINUTE);
      expect(await get(kept)).toEqual(['a']);
    });

    describe.runIf(hasRemove)('with remove()', () => {
      it('removes names in one scope, and puts one that comes again behind the others', async () => {
        const [scope, other] = [newScope(), newScope()];
        for (const each of [scope, other]) await add(each, ['a', 'b', 'c', 'd']);
        await remove(scope, ['c', 'a']);
        expect([await get(scope), await get(other)]).toEqual([
          ['b', 'd'],
          ['a', 'b', 'c', 'd'],
        ]);
        await add(scope, ['a', 'e']);
        expect(await get(scope)).toEqual(['b', 'd', 'a', 'e']);
        // The newest one, too.
        await remove(other, ['b', 'd']);
        await add(other, ['e', 'd']);
        expect(await get(other)).toEqual(['a', 'c', 'e', 'd']);
      });

      it('ignores the removal of unknown names, of no names and in unknown scopes', async () => {
        const [scope, unknown] = [newScope(), newScope()];
        await add(scope, ['a']);
        await remove(scope, ['b', 'A', '"a"', 'ttl']);
        await remove(scope, []);
        await remove(unknown, ['a']);
        expect([await get(scope), await get(unknown)]).toEqual([['a'], []]);
      });

      it('takes a scope whose last name was removed as unknown, and takes it up again', async () => {
        const scope = newScope();
        await add(scope, ['a', 'b']);
        await remove(scope, ['a', 'b']);
        expect(await get(scope)).toEqual([]);
        await add(scope, ['b', 'a']);
        expect(await get(scope)).toEqual(['b', 'a']);
      });

      it('removes odd names', async () => {
        const scope = newScope();
        for (const odd of oddNames) {
          await add(scope, [odd, 'kept']);
          await remove(scope, [odd]);
          expect(await get(scope)).toEqual(['kept']);
        }
      });

      it('loses nothing when some add and others remove at once', async () => {
        const scope = newScope();
        const old = Array.from({ length: 20 }, (_, n) => `old${n}`);
        await add(scope, ['kept', ...old]);
        await Promise.all(old.flatMap((each, n) => [remove(scope, [each]), add(scope, [`new${n}`])]));
        expect([...(await get(scope))].sort()).toEqual(['kept', ...old.map((_, n) => `new${n}`)].sort());
      });

      itWithClock('does not restart the clock when it removes', async (advance) => {
        const scope = newScope();
        await add(scope, ['a', 'b'], { ttl: MINUTE });
        await advance(0.75 * MINUTE);
        await remove(scope, ['b']);
        await advance(0.75 * MINUTE);
        expect(await get(scope)).toEqual([]);
      });
    });

    if (closed) {
      it('rejects every call when its connection is closed, and does not hang', async () => {
        const store = await closed();
        const attempts = [
          async () => store.get('scope'),
          async () => store.add('scope', ['a'], KEEP),
          async () => store.clear('scope'),
          async () => store.remove?.('scope', ['a']),
        ];
        for (const attempt of attempts) await expect(attempt()).rejects.toThrow();
      });
    }

    it('does over any sequence of calls what a plain list does', async () => {
      const { store, advance } = rig;
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 30 }), async (operations) => {
          await compareWithLists(store, advance, newScope(), operations);
        }),
        { numRuns: runs },
      );
    });
  });
}
