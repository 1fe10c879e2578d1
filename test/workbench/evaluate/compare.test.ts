import { ToolSearchError } from 'mastra-tool-search';
import {
  type CaseResult,
  compareEvaluations,
  type Evaluation,
  type Figures,
  failedGates,
} from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';

/** The result of a case whose tool stands at this place; at none without it. */
function resultOf(id: string, query: string, rank: number | undefined): CaseResult {
  const figures: Figures = {
    ...{ hit1: rank === 1 ? 1 : 0, recall: rank === undefined ? 0 : 1, mrr: rank === undefined ? 0 : 1 / rank },
    ndcg10: rank === undefined ? 0 : 1 / Math.log2(rank + 1),
  };
  return { id, query, relevant: ['x'], found: [], figures, ...(rank === undefined ? {} : { rank }) };
}

function evaluationOf(cases: readonly CaseResult[], scorer = 'bm25'): Evaluation {
  const mean = (key: keyof Figures) => {
    const sum = cases.reduce((total, { figures }) => total + (figures?.[key] ?? 0), 0);
    return { mean: sum / cases.length, low: 0, high: 1 };
  };
  const figures = { hit1: mean('hit1'), recall: mean('recall'), mrr: mean('mrr'), ndcg10: mean('ndcg10') };
  const verdicts = { falseAlarms: 0.1, missedNothings: 0.4 };
  return { tools: 1, topK: 5, scorers: [{ scorer, figures, verdicts, cases, confusions: [] }] };
}

/** An evaluation in which the cases have these places; undefined for none. */
function evaluation(ranks: Readonly<Record<string, number | undefined>>, scorer = 'bm25'): Evaluation {
  return evaluationOf(
    Object.entries(ranks).map(([query, rank]) => resultOf(query, query, rank)),
    scorer,
  );
}

/** An evaluation of cases without names: their ids are their places. */
function unnamed(...cases: readonly (readonly [query: string, rank: number])[]): Evaluation {
  return evaluationOf(cases.map(([query, rank], at) => resultOf(`${at + 1}`, query, rank)));
}

describe('a comparison', () => {
  it('has the cases that went better and worse, and the difference case by case', () => {
    const [change] = compareEvaluations(
      evaluation({ a: 1, b: 2, c: undefined, d: 3 }),
      evaluation({ a: 1, b: undefined, c: 1, e: 1 }),
    );
    expect(change).toMatchObject({
      scorer: 'bm25',
      better: [{ id: 'c', query: 'c', after: 1 }],
      worse: [{ id: 'b', query: 'b', before: 2 }],
      unmatched: 2,
    });
    expect(change?.difference?.hit1.mean).toBeCloseTo(1 / 3);
    expect(change?.difference?.mrr.mean).toBeCloseTo((1 - 0.5) / 3);
  });

  it('of an evaluation with itself is none', () => {
    const one = evaluation({ a: 1, b: 2 });
    expect(compareEvaluations(one, one)).toMatchObject([{ better: [], worse: [], unmatched: 0 }]);
    expect(compareEvaluations(one, one)[0]?.difference?.ndcg10).toEqual({ mean: 0, low: 0, high: 0 });
  });

  it('of one case says little of others', () => {
    const [change] = compareEvaluations(evaluation({ a: 1 }), evaluation({ a: undefined }));
    expect(change?.difference?.hit1).toEqual({ mean: -1, low: -1, high: expect.closeTo(0.587, 3) });
  });

  it('has no scorer that only one of the two has', () => {
    expect(compareEvaluations(evaluation({ a: 1 }, 'tiered'), evaluation({ a: 1 }))).toEqual([]);
  });

  it('has no difference where no case is in both', () => {
    expect(compareEvaluations(evaluation({ a: 1 }), evaluation({ b: 1 }))).toEqual([
      { scorer: 'bm25', better: [], worse: [], unmatched: 2 },
    ]);
  });
});

