import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from '../../../src/scorers/words/suggest.ts';

describe('the edit distance', () => {
  it.each([
    { a: '', b: '', distance: 0, why: 'nothing and nothing' },
    { a: '', b: 'abc', distance: 3, why: 'three insertions' },
    { a: 'abc', b: 'abc', distance: 0, why: 'the same' },
    { a: 'abc', b: 'abd', distance: 1, why: 'a replacement' },
    { a: 'abc', b: 'ab', distance: 1, why: 'a deletion' },
    { a: 'abc', b: 'xabc', distance: 1, why: 'an insertion in front' },
    { a: 'abc', b: 'acb', distance: 1, why: 'a swap of neighbours' },
    { a: 'abc', b: 'cba', distance: 2, why: 'a swap of those that are not' },
    { a: 'ca', b: 'abc', distance: 3, why: 'what was swapped is not edited again' },
    { a: 'kitten', b: 'sitting', distance: 3, why: 'the textbook' },
    { a: 'schedule', b: 'shcedule', distance: 1, why: 'a usual slip' },
  ])('of "$a" and "$b" is $distance: $why', ({ a, b, distance }) => {
    expect(editDistance(a, b, 10)).toBe(distance);
  });

  it.each([
    { a: 'abc', b: 'xyz', max: 2 },
    { a: 'a', b: 'abcd', max: 2 },
    { a: 'abc', b: 'abd', max: 0 },
    { a: '', b: 'a', max: 0 },
  ])('of "$a" and "$b" is above $max', ({ a, b, max }) => {
    expect(editDistance(a, b, max)).toBeUndefined();
  });
});

/** The whole matrix, without any early end. */
function naive(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        rows[i]![j] = i + j;
        continue;
      }
      const edits = [
        rows[i - 1]![j]! + 1,
        rows[i]![j - 1]! + 1,
        rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      ];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) edits.push(rows[i - 2]![j - 2]! + 1);
      rows[i]![j] = Math.min(...edits);
    }
  }
  return rows[a.length]![b.length]!;
}

const text = fc.string({ unit: fc.constantFrom(...'abc'), maxLength: 9 });

describe('the edit distance of any two words', () => {
  it('is that of the full matrix up to the bound, and none above it', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 10 }), (a, b, max) => {
        const expected = naive(a, b);
        expect(editDistance(a, b, max)).toBe(expected <= max ? expected : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is that of the full matrix for any characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.string({ unit: 'binary', maxLength: 12 }),
        (a, b) => {
          expect(editDistance(a, b, 50)).toBe(naive(a, b));
        },
      ),
    );
  });

  it('is the same in both directions', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 5 }), (a, b, max) => {
        expect(editDistance(a, b, max)).toBe(editDistance(b, a, max));
      }),
    );
  });
});
