import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from '@mastra/core/agent';
import { runEvals } from '@mastra/core/evals';
import { Mastra } from '@mastra/core/mastra';
import { LibSQLStore } from '@mastra/libsql';
import fc from 'fast-check';
import { ToolSearchError, ToolSearchProcessor } from 'mastra-tool-search';
import { searchGrader } from 'mastra-tool-search/evals';
import { fromDatasetItems, toDatasetItems } from 'mastra-tool-search/evaluate';
import { afterAll, describe, expect, it } from 'vitest';
import { isLinear } from '../../support/growth.ts';
import { call, calls, email, load, rig, searchLoadCall, toolRecord, weather } from '../../support/harness.ts';
import { type Script, scriptedModel, userText } from '../../support/scripted-model.ts';

const tools = toolRecord(weather(), email());
const search = (query: string) => ({ toolName: 'search_tools', input: { query } });
const groundTruth = { relevant: ['get_weather'] };

describe('a search grader', () => {
  it('grades a run of load mode, with and without a ground truth', async () => {
    const { agent } = rig({ tools }, { script: searchLoadCall('weather') });
    const data = [{ input: 'How is the weather?', groundTruth }, { input: 'How is the weather?' }];
    const { scores, summary } = await runEvals({ target: agent, data, scorers: [searchGrader()] });
    expect([scores, summary.totalItems]).toEqual([{ 'tool-search': 1 }, 2]);
  });

  it.each([
    { mode: 'load', script: calls(search('zzz'), search('weather'), load('get_weather'), call('get_weather')) },
    {
      mode: 'call',
      script: calls(search('zzz'), search('weather'), { toolName: 'call_tool', input: { toolName: 'get_weather' } }),
    },
  ] as const)('sees in $mode mode that a search was in vain', async ({ mode, script }) => {
    const { agent } = rig({ tools, mode }, { script, agent: { defaultOptions: { maxSteps: 10 } } });
    const reasons: unknown[] = [];
    const { scores } = await runEvals({
      target: agent,
      data: [{ input: 'weather' }],
      scorers: [searchGrader()],
      onItemComplete: ({ scorerResults }) => void reasons.push(scorerResults),
    });
    expect(scores).toEqual({ 'tool-search': 0.5 });
    expect(JSON.stringify(reasons)).toContain('2 searches found get_weather. in vain: ');
  });

  it('counts a call of a tool that was not there', async () => {
    const script = calls(call('send_email'), search('weather'), load('get_weather'), call('get_weather'));
    const { agent } = rig({ tools, onMiss: 'error' }, { script, agent: { defaultOptions: { maxSteps: 10 } } });
    const { scores } = await runEvals({ target: agent, data: [{ input: 'weather' }], scorers: [searchGrader()] });
    expect(scores).toEqual({ 'tool-search': 0.5 });
  });

  it('knows other names of the meta-tools', async () => {
    const metaTools = { search: { name: 'find_tools' }, load: { name: 'take_tool' } };
    const script = calls(
      { toolName: 'find_tools', input: { query: 'weather' } },
      { toolName: 'take_tool', input: { toolName: 'get_weather' } },
      call('get_weather'),
    );
    const { agent } = rig({ tools, metaTools }, { script, agent: { defaultOptions: { maxSteps: 10 } } });
    const data = [{ input: 'weather' }];
    const { scores } = await runEvals({ target: agent, data, scorers: [searchGrader({ metaTools })] });
    expect(scores).toEqual({ 'tool-search': 1 });
  });

  it('has no score for a run without searches', async () => {
    const { agent } = rig({ tools }, { script: () => ({ text: 'Hello.' }) });
    const { scores, summary } = await runEvals({ target: agent, data: [{ input: 'hi' }], scorers: [searchGrader()] });
    expect(scores['tool-search'] ?? null).toBeNull();
    expect(summary.notScorable).toEqual({ 'tool-search': 1 });
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
    expect(preprocessStepResult).toMatchObject({
      searches: 3,
      found: ['get_weather'],
      inVain: ['"tickets"', '"mail"'],
    });
  });

  it.each([null, 'text', 7, {}, [], [null, 7], [{ role: 'assistant' }]])('survives the output %j', async (output) => {
    const { score } = await searchGrader().run({ input: null, output, groundTruth });
    expect(score).toBe(0);
  });

  it('passes over messages that cannot be read', async () => {
    const fails = {
      get: () => {
        throw new Error('no field');
      },
    };
    const invocation = { state: 'result', toolName: 'search_tools', args: { query: 'x' } };
    const broken = (toolInvocation: object) => ({
      ...{ role: 'assistant', content: { parts: [{ type: 'tool-invocation', toolInvocation }] } },
    });
    const output = [
      Object.defineProperty({}, 'role', fails),
      Object.defineProperty({ role: 'assistant' }, 'content', fails),
      broken({ ...invocation, result: { results: [Object.defineProperty({}, 'name', fails)] } }),
      broken({ ...invocation, result: { results: [{ name: 'get_weather' }] } }),
    ];
    const { score, preprocessStepResult } = await searchGrader().run({ input: 'x', output, groundTruth });
    expect([score, preprocessStepResult?.searches]).toEqual([1, 1]);
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
async function graded(run: Parameters<typeof messagesOf>, groundTruth?: unknown) {
  const output = messagesOf(...run);
  const { score, reason, preprocessStepResult } = await searchGrader().run({ input: 'x', output, groundTruth });
  return { ...preprocessStepResult, score: score ?? undefined, reason: reason ?? '' };
}

describe('the grade of a run', () => {
  const X = ['x'] as const;
  it.each<[string, Parameters<typeof messagesOf>, unknown, number | undefined]>([
    ['one search that leads to a call', [[['a', 'x', 'y']], { x: 1 }], undefined, 1],
    ['two tools of one search', [[['a', 'x', 'y']], { x: 1, y: 1 }], undefined, 1],
    ['a search in vain before', [[['a'], ['b', 'x']], { x: 2 }], undefined, 0.5],
    [
      'two searches side by side',
      [
        [
          ['a', 'x'],
          ['b', 'y'],
        ],
        { x: 2, y: 2 },
      ],
      undefined,
      1,
    ],
    ['only searches in vain', [[['a'], ['b', 'x']]], undefined, 0],
    ['a miss', [[['a', 'x']], { x: 1 }, ['y']], undefined, 0.5],
    ['a miss alone', [[], {}, ['y']], undefined, 0],
    ['tools that no search showed', [[], { x: 0 }], undefined, undefined],
    ['what was wanted, in the first search', [[['a', 'x']]], { relevant: X }, 1],
    ['what was wanted, in the second', [[['a'], ['b', 'x']]], { relevant: X }, 0.5],
    ['half of what was wanted', [[['a', 'x']]], { relevant: ['x', 'y'] }, 0.5],
    ['one tool of a group', [[['a', 'y']]], { relevant: ['x', 'y'], groups: [['x', 'y']] }, 1],
    ['what was there before a search', [[], { x: 0 }], { relevant: X }, 1],
    ['a search for what was there before it', [[['a', 'x']], { x: 0 }], { relevant: X }, 0.5],
    ['what was called though no search showed it', [[['a']], { x: 1 }], { relevant: X }, 0.5],
    ['a tool that is wanted twice', [[['a', 'x']]], { relevant: ['x', 'x', 'y'] }, 0.5],
    ['a need without tools', [[['a', 'x']]], { relevant: X, groups: [['x', 'x'], []] }, 1],
    ['nothing of what was wanted', [[]], { relevant: X }, 0],
    ['nothing, where nothing fits', [[['a', 'x']]], { relevant: [] }, 1],
    ['a call, where nothing fits', [[['a', 'x']], { x: 1 }], { relevant: [] }, 0],
  ])('for %s', async (_, run, truth, score) => {
    expect((await graded(run, truth)).score).toBe(score);
  });

  it('counts the same search again as one in vain', async () => {
    const again: readonly Search[] = [
      ['a', 'x'],
      ['b', 'x'],
    ];
    expect((await graded([again, { x: 2 }])).score).toBe(0.5);
  });

  it('says why, without long or hidden texts', async () => {
    const run = [[['tickets'], ['issue', 'x']], { x: 2 }, ['z']] as const;
    expect(await graded(run as never, { relevant: ['x', 'y'] })).toEqual({
      score: 0.25,
      reason: '2 searches found x. not found: y. in vain: "tickets". called without being there: z.',
      ...{ searches: 2, found: ['x'], missing: ['y'], inVain: ['"tickets"'], missed: ['z'] },
    });
    expect((await graded([[['a']]])).reason).toBe('1 search found no tool that was wanted. in vain: "a".');
    const wrong = await graded([[['a', 'x']], { x: 1 }], { relevant: [] });
    expect(wrong.reason).toBe('Nothing fits, and the run called x.');
    const long = await graded([[[`a\u202e${'b'.repeat(500)}`]], {}, ['c\n'.repeat(100)]], { relevant: X });
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
      const output = searches.flatMap((search, n) => messagesOf([search], { [`t${n}`]: 1 }));
      const { score } = await searchGrader().run({ input: 'x', output, groundTruth: truthOf(length) });
      expect(score).toBe(1);
    };
    expect(await isLinear(grade, { length: 1_000 })).toBe(true);
  });

  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const anyRun = fc.tuple(
    fc.array(
      fc.array(name, { maxLength: 3 }).map((found): Search => ['q', ...found]),
      { maxLength: 5 },
    ),
    fc.dictionary(name, fc.nat(5)),
    fc.array(name, { maxLength: 3 }),
  );
  const anyTruth = fc.record({ relevant: fc.uniqueArray(name) });

  it('is from 0 to 1, 1 only where nothing went amiss, and never rises by another search in vain', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, fc.option(anyTruth, { nil: undefined }), async ([searches, ...others], truth) => {
        const { score, missing = [], inVain = [], missed = [] } = await graded([searches, ...others], truth);
        if (score === undefined) return;
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        if (truth?.relevant.length === 0) return;
        expect(score === 1).toBe([...missing, ...inVain, ...missed].length === 0);
        if (truth)
          expect((await graded([[...searches, ['again']], ...others], truth)).score).toBeLessThanOrEqual(score);
      }),
    );
  });
});

