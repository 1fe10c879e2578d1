import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lru } from '../../src/util/lru.ts';

const byLength = (text: string): number => text.length;

describe('a map of bounded size', () => {
  it('drops the entry whose last use is the longest ago', () => {
    const lru = new Lru<number>(2);
    lru.set('a', 1);
    lru.set('b', 2);
    expect(lru.get('a')).toBe(1);
    lru.set('c', 3);
    expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([1, undefined, 3]);
  });

  it('counts a new value for a key as a use', () => {
    const lru = new Lru<number>(2);
    for (const [value, key] of ['a', 'b', 'a', 'c'].entries()) lru.set(key, value);
    expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([2, undefined, 3]);
  });

  it('drops as many light entries as a heavy one needs', () => {
    const lru = new Lru<string>(10, 5, byLength);
    for (const text of ['a', 'b', 'c', 'dddd']) lru.set(text, text);
    expect(lru.newest(10)).toEqual(['dddd', 'c']);
  });

  it.each([
    { why: 'it is too heavy alone', max: 10, maxWeight: 3 },
    { why: 'there is room for none', max: 0, maxWeight: 100 },
  ])('always keeps the newest entry: $why', ({ max, maxWeight }) => {
    const lru = new Lru<string>(max, maxWeight, byLength);
    lru.set('a', 'a');
    lru.set('heavy', 'heavy');
    expect([lru.get('a'), lru.get('heavy')]).toEqual([undefined, 'heavy']);
    // What comes next takes its place, and all of its weight is free again.
    lru.set('b', 'bbb');
    expect(lru.newest(10)).toEqual(['bbb']);
  });

  it('no longer counts the weight of a value that was replaced or dropped', () => {
    const lru = new Lru<string>(10, 6, byLength);
    lru.set('a', 'aaaaa');
    lru.set('a', 'a');
    lru.set('b', 'bbbbb');
    expect(lru.newest(10)).toEqual(['bbbbb', 'a']);
    lru.drop('b', 'bbbbb');
    lru.set('c', 'ccccc');
    expect(lru.newest(10)).toEqual(['ccccc', 'a']);
  });

  it('drops an entry only while it has the given value', () => {
    const lru = new Lru<object>(10);
    const [old, current] = [{}, {}];
    lru.set('a', current);
    lru.drop('a', old);
    lru.drop('b', current);
    expect(lru.get('a')).toBe(current);
    lru.drop('a', current);
    expect(lru.get('a')).toBeUndefined();
  });

  it('lists the newest values first, which is no use of them', () => {
    const lru = new Lru<string>(10);
    expect(lru.newest(3)).toEqual([]);
    for (const text of ['a', 'b', 'c']) lru.set(text, text);
    lru.get('a');
    expect([lru.newest(2), lru.newest(5)]).toEqual([
      ['a', 'c'],
      ['a', 'c', 'b'],
    ]);
    // To look at them is no use.
    lru.newest(3);
    expect(lru.newest(1)).toEqual(['a']);
  });
});

describe('a map of bounded size, compared with a naive one,', () => {
  const key = fc.constantFrom(...'abcdef');
  const operation = fc.oneof(
    fc.record({ kind: fc.constant('get' as const), key }),
    fc.record({ kind: fc.constant('set' as const), key, weight: fc.nat(6) }),
    fc.record({ kind: fc.constant('drop' as const), key }),
  );

  it('keeps the same entries, whatever the operations', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), fc.nat(5), fc.nat(15), (operations, max, maxWeight) => {
        const lru = new Lru<{ weight: number }>(max, maxWeight, ({ weight }) => weight);
        /** Newest last. */
        let entries: { key: string; value: { weight: number } }[] = [];
        for (const step of operations) {
          const known = entries.find((entry) => entry.key === step.key);
          const others = entries.filter((entry) => entry !== known);
          if (step.kind === 'get') {
            expect(lru.get(step.key)).toBe(known?.value);
            if (known) entries = [...others, known];
          } else if (step.kind === 'drop') {
            if (known) lru.drop(step.key, known.value);
            entries = others;
          } else {
            const value = { weight: step.weight };
            lru.set(step.key, value);
            entries = [...others, { key: step.key, value }];
            const weight = (): number => entries.reduce((sum, entry) => sum + entry.value.weight, 0);
            while (entries.length > 1 && (entries.length > max || weight() > maxWeight)) entries.shift();
          }
          expect(lru.newest(100)).toEqual(entries.map(({ value }) => value).reverse());
        }
      }),
    );
  });
});
