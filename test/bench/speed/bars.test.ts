import { describe, expect, it } from 'vitest';
import { BARS, checkBars } from './bars.ts';
import { type Figure, MEASURES } from './figures.ts';

const build = (catalog: string, core: number, ours: number): Figure => ({
  measure: MEASURES.build,
  catalog,
  core,
  ours,
});

describe('checkBars', () => {
  it('leaves out the bars of what was not measured', () => {
    expect(checkBars(BARS, [])).toEqual([]);
    expect(checkBars(BARS, [build('100', 1, 10)])).toEqual([]);
  });

  it('compares the ratio of core to ours', () => {
    const [good] = checkBars(BARS, [build('10000', 30, 20)]);
    expect(good).toEqual({
      name: 'build: constructor and first search: core / ours, 10000 tools',
      wanted: '≥ 1.5',
      measured: 1.5,
      isMet: true,
    });
    expect(checkBars(BARS, [build('10000', 29, 20)])[0]?.isMet).toBe(false);
  });

  it('compares what ours takes', () => {
    const block = (ours: number): Figure => ({ measure: MEASURES.block, catalog: '10000', ours });
    expect(checkBars(BARS, [block(50)])).toMatchObject([{ wanted: '≤ 50 ms', measured: 50, isMet: true }]);
    expect(checkBars(BARS, [block(51)])).toMatchObject([{ isMet: false }]);
  });

  it('compares the growth from 10,000 tools to 100,000', () => {
    const small = { measure: MEASURES.build, catalog: '10000', ours: 10 };
    const large = (ours: number): Figure => ({ measure: MEASURES.build, catalog: '100000', ours });
    expect(checkBars(BARS, [small, large(150)])).toMatchObject([{ wanted: '≤ 15', measured: 15, isMet: true }]);
    expect(checkBars(BARS, [small, large(160)])).toMatchObject([{ isMet: false }]);
  });
});
