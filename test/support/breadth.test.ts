import { expect, it } from 'vitest';
import { inTurn, part } from './breadth.ts';

const product = [1, 2, 3].flatMap((a) => ['x', 'y'].flatMap((b) => [true, false].map((c) => ({ a, b, c }))));
const pairsOf = (cases: readonly (typeof product)[number][]) =>
  new Set(cases.flatMap(({ a, b, c }) => [`${a}${b}`, `${a}${c}`, `${b}${c}`]));

it('part() keeps every value of a product, or every pair of values, in fewer cases', () => {
  const values = part(product, 'values');
  expect(new Set(values.flatMap(({ a, b, c }) => [a, b, c]))).toEqual(new Set([1, 2, 3, 'x', 'y', true, false]));
  expect(values.length).toBeLessThan(6);
  const pairs = part(product, 'pairs');
  expect(pairsOf(pairs)).toEqual(pairsOf(product));
  expect(pairs.length).toBeLessThan(product.length);
});

it('inTurn() gives each value of the longest property a case, and the values of the others turns, in every pair', () => {
  const cases = inTurn({ a: [1, 2], b: ['s', 't', 'u', 'v', 'w', 'x'], c: [true, false] });
  expect(cases.map(({ b }) => b)).toEqual(['s', 't', 'u', 'v', 'w', 'x']);
  for (const value of [1, 2]) expect(cases.filter(({ a }) => a === value)).toHaveLength(3);
  expect(new Set(cases.map(({ a, c }) => `${a} ${c}`)).size).toBe(4);
});