describe('cases of two evaluations', () => {
  const before = unnamed(['a', 1], ['b', 1], ['c', 2]);

  it('without names are the same where their queries are, wherever they stand', () => {
    const after = unnamed(['new', 1], ['c', 1], ['b', 3], ['a', 1]);
    expect(compareEvaluations(before, after)).toMatchObject([
      { better: [{ query: 'c' }], worse: [{ query: 'b' }], unmatched: 1 },
    ]);
    expect(failedGates(after, { baseline: unnamed(['a', 1], ['b', 1], ['c', 1]), maxRegression: 0.01 })).toEqual([
      'bm25: nDCG@10 is 16.7 % below the baseline, at most 1.0 % is wanted',
    ]);
  });

  it('with one query are the same in their order', () => {
    const change = compareEvaluations(unnamed(['a', 1], ['a', 2]), unnamed(['new', 9], ['a', 1], ['a', 3]));
    expect(change).toMatchObject([{ better: [], worse: [{ id: '3', before: 2, after: 3 }], unmatched: 1 }]);
  });

  it('are the same by their names, also where the query is another, or the baseline has no name', () => {
    const of = (id: string, query: string): Evaluation => evaluationOf([resultOf(id, query, 1)]);
    expect(compareEvaluations(of('mail', 'a'), of('mail', 'b'))[0]?.unmatched).toBe(0);
    expect(compareEvaluations(of('1', 'a'), of('mail', 'a'))[0]?.unmatched).toBe(0);
    expect(compareEvaluations(of('mail', 'a'), of('post', 'b'))[0]?.unmatched).toBe(2);
  });
});

describe('gates', () => {
  const half = evaluation({ a: 1, b: undefined });

  it.each([
    [{ minHit1: 0.5, minRecall: 0.5, minMrr: 0.5, minNdcg10: 0.5, maxFalseAlarms: 0.1, maxMissedNothings: 0.4 }, []],
    [{}, []],
    [{ minHit1: 0.6 }, ['bm25: hit@1 is 50.0 %, at least 60.0 % is wanted']],
    [
      { minRecall: 0.9, minMrr: 0.9 },
      ['bm25: recall is 50.0 %, at least 90.0 % is wanted', 'bm25: MRR is 50.0 %, at least 90.0 % is wanted'],
    ],
    [{ maxFalseAlarms: 0.05 }, ['bm25: false alarms are 10.0 %, at most 5.0 % are wanted']],
    [{ maxMissedNothings: 0 }, ['bm25: missed nothings are 40.0 %, at most 0.0 % are wanted']],
    [{ baseline: half }, []],
    [{ baseline: evaluation({ a: 1, b: 1 }) }, ['bm25: nDCG@10 is 50.0 % below the baseline, at most 0.0 % is wanted']],
    [{ baseline: evaluation({ a: 1, b: 1 }), maxRegression: 0.5 }, []],
  ])('%j give %j', (gates, failures) => {
    expect(failedGates(half, gates)).toEqual(failures);
  });

  it('on rankings fail where no case has relevant tools', () => {
    const [{ figures: _, ...scorer }] = half.scorers as [Evaluation['scorers'][number]];
    expect(failedGates({ ...half, scorers: [scorer] }, { minHit1: 0.1 })).toEqual([
      'bm25: no case has relevant tools, so there is no hit@1',
    ]);
  });

  it('fail where they cannot be measured', () => {
    const [scorer] = half.scorers as [Evaluation['scorers'][number]];
    const { verdicts: _, ...silent } = scorer;
    const verdicts = { maxFalseAlarms: 1, maxMissedNothings: 1 };
    expect(failedGates({ ...half, scorers: [silent] }, verdicts)).toEqual([
      'bm25: the scorer gives no confidence, so false alarms cannot be counted',
      'bm25: the scorer gives no confidence, so missed nothings cannot be counted',
    ]);
    expect(failedGates({ ...half, scorers: [{ ...scorer, verdicts: {} }] }, verdicts)).toEqual([
      'bm25: no case has a relevant tool among its results, so false alarms cannot be counted',
      'bm25: each case has relevant tools, so missed nothings cannot be counted',
    ]);
    expect(failedGates(half, { baseline: evaluation({ a: 1 }, 'tiered'), maxRegression: 1 })).toEqual([
      'bm25: the baseline has no scorer of this name, so nothing can be compared',
    ]);
    expect(failedGates(half, { baseline: evaluation({ z: 1 }), maxRegression: 1 })).toEqual([
      'bm25: no case with relevant tools is in the baseline too, so nothing can be compared',
    ]);
  });

  it('are refused where they are none', () => {
    expect(() => failedGates(half, { minHit: 0.5 } as never)).toThrow(ToolSearchError);
    expect(() => failedGates(half, { minHit1: 50 })).toThrow(
      new ToolSearchError('invalid-option', '"minHit1" must be a number from 0 to 1; got 50.'),
    );
  });
});
