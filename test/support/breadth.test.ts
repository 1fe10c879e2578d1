import { expect, it } from 'vitest';
import { inTurn, pairwise } from './breadth.ts';

const values = { a: [1, 2, 3], b: ['x', 'y'], c: [true, false] } as const;

it('pairwise() keeps every pair of values that is possible, in fewer cases than the product has', () => {
  const pairsOf = (cases: ReturnType<typeof pairwise<typeof values>>) =>
    new Set(cases.flatMap(({ a, b, c }) => [`${a}${b}`, `${a}${c}`, `${b}${c}`]));
  const cases = pairwise(values);
  expect([pairsOf(cases).size, cases.length < 12]).toEqual([16, true]);
  expect(pairsOf(pairwise(values, ({ a, b }) => a !== 1 || b !== 'x'))).not.toContain('1x');
});

it('inTurn() gives each value of the longest property a case, and the values of the others turns, in every pair', () => {
  const cases = inTurn({ a: [1, 2], b: ['s', 't', 'u', 'v', 'w', 'x'], c: [true, false] });
  expect(cases.map(({ b }) => b)).toEqual(['s', 't', 'u', 'v', 'w', 'x']);
  for (const value of [1, 2]) expect(cases.filter(({ a }) => a === value)).toHaveLength(3);
  expect(new Set(cases.map(({ a, c }) => `${a} ${c}`)).size).toBe(4);
});
