import { describe, expect, it } from 'vitest';
import type { Found, MeasuredSet } from './measure.ts';
import { figuresOf } from './metrics.ts';
import { type Judged, reliabilityEntries, reliabilityOf } from './reliability.ts';

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