/** Searches what the user says, and calls what comes first. */
const asksForWhatIsSaid: Script = (received) => searchLoadCall(userText(received.prompt))(received);

describe('with a Mastra instance and a LibSQL file', () => {
  const cases = [
    { id: 'wx', query: 'weather of a city', relevant: ['get_weather'] },
    { query: 'email message', relevant: ['send_email'], groups: [['send_email', 'get_weather']] },
    { query: 'divide the estate', relevant: [] },
  ];

  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const mastraOf = () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'evals-'));
    folders.push(folder);
    const processor = new ToolSearchProcessor({ tools });
    const agent = new Agent({
      ...{ id: 'office', name: 'Office', instructions: 'Help.' },
      model: scriptedModel(asksForWhatIsSaid),
      inputProcessors: [processor],
      scorers: { search: { scorer: searchGrader({ id: 'live' }), sampling: { type: 'ratio', rate: 1 } } },
    });
    const storage = new LibSQLStore({ id: 'evals', url: `file:${folder}/evals.db` });
    return { processor, agent, storage, mastra: new Mastra({ agents: { office: agent }, storage, logger: false }) };
  };

  it('cases go into a dataset and come back as they were', async () => {
    const { mastra } = mastraOf();
    const dataset = await mastra.datasets.create({ name: 'tool search' });
    await dataset.addItems({ items: toDatasetItems(cases) });
    const again = await mastra.datasets.get({ id: dataset.id });
    const listed = await again.listItems({ perPage: 100 });
    const read = fromDatasetItems(Array.isArray(listed) ? listed : listed.items);
    expect(read).toHaveLength(3);
    expect(read).toEqual(expect.arrayContaining(cases));
  });

  it('an experiment runs the agent over them, and grades it', async () => {
    const { mastra } = mastraOf();
    const dataset = await mastra.datasets.create({ name: 'tool search' });
    await dataset.addItems({ items: toDatasetItems(cases) });
    const summary = await dataset.startExperiment({
      ...{ name: 'agent', targetType: 'agent', targetId: 'office', maxConcurrency: 1 },
      scorers: [searchGrader()],
    });
    expect([summary.status, summary.succeededCount]).toEqual(['completed', 3]);
    const scoreOf = new Map(summary.results.map(({ input, scores }) => [input, scores[0]]));
    expect(cases.map(({ query }) => scoreOf.get(query)?.score)).toEqual([1, 1, 1]);
    expect(scoreOf.get('weather of a city')?.reason).toBe('1 search found get_weather.');
  });

  it('an experiment runs processor.search() over them, and grades it', async () => {
    const { mastra, processor } = mastraOf();
    const dataset = await mastra.datasets.create({ name: 'tool search' });
    await dataset.addItems({ items: toDatasetItems([...cases, { query: 'zzz', relevant: ['send_email'] }]) });
    const summary = await dataset.startExperiment({
      name: 'search',
      task: ({ input }) => processor.search(input as string),
      scorers: [searchGrader()],
    });
    const scoreOf = new Map(summary.results.map(({ input, scores }) => [input, scores[0]?.score]));
    expect(cases.map(({ query }) => scoreOf.get(query))).toEqual([1, 1, 1]);
    expect(scoreOf.get('zzz')).toBe(0);
  });

  it('a live agent is graded as it runs, and the score is stored', async () => {
    const { agent, storage } = mastraOf();
    await agent.generate('weather of a city');
    const scores = await storage.getStore('scores');
    const stored = async () => {
      const found = await scores?.listScoresByScorerId({ scorerId: 'live', pagination: { page: 0, perPage: 10 } });
      return found?.scores.map(({ score, reason }) => [score, reason]);
    };
    await expect.poll(stored).toEqual([[1, '1 search found get_weather.']]);
  });
});
