// What a run tells besides events: spans in a trace, and chunks on its stream.
import { randomUUID } from 'node:crypto';
import { Agent, type AgentConfig } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { SamplingStrategyType } from '@mastra/observability';
import {
  bm25Scorer,
  type ToolScorer,
  type ToolSearchChunk,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { quickJsTransport } from 'mastra-tool-search/quickjs';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { FORMS, goalRig } from '../native/rig/rig.ts';
import { fileMemory } from '../native/rig/world.ts';
import { call, calls, email, load, rig, searchLoadCall, tool, toolRecord } from '../support/agent.ts';
import { type Script, scriptedModel } from '../support/scripted-model.ts';
import { chunksOf, STEP, saidBy, search, traced } from './traced.ts';

/** The default scorer, whose index takes a while. */
const slowToBuild: ToolScorer = {
  ...bm25Scorer(),
  index: async (documents) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return bm25Scorer().index(documents);
  },
};
/** No two alike: processors of a process share the indexes of equal tools, and a shared index has no span. */
const tools = () => toolRecord(tool('get_weather', `Get the current weather of a city: ${randomUUID()}`), email());
const searchFor = (query: string) => ({ toolName: 'search_tools', input: { query } });
const toWeather = searchLoadCall('weather');
const MEMORY = { memory: { thread: 't', resource: 'ann' } };

/** An agent that streams what happens, and these calls of its model. */
const streaming = (script: Script, options: Partial<ToolSearchProcessorOptions> = {}, agent: object = {}) =>
  rig({ tools: tools(), streamEvents: true, ...options }, { script, agent }).agent;
/** The chunks but for those of steps, and for what differs from run to run. */
const told = (chunks: readonly ToolSearchChunk[]) =>
  chunks
    .filter(({ data }) => data.type !== 'step')
    .map(({ data: { type, tools, queries } }) => ({ type, tools, ...(queries ? { queries } : {}) }));
const SEARCHED = [
  { type: 'search', tools: ['get_weather'], queries: ['weather'] },
  { type: 'load', tools: ['get_weather'] },
];

