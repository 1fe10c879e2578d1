import { describe, expect, it } from 'vitest';
import { NumberList } from '../../../src/scorers/bm25/number-list.ts';

function listOf(...items: number[]): NumberList {
  const list = new NumberList();
  for (const item of items) list.push(item);
  return list;
}

describe('a list of numbers', () => {
  it('has what was pushed, however much that is', () => {
    const items = Array.from({ length: 10_000 }, (_, n) => (n * 7_919) % 2 ** 32);
    const list = listOf(...items);
    expect(list.length).toBe(10_000);
    expect([...list.toArray()]).toEqual(items);
    expect(items.every((item, place) => list.at(place) === item)).toBe(true);
  });

  it('takes another number at a place', () => {
    const list = listOf(1, 2, 3);
    list.set(1, 20);
    expect([...list.toArray()]).toEqual([1, 20, 3]);
  });

  it.each([
    { item: 2, from: 0, expected: true, why: 'it is there' },
    { item: 2, from: 1, expected: true, why: 'it is there from here on' },
    { item: 2, from: 2, expected: false, why: 'it is there, but before' },
    { item: 0, from: 0, expected: false, why: 'what was never pushed is not 0' },
  ])('includes $item from $from on: $expected, as $why', ({ item, from, expected }) => {
    expect(listOf(1, 2, 3).includes(item, from)).toBe(expected);
  });

  it('has nothing of before when it was cleared or cut', () => {
    const list = listOf(1, 2, 3);
    list.length = 1;
    expect([list.includes(2), [...list.toArray()]]).toEqual([false, [1]]);
    list.clear();
    expect([list.length, list.includes(1), [...list.toArray()]]).toEqual([0, false, []]);
    list.push(5);
    expect([...list.toArray()]).toEqual([5]);
  });

  it('gives a copy', () => {
    const list = listOf(1);
    const copy = list.toArray();
    list.set(0, 2);
    expect([...copy]).toEqual([1]);
  });
});
