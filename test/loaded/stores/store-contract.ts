import fc from 'fast-check';
import type { LoadedToolStore } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testClock } from './store-contract-clock.ts';
import { testRemoval } from './store-contract-removal.ts';
import { createSuite, KEEP, type StoreRig, type Suite } from './store-contract-suite.ts';
import { alikeScopes, oddNames, oddScopes } from './store-odd-input.ts';
import { compareWithLists, operation } from './store-oracle.ts';

export type { StoreRig } from './store-contract-suite.ts';

export interface StoreContractOptions {
  /** Declared deviations: the title of a test and the reason why this store does not pass it. */
  readonly skip?: Readonly<Record<string, string>>;
  /** Runs of the property test. @default 100 */
  readonly runs?: number;
  /** Whether the store has `remove`, which is optional. @default true */
  readonly hasRemove?: boolean;
  /** A store whose connection is closed, for a store that has one. */
  readonly closed?: () => LoadedToolStore | Promise<LoadedToolStore>;
}

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
  const { skip = {}, runs = 100, hasRemove = true, closed } = options;
  const titles = new Set<string>();

  describe(`${name} is a LoadedToolStore: it`, () => {
    let rig: StoreRig;
    beforeAll(async () => {
      rig = await create();
    });
    afterAll(() => rig?.close?.());

    const it: Suite['it'] = (title, body) => {
      titles.add(title);
      const reason = skip[title];
      if (reason === undefined) test(title, body);
      // A deviation that is none any more has to be taken back.
      else test.fails(`${title} (does not hold: ${reason})`, body);
    };
    const suite = createSuite(it, () => rig);
    const { newScope, get, add, clear } = suite;

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
      const adding = add(scope, names);
      names.push('b');
      await adding;
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

    testClock(suite);
    if (hasRemove) testRemoval(suite);

    const itWithConnection: Suite['it'] = closed ? it : () => {};
    itWithConnection('rejects every call when its connection is closed, and does not hang', async () => {
      const store = await closed?.();
      const attempts = [
        async () => store?.get('scope'),
        async () => store?.add('scope', ['a'], KEEP),
        async () => store?.clear('scope'),
        async () => store?.remove?.('scope', ['a']),
      ];
      for (const attempt of attempts) await expect(attempt()).rejects.toThrow();
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
