import { ToolSearchError } from 'mastra-tool-search';
import {
  type CaseResult,
  compareEvaluations,
  type Evaluation,
  type Figures,
  failedGates,
} from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';

/** A case with its id, its query and the place of its tool; at none without it. */
type Row = readonly [id: string, query: string, rank?: number | undefined];

function resultOf([id, query, rank]: Row): CaseResult {
  const [found, gain] = rank === undefined ? [0, 0] : [1, 1 / Math.log2(rank + 1)];
  const figures: Figures = { hit1: rank === 1 ? 1 : 0, recall: found, mrr: found / (rank ?? 1), ndcg10: gain };
  return { id, query, relevant: ['x'], found: [], figures, ...(rank === undefined ? {} : { rank }) };
}

function evaluationOf(rows: readonly Row[], scorer = 'bm25'): Evaluation {
  const cases = rows.map(resultOf);
  const mean = (key: keyof Figures) => {
    const sum = cases.reduce((total, { figures }) => total + (figures?.[key] ?? 0), 0);
    return { mean: sum / cases.length, low: 0, high: 1 };
  };
  const figures = { hit1: mean('hit1'), recall: mean('recall'), mrr: mean('mrr'), ndcg10: mean('ndcg10') };
  const verdicts = { falseAlarms: 0.1, missedNothings: 0.4 };
  return { tools: 1, topK: 5, scorers: [{ scorer, figures, verdicts, cases, confusions: [] }] };
}

/** An evaluation of cases by their names, with their places. */
const named = (ranks: Readonly<Record<string, number | undefined>>, scorer?: string): Evaluation =>
  evaluationOf(
    Object.entries(ranks).map(([query, rank]) => [query, query, rank]),
    scorer,
  );
/** An evaluation of cases without names: their ids are their places. */
const unnamed = (...cases: readonly (readonly [query: string, rank: number])[]): Evaluation =>
  evaluationOf(cases.map(([query, rank], at) => [`${at + 1}`, query, rank]));

describe('a comparison', () => {
  it('has the cases that went better and worse, and the difference case by case', () => {
    const [change] = compareEvaluations(
      named({ a: 1, b: 2, c: undefined, d: 3 }),
      named({ a: 1, b: undefined, c: 1, e: 1 }),
    );
    expect(change).toMatchObject({
      ...{ scorer: 'bm25', unmatched: 2 },
      better: [{ id: 'c', query: 'c', after: 1 }],
      worse: [{ id: 'b', query: 'b', before: 2 }],
    });
    expect(change?.difference?.hit1.mean).toBeCloseTo(1 / 3);
    expect(change?.difference?.mrr.mean).toBeCloseTo((1 - 0.5) / 3);
    const [none] = compareEvaluations(named({ a: 1, b: 2 }), named({ a: 1, b: 2 }));
    expect(none).toMatchObject({
      better: [],
      worse: [],
      unmatched: 0,
      difference: { ndcg10: { mean: 0, low: 0, high: 0 } },
    });
  });

  it('says little where there is little to compare', () => {
    const [change] = compareEvaluations(named({ a: 1 }), named({ a: undefined }));
    expect(change?.difference?.hit1).toEqual({ mean: -1, low: -1, high: expect.closeTo(0.587, 3) });
    expect(compareEvaluations(named({ a: 1 }, 'tiered'), named({ a: 1 }))).toEqual([]);
    const nothing = { scorer: 'bm25', better: [], worse: [], unmatched: 2 };
    expect(compareEvaluations(named({ a: 1 }), named({ b: 1 }))).toEqual([nothing]);
  });

  it('takes cases for the same by their names, else by their queries in their order', () => {
    const before = unnamed(['a', 1], ['b', 1], ['c', 2]);
    const after = unnamed(['new', 1], ['c', 1], ['b', 3], ['a', 1]);
    expect(compareEvaluations(before, after)).toMatchObject([
      { better: [{ query: 'c' }], worse: [{ query: 'b' }], unmatched: 1 },
    ]);
    expect(compareEvaluations(unnamed(['a', 1], ['a', 2]), unnamed(['new', 9], ['a', 1], ['a', 3]))).toMatchObject([
      { better: [], worse: [{ id: '3', before: 2, after: 3 }], unmatched: 1 },
    ]);
    for (const [one, other, unmatched] of [
      [['mail', 'a', 1], ['mail', 'b', 1], 0],
      [['1', 'a', 1], ['mail', 'a', 1], 0],
      [['mail', 'a', 1], ['post', 'b', 1], 2],
    ] as const)
      expect(compareEvaluations(evaluationOf([one]), evaluationOf([other]))).toMatchObject([{ unmatched }]);
  });
});

