import path from 'node:path';
import {
  bm25Scorer,
  ToolSearchError,
  ToolSearchProcessor,
  tieredScorer,
  wordsAndMeaningScorer,
} from 'mastra-tool-search';
import { type EvaluateOptions, type EvaluationCase, evaluate } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { measure, ofScorer } from '../../bench/retrieval/measure.ts';
import { readSet } from '../../bench/retrieval/sets.ts';
import { tool, toolRecord } from '../../support/agent.ts';

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
const caseOf = (query: string, ...relevant: string[]): EvaluationCase => ({ query, relevant });
/** What an evaluation says of the first scorer; by words, unless it is told another. */
const scored = async (options: Partial<EvaluateOptions> = {}) => {
  const { scorers } = await evaluate({ tools, cases, scorers: [bm25Scorer()], ...options });
  return scorers[0]!;
};

describe('an evaluation', () => {
  it('says of each case where its tools rank, and what came first; and the means over those that a tool serves', async () => {
    const { tools: count, topK, scorers } = await evaluate({ tools, cases, scorers: [bm25Scorer()] });
    const [scorer] = scorers;
    expect([count, topK, scorers.length]).toEqual([4, 5, 1]);
    expect(scorer).toMatchObject({
      ...{ scorer: 'bm25', verdicts: { falseAlarms: 0, missedNothings: 0 } },
      confusions: [{ wanted: 'send_email', instead: 'read_email', count: 1, words: ['inbox'] }],
      figures: { hit1: { mean: 0.5 }, mrr: { mean: 0.75, low: 0.5, high: 1 } },
    });
    expect(scorer?.cases).toEqual([
      {
        ...{ id: 'first', query: 'send email', relevant: ['send_email'], rank: 1, found: ['send_email', 'read_email'] },
        ...{ figures: { hit1: 1, recall: 1, mrr: 1, ndcg10: 1 }, isWeak: false },
      },
      {
        ...{ id: 'second', query: 'email of the inbox', relevant: ['send_email'], rank: 2 },
        ...{ found: ['read_email', 'send_email'], isWeak: false },
        figures: { hit1: 0, recall: 1, mrr: 0.5, ndcg10: expect.closeTo(0.631, 3) },
      },
      { id: 'none', query: 'divide the estate', relevant: [], found: [], isWeak: true },
    ]);
  });

  it('reads lists as MCP servers and the APIs of providers have them, and says which has no name', async () => {
    const inputSchema = { type: 'object', properties: { to: { type: 'string', description: 'The inbox.' } } };
    const mail = { name: 'send_email', description: 'Send an email message to a person.' };
    const lists: readonly (readonly object[])[] = [
      [{ ...mail, inputSchema }],
      [{ ...mail, input_schema: inputSchema }],
      [{ type: 'function', ...mail, parameters: inputSchema }],
      [{ type: 'function', function: { ...mail, parameters: inputSchema } }],
      [{ functionDeclarations: [{ ...mail, parameters: inputSchema }] }],
    ];
    const asked = [caseOf('inbox', 'send_email'), caseOf('person', 'send_email')];
    const [first, ...others] = await Promise.all(lists.map((list) => scored({ tools: list, cases: asked })));
    expect([first?.figures?.hit1.mean, ...others]).toEqual([1, ...others.map(() => first)]);
    const nameless = scored({ tools: [mail, { description: 'Read.' }] as never, cases: asked });
    await expect(nameless).rejects.toThrow('Number 2 of the list "tools" has no name. Give each tool one.');
  });

  it('counts the same confusion once, the most frequent first', async () => {
    const ofIssue = ['weather', 'city weather'].map((query) => caseOf(query, 'create_issue'));
    const again = [...ofIssue, caseOf('issue', 'get_weather'), caseOf('zzz', 'get_weather')];
    const scorer = await scored({ cases: again });
    expect(scorer.confusions).toEqual([
      { wanted: 'create_issue', instead: 'get_weather', count: 2, words: ['weather'] },
      { wanted: 'get_weather', instead: 'create_issue', count: 1, words: ['issue'] },
      { wanted: 'get_weather', count: 1, words: [] },
    ]);
    expect(scorer.cases.at(-1)).toEqual({
      ...{ id: '4', query: 'zzz', relevant: ['get_weather'], found: [], isWeak: true },
      figures: { hit1: 0, recall: 0, mrr: 0, ndcg10: 0 },
    });
  });

  it('ranks as a processor does by default', async () => {
    const { scorers } = await evaluate({ tools, cases });
    expect(scorers).toEqual((await evaluate({ tools, cases, scorers: [wordsAndMeaningScorer()] })).scorers);
    const processor = new ToolSearchProcessor({ tools: tools as never });
    for (const { query, found, rank } of scorers[0]?.cases ?? []) {
      const names = (await processor.search(query)).map(({ name }) => name);
      if (rank !== undefined) expect(names[0]).toBe(found[0]);
    }
  });

  it('measures each scorer by itself; without a confidence it has no verdicts, without a tool that serves no figures', async () => {
    const { scorers } = await evaluate({ tools, cases, scorers: [bm25Scorer(), tieredScorer()] });
    const has = scorers.map(({ scorer, verdicts }) => [scorer, verdicts !== undefined]);
    expect(has).toEqual([
      ['bm25', true],
      ['tiered', false],
    ]);
    expect(scorers[1]?.cases[0]).not.toHaveProperty('isWeak');
    const none = await scored({ cases: cases.slice(2) });
    expect(none).not.toHaveProperty('figures');
    expect(none.verdicts).toEqual({ missedNothings: 0 });
  });

  it('counts as shown what topK shows, and a need that one of several tools serves once', async () => {
    const { figures } = await scored({ cases: cases.slice(1, 2), topK: 1 });
    expect([figures?.recall.mean, figures?.mrr.mean]).toEqual([0, 0.5]);
    const both = caseOf('weather', 'get_weather', 'create_issue');
    expect((await scored({ cases: [both] })).figures?.recall.mean).toBe(0.5);
    expect((await scored({ cases: [{ ...both, groups: [both.relevant] }] })).figures?.recall.mean).toBe(1);
  });

  it('reads tools as a server lists them, and the keywords and groups of the application', async () => {
    const listed = [{ name: 'send.email', description: 'Send an email.' }];
    const [found] = (await scored({ tools: listed, cases: [caseOf('email', 'send.email')] })).cases;
    expect(found).toMatchObject({ relevant: ['send_email'], rank: 1, found: ['send_email'] });
    const rankOf = async (query: string, options: Partial<EvaluateOptions> = {}) =>
      (await scored({ cases: [caseOf(query, 'get_weather')], ...options })).cases[0]?.rank;
    const groups = ({ id }: { id: string }) => ({ name: 'x', description: id === 'get_weather' ? 'The sky.' : '' });
    expect([await rankOf('sunshine'), await rankOf('sunshine', { keywords: { get_weather: ['sunshine'] } })]).toEqual([
      ...[undefined, 1],
    ]);
    expect([await rankOf('sky'), await rankOf('sky', { groups })]).toEqual([undefined, 1]);
  });

  it('is that of the bench, to the digit', async () => {
    const set = readSet(path.resolve('test/fixtures/mcp-dev'));
    const { searches } = await measure(ofScorer(bm25Scorer()), set);
    const definitions = set.tools.map(({ id, description, inputSchema, annotations, server }) => {
      return [id, { description, inputSchema, mcp: { annotations }, mcpMetadata: { serverName: server } }] as const;
    });
    const { cases: own, figures } = await scored({ tools: Object.fromEntries(definitions), cases: set.queries });
    expect(own.map((one) => [one.figures?.hit1, one.figures?.recall, one.figures?.ndcg10])).toEqual(
      searches.map((one) => [one.figures.hit1, one.figures.recall, one.figures.ndcg10]),
    );
    const gains = searches.map((one) => one.figures.ndcg10);
    const { mean, low, high } = figures?.ndcg10 ?? { mean: 0, low: 0, high: 0 };
    expect(mean).toBeCloseTo(gains.reduce((sum, gain) => sum + gain, 0) / gains.length, 12);
    // The interval is that of a normal distribution, nearly.
    const deviation = Math.sqrt(gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / gains.length);
    const half = (1.96 * deviation) / Math.sqrt(gains.length);
    expect([mean - low, high - mean].map((width) => Math.abs(width - half) < half / 4)).toEqual([true, true]);
  });

  it.each([
    [1, 0.207],
    [3, 0.438],
    [30, 0.886],
  ])('claims no more of %i cases that all went alike than Wilson does', async (count, least) => {
    const alike = Array.from({ length: count }, (_, at) => ({
      ...caseOf('send mail', 'send_email'),
      id: `case ${at}`,
    }));
    const none = { name: 'none', index: () => ({ search: () => [] }) };
    for (const figure of Object.values((await scored({ cases: alike })).figures ?? {}))
      expect(figure).toEqual({ mean: 1, low: expect.closeTo(least, 3), high: 1 });
    for (const figure of Object.values((await scored({ cases: alike, scorers: [none] })).figures ?? {}))
      expect(figure).toEqual({ mean: 0, low: 0, high: expect.closeTo(1 - least, 3) });
  });

  it.each([
    [{ cases: [] }, '"cases" must be a list of at least one case; got an array of 0.'],
    [{ topk: 3 }, '"topk" is no option of evaluate. Did you mean "topK"?'],
    [{ topK: 0 }, '"topK" must be a whole number above 0; got 0.'],
    [{ scorers: [] }, '"scorers" must be a list of scorers; got an array of 0.'],
    [{ groups: 'x' }, '"groups" must be a function; got "x".'],
    [{ tools: null }, '"tools" must be a record of tools by name; await what is still a promise; got null.'],
    [
      { cases: [{ query: 'x', relevant: 'send_email' }] },
      '"cases[0]" must be a case such as { query: "…", relevant: ["…"] }; got an object.',
    ],
    [
      { cases: [caseOf('x', 'send_mail')] },
      '"cases" wants the tool "send_mail" in case 1, which "tools" has not. Did you mean "send_email"?',
    ],
  ])('refuses %j', async (options, message) => {
    const refused = evaluate({ tools, cases, ...options } as never);
    await expect(refused).rejects.toThrow(new ToolSearchError('invalid-option', message));
  });

  it('throws what a scorer throws', async () => {
    const search = () => Promise.reject(new Error('no disk'));
    await expect(scored({ scorers: [{ name: 'broken', index: () => ({ search }) }] })).rejects.toThrow('no disk');
  });
});
