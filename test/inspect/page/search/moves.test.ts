import { expect, it } from 'vitest';
import { Engine } from '../../../../src/inspect/page/engine/engine.ts';
import type { Ranking } from '../../../../src/inspect/page/engine/ranking.ts';
import { correctionsIn } from '../../../../src/inspect/page/search/corrections.ts';
import { latestOnly } from '../../../../src/inspect/page/search/latest.ts';
import { movesOf } from '../../../../src/inspect/page/search/moves.ts';
import { dataOf, realTools } from '../engine/data.ts';

const ranking = (query: string, ...names: string[]): Ranking => ({
  ...{ scorer: 'any', query, names, count: names.length },
  tools: names.map((name) => ({ name, score: 1, fate: 'shown' })),
});

it('says where the other ranking has each tool', () => {
  const moves = movesOf(ranking('a', 'one', 'two', 'three', 'four'), ranking('a', 'two', 'one', 'three'));
  expect([...moves]).toEqual([
    ['one', { type: 'moved', by: 1, there: 2 }],
    ['two', { type: 'moved', by: -1, there: 1 }],
    ['three', { type: 'moved', by: 0, there: 3 }],
    ['four', { type: 'only-here' }],
  ]);
});

it('says nothing of rankings of different queries, or without another one', () => {
  expect(movesOf(ranking('a', 'one'), ranking('ab', 'one')).size).toBe(0);
  expect(movesOf(ranking('a', 'one'), undefined).size).toBe(0);
});

it('tells how misspelt words of a query were read', async () => {
  const engine = new Engine(dataOf(realTools));
  expect(correctionsIn(await engine.rank('kuberntes pods', 'bm25', 20))).toEqual([
    { word: 'kuberntes', found: 'kubernetes' },
  ]);
  expect(correctionsIn(await engine.rank('kubernetes pods', 'bm25', 20))).toEqual([]);
});

it('asks one question at a time, and of those that wait only the last', async () => {
  const asked: string[] = [];
  const release: (() => void)[] = [];
  const ask = latestOnly(async (query: string) => {
    asked.push(query);
    await new Promise<void>((resolve) => release.push(resolve));
    return query;
  });
  const answers = ['a', 'ab', 'abc'].map((query) => ask(query));
  await Promise.resolve();
  await Promise.resolve();
  expect(asked).toEqual(['abc']);
  const later = ['abcd', 'abcde'].map((query) => ask(query));
  release.shift()?.();
  expect(await Promise.all(answers)).toEqual(['abc', 'abc', 'abc']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual(['abc', 'abcde']);
  release.shift()?.();
  expect(await Promise.all(later)).toEqual(['abcde', 'abcde']);
});

it('goes on asking after a question that failed', async () => {
  const ask = latestOnly(async (query: string) => {
    if (query === 'bad') throw new Error('No.');
    return query;
  });
  await expect(ask('bad')).rejects.toThrow('No.');
  expect(await ask('good')).toBe('good');
});