describe('gates', () => {
  const half = named({ a: 1, b: undefined });
  const whole = named({ a: 1, b: 1 });
  const [scorer] = half.scorers as [Evaluation['scorers'][number]];
  const [{ figures: _, ...unranked }, { verdicts: __, ...silent }] = [scorer, scorer];
  const verdicts = { maxFalseAlarms: 1, maxMissedNothings: 1 };

  it.each<[string, Parameters<typeof failedGates>[1], Evaluation, readonly string[]]>([
    [
      'that hold',
      { minHit1: 0.5, minRecall: 0.5, minMrr: 0.5, minNdcg10: 0.5, maxFalseAlarms: 0.1, maxMissedNothings: 0.4 },
      ...([half, []] as const),
    ],
    ['that are none', {}, half, []],
    ['on hits', { minHit1: 0.6 }, half, ['hit@1 is 50.0 %, at least 60.0 % is wanted']],
    [
      'on two figures',
      { minRecall: 0.9, minMrr: 0.9 },
      half,
      ['recall is 50.0 %, at least 90.0 % is wanted', 'MRR is 50.0 %, at least 90.0 % is wanted'],
    ],
    ['on alarms', { maxFalseAlarms: 0.05 }, half, ['false alarms are 10.0 %, at most 5.0 % are wanted']],
    ['on nothings', { maxMissedNothings: 0 }, half, ['missed nothings are 40.0 %, at most 0.0 % are wanted']],
    ['on itself', { baseline: half }, half, []],
    ['on a better one', { baseline: whole }, half, ['nDCG@10 is 50.0 % below the baseline, at most 0.0 % is wanted']],
    ['on one that is better by as much as may be', { baseline: whole, maxRegression: 0.5 }, half, []],
    [
      'without relevant tools',
      { minHit1: 0.1 },
      { ...half, scorers: [unranked] },
      ['no case has relevant tools, so there is no hit@1'],
    ],
    [
      'without a confidence',
      verdicts,
      { ...half, scorers: [silent] },
      ['false alarms', 'missed nothings'].map((what) => `the scorer gives no confidence, so ${what} cannot be counted`),
    ],
    [
      'without cases for a verdict',
      verdicts,
      { ...half, scorers: [{ ...scorer, verdicts: {} }] },
      [
        'no case has a relevant tool among its results, so false alarms cannot be counted',
        'each case has relevant tools, so missed nothings cannot be counted',
      ],
    ],
    [
      'on another scorer',
      { baseline: named({ a: 1 }, 'tiered'), maxRegression: 1 },
      half,
      ['the baseline has no scorer of this name, so nothing can be compared'],
    ],
    [
      'on other cases',
      { baseline: named({ z: 1 }), maxRegression: 1 },
      half,
      ['no case with relevant tools is in the baseline too, so nothing can be compared'],
    ],
  ])('%s', (_, gates, evaluation, failures) => {
    expect(failedGates(evaluation, gates)).toEqual(failures.map((text) => `bm25: ${text}`));
  });

  it('are refused where they are none', () => {
    expect(() => failedGates(half, { minHit: 0.5 } as never)).toThrow(ToolSearchError);
    expect(() => failedGates(half, { minHit1: 50 })).toThrow('"minHit1" must be a number from 0 to 1; got 50.');
  });
});
