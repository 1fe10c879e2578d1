import { describe, expect, it } from 'vitest';
import { caseRows, filterRows, isBetter, isGood } from '../../../../src/inspect/page/cases/case-rows.ts';
import type { CaseResult, SearchedCase } from '../../../../src/workbench/evaluate/measure.ts';

const result = (id: string, relevant: readonly string[], rank?: number, isWeak?: boolean): CaseResult => ({
  ...{ id, query: `query ${id}`, relevant, found: ['winner'] },
  ...(rank === undefined ? {} : { rank }),
  ...(isWeak === undefined ? {} : { isWeak }),
});
const searched = (result: CaseResult): SearchedCase => ({
  result,
  isShown: result.rank !== undefined && result.rank <= 5,
  ...(result.rank === 1 ? {} : { miss: { wanted: 'a', instead: 'winner', word: 'query' } }),
});
const cases = [
  result('first', ['a'], 1, false),
  result('alarm', ['a'], 1, true),
  result('shown', ['a'], 5, false),
  result('deep', ['a'], 6, true),
  result('none', ['Beta'], undefined, true),
  result('nothing', [], undefined, true),
  result('too-much', [], undefined, false),
  result('silent', []),
];
const rows = caseRows(cases.map(searched));
const ids = (filtered: typeof rows): string[] => filtered.map((row) => row.result.id);

describe('caseRows', () => {
  it('says how each case went', () => {
    expect(rows.map(({ outcome }) => outcome)).toEqual([
      ...['first', 'first', 'shown', 'missed', 'missed'],
      ...['rightly-nothing', 'missed-nothing', 'unjudged'],
    ]);
    expect(ids(rows.filter(isGood))).toEqual(['first', 'alarm', 'nothing']);
  });

  it('calls it a false alarm only where a relevant tool was shown', () => {
    expect(ids(rows.filter(({ isFalseAlarm }) => isFalseAlarm))).toEqual(['alarm']);
  });

  it('tells which cases an edit moved, and whether for the better', () => {
    const edited = caseRows(
      [
        result('up', ['a'], 1),
        result('down', ['a'], 3),
        result('same', ['a'], 2),
        result('found', ['a'], 9),
        result('lost', ['a']),
      ].map(searched),
      [
        result('up', ['a'], 2),
        result('down', ['a'], 1),
        result('same', ['a'], 2),
        result('found', ['a']),
        result('lost', ['a'], 4),
      ],
    );
    expect(edited.map(({ before }) => before)).toEqual([2, 1, undefined, null, 4]);
    expect(ids(edited.filter(isBetter))).toEqual(['up', 'found']);
    expect(ids(filterRows(edited, 'moved', ''))).toEqual(['up', 'down', 'found', 'lost']);
  });
});

describe('filterRows', () => {
  it('lists those that failed, or whose verdict is wrong', () => {
    expect(ids(filterRows(rows, 'failed', ''))).toEqual(['shown', 'deep', 'none', 'too-much']);
    expect(ids(filterRows(rows, 'verdict', ''))).toEqual(['alarm', 'too-much']);
    expect(ids(filterRows(rows, 'all', ''))).toHaveLength(cases.length);
  });

  it('looks for a text in query, id, and tools, in any case', () => {
    expect(ids(filterRows(rows, 'all', ' QUERY s'))).toEqual(['shown', 'silent']);
    expect(ids(filterRows(rows, 'all', 'beta'))).toEqual(['none']);
    expect(filterRows(rows, 'all', 'winner')).toHaveLength(cases.length);
  });
});
