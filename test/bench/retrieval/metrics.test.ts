import { describe, expect, it } from 'vitest';
import { bootstrap, interval, ndcg, quantile, recall } from '../../../src/workbench/evaluate/metrics.ts';
import { average, difference } from '../statistics.ts';
import type { Found, MeasuredSet } from './measure.ts';
import { figuresOf } from './metrics.ts';
import { type Judged, reliabilityEntries, reliabilityOf } from './reliability.ts';

describe('recall', () => {
  it('counts a group once, whichever and however many of its tools are found', () => {
    const groups = [['a1', 'a2'], ['b'], ['c'], ['d']];
    expect(recall(['a2', 'x', 'a1', 'y', 'c', 'b'], groups, 5)).toBe(2 / 4);
    expect(recall(['a2', 'x', 'a1', 'y', 'c', 'b'], groups, 6)).toBe(3 / 4);
  });
});

describe('ndcg', () => {
  // Discounts of the first places: 1, 1 / log2(3) = 0.6309, 1 / log2(4) = 0.5, 0.4307.
  it.each([
    { ranked: ['a', 'b', 'x'], relevant: ['a', 'b'], expected: 1, why: 'all relevant ones stand in front' },
    { ranked: ['b', 'a'], relevant: ['a', 'b'], expected: 1, why: 'their order among themselves is free' },
    { ranked: ['x', 'a'], relevant: ['a'], expected: 0.6309, why: 'one place down' },
    { ranked: ['x', 'a', 'b'], relevant: ['a', 'b'], expected: 0.6934, why: '(0.6309 + 0.5) / (1 + 0.6309)' },
    { ranked: ['a'], relevant: ['a', 'b', 'c'], expected: 0.4693, why: '1 / (1 + 0.6309 + 0.5)' },
    { ranked: ['x'], relevant: ['a'], expected: 0, why: 'nothing relevant' },
    { ranked: [], relevant: ['a'], expected: 0, why: 'nothing found' },
  ])('is $expected for $ranked when $relevant are wanted: $why', ({ ranked, relevant, expected }) => {
    expect(ndcg(ranked, relevant, 10)).toBeCloseTo(expected, 4);
  });

  it('sees nothing behind its depth, and wants no more than fits into it', () => {
    expect(ndcg(['x', 'y', 'a'], ['a'], 2)).toBe(0);
    expect(ndcg(['a', 'b'], ['a', 'b', 'c', 'd'], 2)).toBe(1);
  });
});

describe('figuresOf', () => {
  const ranked = ['a2', 'x', 'c'];

  it('takes groups for recall alone, and every relevant tool for the rest', () => {
    const query = { id: 'q', query: '', relevant: ['a1', 'a2', 'c'], groups: [['a1', 'a2'], ['c']] };
    const { hit1, recall5, ndcg10 } = figuresOf(ranked, query);
    expect([hit1, recall5]).toEqual([1, 1]);
    expect(ndcg10).toBeCloseTo((1 + 0.5) / (1 + 0.6309 + 0.5), 4);
  });

  it('takes every relevant tool as a need of its own where there are no groups', () => {
    expect(figuresOf(ranked, { id: 'q', query: '', relevant: ['a1', 'a2', 'c'] }).recall5).toBeCloseTo(2 / 3);
  });
});