describe('the spans and chunks of a run', () => {
  it('say in load mode what was searched, loaded and sent, and how the index came to be', async () => {
    const { run, own, said, exporter } = traced(streaming(toWeather));
    const chunks = await run('go', MEMORY);
    expect(await own()).toEqual([`${STEP} > index`, `${search} > search`]);
    expect(await said(search)).toMatchObject([{ type: 'search', results: ['get_weather'], loaded: [] }]);
    expect(await said("tool: 'load_tool'")).toMatchObject([{ type: 'load', loaded: ['get_weather'] }]);
    expect(await said('tool-search: index')).toEqual([
      { type: 'index', scorer: 'words and meaning', tools: 2, how: 'built', ms: expect.any(Number) },
    ]);
    expect(exporter.getIncompleteSpans()).toEqual([]);
    const steps = await said(STEP);
    const metaTools = ['search_tools', 'load_tool'];
    const withWeather = [...metaTools, 'get_weather'];
    const sent = [metaTools, metaTools, withWeather, withWeather];
    expect(steps.map((step) => step['sent'])).toEqual(sent);
    expect(steps[0]).toMatchObject({ type: 'step', deferred: 2, preselected: [], tokensSent: expect.any(Number) });
    const [found] = await said(search);
    expect(found).toMatchObject({
      scorer: 'words and meaning',
      candidates: 2,
      denied: 0,
      returned: [{ name: 'get_weather' }],
    });

    expect(told(chunks)).toEqual(SEARCHED);
    expect(chunks.flatMap(({ data }) => (data.type === 'step' ? [data.tools] : []))).toEqual(sent);
    const [first] = chunks.filter(({ data }) => data.type === 'search');
    const { time, runId, ...data } = first?.data ?? {};
    expect({ ...first, data }).toEqual({
      type: 'data-tool-search',
      id: 'tool-search',
      data: { type: 'search', queries: ['weather'], tools: ['get_weather'], step: 1, agentId: 'test-agent' },
      transient: true,
    });
    expect(Date.now() - Number(time)).toBeLessThan(60_000);
    expect(typeof runId).toBe('string');
  });

  it('say in call mode what was searched, and which tool runs, after which the span is named', async () => {
    const bridged = { toolName: 'call_tool', input: { toolName: 'get_weather', arguments: {} } };
    const { run, own, said } = traced(streaming(calls(searchFor('weather'), bridged), { mode: 'call' }));
    expect(told(await run())).toContainEqual({ type: 'run', tools: ['get_weather'] });
    expect(await own()).toEqual([`${STEP} > index`, `${search} > search`]);
    expect(await said(`tool: 'get_weather'`)).toMatchObject([{ toolName: 'get_weather' }]);
  });

  it('have in code mode one for each tool that a program calls, within that of the program', async () => {
    const script = calls(call('execute_typescript', { code: "return external_get_weather({ text: 'Rome' });" }));
    const { run, spans } = traced(streaming(script, { mode: 'code', code: { transport: quickJsTransport() } }));
    await run();
    const all = await spans();
    const inner = all.filter(({ name }) => name.includes('get_weather'));
    expect(inner).toMatchObject([{ input: { text: 'Rome' }, output: expect.anything() }]);
    const parents: string[] = [];
    for (let at = inner[0]; at; at = all.find(({ id }) => id === at?.parentSpanId)) parents.push(at.name);
    expect(parents).toContain("tool: 'execute_typescript'");
  });

  it.each(FORMS.flatMap((form) => (['Agent', 'DurableAgent'] as const).map((kind) => ({ ...form, kind }))))(
    'of $kind say in native mode ($dialect, $execution) what this package searched, or the provider found',
    async ({ kind, ...form }) => {
      const { run, own, said } = traced(goalRig(form, { kind, isAlone: true }).agent);
      await run('use get_weather', { memory: { thread: 't', resource: 'ann' } });
      const found = (await own()).filter((line) => !line.endsWith('> index'));
      if (form.execution === 'server') {
        expect(found).toEqual([`${STEP} > load`]);
        expect(await said('tool-search: load')).toMatchObject([{ loaded: ['get_weather'] }]);
      } else {
        // OpenAI's search has no span of Mastra.
        const parent = form.dialect === 'openai' ? 'step: 0' : search;
        expect(found).toEqual([`${parent} > search`]);
        expect(await said('tool-search: search')).toMatchObject([
          { results: ['get_weather'], loaded: ['get_weather'] },
        ]);
      }
    },
  );

  it.each<[why: string, options: Partial<ToolSearchProcessorOptions>]>([
    ['what the run began with', { tools: tools() }],
    // Begun before the first step.
    ['how its index came to be', { tools: async () => tools(), search: { scorer: slowToBuild } }],
  ])('say %s', async (_, given) => {
    const options = { ...given, preselect: { minConfidence: 0.1 }, timeouts: { preselect: 10_000, index: 10_000 } };
    const { run, own, said } = traced(streaming(calls(call('get_weather')), options));
    const chunks = await run('What is the weather in Paris?');
    expect(told(chunks)[0]).toEqual({ type: 'preselect', tools: ['get_weather'] });
    expect(await own()).toEqual([`${STEP} > index`, `${STEP} > preselect`]);
    expect(await said('tool-search: preselect')).toMatchObject([{ tools: ['get_weather'] }]);
  });

  it('say what made room, and what was called without being loaded', async () => {
    const options = { maxLoaded: { tools: 1 }, onMiss: 'load' } as const;
    const { run, own, said } = traced(streaming(calls(load('get_weather'), call('send_email')), options));
    // After a call of a tool that Mastra has not, a run ends.
    expect(told(await run('go', { memory: undefined })).at(-1)).toEqual({ type: 'miss', tools: ['send_email'] });
    const others = (await own()).filter((line) => !line.endsWith('> index'));
    expect(others).toEqual([`${STEP} > evict`, `${STEP} > load-on-miss`]);
    expect(await said('tool-search: evict')).toMatchObject([{ toolNames: ['get_weather'] }]);
    expect(await said('tool-search: load-on-miss')).toMatchObject([{ called: 'send_email', loaded: 'send_email' }]);
  });

  it('hold the error of a scorer, and all of them end', async () => {
    const index = () => {
      throw new TypeError('The index is broken.');
    };
    const agent = streaming(calls(searchFor('weather')), { search: { scorer: { name: 'broken', index } } });
    const { run, own, spans, exporter } = traced(agent);
    expect(JSON.stringify(await run())).not.toContain('broken');
    expect(await own()).toEqual([`${search} > scorer-failed`, `${search} > search`]);
    const failed = (await spans()).find(({ name }) => name === 'tool-search: scorer-failed');
    expect(failed?.errorInfo).toMatchObject({ name: 'TypeError', message: 'The index is broken.' });
    expect(failed && saidBy(failed)).toEqual({ type: 'scorer-failed', scorer: 'broken' });
    expect(exporter.getIncompleteSpans()).toEqual([]);
  });
});

