import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { AppendOptions, LearnedScope, LearnedUse, LearningStore } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alikeScopes, oddScopes } from '../../loaded/stores/store-odd-input.ts';
import { leavesPrototypesClean } from '../../support/clean-prototypes.ts';

/** A store under test. It must be empty, and nobody else may use it. */
export interface LearningStoreRig {
  readonly store: LearningStore;
  readonly close?: () => void | Promise<void>;
}

export const KEEP: AppendOptions = { ttl: 86_400_000, max: 100 };
const NOW = 1_790_000_000_000;

/** Uses with times of their own, one millisecond after the other. */
export function usesOf(...names: readonly string[]): readonly LearnedUse[] {
  return names.map((use, at) => ({ use, usedAt: NOW + at }));
}

/** The latest uses of a list, each once with its last time, the latest last. */
function latestUses(uses: readonly LearnedUse[], max = Number.POSITIVE_INFINITY): readonly LearnedUse[] {
  const times = new Map(uses.map(({ use, usedAt }) => [use, usedAt]));
  const latest = [...times].map(([use, usedAt]) => ({ use, usedAt })).sort((one, other) => one.usedAt - other.usedAt);
  return latest.slice(Math.max(0, latest.length - max));
}

const sorted = (learned: LearnedScope | undefined): LearnedScope | undefined =>
  learned && { key: learned.key, uses: latestUses(learned.uses) };

