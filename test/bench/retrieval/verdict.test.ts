import { bm25Scorer, tieredScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { fitReport, likelihood, regression } from './fit.ts';
import { ofScorer } from './measure.ts';
import type { LabelledSet, LabelledTool } from './sets.ts';
import { areaUnderCurve, type Judgement, meanVerdicts, verdictFigures } from './verdict.ts';
import { trialsOf, twinsIn } from './verdict-trials.ts';

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

it('takes tools of like words, and those whose names end alike, for twins', () => {
  const twinsOf = twinsIn(set.tools);
  expect(twinsOf(tracker[0]!, 0.35)).toEqual(['github_create_issue', 'gitlab_create_issue', 'create_issues']);
  expect(twinsOf(tracker[3]!, 0.35)).toEqual(['merge_pull_request']);
  expect(twinsOf(weather.tools[0]!, 0.35)).toEqual([]);
});

it('puts each query to the catalog with what fits and without it, and those of other sets that nothing there serves', () => {
  const [first, second] = trialsOf([set, weather]);
  const of = (kind: string, { trials } = first!) => trials.filter((trial) => trial.kind === kind);
  expect(of('without')[0]).toMatchObject({ tools: fillers, queries: [{ id: '1' }, { id: '2' }] });
  const foreign = (trials = first!) =>
    of('foreign', trials).flatMap(({ queries }) => queries.map(({ query }) => query));
  expect(foreign()).toEqual(['weather of the next days']);
  expect(foreign(second)).toEqual(['merge a pull request']);
  expect(trialsOf([set, { ...set, name: 'again' }]).flatMap((one) => of('foreign', one))).toEqual([]);
});

describe('the figures', () => {
  const said = (kind: Judgement['kind'], isShown: boolean, likelihood: number): Judgement => {
    return { kind, isShown, likelihood, isWeak: likelihood < 0.4, results: [] };
  };

  it('tell false alarms from warnings in their place', () => {
    const figures = verdictFigures([
      ...[0.9, 0.8, 0.7, 0.3].map((likelihood) => said('own', true, likelihood)),
      ...[0.3, 0.5].map((likelihood) => said('own', false, likelihood)),
      ...[0.1, 0.2, 0.6, 0.75].map((likelihood) => said('without', false, likelihood)),
      said('foreign', false, 0),
    ]);
    expect(figures).toMatchObject({
      shown: { queries: 4, warned: 0.25 },
      missed: { queries: 2, warned: 0.5 },
      without: { queries: 4, warned: 0.5, auc: (4 + 4 + 3 + 2) / 16, atFive: 0.5 },
      foreign: { queries: 1, warned: 1, auc: 1, atFive: 1 },
    });
    expect(areaUnderCurve([0.5, 1], [0.5, 0])).toBe(0.875);
  });

  it('count every set the same, and none that has no such queries', () => {
    const mean = meanVerdicts([
      verdictFigures([said('own', true, 0.9), said('without', false, 0.1), said('foreign', false, 0.9)]),
      verdictFigures([said('own', true, 0.1), said('own', true, 0.1), said('without', false, 0.9)]),
    ]);
    expect(mean).toMatchObject({
      shown: { queries: 3, warned: 0.5 },
      without: { warned: 0.5 },
      foreign: { warned: 0 },
    });
  });
});

it('a regression finds the likelihoods that the cases have, each counted by its weight', () => {
  const cases = [0, 1, 2, 3].flatMap((value) =>
    [true, false].map((isTrue) => ({ features: [value, 1], isTrue, weight: isTrue ? value + 1 : 4 - value })),
  );
  const model = regression(cases);
  for (const value of [0, 1, 2, 3]) expect(likelihood(model, [value, 1])).toBeCloseTo((value + 1) / 5, 1);
});

it('a fit names the weights of each piece of evidence, and judges each set by a model of the others', async () => {
  const report = await fitReport(ofScorer(bm25Scorer()), trialsOf([set, weather]));
  expect(report).toMatch(/strength: .*, ratio: .*, lead: .*, contrast: .*; intercept -/);
  expect(report).toMatch(/without .*100\.0/);
  expect(report).toMatch(/minConfidence \d\.\d+ drops 0\.5 %/);
  expect(await fitReport(ofScorer(tieredScorer()), trialsOf([set]))).toBe('tiered gives no evidence.');
});