it('a span holds its event, without words of the query, and with lists of 50 items at most, and few are of one fault', async () => {
  const of = (what: string) => Array.from({ length: 80 }, (_, n) => tool(`${what}_${n}`, `Sends a ${what}.`));
  const many = toolRecord(...of('letter'), ...of('parcel'));
  const filter = ({ phase }: { phase: string }) => phase !== 'load' || JSON.parse('down');
  const script = calls(searchFor('secret letter'), load('letter_*'));
  const { run, spans, own } = traced(rig({ tools: many, search: { topK: 80 }, filter }, { script }).agent);
  await run();
  const searched = (await spans()).find(({ name }) => name === 'tool-search: search');
  const { results, resultsCount } = (searched && saidBy(searched)) ?? {};
  expect([(results as unknown[]).length, resultsCount]).toEqual([50, 80]);
  expect(JSON.stringify(searched)).not.toContain('secret');
  const failed = (await own()).filter((line) => line.endsWith('> filter-failed'));
  expect(failed.length).toBeGreaterThan(10);
  expect(failed.length).toBeLessThanOrEqual(40);
});

it.each<[how: string, config: object | null]>([
  ['without observability', null],
  ['in a run that is not sampled', { sampling: { type: SamplingStrategyType.NEVER } }],
  ['where the exporter wants none of these spans', { excludeSpanTypes: ['generic'] }],
])('nothing is traced or streamed, and the run is the same, %s', async (_name, config) => {
  const { agent, model } = rig({ tools: tools() }, { script: toWeather });
  const { run, own } = traced(agent, config);
  expect(await run()).toEqual([]);
  expect(model.calls).toHaveLength(4);
  expect(await own()).toEqual([]);
});

it.each(['update', 'createChildSpan', 'createEventSpan', 'isValid', 'type', 'endTime'])(
  'a tracer changes nothing where %s throws',
  async (member) => {
    const span = { isValid: true, type: 'tool_call', update() {}, createChildSpan: () => span, createEventSpan() {} };
    Object.defineProperty(span, member, { get: () => JSON.parse('out of order') });
    const tracingContext = { currentSpan: span };
    const options = { preselect: { minConfidence: 0.1 }, timeouts: { preselect: 10_000 } };
    const session = new Session({ tools: tools(), ...options });
    const { tools: sent } = await session.step({ tracingContext });
    const run = (name: string, input: object) => sent[name]?.execute?.(input as never, { tracingContext } as never);
    expect(await run('search_tools', { query: 'weather' })).toMatchObject({ results: [{ name: 'get_weather' }] });
    expect(await run('load_tool', { toolName: 'get_weather' })).toMatchObject({ success: true });
    expect(await session.sent({ tracingContext })).toEqual(['get_weather']);
  },
);