/** What a `LearningStore` has to do: this suite is the definition of the interface. Run it on yours. */
export function describeLearningStore(name: string, create: () => LearningStoreRig | Promise<LearningStoreRig>): void {
  describe(`${name} is a LearningStore: it`, () => {
    leavesPrototypesClean();
    let rig: LearningStoreRig;
    beforeAll(async () => {
      rig = await create();
    });
    afterAll(() => rig?.close?.());
    const newScope = (): string => `scope-${randomUUID()}`;
    const read = async (scope: string) => sorted(await rig.store.read(scope));
    const append = async (scope: string, key: string, uses: readonly LearnedUse[], how: AppendOptions = KEEP) =>
      rig.store.append(scope, { key, uses }, how);
    const clear = async (scope: string) => rig.store.clear(scope);

    it('knows nothing of an unknown scope, also after it was read', async () => {
      const scope = newScope();
      expect([await read(scope), await read(scope)]).toEqual([undefined, undefined]);
    });

    it('returns what was appended, with the key', async () => {
      const scope = newScope();
      expect(await append(scope, 'k1', usesOf('a', 'b'))).toBe(true);
      expect(await append(scope, 'k1', [{ use: 'c', usedAt: NOW + 5 }])).toBe(true);
      expect(await read(scope)).toEqual({
        key: 'k1',
        uses: [...usesOf('a', 'b'), { use: 'c', usedAt: NOW + 5 }],
      });
    });

    it('keeps a use once, with the time of its last append', async () => {
      const scope = newScope();
      await append(scope, 'k', usesOf('a', 'b', 'b'));
      await append(scope, 'k', [{ use: 'a', usedAt: NOW + 9 }]);
      expect(await read(scope)).toEqual({
        key: 'k',
        uses: [
          { use: 'b', usedAt: NOW + 2 },
          { use: 'a', usedAt: NOW + 9 },
        ],
      });
    });

    it('refuses a key that is not that of the scope, and stays as it is', async () => {
      const scope = newScope();
      await append(scope, 'k1', usesOf('a'));
      expect(await append(scope, 'k2', usesOf('b'))).toBe(false);
      expect(await read(scope)).toEqual({ key: 'k1', uses: usesOf('a') });
    });

    it('drops the uses that are the longest ago above max', async () => {
      const scope = newScope();
      await append(scope, 'k', usesOf('a', 'b', 'c'), { ...KEEP, max: 3 });
      await append(scope, 'k', [{ use: 'a', usedAt: NOW + 8 }], { ...KEEP, max: 3 });
      await append(scope, 'k', [{ use: 'd', usedAt: NOW + 9 }], { ...KEEP, max: 3 });
      // A store may put off what is above max, but a read tells the latest.
      const uses = (await read(scope))?.uses ?? [];
      expect(latestUses(uses, 3).map(({ use }) => use)).toEqual(['c', 'a', 'd']);
      expect(uses.length).toBeLessThanOrEqual(6);
    });

    it('drops the uses that are named, and adds the others', async () => {
      const scope = newScope();
      await append(scope, 'k', usesOf('a', 'b', 'c'));
      expect(await append(scope, 'k2', [], { ...KEEP, drop: ['a'] })).toBe(false);
      await append(scope, 'k', [{ use: 'd', usedAt: NOW + 9 }], { ...KEEP, drop: ['b', 'unknown'] });
      expect((await read(scope))?.uses.map(({ use }) => use)).toEqual(['a', 'c', 'd']);
      await append(scope, 'k', [{ use: 'b', usedAt: NOW + 10 }], { ...KEEP, drop: ['c', 'b'] });
      expect((await read(scope))?.uses.map(({ use }) => use)).toEqual(['a', 'd', 'b']);
    });

    it('stays within twice max however much is appended', async () => {
      const scope = newScope();
      for (let n = 0; n < 50; n++) {
        const uses = [0, 1, 2].map((one) => ({ use: `u${n}-${one}`, usedAt: NOW + 3 * n + one }));
        await append(scope, 'k', uses, { ...KEEP, max: 10 });
      }
      const uses = (await read(scope))?.uses ?? [];
      expect(uses.length).toBeGreaterThanOrEqual(10);
      expect(uses.length).toBeLessThanOrEqual(20);
      expect(uses.at(-1)?.use).toBe('u49-2');
    });

    it('returns a copy, and does not hold on to what it was given', async () => {
      const scope = newScope();
      const uses = [...usesOf('a')];
      const appending = append(scope, 'k', uses);
      uses.push({ use: 'b', usedAt: NOW });
      await appending;
      const given = (await rig.store.read(scope))?.uses as LearnedUse[];
      if (!Object.isFrozen(given)) given.push({ use: 'c', usedAt: NOW });
      expect(await read(scope)).toEqual({ key: 'k', uses: usesOf('a') });
    });

    it('forgets a scope that is cleared with its key, and takes it up again with another', async () => {
      const scope = newScope();
      await append(scope, 'k1', usesOf('a'));
      await clear(scope);
      expect(await read(scope)).toBeUndefined();
      expect(await append(scope, 'k2', usesOf('b'))).toBe(true);
      expect(await read(scope)).toEqual({ key: 'k2', uses: usesOf('b') });
      expect(await append(scope, 'k1', usesOf('a'))).toBe(false);
    });

    it('takes the clearing of an unknown scope as done', async () => {
      const scope = newScope();
      await clear(scope);
      expect(await read(scope)).toBeUndefined();
    });

    it('loses nothing when many append at once, and takes one key', async () => {
      const scope = newScope();
      const names = Array.from({ length: 40 }, (_, n) => `u${n}`);
      const taken = await Promise.all(names.map((use, n) => append(scope, `k${n % 2}`, [{ use, usedAt: NOW + n }])));
      const learned = await read(scope);
      const kept = names.filter((_, n) => `k${n % 2}` === learned?.key);
      expect(learned?.uses.map(({ use }) => use)).toEqual(kept);
      expect(taken).toEqual(names.map((use) => kept.includes(use)));
    });

    for (const { why, one, other } of alikeScopes) {
      it(`tells scopes apart that differ by ${why}`, async () => {
        const prefix = newScope();
        await append(prefix + one, 'k1', usesOf('a'));
        expect(await read(prefix + other)).toBeUndefined();
        await append(prefix + other, 'k2', usesOf('b'));
        await clear(prefix + one);
        expect([await read(prefix + one), await read(prefix + other)]).toEqual([
          undefined,
          { key: 'k2', uses: usesOf('b') },
        ]);
      });
    }

    for (const { why, scope } of oddScopes) {
      it(`takes any text as a scope: ${why}`, async () => {
        expect(await read(scope)).toBeUndefined();
        await append(scope, 'k', usesOf('a'));
        expect(await read(scope)).toEqual({ key: 'k', uses: usesOf('a') });
        await clear(scope);
        expect(await read(scope)).toBeUndefined();
      });
    }

    it('keeps all printable characters of a use', async () => {
      const scope = newScope();
      const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('');
      const uses = usesOf(printable, `${printable}x`, 'x'.repeat(500), ' ', '"', '[0,"a"]', 'k', 'key');
      await append(scope, printable, uses);
      expect(await read(scope)).toEqual({ key: printable, uses });
    });

    it('does over any sequence of calls what a plain list does', async () => {
      const operation = fc.oneof(
        fc.record({
          kind: fc.constant('append' as const),
          key: fc.constantFrom('k1', 'k2'),
          names: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e')),
        }),
        fc.record({ kind: fc.constant('clear' as const) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 20 }), async (operations) => {
          const scope = newScope();
          let time = NOW;
          let expected: LearnedScope | undefined;
          for (const each of operations) {
            if (each.kind === 'clear') {
              await clear(scope);
              expected = undefined;
              continue;
            }
            const uses = each.names.map((use) => ({ use, usedAt: time++ }));
            const isTaken = expected === undefined || expected.key === each.key;
            expect(await append(scope, each.key, uses)).toBe(isTaken);
            if (isTaken) expected = { key: each.key, uses: latestUses([...(expected?.uses ?? []), ...uses], 100) };
          }
          expect(await read(scope)).toEqual(expected);
        }),
        { numRuns: 30 },
      );
    });
  });
}
