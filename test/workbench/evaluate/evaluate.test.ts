import path from 'node:path';
import { bm25Scorer, type ToolScorer, ToolSearchError, tieredScorer } from 'mastra-tool-search';
import { type EvaluateOptions, type EvaluationCase, evaluate } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { measure, ofScorer } from '../../bench/retrieval/measure.ts';
import { readSet } from '../../bench/retrieval/sets.ts';
import { tool, toolRecord } from '../../support/harness.ts';

const tools = toolRecord(
  tool('send_email', 'Send an email message to a person.'),
  tool('read_email', 'Read the messages of an inbox.'),
  tool('get_weather', 'Get the current weather of a city.'),
  tool('create_issue', 'Create an issue in a repository.'),
);
const cases: readonly EvaluationCase[] = [
  { id: 'first', query: 'send email', relevant: ['send_email'] },
  { id: 'second', query: 'email of the inbox', relevant: ['send_email'] },
  { id: 'none', query: 'divide the estate', relevant: [] },
];

describe('an evaluation', () => {
  it('takes a definition of a list that has no schema', async () => {
    const listed = [{ name: 'send_email', description: 'Send an email message to a person.' }];
    const { scorers } = await evaluate({ tools: listed, cases: cases.slice(0, 1) });
    expect(scorers[0]?.cases[0]?.found).toEqual(['send_email']);
  });

  it('says of each case where its tools rank, and what came first', async () => {
    const { tools: count, topK, scorers } = await evaluate({ tools, cases });
    expect([count, topK, scorers.map(({ scorer }) => scorer)]).toEqual([4, 5, ['bm25']]);
    expect(scorers[0]?.cases).toEqual([
      {
        ...{ id: 'first', query: 'send email', relevant: ['send_email'], rank: 1, found: ['send_email', 'read_email'] },
        ...{ figures: { hit1: 1, recall: 1, mrr: 1, ndcg10: 1 }, isWeak: false },
      },
      {
        ...{ id: 'second', query: 'email of the inbox', relevant: ['send_email'], rank: 2 },
        ...{ found: ['read_email', 'send_email'], isWeak: false },
        figures: { hit1: 0, recall: 1, mrr: 0.5, ndcg10: 1 / Math.log2(3) },
      },
      { id: 'none', query: 'divide the estate', relevant: [], found: [], isWeak: true },
    ]);
  });

  it('has the means over the cases that a tool serves', async () => {
    const [scorer] = (await evaluate({ tools, cases })).scorers;
    expect(scorer?.figures?.hit1.mean).toBe(0.5);
    expect(scorer?.figures?.mrr).toEqual({ mean: 0.75, low: 0.5, high: 1 });
    expect(scorer?.verdicts).toEqual({ falseAlarms: 0, missedNothings: 0 });
  });

  it('tells which tool won instead, and by which word', async () => {
    const [scorer] = (await evaluate({ tools, cases })).scorers;
    expect(scorer?.confusions).toEqual([{ wanted: 'send_email', instead: 'read_email', count: 1, words: ['inbox'] }]);
  });

  it('counts the same confusion once, the most frequent first', async () => {
    const again = [
      { query: 'weather', relevant: ['create_issue'] },
      { query: 'city weather', relevant: ['create_issue'] },
      { query: 'issue', relevant: ['get_weather'] },
      { query: 'zzz', relevant: ['get_weather'] },
    ];
    const [scorer] = (await evaluate({ tools, cases: again })).scorers;
    expect(scorer?.confusions).toEqual([
      { wanted: 'create_issue', instead: 'get_weather', count: 2, words: ['weather'] },
      { wanted: 'get_weather', instead: 'create_issue', count: 1, words: ['issue'] },
      { wanted: 'get_weather', count: 1, words: [] },
    ]);
    expect(scorer?.cases.at(-1)).toEqual({
      ...{ id: '4', query: 'zzz', relevant: ['get_weather'], found: [], isWeak: true },
      figures: { hit1: 0, recall: 0, mrr: 0, ndcg10: 0 },
    });
  });

  it('measures each scorer by itself; one without confidence has no verdicts', async () => {
    const { scorers } = await evaluate({ tools, cases, scorers: [bm25Scorer(), tieredScorer()] });
    expect(scorers.map(({ scorer, verdicts }) => [scorer, verdicts !== undefined])).toEqual([
      ['bm25', true],
      ['tiered', false],
    ]);
    expect(scorers[1]?.cases[0]).not.toHaveProperty('isWeak');
  });

  it('has no figures where no tool serves any case', async () => {
    const [scorer] = (await evaluate({ tools, cases: cases.slice(2) })).scorers;
    expect(scorer).not.toHaveProperty('figures');
    expect(scorer?.verdicts).toEqual({ missedNothings: 0 });
  });

  it('knows a need that one of several tools serves', async () => {
    const both = { query: 'weather', relevant: ['get_weather', 'create_issue'] };
    const recallOf = async (one: EvaluationCase): Promise<number | undefined> =>
      (await evaluate({ tools, cases: [one] })).scorers[0]?.figures?.recall.mean;
    expect(await recallOf(both)).toBe(0.5);
    expect(await recallOf({ ...both, groups: [both.relevant] })).toBe(1);
  });

  it('counts as shown what topK shows', async () => {
    const [scorer] = (await evaluate({ tools, cases: cases.slice(1, 2), topK: 1 })).scorers;
    expect([scorer?.figures?.recall.mean, scorer?.figures?.mrr.mean]).toEqual([0, 0.5]);
  });

  it('takes tools as an MCP server lists them, and keys for names', async () => {
    const listed = [{ name: 'send.email', description: 'Send an email.', inputSchema: { type: 'object' } }];
    const [scorer] = (await evaluate({ tools: listed, cases: [{ query: 'email', relevant: ['send.email'] }] })).scorers;
    expect(scorer?.cases[0]).toMatchObject({ relevant: ['send_email'], rank: 1 });
  });

  it('indexes the keywords of the application', async () => {
    const one = [{ query: 'sunshine', relevant: ['get_weather'] }];
    const rankWith = async (keywords: EvaluateOptions['keywords']): Promise<number | undefined> =>
      (await evaluate({ tools, cases: one, ...(keywords ? { keywords } : {}) })).scorers[0]?.cases[0]?.rank;
    expect([await rankWith(undefined), await rankWith({ get_weather: ['sunshine'] })]).toEqual([undefined, 1]);
  });

  it('knows the groups of the application', async () => {
    const one = [{ query: 'sky', relevant: ['get_weather'] }];
    const groups = ({ id }: { id: string }) => ({ name: 'x', description: id === 'get_weather' ? 'The sky.' : '' });
    const [scorer] = (await evaluate({ tools, cases: one, groups })).scorers;
    expect(scorer?.cases[0]?.rank).toBe(1);
    await expect(evaluate({ tools, cases: one, groups: 'x' as never })).rejects.toThrow('"groups" must be a function');
  });

  it('is that of the bench, to the digit', async () => {
    const set = readSet(path.resolve('test/fixtures/mcp-dev'));
    const run = await measure(ofScorer(bm25Scorer()), set);
    const definitions = Object.fromEntries(
      set.tools.map(({ id, description, inputSchema, annotations, server }) => [
        id,
        { description, inputSchema, mcp: { annotations }, mcpMetadata: { serverName: server } },
      ]),
    );
    const { scorers } = await evaluate({ tools: definitions, cases: set.queries.map((query) => ({ ...query })) });
    const own = scorers[0]?.cases.map(({ figures }) => [figures?.hit1, figures?.recall, figures?.ndcg10]);
    expect(own).toEqual(run.searches.map(({ figures }) => [figures.hit1, figures.recall, figures.ndcg10]));
    const gains = run.searches.map(({ figures }) => figures.ndcg10);
    const { mean, low, high } = scorers[0]?.figures?.ndcg10 ?? { mean: 0, low: 0, high: 0 };
    expect(mean).toBeCloseTo(gains.reduce((sum, gain) => sum + gain, 0) / gains.length, 12);
    // The interval is that of a normal distribution, nearly.
    const deviation = Math.sqrt(gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / gains.length);
    const half = (1.96 * deviation) / Math.sqrt(gains.length);
    expect(Math.abs(mean - half - low)).toBeLessThan(half / 4);
    expect(Math.abs(mean + half - high)).toBeLessThan(half / 4);
  });

  it.each([
    [1, 0.207],
    [3, 0.438],
    [30, 0.886],
  ])('claims no more of %i cases that all went alike than Wilson does', async (count, least) => {
    const alike = Array.from({ length: count }, (_, at) => ({
      id: `case ${at}`,
      query: 'send mail',
      relevant: ['send_email'],
    }));
    const [found] = (await evaluate({ tools, cases: alike })).scorers;
    for (const figure of Object.values(found?.figures ?? {}))
      expect(figure).toEqual({ mean: 1, low: expect.closeTo(least, 3), high: 1 });
    const none = { name: 'none', index: () => ({ search: () => [] }) };
    const [missed] = (await evaluate({ tools, cases: alike, scorers: [none] })).scorers;
    for (const figure of Object.values(missed?.figures ?? {}))
      expect(figure).toEqual({ mean: 0, low: 0, high: expect.closeTo(1 - least, 3) });
  });

  it.each([
    [{ tools, cases: [] }, '"cases" must be a list of at least one case; got an array of 0.'],
    [{ tools, cases, topk: 3 }, '"topk" is no option of evaluate. Did you mean "topK"?'],
    [{ tools, cases, topK: 0 }, '"topK" must be a whole number above 0; got 0.'],
    [{ tools, cases, scorers: [] }, '"scorers" must be a list of scorers; got an array of 0.'],
    [{ tools: null, cases }, '"tools" must be a record of tools by name; await what is still a promise; got null.'],
    [
      { tools, cases: [{ query: 'x', relevant: 'send_email' }] },
      '"cases[0]" must be a case such as { query: "…", relevant: ["…"] }; got an object.',
    ],
    [
      { tools, cases: [{ query: 'x', relevant: ['send_mail'] }] },
      '"cases" wants the tool "send_mail" in case 1, which "tools" has not. Did you mean "send_email"?',
    ],
  ])('refuses %j', async (options, message) => {
    await expect(evaluate(options as never)).rejects.toThrow(new ToolSearchError('invalid-option', message));
  });

  it('throws what a scorer throws', async () => {
    const broken: ToolScorer = {
      name: 'broken',
      index: () => ({
        search: () => {
          throw new Error('no disk');
        },
      }),
    };
    await expect(evaluate({ tools, cases, scorers: [broken] })).rejects.toThrow('no disk');
  });
});