describe('streamEvents', () => {
  it('streams of a DurableAgent too', async () => {
    const durable = createDurableAgent({ agent: streaming(toWeather), cleanupTimeoutMs: 0 }) as unknown as Agent;
    expect(told(await traced(durable, null).run())).toEqual(SEARCHED);
  });

  it('streams of a sub-agent, with its id, and its spans say what it searched', async () => {
    const agent = streaming(toWeather, {}, { description: 'Inner.' });
    const model = scriptedModel(calls({ toolName: 'agent-inner', input: { prompt: 'go' } }));
    const outer = { id: 'outer', name: 'Outer', instructions: 'x', model: model as never, agents: { inner: agent } };
    const { run, own } = traced(new Agent(outer));
    const chunks = await run();
    expect(told(chunks)).toEqual(SEARCHED);
    expect(await own()).toEqual([`${STEP} > index`, `${search} > search`]);
    expect(chunks.every(({ data }) => data.agentId === 'test-agent')).toBe(true);
  });

  it('goes on after an approval', async () => {
    const guarded = tool('get_weather', 'Get the weather of a city.', { requireApproval: true });
    const memory = fileMemory();
    const script = calls(searchFor('weather'), load('get_weather'), call('get_weather'), load('send_email'));
    const agent = streaming(script, { tools: toolRecord(guarded, email()) }, { memory });
    const { agent: registered } = traced(agent, null, { storage: memory.storage });
    const before = await registered.stream('go', { ...MEMORY, maxSteps: 10 });
    expect(told(await chunksOf(before as never))).toEqual(SEARCHED);
    const after = await registered.approveToolCall({ runId: before.runId, toolCallId: 'call-3' } as never);
    expect(told(await chunksOf(after as never))).toEqual([{ type: 'load', tools: ['send_email'] }]);
    // Nothing of it stays in the thread.
    const { messages } = await memory.recall({ threadId: 't', resourceId: 'ann' } as never);
    expect(JSON.stringify(messages)).toContain('search_tools');
    expect(JSON.stringify(messages)).not.toContain('data-tool-search');
  });

  it('names no forbidden tool, and no name that was not found', async () => {
    const secret = tool('turn_off_alarm', 'Turns off the alarm of the vault.');
    const options = {
      tools: { ...tools(), ...toolRecord(secret) },
      filter: ({ toolName }: { toolName: string }) => toolName !== 'turn_off_alarm',
    };
    const script = calls(searchFor('vault'), load('turn_off_alarm'), call('turn_off_alarm'), load('get_weather'));
    const chunks = await traced(streaming(script, options), null).run();
    expect(JSON.stringify(chunks)).not.toContain('turn_off_alarm');
    expect(told(chunks)).toEqual([
      { type: 'search', tools: [], queries: ['vault'] },
      { type: 'load', tools: ['get_weather'] },
    ]);
  });

  const closing = () => {
    throw new Error('closed');
  };
  it.each([
    ['throws', closing],
    ['rejects', async () => closing()],
  ])('changes nothing where the stream %s', async (_name, custom) => {
    const processor = new ToolSearchProcessor({ tools: tools(), streamEvents: true });
    const closed = {
      id: 'tool-search',
      name: 'Closed',
      getLoadedToolsForRequestContext: (args: object) => processor.getLoadedToolsForRequestContext(args),
      processInputStep: (args: object) => processor.processInputStep({ ...args, writer: { custom } } as never),
    };
    const model = scriptedModel(toWeather);
    const agent = { id: 'a', name: 'A', instructions: 'x', model: model as never, inputProcessors: [closed as never] };
    await traced(new Agent(agent as AgentConfig), null).run();
    expect(model.calls).toHaveLength(4);
  });
});

it('the first step of a large catalog is on the stream at once, and its event comes once the tokens are counted', async () => {
  // Counting reads each schema, and goes on when the event loop had its turn: longer than the run lasts.
  let isSlow = true;
  const inputSchema = { type: 'object', properties: {} };
  const slow = (n: number) =>
    Object.defineProperty(tool(`slow_${n}`, `Slow ${n}: ${randomUUID()}`), 'inputSchema', {
      enumerable: true,
      get() {
        const end = performance.now() + 5;
        while (isSlow && performance.now() < end);
        return inputSchema;
      },
    });
  const tools = toolRecord(...Array.from({ length: 600 }, (_, n) => slow(n)));
  const { agent, events } = rig({ tools, streamEvents: true }, { script: () => ({ text: 'done' }) });
  const { fullStream } = await agent.stream('go');
  const chunks: string[] = [];
  for await (const chunk of fullStream) chunks.push(JSON.stringify(chunk));
  isSlow = false;
  const steps = chunks.filter((chunk) => chunk.includes('"data-tool-search"'));
  expect(steps).toEqual([expect.stringContaining('"type":"step"')]);
  const told = () => events.filter(({ type }) => type === 'step');
  await expect.poll(() => told().length).toBe(1);
  const { tokensSaved, deferred } = told()[0] as { tokensSaved?: number; deferred?: number };
  expect([typeof tokensSaved, deferred]).toEqual(['number', 600]);
});
