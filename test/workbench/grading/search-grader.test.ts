import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from '@mastra/core/agent';
import { runEvals } from '@mastra/core/evals';
import { Mastra } from '@mastra/core/mastra';
import { LibSQLStore } from '@mastra/libsql';
import fc from 'fast-check';
import { ToolSearchError, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { searchGrader } from 'mastra-tool-search/evals';
import { fromDatasetItems, toDatasetItems } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { call, calls, email, load, rig, searchLoadCall, toolRecord, weather } from '../../support/agent.ts';
import { isLinear } from '../../support/growth.ts';
import { type Script, scriptedModel, userText } from '../../support/scripted-model.ts';

const tools = toolRecord(weather(), email());
const search = (query: string) => ({ toolName: 'search_tools', input: { query } });
const groundTruth = { relevant: ['get_weather'] };
const metaTools = { search: { name: 'find_tools' }, load: { name: 'take_tool' } };
const named = [
  { toolName: 'find_tools', input: { query: 'weather' } },
  { toolName: 'take_tool', input: { toolName: 'get_weather' } },
];

describe('a search grader', () => {
  it.each<[string, Partial<ToolSearchProcessorOptions>, Script, number | null, ReturnType<typeof searchGrader>?]>([
    ['found and called', {}, searchLoadCall('weather'), 1],
    [
      'with a search in vain',
      {},
      calls(search('zzz'), search('weather'), load('get_weather'), call('get_weather')),
      0.5,
    ],
    [
      'with a search in vain in call mode',
      { mode: 'call' },
      calls(search('zzz'), search('weather'), { toolName: 'call_tool', input: { toolName: 'get_weather' } }),
      0.5,
    ],
    [
      'with a call of a tool that was not there',
      { onMiss: 'error' },
      calls(call('send_email'), search('weather'), load('get_weather'), call('get_weather')),
      0.5,
    ],
    ['with other names', { metaTools }, calls(...named, call('get_weather')), 1, searchGrader({ metaTools })],
    ['without searches', {}, () => ({ text: 'Hello.' }), null],
  ])('grades a run: %s', async (_, options, script, score, grader = searchGrader()) => {
    const setup = { script, agent: { defaultOptions: { maxSteps: 10 } } };
    const { agent } = rig({ tools, ...options }, setup);
    const { scores, summary } = await runEvals({ target: agent, data: [{ input: 'weather' }], scorers: [grader] });
    expect(scores['tool-search'] ?? null).toBe(score);
    expect(summary.notScorable ?? {}).toEqual(score === null ? { 'tool-search': 1 } : {});
    if (score === null) return;
    const judged = await runEvals({ target: agent, data: [{ input: 'weather', groundTruth }], scorers: [grader] });
    expect(judged.scores).toEqual({ 'tool-search': score });
  });

  it('reads the searches of providers', async () => {
    const parts = [
      done('tool_search_tool_bm25', { query: 'tickets' }, []),
      done('tool_search_tool_regex', { pattern: 'weather' }, [{ type: 'tool_reference', toolName: 'get_weather' }]),
      done('tool_search', { arguments: { query: 'mail' }, call_id: 'c' }, { tools: [{ name: 'send_email' }] }),
      done('get_weather', {}, {}),
    ];
    const output = [{ role: 'assistant', content: { format: 2, parts } }];
    const { score, preprocessStepResult } = await searchGrader().run({ input: 'x', output });
    expect(score).toBeCloseTo(1 / 3);
    const found = { searches: 3, found: ['get_weather'], inVain: ['"tickets"', '"mail"'] };
    expect(preprocessStepResult).toMatchObject(found);
  });

  const unreadable = {
    get: (): never => {
      throw new Error('no field');
    },
  };
  const toolCall = (result: object) => ({
    role: 'assistant',
    content: { parts: [invoked({ state: 'result', toolName: 'search_tools', args: { query: 'x' }, result })] },
  });
  const readable = toolCall({ results: [{ name: 'get_weather' }] });
  it.each<[unknown, number]>([
    ...[null, 'text', 7, {}, [], [null, 7], [{ role: 'assistant' }]].map((output): [unknown, number] => [output, 0]),
    [[Object.defineProperty({}, 'role', unreadable), readable], 1],
    [[Object.defineProperty({ role: 'assistant' }, 'content', unreadable), readable], 1],
    [[toolCall({ results: [Object.defineProperty({}, 'name', unreadable)] }), readable], 1],
  ])('passes over what cannot be read: %#', async (output, expected) => {
    const { score, preprocessStepResult } = await searchGrader().run({ input: null, output, groundTruth });
    expect([score, preprocessStepResult?.searches]).toEqual([expected, expected]);
  });

  it('is refused options that it does not have', () => {
    expect(() => searchGrader({ name: 'x' } as never)).toThrow(ToolSearchError);
    expect(() => searchGrader({ metaTools: { search: { name: '' } } })).toThrow(ToolSearchError);
  });
});

type Search = readonly [query: string, ...found: string[]];
const invoked = (toolInvocation: object) => ({ type: 'tool-invocation', toolInvocation });
const done = (toolName: string, args: unknown, result: unknown) => invoked({ state: 'result', toolName, args, result });

/** The messages of a run: its searches; the tools that were called, with the searches before; calls of what was not there. */
function messagesOf(
  searches: readonly Search[],
  called: Readonly<Record<string, number>> = {},
  missed: readonly string[] = [],
) {
  const callsAfter = (count: number) =>
    Object.entries(called).flatMap(([name, before]) =>
      Math.min(before, searches.length) === count ? [done(name, {}, {})] : [],
    );
  const parts = [
    ...callsAfter(0),
    ...searches.flatMap(([query, ...found], at) => [
      done('search_tools', { query }, { results: found.map((name) => ({ name })) }),
      ...callsAfter(at + 1),
    ]),
    ...missed.map((name) => invoked({ state: 'output-error', toolName: 'x', errorText: `Tool "${name}" not found.` })),
  ];
  return [{ role: 'assistant', content: { format: 2, parts } }];
}

/** What a run is graded as; the score is undefined where there is nothing to grade. */
async function graded(run: Parameters<typeof messagesOf>, truth?: unknown) {
  const { score, reason, preprocessStepResult } = await searchGrader().run({
    ...{ input: 'x', output: messagesOf(...run), groundTruth: truth },
  });
  return { ...preprocessStepResult, score: score ?? undefined, reason: reason ?? '' };
}

describe('the grade of a run', () => {
  const X = { relevant: ['x'] };
  const XY = { relevant: ['x', 'y'] };
  /** Searches that find x, and none or x and y. */
  const [ax, bx, none, axy]: Search[] = [['a', 'x'], ['b', 'x'], ['a'], ['a', 'x', 'y']];
  it.each<[string, Parameters<typeof messagesOf>, unknown, number | undefined]>([
    ['one search that leads to a call', [[axy!], { x: 1 }], undefined, 1],
    ['two tools of one search', [[axy!], { x: 1, y: 1 }], undefined, 1],
    ['a search in vain before', [[none!, bx!], { x: 2 }], undefined, 0.5],
    ['two searches side by side', [[ax!, ['b', 'y']], { x: 2, y: 2 }], undefined, 1],
    ['the same search again', [[ax!, bx!], { x: 2 }], undefined, 0.5],
    ['only searches in vain', [[none!, bx!]], undefined, 0],
    ['a miss', [[ax!], { x: 1 }, ['y']], undefined, 0.5],
    ['a miss alone', [[], {}, ['y']], undefined, 0],
    ['tools that no search showed', [[], { x: 0 }], undefined, undefined],
    ['what was wanted, in the first search', [[ax!]], X, 1],
    ['what was wanted, in the second', [[none!, bx!]], X, 0.5],
    ['half of what was wanted', [[ax!]], XY, 0.5],
    ['one tool of a group', [[['a', 'y']]], { ...XY, groups: [['x', 'y']] }, 1],
    ['what was there before a search', [[], { x: 0 }], X, 1],
    ['a search for what was there before it', [[ax!], { x: 0 }], X, 0.5],
    ['what was called though no search showed it', [[none!], { x: 1 }], X, 0.5],
    ['a tool that is wanted twice', [[ax!]], { relevant: ['x', 'x', 'y'] }, 0.5],
    ['a need without tools', [[ax!]], { ...X, groups: [['x', 'x'], []] }, 1],
    ['nothing of what was wanted', [[]], X, 0],
    ['nothing, where nothing fits', [[ax!]], { relevant: [] }, 1],
    ['a call, where nothing fits', [[ax!], { x: 1 }], { relevant: [] }, 0],
  ])('for %s', async (_, run, truth, score) => {
    expect((await graded(run, truth)).score).toBe(score);
  });

  it('says why, without long or hidden texts', async () => {
    expect(await graded([[['tickets'], ['issue', 'x']], { x: 2 }, ['z']], XY)).toEqual({
      score: 0.25,
      reason: '2 searches found x. not found: y. in vain: "tickets". called without being there: z.',
      ...{ searches: 2, found: ['x'], missing: ['y'], inVain: ['"tickets"'], missed: ['z'] },
    });
    expect((await graded([[none!]])).reason).toBe('1 search found no tool that was wanted. in vain: "a".');
    const wrong = await graded([[ax!], { x: 1 }], { relevant: [] });
    expect(wrong.reason).toBe('Nothing fits, and the run called x.');
    const long = await graded([[[`a\u202e${'b'.repeat(500)}`]], {}, ['c\n'.repeat(100)]], X);
    expect(long.reason).not.toMatch(/[\u202e\n]/);
    expect(long.reason.length).toBeLessThan(400);
    const names = await graded([[['a', 'x\u202e']], {}, ['z\u001b[2J']], { relevant: ['x\u202e', 'y\u001b[2J'] });
    expect(names).toMatchObject({ found: ['x'], missing: ['y [2J'], missed: ['z [2J'] });
  });

  it.each([
    ['a ground truth', (length: number) => ({ relevant: Array.from({ length }, (_, n) => `t${n}`) })],
    ['no ground truth', () => undefined],
  ])('takes little time for many searches, with %s', async (_, truthOf) => {
    const grade = async (length: number): Promise<void> => {
      const searches = Array.from({ length }, (_, n): Search => ['q', `a${n}`, `b${n}`, `t${n}`]);
      const output = searches.flatMap((one, n) => messagesOf([one], { [`t${n}`]: 1 }));
      expect((await searchGrader().run({ input: 'x', output, groundTruth: truthOf(length) })).score).toBe(1);
    };
    expect(await isLinear(grade, { length: 1_000 })).toBe(true);
  });

  it('is from 0 to 1, 1 only where nothing went amiss, and never rises by another search in vain', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const anySearch = fc.array(name, { maxLength: 3 }).map((found): Search => ['q', ...found]);
    const anyRun = fc.tuple(
      fc.array(anySearch, { maxLength: 5 }),
      fc.dictionary(name, fc.nat(5)),
      fc.array(name, { maxLength: 3 }),
    );
    const anyTruth = fc.option(fc.record({ relevant: fc.uniqueArray(name) }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(anyRun, anyTruth, async ([searches, ...others], truth) => {
        const { score, missing = [], inVain = [], missed = [] } = await graded([searches, ...others], truth);
        if (score === undefined) return;
        expect([score >= 0, score <= 1]).toEqual([true, true]);
        if (truth?.relevant.length === 0) return;
        expect(score === 1).toBe([...missing, ...inVain, ...missed].length === 0);
        const again = await graded([[...searches, ['again']], ...others], truth);
        if (truth) expect(again.score).toBeLessThanOrEqual(score);
      }),
    );
  });
});

it('grades in a Mastra instance with a LibSQL file: experiments over cases of a dataset, and live runs, whose score is stored', async () => {
  const cases = [
    { id: 'wx', query: 'weather of a city', relevant: ['get_weather'] },
    { query: 'email message', relevant: ['send_email'], groups: [['send_email', 'get_weather']] },
    { query: 'divide the estate', relevant: [] },
  ];
  const folder = mkdtempSync(path.join(tmpdir(), 'evals-'));
  const processor = new ToolSearchProcessor({ tools });
  const agent = new Agent({
    ...{ id: 'office', name: 'Office', instructions: 'Help.', inputProcessors: [processor] },
    // It searches for what the user says, and calls what comes first.
    model: scriptedModel((received) => searchLoadCall(userText(received.prompt))(received)),
    scorers: { search: { scorer: searchGrader({ id: 'live' }), sampling: { type: 'ratio', rate: 1 } } },
  });
  const storage = new LibSQLStore({ id: 'evals', url: `file:${folder}/evals.db` });
  const mastra = new Mastra({ agents: { office: agent }, storage, logger: false });
  const { id } = await mastra.datasets.create({ name: 'tool search' });
  const dataset = await mastra.datasets.get({ id });
  await dataset.addItems({ items: toDatasetItems(cases) });
  const listed = await dataset.listItems({ perPage: 100 });
  const read = fromDatasetItems(Array.isArray(listed) ? listed : listed.items);
  expect(read).toHaveLength(3);
  expect(read).toEqual(expect.arrayContaining(cases));

  const summary = await dataset.startExperiment({
    ...{ name: 'agent', targetType: 'agent', targetId: 'office', maxConcurrency: 1 },
    scorers: [searchGrader()],
  });
  expect([summary.status, summary.succeededCount]).toEqual(['completed', 3]);
  const ofQuery = new Map(summary.results.map(({ input, scores }) => [input, scores[0]]));
  expect(cases.map(({ query }) => ofQuery.get(query)?.score)).toEqual([1, 1, 1]);
  expect(ofQuery.get('weather of a city')?.reason).toBe('1 search found get_weather.');

  await dataset.addItems({ items: toDatasetItems([{ query: 'zzz', relevant: ['send_email'] }]) });
  const task = ({ input }: { input: unknown }) => processor.search(input as string);
  const { results } = await dataset.startExperiment({ name: 'search', task, scorers: [searchGrader()] });
  const scores = new Map(results.map(({ input, scores: [first] }) => [input, first?.score]));
  expect([...cases.map(({ query }) => query), 'zzz'].map((query) => scores.get(query))).toEqual([1, 1, 1, 0]);

  const stored = async () => {
    const store = await storage.getStore('scores');
    const found = await store?.listScoresByScorerId({ scorerId: 'live', pagination: { page: 0, perPage: 10 } });
    return found?.scores.map(({ score, reason }) => [score, reason]);
  };
  await agent.generate('weather of a city');
  await expect.poll(stored).toContainEqual([1, '1 search found get_weather.']);
  rmSync(folder, { recursive: true, force: true });
});