describe('reliability', () => {
  const right = (confidence: number): Judged => ({ confidence, isRelevant: true });
  const wrong = (confidence: number): Judged => ({ confidence, isRelevant: false });

  it('puts results into ten bins of confidence, 1 into the last', () => {
    const { bins } = reliabilityOf([wrong(0), wrong(0.09), right(0.1), right(0.95), right(1)]);
    expect(bins.map(({ results }) => results)).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
    expect(bins[0]).toEqual({ results: 2, meanConfidence: 0.045, shareRelevant: 0 });
    expect(bins[9]).toEqual({ results: 2, meanConfidence: 0.975, shareRelevant: 1 });
  });

  it('has no error where confidence is truth', () => {
    expect(reliabilityOf([right(1), wrong(0)])).toMatchObject({ brier: 0, calibrationError: 0, results: 2 });
  });

  it('has no calibration error where confidence is the share, though it does not know which', () => {
    expect(reliabilityOf([right(0.5), wrong(0.5)])).toMatchObject({ brier: 0.25, calibrationError: 0 });
  });

  it('counts each bin by its results', () => {
    const { brier, calibrationError } = reliabilityOf([right(0.8), wrong(0.8), wrong(0.8), wrong(0.2)]);
    expect(brier).toBeCloseTo((0.04 + 0.64 + 0.64 + 0.04) / 4);
    expect(calibrationError).toBeCloseTo((3 / 4) * (0.8 - 1 / 3) + (1 / 4) * 0.2);
  });

  it('is told for contestants that give confidences, by five results, for each half of the sets', () => {
    const found = (name: string, confidence?: number): Found => ({ name, confidence });
    const measured = (set: string, ...answers: readonly (readonly Found[])[]): MeasuredSet => {
      const query = { id: 'q', query: 'a', relevant: ['a'] };
      const runs = answers.map((found, position) => {
        const searches = [{ query, found, milliseconds: 1, figures: figuresOf(['a'], query) }];
        return { contestant: `contestant ${position}`, buildMilliseconds: 1, searches };
      });
      return { set: { name: set, tools: [], queries: [query] }, runs };
    };
    const six = Array.from({ length: 6 }, () => found('b', 0.7));
    const [tune, heldOut, ...others] = reliabilityEntries([
      measured('mcp-large', [found('a')], [found('a', 0.9), found('b', 0.4)]),
      measured('another', [found('a')], six),
    ]);
    expect(others).toEqual([]);
    expect(tune).toMatchObject({ contestant: 'contestant 1', of: 'tune', sets: ['mcp-large'] });
    expect([tune?.first.shareRelevant, tune?.firstFive.shareRelevant]).toEqual([1, 0.5]);
    expect(heldOut).toMatchObject({ of: 'held-out', first: { results: 1 }, firstFive: { results: 5 } });
  });
});

describe('bootstrap', () => {
  const values = Array.from({ length: 100 }, (_, position) => (position < 30 ? 1 : 0));

  it('has the mean of the values, and an interval of the width that theory gives', () => {
    const estimate = bootstrap(values, 'seed');
    const [low, high] = interval(estimate);
    expect(estimate.mean).toBeCloseTo(0.3);
    // 1.96 standard errors: 1.96 * sqrt(0.3 * 0.7 / 100) = 0.09.
    expect(low).toBeGreaterThan(0.19);
    expect(low).toBeLessThan(0.23);
    expect(high).toBeGreaterThan(0.37);
    expect(high).toBeLessThan(0.41);
  });

  it('draws the same for the same seed, and something else for another', () => {
    expect(bootstrap(values, 'one')).toEqual(bootstrap(values, 'one'));
    expect(bootstrap(values, 'one')).not.toEqual(bootstrap(values, 'two'));
  });

  it('compares query by query: a constant lead has no spread', () => {
    const better = values.map((value) => value + 0.25);
    const lead = difference(bootstrap(better, 'seed'), bootstrap(values, 'seed'));
    expect(lead.mean).toBeCloseTo(0.25);
    const [low, high] = interval(lead);
    expect([low, high]).toEqual([expect.closeTo(0.25), expect.closeTo(0.25)]);
  });

  it('averages sets with equal weight, however many queries they have', () => {
    const mean = average([bootstrap([1, 1, 1, 1], 'first'), bootstrap([0], 'second')]);
    expect(mean.mean).toBe(0.5);
    expect(interval(mean)).toEqual([0.5, 0.5]);
  });
});

describe('quantile', () => {
  it.each([
    { share: 0, expected: 10 },
    { share: 0.5, expected: 30 },
    { share: 0.95, expected: 50 },
    { share: 1, expected: 50 },
  ])('is $expected at $share', ({ share, expected }) => {
    expect(quantile([10, 20, 30, 40, 50], share)).toBe(expected);
  });
});
