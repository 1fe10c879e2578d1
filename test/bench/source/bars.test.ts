import { describe, expect, it } from 'vitest';
import { checkBars } from './bars.ts';
import { exponentOf, type QualityFigures, type SearchFigures, type SourceFigures } from './figures.ts';

function searched(documents: number, p50: number, more: Partial<SearchFigures> = {}): SearchFigures {
  const alone = { p50, p99: p50 * 3 };
  return {
    documents,
    first: 50,
    alone,
    together: alone,
    perSecond: 100,
    cpuHere: p50 / 2,
    cpuThere: p50 / 2,
    megabytes: 90,
    ...more,
  };
}

function found(engine: QualityFigures['engine'], ndcg10: number): QualityFigures {
  return { set: 'mcp-large', documents: 2_801, isHidden: false, engine, ndcg10, hit1: 0.7, recall5: 0.9 };
}

function figures(database: readonly SearchFigures[], quality: readonly QualityFigures[] = []): SourceFigures {
  return { corpus: 'sets', machine: '2 cores', queries: 100, load: [], process: [], database, quality };
}

describe('how cost grows with the documents', () => {
  it.each([
    ['twice the documents, twice the time', (size: number) => size / 1_000, 1],
    ['a hundred times the documents, ten times the time', (size: number) => Math.sqrt(size), 0.5],
    ['the same time always', () => 7, 0],
  ])('%s', (_, time, exponent) => {
    const sizes = [1_000, 10_000, 100_000, 1_000_000];
    // What is below 10,000 does not count.
    const measured = sizes.map((size) => searched(size, size < 10_000 ? 999 : time(size)));
    expect(exponentOf(measured)).toBeCloseTo(exponent, 6);
  });

  it('is not told of one size', () => {
    expect(exponentOf([searched(10_000, 5)])).toBeUndefined();
  });
});

describe('bars of the bench of sources', () => {
  const sizes = [searched(10_000, 5), searched(1_000_000, 20)];

  it('are met by a database that is fast, small and as good', () => {
    const bars = checkBars(figures(sizes, [found('in process', 0.83), found('PostgreSQL', 0.815)]));
    expect(bars).toHaveLength(5);
    expect(bars.filter(({ isMet }) => !isMet)).toEqual([]);
  });

  it.each([
    ['quality', figures(sizes, [found('in process', 0.83), found('PostgreSQL', 0.805)]), 'nDCG@10 on mcp-large alone'],
    ['the time in the middle', figures([searched(1_000_000, 31)]), 'p50 at 1,000,000'],
    ['slow searches', figures([searched(1_000_000, 5, { alone: { p50: 5, p99: 151 } })]), 'p99 at 1,000,000'],
    ['memory', figures([searched(1_000_000, 5, { megabytes: 151 })]), 'memory of the process at 1,000,000'],
    ['growth', figures([searched(10_000, 0.1), searched(1_000_000, 20)]), 'exponent of the cost from 10,000 on'],
  ])('are missed by %s', (_, measured, missed) => {
    const bars = checkBars(measured);
    expect(bars.filter(({ isMet }) => !isMet).map(({ name }) => name)).toEqual([missed]);
  });
});
