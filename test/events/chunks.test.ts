import { Agent, type AgentConfig } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { type ToolSearchChunk, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { fileMemory } from '../native/rig/world.ts';
import { call, calls, email, load, rig, searchLoadCall, tool, toolRecord, weather } from '../support/harness.ts';
import { type Script, scriptedModel } from '../support/scripted-model.ts';
import { chunksOf, traced } from './traced.ts';

const tools = () => toolRecord(weather(), email());
const searchFor = (query: string) => ({ toolName: 'search_tools', input: { query } });
/** The chunks but for those of steps, and for what differs from run to run. */
const told = (chunks: readonly ToolSearchChunk[]) =>
  chunks
    .filter(({ data }) => data.type !== 'step')
    .map(({ data: { type, tools, queries } }) => ({ type, tools, ...(queries ? { queries } : {}) }));
const SEARCHED = [
  { type: 'search', tools: ['get_weather'], queries: ['weather'] },
  { type: 'load', tools: ['get_weather'] },
];
const MEMORY = { memory: { thread: 't', resource: 'ann' } };

/** An agent that streams what happens, and these calls of its model. */
const streaming = (script: Script, options: object = {}, agent: object = {}) =>
  rig({ tools: tools(), streamEvents: true, ...options }, { script, agent }).agent;
const toWeather = searchLoadCall('weather');

describe('streamEvents', () => {
  it('streams searches and loads, as transient chunks', async () => {
    const chunks = await traced(streaming(toWeather), null).run('go', MEMORY);
    expect(told(chunks)).toEqual(SEARCHED);
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

  it('streams what each step sends, and nothing where it is not set', async () => {
    const agent = streaming(calls(load('get_weather')));
    const steps = (await traced(agent, null).run()).filter(({ data }) => data.type === 'step');
    expect(steps.map(({ data }) => data.tools)).toEqual([
      ['search_tools', 'load_tool'],
      ['search_tools', 'load_tool', 'get_weather'],
    ]);
    expect(await traced(streaming(toWeather, { streamEvents: undefined })).run()).toEqual([]);
  });

  it.each<[onMiss: string, options: object, told: readonly object[]]>([
    ['load', {}, [{ type: 'miss', tools: ['send_email'] }]],
    [
      'run',
      { preselect: true, timeouts: { preselect: 10_000 } },
      [
        { type: 'preselect', tools: ['get_weather'] },
        { type: 'run', tools: ['send_email'] },
      ],
    ],
  ])('streams what a run begins with, and calls of tools that were not sent: %s', async (onMiss, options, events) => {
    const agent = streaming(calls(call('send_email')), { ...options, onMiss });
    expect(told(await traced(agent, null).run('What is the weather?'))).toEqual(events);
  });

  it('streams of a DurableAgent too', async () => {
    const durable = createDurableAgent({ agent: streaming(toWeather), cleanupTimeoutMs: 0 }) as unknown as Agent;
    expect(told(await traced(durable, null).run())).toEqual(SEARCHED);
  });

  it('streams of a sub-agent, with its id', async () => {
    const agent = streaming(toWeather, {}, { description: 'Inner.' });
    const model = scriptedModel(calls({ toolName: 'agent-inner', input: { prompt: 'go' } }));
    const outer = { id: 'outer', name: 'Outer', instructions: 'x', model: model as never, agents: { inner: agent } };
    const chunks = await traced(new Agent(outer), null).run();
    expect(told(chunks)).toEqual(SEARCHED);
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

  it('names no forbidden tool, no name that was not found, and no fault', async () => {
    const secret = tool('turn_off_alarm', 'Turns off the alarm of the vault.');
    const options = {
      tools: { ...tools(), ...toolRecord(secret) },
      filter: ({ toolName }: { toolName: string }) => toolName !== 'turn_off_alarm',
      scope: () => JSON.parse('a password'),
    };
    const script = calls(searchFor('vault'), load('turn_off_alarm'), call('turn_off_alarm'), load('get_weather'));
    const chunks = await traced(streaming(script, options), null).run();
    expect(JSON.stringify(chunks)).not.toMatch(/turn_off_alarm|password/);
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
