import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { call, calls, email, load, rig, searchLoadCall, toolRecord, weather } from '../support/harness.ts';
import { lastToolResult, toolNames, toolResults } from '../support/scripted-model.ts';

const tools = () => toolRecord(weather(), email());

describe.each(['v2', 'v3', 'v4'] as const)('an agent with a model of specification %s', (version) => {
  it('searches, loads and calls a tool in generate', async () => {
    const { agent, model } = rig({ tools: tools() }, { version, script: searchLoadCall('weather', { text: 'Rome' }) });
    const result = await agent.generate('How is the weather?');
    expect(result.text).toBe('done');
    expect(model.calls.map(toolNames)).toEqual([
      ['search_tools', 'load_tool'],
      ['search_tools', 'load_tool'],
      ['search_tools', 'load_tool', 'get_weather'],
      ['search_tools', 'load_tool', 'get_weather'],
    ]);
    expect(lastToolResult(model.calls[3]?.prompt ?? [])?.value).toEqual({
      ran: 'get_weather',
      input: { text: 'Rome' },
    });
  });

  it('searches, loads and calls a tool in stream', async () => {
    const { agent, model } = rig({ tools: tools() }, { version });
    const stream = await agent.stream('How is the weather?');
    expect(await stream.text).toBe('done');
    expect(model.calls.map((received) => toolNames(received).length)).toEqual([2, 2, 3, 3]);
  });

  it('keeps a loaded tool for the second turn of a thread, with Memory', async () => {
    const memory = new Memory({ storage: new InMemoryStore() });
    const { agent, model } = rig({ tools: tools() }, { version, agent: { memory } });
    const turn = { memory: { thread: 't1', resource: 'user-a' } };
    await agent.generate('weather?', turn);
    const before = model.calls.length;
    const stream = await agent.stream('and now?', turn);
    await stream.consumeStream();
    expect(toolNames(model.calls[before]!)).toEqual(['search_tools', 'load_tool', 'get_weather']);
  });

  it('searches, loads and calls a tool in a DurableAgent', async () => {
    const { agent, model } = rig({ tools: tools() }, { version });
    const durable = createDurableAgent({ agent });
    new Mastra({ agents: { durable } as never, logger: false, storage: new InMemoryStore() });
    const { output, cleanup } = await durable.stream('weather?');
    expect(await output.text).toBe('done');
    cleanup();
    expect(model.calls.map((received) => toolNames(received).length)).toEqual([2, 2, 3, 3]);
  });
});

it('an agent with autoLoad loads and answers in one turn less', async () => {
  const { agent, model } = rig(
    { tools: tools(), search: { autoLoad: true, topK: 1 } },
    { script: calls(call('search_tools', { query: 'weather' }), call('get_weather')) },
  );
  expect((await agent.generate('weather')).text).toBe('done');
  expect(model.calls.map(toolNames)).toEqual([
    ['search_tools'],
    ['search_tools', 'get_weather'],
    ['search_tools', 'get_weather'],
  ]);
});

it("an agent with Memory and storage: 'context' keeps loaded tools for the next turn of the thread", async () => {
  const memory = new Memory({ storage: new InMemoryStore() });
  const { agent, model } = rig({ tools: tools(), storage: 'context' }, { agent: { memory } });
  const turn = { memory: { thread: 't1', resource: 'user-a' } };
  await agent.generate('weather?', turn);
  const before = model.calls.length;
  await agent.generate('thanks', turn);
  expect(toolNames(model.calls[before]!)).toEqual(['search_tools', 'load_tool', 'get_weather']);
});

it('an agent gives its model a result for every refusal, and the run goes on', async () => {
  const { agent, model } = rig(
    { tools: tools() },
    {
      script: calls(
        call('search_tools', {}),
        call('search_tools', '{ "query": '),
        call('load_tool', {}),
        load('constructor'),
        load('getWeather'),
        call('load_tool', { toolNames: 'get_weather', extra: true }),
      ),
    },
  );
  const result = await agent.generate('hello', { maxSteps: 10 });
  expect(result.text).toBe('done');
  const results = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => (value as { message: string }).message);
  expect(results).toMatchInlineSnapshot(`
    [
      "The query is empty. Call search_tools again with words for what you need.",
      "The query is empty. Call search_tools again with words for what you need.",
      "You must provide either toolName (string) or toolNames (array) to load.",
      "Tool "constructor" not found. Use search_tools to find available tools.",
      "Tool "getWeather" not found. Did you mean: get_weather?",
      "Loaded: get_weather — call it now",
    ]
  `);
});
