import { ToolSearchProcessor as CoreToolSearchProcessor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import {
  type MastraTool,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { funnel, parseEvents } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { through } from '../modes/call/setup.ts';
import {
  call,
  calls,
  email,
  fillerTools,
  load,
  META,
  rig,
  search,
  tool,
  toolRecord,
  weather,
} from '../support/agent.ts';
import { asText, recordingSpan, type SpanRecord } from '../support/recording-span.ts';
import { run, turn, withMemory } from './missed-calls.ts';

const tools = { ...toolRecord(weather(), email()), ...fillerTools(8) };

/** An agent with tools to find, and the events of its run. */
function teller(options: ToolSearchProcessorOptions, script: ReturnType<typeof calls>) {
  return rig({ tools, ...options }, { script, agent: withMemory() });
}

/** An event without what differs between two runs. */
function told(event: ToolSearchEvent): object {
  const { time, runId, agentId, threadId, resourceId, ms, ...own } = event as ToolSearchEvent & {
    readonly ms?: number;
  };
  expect([typeof time, typeof runId, agentId, threadId, resourceId]).toEqual([
    'number',
    'string',
    'test-agent',
    't',
    'r',
  ]);
  if (ms !== undefined) expect(ms).toBeGreaterThanOrEqual(0);
  if (!('tokensSent' in own)) return own;
  const { tokensSent, tokensSaved, ...step } = own;
  expect([tokensSent > 0, typeof tokensSaved]).toEqual([true, 'number']);
  return { ...step, sent: [...step.sent].sort() };
}

const step = (number: number, sent: readonly string[], deferred: number, preselected: string[] = []) => ({
  ...{ type: 'step', step: number, sent: [...sent].sort(), deferred, preselected },
});
const found = (number: number, more: object = {}) => ({
  ...{ type: 'search', step: number, queries: ['weather'], results: ['get_weather'], loaded: [] },
  ...{ scorer: 'words and meaning', candidates: 10, denied: 0, verdict: 'fits', ...more },
  returned: [{ name: 'get_weather', score: expect.any(Number), confidence: expect.any(Number) }],
});
const loads = (number: number, more: object = {}) => ({
  ...{ type: 'load', step: number, by: 'model', loaded: ['get_weather'], alreadyLoaded: [], notFound: [], denied: [] },
  ...more,
});
const called = (number: number, ok = true) => ({ type: 'call', step: number, toolName: 'get_weather', ok });
const callMeta = ['search_tools', 'call_tool'];
const loaded = [...META, 'get_weather'];
const failing = tool('get_weather', 'Get the current weather of a city.', {
  execute: () => Promise.reject(new Error('no network')),
});

/** Without types, all events of the run are the story. */
type Story = [of: string, options: ToolSearchProcessorOptions, asked: Called[], story: object[], ...types: string[]];
type Called = ReturnType<typeof call>;
const hides: ToolSearchProcessorOptions['filter'] = ({ toolName }) => !toolName.startsWith('filler_');
const deniesLoad: ToolSearchProcessorOptions['filter'] = ({ toolName, phase }) =>
  phase !== 'load' || toolName !== 'send_email';
const preselecting = { preselect: { query: () => 'weather of a city' }, timeouts: { preselect: 10_000 } };

const inAllRuns: Story[] = [
  [
    'a search, a load and a call',
    {},
    [search('weather'), load('get_weather'), call('get_weather')],
    [step(1, META, 10), found(1), step(2, META, 10), loads(2), step(3, loaded, 9), called(3), step(4, loaded, 9)],
  ],
  [
    'a call in call mode, which needs no load',
    { mode: 'call' },
    [search('weather'), through('get_weather')],
    [
      ...[step(1, callMeta, 10), found(1), step(2, callMeta, 10)],
      { type: 'call-through', step: 2, toolName: 'get_weather' },
      ...[called(2), step(3, callMeta, 10)],
    ],
  ],
  [
    'a tool that was preselected',
    preselecting,
    [call('get_weather')],
    [
      expect.objectContaining({ type: 'preselect', step: 1, tools: ['get_weather'] }),
      ...[step(1, loaded, 9, ['get_weather']), called(1), step(2, loaded, 9)],
    ],
  ],
  [
    'a call through call_tool, and a missed one of a tool that does not exist',
    { mode: 'call' },
    [through('get_weather'), call('fly_to_the_moon')],
    [
      { type: 'call-through', step: 1, toolName: 'get_weather' },
      ...[called(1), { type: 'miss', step: 3, called: 'fly_to_the_moon', cause: 'unknown' }],
    ],
    ...['call-through', 'call', 'miss'],
  ],
];
const stories: Story[] = [
  [
    'a denied load, which is not one of an unknown name',
    { filter: deniesLoad },
    [call('load_tool', { toolNames: ['send_email', 'nothing_like_it', 'get_weather'] }), call('send_email')],
    [
      loads(1, { notFound: ['nothing_like_it'], denied: ['send_email'] }),
      { type: 'miss', step: 3, called: 'send_email', cause: 'denied' },
    ],
    ...['load', 'miss'],
  ],
  ['hidden tools', { filter: hides }, [search('weather')], [found(1, { candidates: 2, denied: 8 })], 'search'],
  ...[{ tools: 1 }, { tokens: 100 }].map(
    (maxLoaded): Story => [
      `the cap that made a tool go: ${JSON.stringify(maxLoaded)}`,
      { tools: toolRecord(tool('get_weather', 'The weather of a city. '.repeat(8)), email()), maxLoaded },
      [load('send_email'), call('send_email'), load('get_weather')],
      [{ type: 'evict', step: 3, toolNames: ['send_email'], cause: Object.keys(maxLoaded)[0] }],
      'evict',
    ],
  ),
  [
    'a search without a fit, and a call that failed',
    { tools: toolRecord(failing, email()) },
    [search('xyzzy'), load('get_weather'), call('get_weather')],
    [expect.objectContaining({ results: [], returned: [], verdict: 'nothing', candidates: 2 }), called(3, false)],
    ...['search', 'call'],
  ],
];

describe.each(['generate', 'stream', 'durable'] as const)('the events of a run, with %s,', (mode) => {
  const all = mode === 'generate' ? [...inAllRuns, ...stories] : inAllRuns;
  it.each(all)('tell of %s', async (_, options, asked, story, ...types) => {
    const { events, ...made } = teller(options, calls(...asked));
    await run(made, mode, turn);
    const seen = events.map(told) as { type: string }[];
    expect(seen.filter(({ type }) => types.length === 0 || types.includes(type))).toEqual(story);
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(1);
    const log = events.map((event) => JSON.stringify(event)).join('\n');
    expect(parseEvents(log)).toEqual({ events, broken: 0 });
  });
});

it('processor.stats() counts from its first call on, as funnel() does, and an unload tells who asked for it', async () => {
  const { processor, events, ...made } = teller({}, calls(search('weather'), load('get_weather'), call('get_weather')));
  expect(await processor.stats()).toEqual(funnel([]));
  await run(made, 'generate', turn);
  const stats = await processor.stats();
  expect(stats).toEqual(funnel(events));
  expect(stats.stages.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
  (stats.tools as unknown[]).length = 0;
  expect((await processor.stats()).tools).toHaveLength(1);

  await processor.unload({ threadId: 't', resourceId: 'r' }, ['get_weather']);
  const unload = { type: 'unload', toolNames: ['get_weather'], by: 'method' };
  expect(events.at(-1)).toEqual({ ...unload, time: expect.any(Number), threadId: 't', resourceId: 'r' });
});

const SECRET = 'Turns off the alarm of the vault';
const described = (id: string, description: string): MastraTool =>
  createTool({
    id,
    description,
    inputSchema: z.object({ code: z.string().describe(`${description}, by this code`), when: z.string().optional() }),
    execute: async () => 'ran',
  }) as unknown as MastraTool;

it('the spans of a run over 100 tools hold a short name of what is not loaded, no description and no schema', async () => {
  const fillers = Array.from({ length: 98 }, (_, n) => described(`filler_${n}`, `Padding number ${n}`));
  const all = toolRecord(described('subject', 'Subject'), described('secret_admin', SECRET), ...fillers);
  const filter = ({ toolName }: { toolName: string }) => !toolName.startsWith('secret');
  const traced = async (Processor: typeof ToolSearchProcessor) => {
    // What a processor placed before is given.
    let before = '';
    const processInputStep = ({ tools: given }: { tools: unknown }) => {
      before += JSON.stringify(given);
      return {};
    };
    const inputProcessors = [{ id: 'earlier', processInputStep }, new Processor({ tools: all, filter })] as never;
    const script = calls(load('subject'), call('subject', { code: 'x' }));
    const { agent } = rig({ tools: {} }, { script, agent: { inputProcessors } });
    const records: SpanRecord[] = [];
    await agent.generate('go', { tracingContext: { currentSpan: recordingSpan(records) } } as never);
    const generation = records.find(({ type }) => type === 'model_generation');
    const attributes = (generation?.written[0] as { attributes?: { tools?: unknown } } | undefined)?.attributes;
    return { text: asText(records), definitions: JSON.stringify(attributes?.tools ?? []), before };
  };
  const ours = await traced(ToolSearchProcessor);
  expect(ours.text).toContain('model_generation');
  expect(ours.definitions).toContain('"name":"filler_97"');
  for (const seen of Object.values(ours)) expect(seen).not.toMatch(/Turns off the alarm|Padding number/);
  const theirs = await traced(CoreToolSearchProcessor as never);
  expect(ours.definitions.length).toBeLessThan(theirs.definitions.length + 100 * 80);
});
