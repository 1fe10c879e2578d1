import type { ToolScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import type { Found } from './contestant.ts';
import { figuresOf } from './metrics.ts';
import { ofScorer } from './of-scorer.ts';
import { type Judged, reliabilityEntries, reliabilityOf } from './reliability.ts';
import { textReport } from './report.ts';
import { type MeasuredSet, resultsOf } from './results.ts';

const right = (confidence: number): Judged => ({ confidence, isRelevant: true });
const wrong = (confidence: number): Judged => ({ confidence, isRelevant: false });

describe('reliability', () => {
  it('puts results into ten bins of confidence, 1 into the last', () => {
    const { bins } = reliabilityOf([wrong(0), wrong(0.09), right(0.1), right(0.95), right(1)]);
    expect(bins.map(({ results }) => results)).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
    expect(bins[0]).toEqual({ results: 2, meanConfidence: 0.045, shareRelevant: 0 });
    expect(bins[9]).toEqual({ results: 2, meanConfidence: 0.975, shareRelevant: 1 });
    expect(bins[5]).toEqual({ results: 0, meanConfidence: Number.NaN, shareRelevant: Number.NaN });
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
});

/** One query of each set, which wants `a`. */
function measured(set: string, ...answers: readonly (readonly Found[])[]): MeasuredSet {
  const query = { id: 'q', query: 'a', relevant: ['a'] };
  const tools = ['a', 'b'].map((id) => ({ id, description: '', inputSchema: {} }));
  return {
    set: { name: set, tools, queries: [query] },
    runs: answers.map((found, position) => ({
      contestant: `contestant ${position}`,
      buildMilliseconds: 1,
      searches: [{ query, found, milliseconds: 1, figures: figuresOf(['a'], query) }],
    })),
  };
}

const found = (name: string, confidence?: number): Found => ({ name, confidence });

it('is that of the five results which a model is shown', async () => {
  const scorer: ToolScorer = {
    name: 'sure',
    index: (documents) => ({
      search: () => documents.map(({ name }) => ({ name, score: 1 })),
      confidence: (_query, names) => names.map((_, rank) => 1 / (rank + 2)),
    }),
  };
  const search = await ofScorer(scorer).build(
    Array.from({ length: 12 }, (_, n) => ({ id: `tool_${n}`, description: '', inputSchema: {} })),
  );
  const { found } = await search('a');
  expect(found.map(({ confidence }) => confidence)).toEqual([
    1 / 2,
    1 / 3,
    1 / 4,
    1 / 5,
    1 / 6,
    ...Array(5).fill(undefined),
  ]);
});

describe('the reliability of contestants', () => {
  const sets = [
    measured('mcp-large', [found('a')], [found('a', 0.9), found('b', 0.4)]),
    measured('another', [found('a')], [found('b', 0.7)]),
    measured('a third', [found('a')], []),
  ];

  it('is told for those that give confidences, for each half of the sets', () => {
    const [tune, heldOut, ...others] = reliabilityEntries(sets);
    expect(others).toEqual([]);
    expect(tune).toMatchObject({ contestant: 'contestant 1', of: 'tune', sets: ['mcp-large'] });
    expect(tune?.first).toMatchObject({ results: 1, shareRelevant: 1 });
    expect(tune?.firstFive).toMatchObject({ results: 2, shareRelevant: 0.5 });
    expect(heldOut).toMatchObject({ of: 'held-out', sets: ['another', 'a third'] });
    expect(heldOut?.first).toMatchObject({ results: 1, shareRelevant: 0 });
  });

  it('reads five results of a query', () => {
    const many = Array.from({ length: 10 }, (_, n) => found(`tool_${n}`, 0.5));
    expect(reliabilityEntries([measured('another', many)])[0]?.firstFive.results).toBe(5);
  });

  it('is printed when it is asked for', () => {
    const options = { baseline: '', misses: false, split: false };
    const printed = textReport(resultsOf(sets, { ...options, reliability: true }));
    expect(printed).toMatch(/Tuned on \(1 set\): contestant 1/);
    expect(printed).toMatch(/0\.9–1 +1 +90\.0 +100\.0 +1 +90\.0 +100\.0/);
    expect(printed).toContain('first results: Brier score 0.0100, expected calibration error 0.1000');
    expect(textReport(resultsOf(sets, { ...options, reliability: false }))).not.toContain('Brier');
    const [without] = sets.map(({ set, runs }) => ({ set, runs: runs.slice(0, 1) }));
    expect(textReport(resultsOf([without!], { ...options, reliability: true }))).toContain(
      'No contestant gives confid',
    );
  });
});
