import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { betweenGroups, cellKey, confusionMatrix } from '../../../../src/inspect/page/confusions/matrix.ts';
import type { Confusion } from '../../../../src/workbench/evaluate/measure.ts';

const confusion = (wanted: string, instead: string | undefined, count = 1, words: string[] = []): Confusion => ({
  ...{ wanted, count, words },
  ...(instead === undefined ? {} : { instead }),
});

describe('confusionMatrix', () => {
  it('stands tools together that are confused with each other, the most confused first', () => {
    const { rows, columns } = confusionMatrix(
      [confusion('a', 'x', 5), confusion('p', 'q', 3), confusion('b', 'a', 2), confusion('x', 'b', 2)],
      10,
    );
    expect(rows).toEqual(['a', 'x', 'b', 'p']);
    expect(columns).toEqual(['a', 'x', 'b', 'q']);
  });

  it('prefers tools that are confused with several others', () => {
    const { rows } = confusionMatrix([confusion('a', 'x'), confusion('b', 'y'), confusion('c', 'y')], 2);
    expect(rows).toEqual(['b', 'c']);
  });

  it('keeps the count and the words of a field', () => {
    const { cells } = confusionMatrix([confusion('a', 'b', 4, ['issue', 'open'])], 10);
    expect(cells.get(cellKey('a', 'b'))).toMatchObject({ count: 4, words: ['issue', 'open'] });
    expect(cells.has(cellKey('b', 'a'))).toBe(false);
  });

  it('has a last column for cases in which nothing matched', () => {
    const { hasNothing, cells, rows, columns } = confusionMatrix([confusion('a', undefined, 2)], 10);
    expect({ hasNothing, rows, columns }).toEqual({ hasNothing: true, rows: ['a'], columns: [] });
    expect(cells.get(cellKey('a', undefined))?.count).toBe(2);
    expect(confusionMatrix([confusion('a', 'b')], 10).hasNothing).toBe(false);
  });

  it('tells what has no place, and loses none', () => {
    const name = fc.constantFrom(...'abcdefghijkl');
    const list = fc.uniqueArray(
      fc.record({ wanted: name, instead: fc.option(name, { nil: undefined }), count: fc.integer({ min: 1, max: 9 }) }),
      {
        selector: ({ wanted, instead }) => cellKey(wanted, instead),
      },
    );
    fc.assert(
      fc.property(list, fc.integer({ min: 2, max: 12 }), (all, most) => {
        const confusions = all.map(({ wanted, instead, count }) => confusion(wanted, instead, count));
        const { rows, columns, cells, left } = confusionMatrix(confusions, most);
        for (const names of [rows, columns]) {
          expect(names.length).toBeLessThanOrEqual(most);
          expect(new Set(names).size).toBe(names.length);
        }
        expect(cells.size + left.pairs).toBe(confusions.length);
        const shown = [...cells.values()].reduce((sum, { count }) => sum + count, 0);
        expect(shown + left.cases).toBe(confusions.reduce((sum, { count }) => sum + count, 0));
        for (const { wanted, instead } of cells.values()) {
          expect(rows).toContain(wanted);
          if (instead !== undefined) expect(columns).toContain(instead);
        }
      }),
    );
  });

  it('is not misled by names such as those of an object', () => {
    const { cells } = confusionMatrix([confusion('__proto__', 'constructor', 3)], 10);
    expect(cells.get(cellKey('__proto__', 'constructor'))?.count).toBe(3);
    expect(cells.get(cellKey('toString', 'valueOf'))).toBeUndefined();
  });
});

describe('betweenGroups', () => {
  it('sums up the confusions of tools by their servers, the most frequent first', () => {
    const all = [
      confusion('github_a', 'gitlab_b', 1, ['issue']),
      confusion('slack_a', undefined, 2),
      confusion('github_c', 'gitlab_d', 2, ['merge', 'issue']),
    ];
    expect(betweenGroups(all, (name) => name.split('_')[0] ?? '')).toEqual([
      confusion('github', 'gitlab', 3, ['issue', 'merge']),
      confusion('slack', undefined, 2),
    ]);
  });
});
