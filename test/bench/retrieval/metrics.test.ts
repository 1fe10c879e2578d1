import { expect, it } from 'vitest';
import { bootstrap, interval, ndcg, quantile, recall } from '../../../src/workbench/evaluate/metrics.ts';
import { figuresOf } from './measure.ts';
import { average, difference, type Judged, reliabilityOf } from './ranking.ts';

it('recall counts a group once, whichever and however many of its tools are found', () => {
  const groups = [['a1', 'a2'], ['b'], ['c'], ['d']];
  expect(recall(['a2', 'x', 'a1', 'y', 'c', 'b'], groups, 5)).toBe(2 / 4);
  expect(recall(['a2', 'x', 'a1', 'y', 'c', 'b'], groups, 6)).toBe(3 / 4);
});

// Discounts of the first places: 1, 1 / log2(3) = 0.6309, 1 / log2(4) = 0.5, 0.4307.
it.each([
  { ranked: ['b', 'a'], relevant: ['a', 'b'], depth: 10, expected: 1, why: 'their order among themselves is free' },
  { ranked: ['x', 'a', 'b'], relevant: ['a', 'b'], depth: 10, expected: 0.6934, why: '(0.6309 + 0.5) / 1.6309' },
  { ranked: ['a'], relevant: ['a', 'b', 'c'], depth: 10, expected: 0.4693, why: '1 / (1 + 0.6309 + 0.5)' },
  { ranked: [], relevant: ['a'], depth: 10, expected: 0, why: 'nothing found' },
  { ranked: ['x', 'y', 'a'], relevant: ['a'], depth: 2, expected: 0, why: 'nothing behind its depth is seen' },
  { ranked: ['a', 'b'], relevant: ['a', 'b', 'c'], depth: 2, expected: 1, why: 'no more is wanted than fits' },
])('ndcg is $expected for $ranked when $relevant are wanted: $why', ({ ranked, relevant, depth, expected }) => {
  expect(ndcg(ranked, relevant, depth)).toBeCloseTo(expected, 4);
});

it('figures take groups for recall alone, and every relevant tool as a need of its own where there are none', () => {
  const query = { id: 'q', query: '', relevant: ['a1', 'a2', 'c'], groups: [['a1', 'a2'], ['c']] };
  const { hit1, recall: found, ndcg10 } = figuresOf(['a2', 'x', 'c'], query);
  expect([hit1, found]).toEqual([1, 1]);
  expect(ndcg10).toBeCloseTo((1 + 0.5) / (1 + 0.6309 + 0.5), 4);
  expect(figuresOf(['a2', 'x', 'c'], { id: 'q', query: '', relevant: ['a1', 'a2', 'c'] }).recall).toBeCloseTo(2 / 3);
});

const right = (confidence: number): Judged => ({ confidence, isRelevant: true });
const wrong = (confidence: number): Judged => ({ confidence, isRelevant: false });

it('reliability has ten bins of confidence, each counted by its results', () => {
  const { bins } = reliabilityOf([wrong(0), wrong(0.09), right(0.1), right(0.95), right(1)]);
  expect(bins.map(({ results }) => results)).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
  expect(bins[0]).toEqual({ results: 2, meanConfidence: 0.045, shareRelevant: 0 });
  expect(reliabilityOf([right(1), wrong(0)])).toMatchObject({ brier: 0, calibrationError: 0, results: 2 });
  expect(reliabilityOf([right(0.5), wrong(0.5)])).toMatchObject({ brier: 0.25, calibrationError: 0 });
  const { brier, calibrationError } = reliabilityOf([right(0.8), wrong(0.8), wrong(0.8), wrong(0.2)]);
  expect(brier).toBeCloseTo((0.04 + 0.64 + 0.64 + 0.04) / 4);
  expect(calibrationError).toBeCloseTo((3 / 4) * (0.8 - 1 / 3) + (1 / 4) * 0.2);
});

it('a bootstrap has the interval that theory gives, and draws the same for the same seed', () => {
  const values = Array.from({ length: 100 }, (_, at) => (at < 30 ? 1 : 0));
  const estimate = bootstrap(values, 'seed');
  const [low, high] = interval(estimate);
  // 1.96 standard errors: 1.96 * sqrt(0.3 * 0.7 / 100) = 0.09.
  expect([estimate.mean, low, high]).toEqual([0.3, expect.closeTo(0.21, 1), expect.closeTo(0.39, 1)]);
  expect(bootstrap(values, 'seed')).toEqual(estimate);
  expect(bootstrap(values, 'other')).not.toEqual(estimate);
  // Compared query by query, a constant lead has no spread.
  const better = values.map((value) => value + 0.25);
  const lead = difference(bootstrap(better, 'seed'), estimate);
  expect([lead.mean, ...interval(lead)]).toEqual([expect.closeTo(0.25), expect.closeTo(0.25), expect.closeTo(0.25)]);
  // Sets have equal weight, however many queries they have.
  const mean = average([bootstrap([1, 1, 1, 1], 'first'), bootstrap([0], 'second')]);
  expect([mean.mean, ...interval(mean)]).toEqual([0.5, 0.5, 0.5]);
});

it('a quantile is the nearest value', () => {
  const at = (share: number): number => quantile([10, 20, 30, 40, 50], share);
  expect([0, 0.5, 0.95, 1].map(at)).toEqual([10, 30, 50, 50]);
});
