import { describe, expect, it } from 'vitest';
import { byLength, byStyle } from '../../../../src/inspect/page/cases/breakdown.ts';
import type { CaseResult } from '../../../../src/workbench/evaluate/measure.ts';

const result = (query: string, recall?: number): CaseResult => ({
  ...{ id: query, query, relevant: recall === undefined ? [] : ['a'], found: [] },
  ...(recall === undefined ? {} : { figures: { hit1: 0, recall, mrr: 0.5, ndcg10: 0 } }),
});
const cases = [
  result('create issue', 1),
  result('create an issue on github', 1),
  result('create the issue on github', 0),
  result('is there anything to do on this day for me', 0),
  result('weather'),
];

describe('byLength', () => {
  it('counts the words of queries, and leaves out cases without relevant tools', () => {
    expect(byLength(cases, 'recall').map(({ label, count, figure }) => [label, count, figure?.mean])).toEqual([
      ['1–2 words', 1, 1],
      ['3–5 words', 2, 0.5],
      ['6–10 words', 1, 0],
      ['11 or more', 0, undefined],
    ]);
  });

  it('gives an interval that holds the mean, and the same one each time', () => {
    const many = Array.from({ length: 40 }, (_, at) => result(`create issue`, at % 4 === 0 ? 0 : 1));
    const [slice] = byLength(many, 'recall');
    expect(slice?.figure?.mean).toBe(0.75);
    expect(slice?.figure?.low).toBeLessThan(0.75);
    expect(slice?.figure?.low).toBeGreaterThan(0.5);
    expect(slice?.figure?.high).toBeGreaterThan(0.75);
    expect(byLength(many, 'recall')[0]).toEqual(slice);
  });

  it('claims nothing of one case', () => {
    expect(byLength([result('create issue', 1)], 'recall')[0]?.figure).toEqual({
      ...{ mean: 1, low: expect.closeTo(0.207, 3), high: 1 },
    });
  });

  it('reads the figure that is asked for', () => {
    expect(byLength(cases, 'mrr')[0]?.figure?.mean).toBe(0.5);
  });
});

describe('byStyle', () => {
  it('sorts queries by the way in which they are written', () => {
    expect(byStyle(cases, 'recall').map(({ label, count }) => [label, count])).toEqual([
      ['keywords', 1],
      ['question', 1],
      ['command', 2],
      ['sentence', 0],
    ]);
  });
});
