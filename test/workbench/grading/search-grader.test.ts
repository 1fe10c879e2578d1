import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from '@mastra/core/agent';
import { runEvals } from '@mastra/core/evals';
import { Mastra } from '@mastra/core/mastra';
import { LibSQLStore } from '@mastra/libsql';
import { ToolSearchError, ToolSearchProcessor } from 'mastra-tool-search';
import { searchGrader } from 'mastra-tool-search/evals';
import { fromDatasetItems, toDatasetItems } from 'mastra-tool-search/evaluate';
import { afterAll, describe, expect, it } from 'vitest';
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
    const part = (toolName: string, args: unknown, result: unknown) => ({
      type: 'tool-invocation',
      toolInvocation: { state: 'result', toolCallId: toolName, toolName, args, result },
    });
    const output = [
      {
        ...{ id: '1', role: 'assistant', createdAt: new Date() },
        content: {
          format: 2,
          parts: [
            part('tool_search_tool_bm25', { query: 'tickets' }, []),
            part('tool_search_tool_regex', { pattern: 'weather' }, [
              { type: 'tool_reference', toolName: 'get_weather' },
            ]),
            part('tool_search', { arguments: { query: 'mail' }, call_id: 'c' }, { tools: [{ name: 'send_email' }] }),
            part('get_weather', {}, {}),
          ],
        },
      },
    ];
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
