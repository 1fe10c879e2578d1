import { expect, it } from 'vitest';
import { part } from './breadth.ts';

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
