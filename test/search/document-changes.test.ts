import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolDocument } from '../../src/catalog/document.ts';
import { type Changes, changesBetween } from '../../src/search/indexes.ts';
import { document } from '../fixtures/tools.ts';
import { atOnce, stopsOf } from '../scorers/at-once.ts';

interface Named {
  readonly id: string;
  readonly documents: readonly ToolDocument[];
}

const tools = (count: number, start = 0): ToolDocument[] =>
  Array.from({ length: count }, (_, n) => document(`tool_${start + n}`, `Does number${start + n}.`));
const set = (id: string, documents: readonly ToolDocument[]): Named => ({ id, documents });
const between = (sets: readonly Named[], documents: readonly ToolDocument[]): Changes<Named> | undefined =>
  atOnce(changesBetween(sets, documents));
const told = (changes: Changes<Named> | undefined): unknown =>
  changes && [changes.from.id, changes.added.map(({ name }) => name), [...changes.removed]];

describe('changesBetween()', () => {
  it.each([
    { why: 'nothing', now: tools(10), expected: ['a', [], []] },
    { why: 'one more', now: [...tools(10), ...tools(1, 50)], expected: ['a', ['tool_50'], []] },
    { why: 'one less', now: tools(9, 1), expected: ['a', [], ['tool_0']] },
    {
      why: 'one replaced, which is in both lists',
      now: [...tools(9), document('tool_9', 'Else.')],
      expected: ['a', ['tool_9'], ['tool_9']],
    },
    { why: 'another order', now: tools(10).reverse(), expected: ['a', [], []] },
    { why: 'a quarter, of the new one', now: tools(12, 0).slice(0, 12), expected: ['a', ['tool_10', 'tool_11'], []] },
    { why: 'too much: more than a quarter is new', now: tools(14), expected: undefined },
    { why: 'too much: more than a quarter is gone', now: tools(7), expected: undefined },
    {
      why: 'too much: two replaced count twice',
      now: [...tools(8), document('tool_8', 'Else.'), document('tool_9', 'Else.')],
      expected: undefined,
    },
    { why: 'too much: all of it', now: tools(10, 100), expected: undefined },
    { why: 'too much: it is empty', now: [], expected: undefined },
  ])('finds $why', ({ now, expected }) => {
    expect(told(between([set('a', tools(10))], now))).toEqual(expected);
  });

  it('finds nothing to compare with among no sets, and no changes between empty sets', () => {
    expect(between([], tools(3))).toBeUndefined();
    expect(told(between([set('a', [])], []))).toEqual(['a', [], []]);
  });

  it('returns the added documents themselves', () => {
    const added = document('new');
    expect(between([set('a', tools(10))], [...tools(10), added])?.added[0]).toBe(added);
  });

  it.each([
    { why: 'it differs in what is said of a parameter', more: { parameters: [['a', 'Else.']] as const } },
    { why: 'it differs in a keyword', more: { keywords: ['else'] } },
    { why: 'it differs in its server', more: { server: 'else' } },
    { why: 'it differs in its title', more: { title: 'Else' } },
  ])('counts a document as changed when $why', ({ more }) => {
    const other = document('tool_9', 'Does number9.', more as object);
    expect(told(between([set('a', tools(10))], [...tools(9), other]))).toEqual(['a', ['tool_9'], ['tool_9']]);
  });

  it('compares with the set that differs least', () => {
    const sets = [set('far', tools(10)), set('near', tools(13)), set('farther', tools(15, 1))];
    expect(told(between(sets, tools(12)))).toEqual(['near', [], ['tool_12']]);
    expect(told(between([...sets].reverse(), tools(12)))).toEqual(['near', [], ['tool_12']]);
  });

  it('can be stopped after each set', () => {
    const sets = Array.from({ length: 4 }, (_, n) => set(`${n}`, tools(10 + n)));
    expect(stopsOf(changesBetween(sets, tools(12)))).toBeGreaterThanOrEqual(3);
  });

  it('returns changes that make one set from the other', () => {
    const entry = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.constantFrom('One.', 'Two.'));
    const list = fc
      .uniqueArray(entry, { maxLength: 30, selector: ([n]) => n })
      .map((entries) => entries.map(([n, text]) => document(`tool_${n}`, text)));
    fc.assert(
      fc.property(fc.array(list, { maxLength: 3 }), list, fc.boolean(), (others, other, isNear) => {
        // Random sets are seldom near.
        const now = isNear && others[0] ? [...others[0].slice(1), ...other.slice(0, 1)] : other;
        fc.pre(new Set(now.map(({ name }) => name)).size === now.length);
        const sizes = others.map((documents) => {
          const same = now.filter(({ name, description }) =>
            documents.some((known) => known.name === name && known.description === description),
          );
          return documents.length + now.length - 2 * same.length;
        });
        const changes = between(
          others.map((documents, at) => set(`${at}`, documents)),
          now,
        );
        const least = Math.min(...sizes);
        expect(changes === undefined).toBe(!(least <= now.length / 4));
        if (!changes) return;
        expect(changes.added.length + changes.removed.length).toBe(least);
        expect(sizes[Number(changes.from.id)]).toBe(least);
        const made = [
          ...changes.from.documents.filter(({ name }) => !changes.removed.includes(name)),
          ...changes.added,
        ].map((known) => `${known.name} ${known.description}`);
        expect(made.sort()).toEqual(now.map((known) => `${known.name} ${known.description}`).sort());
      }),
      { numRuns: 300 },
    );
  });
});
