import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { AddOptions, LoadedToolStore, MaybePromise } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { alikeScopes, oddNames, oddScopes } from './store-odd-input.ts';
import { compareWithLists, operation } from './store-oracle.ts';

/** A store under test. It must be empty, and nobody else may use it. */
export interface StoreRig {
  readonly store: LoadedToolStore;
  /** Moves the clock of the store. Without it the tests about time are skipped. */
  readonly advance?: (milliseconds: number) => MaybePromise<void>;
  readonly close?: () => MaybePromise<void>;
}

export interface StoreContractOptions {
  /** Declared deviations: the title of a test and the reason why this store does not pass it. */
  readonly skip?: Readonly<Record<string, string>>;
  /** Runs of the property test. @default 100 */
  readonly runs?: number;
}

const MINUTE = 60_000;
const KEEP: AddOptions = { ttl: 0 };

/**
 * What a `LoadedToolStore` has to do: this suite is the definition of the interface. Run it on yours:
 *
 *     describeStore('redisStore()', async () => ({ store: redisStore({ client, prefix: randomUUID() }) }));
 */
export function describeStore(
  name: string,
  create: () => MaybePromise<StoreRig>,
  options: StoreContractOptions = {},
): void {
  const { skip = {}, runs = 100 } = options;
  const titles = new Set<string>();

  describe(`${name} is a LoadedToolStore: it`, () => {
    let rig: StoreRig;
    beforeAll(async () => {
      rig = await create();
    });
    afterAll(() => rig?.close?.());

    const it = (title: string, body: (context: TestContext) => Promise<void>): void => {
      titles.add(title);
      const reason = skip[title];
      if (reason === undefined) test(title, body);
      else test.skip(`${title} (skipped: ${reason})`, () => {});
    };
    const itWithClock = (title: string, body: (advance: (ms: number) => Promise<void>) => Promise<void>): void =>
      it(title, async (context) => {
        const { advance } = rig;
        if (!advance) return context.skip('the clock of the store cannot be moved');
        await body(async (milliseconds) => advance(milliseconds));
      });

    const newScope = (): string => `scope-${randomUUID()}`;
    const get = async (scope: string): Promise<readonly string[]> => rig.store.get(scope);
    const add = async (scope: string, names: readonly string[], how = KEEP): Promise<void> =>
      rig.store.add(scope, names, how);
    const clear = async (scope: string): Promise<void> => rig.store.clear(scope);

    it('returns names in load order', async () => {
      const scope = newScope();
      await add(scope, ['c', 'a']);
      await add(scope, ['b']);
      expect(await get(scope)).toEqual(['c', 'a', 'b']);
    });

    it('leaves a name that is added again in its place', async () => {
      const scope = newScope();
      await add(scope, ['a', 'b', 'b']);
      await add(scope, ['c', 'a', 'b']);
      expect(await get(scope)).toEqual(['a', 'b', 'c']);
    });

    it('knows nothing of an unknown scope, also after it was read', async () => {
      const scope = newScope();
      expect(await get(scope)).toEqual([]);
      expect(await get(scope)).toEqual([]);
    });

    it('returns a copy', async () => {
      const scope = newScope();
      await add(scope, ['a']);
      const returned = (await get(scope)) as string[];
      // A frozen list cannot reach the store either.
      if (!Object.isFrozen(returned)) returned.push('b');
      expect(await get(scope)).toEqual(['a']);
    });

    it('does not hold on to the array it was given', async () => {
      const scope = newScope();
      const names = ['a'];
      await add(scope, names);
      names.push('b');
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

    it('forgets a scope that is cleared, and takes it up again', async () => {
      const scope = newScope();
      await add(scope, ['a', 'b']);
      await clear(scope);
      expect(await get(scope)).toEqual([]);
      await add(scope, ['b']);
      expect(await get(scope)).toEqual(['b']);
    });

    it('takes the clearing of an unknown scope as done', async () => {
      const scope = newScope();
      await clear(scope);
      await clear(scope);
      expect(await get(scope)).toEqual([]);
    });

    it('never mixes two scopes', async () => {
      const [one, other] = [newScope(), newScope()];
      await add(one, ['a']);
      await add(other, ['b']);
      expect([await get(one), await get(other)]).toEqual([['a'], ['b']]);
      await clear(one);
      expect([await get(one), await get(other)]).toEqual([[], ['b']]);
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

    it('drops the oldest names above max', async () => {
      const scope = newScope();
      await add(scope, ['a', 'b'], { ttl: 0, max: 3 });
      await add(scope, ['c', 'd'], { ttl: 0, max: 3 });
      expect(await get(scope)).toEqual(['b', 'c', 'd']);
      await add(scope, ['e', 'f', 'g', 'h'], { ttl: 0, max: 3 });
      expect(await get(scope)).toEqual(['f', 'g', 'h']);
    });

    it('counts a name by its first load when it drops the oldest', async () => {
      const scope = newScope();
      await add(scope, ['a', 'b']);
      await add(scope, ['a', 'c'], { ttl: 0, max: 2 });
      expect(await get(scope)).toEqual(['b', 'c']);
    });

    it('loses nothing when many add at once', async () => {
      const scope = newScope();
      const batches = Array.from({ length: 40 }, (_, n) => [`a${n}`, `b${n}`, `c${n}`]);
      await Promise.all(batches.map((names) => add(scope, names)));
      const names = await get(scope);
      expect([...names].sort()).toEqual(batches.flat().sort());
      for (const [first, ...rest] of batches) {
        const start = names.indexOf(first as string);
        expect(names.slice(start + 1, start + 3)).toEqual(rest);
      }
    });

    it('keeps one place for a name that many add at once', async () => {
      const scope = newScope();
      await Promise.all(Array.from({ length: 20 }, () => add(scope, ['a', 'b'])));
      expect(await get(scope)).toEqual(['a', 'b']);
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

    itWithClock('forgets a scope that was idle for longer than its ttl', async (advance) => {
      const scope = newScope();
      await add(scope, ['a'], { ttl: MINUTE });
      await advance(2 * MINUTE);
      expect(await get(scope)).toEqual([]);
      await add(scope, ['b'], { ttl: MINUTE });
      expect(await get(scope)).toEqual(['b']);
    });

    itWithClock('starts anew when names are added to an expired scope', async (advance) => {
      const scope = newScope();
      await add(scope, ['a'], { ttl: MINUTE });
      await advance(2 * MINUTE);
      await add(scope, ['b'], { ttl: MINUTE });
      expect(await get(scope)).toEqual(['b']);
    });

    itWithClock('restarts the clock of a scope that is read', async (advance) => {
      const [read, idle] = [newScope(), newScope()];
      for (const scope of [read, idle]) await add(scope, ['a'], { ttl: MINUTE });
      for (let n = 0; n < 4; n++) {
        await advance(0.75 * MINUTE);
        expect(await get(read)).toEqual(['a']);
      }
      expect(await get(idle)).toEqual([]);
      await advance(2 * MINUTE);
      expect(await get(read)).toEqual([]);
    });

    itWithClock('restarts the clock of a scope that is added to', async (advance) => {
      const scope = newScope();
      for (const name of ['a', 'b', 'b', 'c']) {
        await add(scope, [name], { ttl: MINUTE });
        await advance(0.75 * MINUTE);
      }
      expect(await get(scope)).toEqual(['a', 'b', 'c']);
    });

    itWithClock('keeps a scope with ttl 0', async (advance) => {
      const scope = newScope();
      await add(scope, ['a'], KEEP);
      await advance(100 * 365 * 24 * 60 * MINUTE);
      expect(await get(scope)).toEqual(['a']);
    });

    itWithClock('goes by the ttl of the last add', async (advance) => {
      const [shortened, lengthened] = [newScope(), newScope()];
      await add(shortened, ['a'], KEEP);
      await add(shortened, ['b'], { ttl: MINUTE });
      await add(lengthened, ['a'], { ttl: MINUTE });
      await add(lengthened, ['b'], { ttl: 10 * MINUTE });
      await advance(2 * MINUTE);
      expect(await get(shortened)).toEqual([]);
      expect(await get(lengthened)).toEqual(['a', 'b']);
    });

    it('does over any sequence of calls what a plain list does', async () => {
      const { store, advance } = rig;
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 30 }), async (operations) => {
          await compareWithLists(store, advance, newScope(), operations);
        }),
        { numRuns: runs },
      );
    });

    for (const title of Object.keys(skip)) {
      if (!titles.has(title)) throw new Error(`"skip" names no test of the contract: ${JSON.stringify(title)}`);
    }
  });
}
