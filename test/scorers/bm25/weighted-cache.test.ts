import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WeightedCache } from '../../../src/scorers/bm25/weighted-cache.ts';

/** Counts how often each key was made. */
function counting(limit: number) {
  const made: string[] = [];
  const cache = new WeightedCache<string>(limit, (text) => text.length);
  const ask = (key: string): string =>
    cache.get(key, () => {
      made.push(key);
      return key;
    });
  return { made, ask };
}

describe('a cache by weight', () => {
  it('makes a value once while there is room', () => {
    const { made, ask } = counting(6);
    for (const key of ['aa', 'bbb', 'aa', 'bbb', 'c', 'aa']) expect(ask(key)).toBe(key);
    expect(made).toEqual(['aa', 'bbb', 'c']);
  });

  it('makes a value again that had to make room', () => {
    const { made, ask } = counting(4);
    for (const key of ['aa', 'bb', 'cc', 'bb', 'aa']) expect(ask(key)).toBe(key);
    expect(made).toEqual(['aa', 'bb', 'cc', 'aa']);
  });

  it('keeps longer what is asked for again and again', () => {
    const { made, ask } = counting(4);
    for (const key of ['aa', 'bb', 'aa', 'cc', 'aa', 'dd', 'aa']) ask(key);
    expect(made).toEqual(['aa', 'bb', 'cc', 'dd']);
  });

  it('gives a value that is too heavy, and remembers others afterwards', () => {
    const { made, ask } = counting(3);
    expect(ask('heavy')).toBe('heavy');
    for (const key of ['a', 'bb', 'a', 'bb']) ask(key);
    expect(made).toEqual(['heavy', 'a', 'bb']);
  });

  it('remembers nothing of what throws', () => {
    const cache = new WeightedCache<number>(10, () => 1);
    const fail = (): never => {
      throw new Error('broken');
    };
    expect(() => cache.get('a', fail)).toThrow('broken');
    expect(cache.get('a', () => 1)).toBe(1);
    expect(cache.get('a', fail)).toBe(1);
  });

  it('keeps what was used last, as much as fits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'bb', 'ccc', 'dddd', 'e'), { maxLength: 40 }),
        fc.nat(9),
        (keys, limit) => {
          const { made, ask } = counting(limit);
          const expected: string[] = [];
          let kept: string[] = [];
          for (const key of keys) {
            if (!kept.includes(key)) expected.push(key);
            kept = [...kept.filter((other) => other !== key), key];
            while (kept.join('').length > limit) kept.shift();
            expect(ask(key)).toBe(key);
          }
          expect(made).toEqual(expected);
        },
      ),
    );
  });
});
