import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Tally } from '../../../src/scorers/bm25/tally.ts';

const SIZE = 8;
const id = fc.nat(SIZE - 1);
const value = fc.double({ min: 0.001, max: 10, noNaN: true });
const entries = fc.uniqueArray(fc.tuple(id, value), { selector: ([key]) => key });

const operation = fc.oneof(
  fc.record({ kind: fc.constantFrom('add' as const, 'raise' as const), id, value }),
  fc.record({ kind: fc.constant('keepLower' as const), entries }),
  fc.record({ kind: fc.constant('keepOnly' as const), ids: fc.array(id) }),
  fc.record({ kind: fc.constant('clear' as const) }),
);

function tallyOf(list: readonly (readonly [number, number])[]): Tally {
  const tally = new Tally(SIZE);
  for (const [key, sum] of list) tally.add(key, sum);
  return tally;
}

describe('a tally', () => {
  it('has the sums of a map, whatever is done with it', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 25 }), (operations) => {
        const tally = new Tally(SIZE);
        const sums = new Map<number, number>();
        for (const step of operations) {
          if (step.kind === 'add') {
            tally.add(step.id, step.value);
            sums.set(step.id, (sums.get(step.id) ?? 0) + step.value);
          } else if (step.kind === 'raise') {
            const before = sums.get(step.id) ?? 0;
            expect(tally.raise(step.id, step.value)).toBe(step.value > before);
            sums.set(step.id, Math.max(step.value, before));
          } else if (step.kind === 'keepLower') {
            tally.keepLower(tallyOf(step.entries));
            const others = new Map(step.entries);
            for (const [key, sum] of sums) {
              const other = others.get(key);
              if (other === undefined) sums.delete(key);
              else sums.set(key, Math.min(sum, other));
            }
          } else if (step.kind === 'keepOnly') {
            tally.keepOnly(new Set(step.ids));
            for (const key of sums.keys()) if (!step.ids.includes(key)) sums.delete(key);
          } else {
            tally.clear();
            sums.clear();
          }
          expect(tally.size).toBe(sums.size);
          expect([...tally.idsSoFar()]).toEqual([...sums.keys()]);
          expect([...tally.sums]).toEqual(Array.from({ length: SIZE }, (_, key) => sums.get(key) ?? 0));
        }
      }),
    );
  });

  it('is empty in an empty catalog', () => {
    const tally = new Tally(0);
    tally.clear();
    expect([tally.size, [...tally.idsSoFar()]]).toEqual([0, []]);
  });

  it('does not take a value that is as high as the one it has', () => {
    const tally = tallyOf([[1, 2]]);
    expect([tally.raise(1, 2), tally.raise(1, 1), tally.raise(2, 0), tally.raise(1, 3)]).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect([...tally.idsSoFar()]).toEqual([1]);
  });

  it('gives the sums of documents in the order asked for, 0 for what it does not have', () => {
    const tally = tallyOf([
      [3, 0.5],
      [1, 2],
    ]);
    expect([...tally.of(Uint32Array.of(1, 0, 3, 1))]).toEqual([2, 0, 0.5, 2]);
    expect([...tally.of(new Uint32Array())]).toEqual([]);
  });
});
