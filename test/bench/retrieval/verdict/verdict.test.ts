import { bm25Scorer, tieredScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { ofScorer } from '../of-scorer.ts';
import type { LabelledSet, LabelledTool } from '../sets.ts';
import { fitReport } from './fit.ts';
import { areaUnderCurve, figuresOf, type Judgement, judge, meanFigures } from './judge.ts';
import { likelihood, regression } from './logistic.ts';
import { verdictReport } from './report.ts';
import { Similarity } from './similarity.ts';
import { trialsOf } from './trials.ts';

const tool = (id: string, description: string): LabelledTool => ({ id, description, inputSchema: {} });

const tracker = [
  tool('github_create_issue', 'Open a new issue in a repository.'),
  tool('gitlab_create_issue', 'File a bug.'),
  tool('create_issues', 'Open several new issues in a repository at once.'),
  tool('merge_pull_request', 'Merge a pull request.'),
];
const fillers = Array.from({ length: 40 }, (_, at) => tool(`${'abcdefgh'[at % 8]}${at}_x`, `Turns knob ${at}.`));
const set: LabelledSet = {
  name: 'tracker',
  tools: [...tracker, ...fillers],
  queries: [
    { id: '1', query: 'open a new issue in a repository', relevant: ['github_create_issue'] },
    { id: '2', query: 'merge a pull request', relevant: ['merge_pull_request'] },
  ],
};
const weather: LabelledSet = {
  name: 'weather',
  tools: [tool('get_forecast', 'Weather of the next days.'), tool('make_issue', 'Open a new issue in a repository.')],
  queries: [
    { id: '1', query: 'weather of the next days', relevant: ['get_forecast'] },
    { id: '2', query: 'new issue', relevant: ['make_issue'] },
  ],
};

describe('Similarity', () => {
  it('takes tools of like words, and those whose names end alike, for twins', () => {
    const similarity = new Similarity(set.tools);
    expect(similarity.twinsOf(tracker[0] as LabelledTool, 0.35)).toEqual([
      'github_create_issue',
      'gitlab_create_issue',
      'create_issues',
    ]);
    expect(similarity.twinsOf(tracker[3] as LabelledTool, 0.35)).toEqual(['merge_pull_request']);
    expect(similarity.twinsOf(weather.tools[0] as LabelledTool, 0.35)).toEqual([]);
  });
});

describe('trialsOf', () => {
  it('puts each query to the catalog with what fits and without it', () => {
    const [trials] = trialsOf([set]);
    expect(trials?.trials.map(({ kind }) => kind)).toEqual(['own', 'without']);
    const without = trials?.trials[1];
    expect(without?.queries.map(({ id }) => id)).toEqual(['1', '2']);
    expect(without?.tools).toEqual(fillers);
  });

  it('puts queries of other sets to it, unless a tool is like what they want', () => {
    const [first, second] = trialsOf([set, weather]);
    const foreign = (trials: typeof first) => trials?.trials.filter(({ kind }) => kind === 'foreign') ?? [];
    expect(foreign(first).flatMap(({ queries }) => queries.map(({ query }) => query))).toEqual([
      'weather of the next days',
    ]);
    expect(foreign(second).flatMap(({ queries }) => queries.map(({ query }) => query))).toEqual([
      'merge a pull request',
    ]);
  });

  it('puts no queries of a set to another set of the same catalog', () => {
    const trials = trialsOf([set, { ...set, name: 'again' }]);
    expect(trials.flatMap(({ trials: each }) => each.map(({ kind }) => kind))).not.toContain('foreign');
    expect(new Set(trials.map(({ family }) => family)).size).toBe(1);
  });
});

describe('figuresOf', () => {
  const said = (kind: Judgement['kind'], isShown: boolean, likelihood: number): Judgement => {
    return { kind, isShown, likelihood, isWeak: likelihood < 0.4, results: [] };
  };

  it('tells false alarms from warnings in their place', () => {
    const figures = figuresOf([
      ...[0.9, 0.8, 0.7, 0.3].map((likelihood) => said('own', true, likelihood)),
      ...[0.3, 0.5].map((likelihood) => said('own', false, likelihood)),
      ...[0.1, 0.2, 0.6, 0.75].map((likelihood) => said('without', false, likelihood)),
      said('foreign', false, 0),
    ]);
    expect(figures).toEqual({
      queries: { shown: 4, missed: 2, without: 4, foreign: 1 },
      falseAlarms: 0.25,
      warnedOfMissed: 0.5,
      recognised: { without: 0.5, foreign: 1 },
      auc: { without: (4 + 4 + 3 + 2) / 16, foreign: 1 },
      recognisedAtFive: { without: 0.5, foreign: 1 },
    });
  });

  it('has no curve of a system that gives no likelihood', () => {
    const figures = figuresOf([
      { kind: 'own', isShown: true, isWeak: false, results: [] },
      { kind: 'without', isShown: false, likelihood: 0, isWeak: true, results: [] },
    ]);
    expect(figures.recognised.without).toBe(1);
    expect(figures.auc.without).toBeNaN();
  });

  it('counts every set the same, and none that has no such queries', () => {
    const mean = meanFigures([
      figuresOf([said('own', true, 0.9), said('without', false, 0.1), said('foreign', false, 0.9)]),
      figuresOf([said('own', true, 0.1), said('own', true, 0.1), said('without', false, 0.9)]),
    ]);
    expect(mean).toMatchObject({ falseAlarms: 0.5, recognised: { without: 0.5, foreign: 0 } });
    expect(mean.queries.shown).toBe(3);
  });
});

it('areaUnderCurve counts equal ones half', () => {
  expect(areaUnderCurve([0.5, 1], [0.5, 0])).toBe(0.875);
});

it('judges a scorer, and prints one line for each set', async () => {
  const bm25 = ofScorer(bm25Scorer());
  const entries = [];
  for (const trials of trialsOf([set, weather])) {
    entries.push({ set: trials.set, contestant: bm25.name, ...figuresOf(await judge(bm25, trials)) });
  }
  expect(entries[0]).toMatchObject({ queries: { shown: 2, missed: 0, without: 2, foreign: 1 }, falseAlarms: 0 });
  expect(entries[0]?.auc).toEqual({ without: 1, foreign: 1 });
  expect(verdictReport(entries)).toMatch(/tracker {2}.*100\.0.*\n.*weather.*\n.*mean/);
});

describe('regression', () => {
  const cases = [0, 1, 2, 3].flatMap((value) =>
    [true, false].map((isTrue) => ({ features: [value, 1], isTrue, weight: isTrue ? value + 1 : 4 - value })),
  );

  it('finds the likelihoods that the cases have', () => {
    const model = regression(cases);
    for (const value of [0, 1, 2, 3]) expect(likelihood(model, [value, 1])).toBeCloseTo((value + 1) / 5, 1);
    expect(regression(cases)).toEqual(model);
  });

  it('counts a case by its weight', () => {
    const twice = cases.map((each) => ({ ...each, weight: 2 * each.weight }));
    const [model, again] = [regression(cases), regression(twice)];
    for (const [at, weight] of model.weights.entries()) expect(again.weights[at]).toBeCloseTo(weight);
  });
});

describe('fitReport', () => {
  it('names the weights of each piece of evidence, and judges each set by a model of the others', async () => {
    const report = await fitReport(ofScorer(bm25Scorer()), trialsOf([set, weather]));
    expect(report).toMatch(/strength: .*, ratio: .*, lead: .*, contrast: .*; intercept -/);
    expect(report).toMatch(/tracker {2}.*100\.0/);
    expect(report).toMatch(/minConfidence \d\.\d+ drops 0\.5 %/);
  });

  it('says so where a scorer gives none', async () => {
    expect(await fitReport(ofScorer(tieredScorer()), trialsOf([set]))).toBe('tiered gives no evidence.');
  });
});
