import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lru } from '../../src/util/lru.ts';

// What goes first, and what weighs how much: the comparison with a naive one below.
describe('a map of bounded size', () => {
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
