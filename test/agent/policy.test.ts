import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { ToolSearchEvent, ToolSearchFilterArgs } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { call, calls, email, fillerTools, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { lastToolResult, systemText, toolNames, toolResults } from '../support/scripted-model.ts';

const tools = () => toolRecord(weather(), email());

it('the filter is asked in three phases, with the name, the tool and the request context', async () => {
  const asked: ToolSearchFilterArgs[] = [];
  const { agent } = rig({
    tools: tools(),
    filter: (args) => {
      asked.push(args);
      return true;
    },
  });
  await agent.generate('weather');
  expect(new Set(asked.map(({ toolName, phase }) => `${phase} ${toolName}`))).toEqual(
    new Set(['search get_weather', 'search send_email', 'load get_weather', 'active get_weather']),
  );
  for (const { toolName, tool: subject, requestContext } of asked) {
    expect(subject.id).toBe(toolName);
    expect(requestContext).toBeDefined();
  }
});

it('a denied tool does not show in results, suggestions and the injected catalog', async () => {
  const { agent, model } = rig(
    { tools: tools(), injectCatalog: true, filter: ({ toolName }) => toolName !== 'get_weather' },
    { script: calls(call('search_tools', { query: 'weather' }), load('getWeather'), load('get_weather')) },
  );
  await agent.generate('weather');
  const [search, misspelled, exact] = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value);
  expect(search).toMatchObject({ results: [] });
  expect(misspelled).toMatchObject({ success: false, message: expect.not.stringContaining('get_weather') });
  expect(exact).toEqual({
    success: false,
    message: 'Tool "get_weather" not found. Use search_tools to find available tools.',
    toolName: 'get_weather',
  });
  expect(systemText(model.calls[0]!.prompt)).toContain('send_email');
  expect(systemText(model.calls[0]!.prompt)).not.toContain('get_weather');
});

it('a tool that may be found but not loaded is not suggested', async () => {
  const { agent, model } = rig(
    { tools: tools(), filter: ({ toolName, phase }) => phase !== 'load' || toolName !== 'get_weather' },
    { script: calls(load('getWeather')) },
  );
  await agent.generate('weather');
  expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({
    message: expect.not.stringContaining('get_weather'),
  });
});

it('a search with autoLoad asks the load phase, and shows nothing that it denies', async () => {
  const { agent, model } = rig(
    {
      tools: toolRecord(tool('mail_read', 'Mail reading.'), tool('mail_send', 'Mail sending.')),
      search: { autoLoad: true },
      filter: ({ toolName, phase }) => phase !== 'load' || toolName === 'mail_read',
    },
    { script: calls(call('search_tools', { query: 'mail' })) },
  );
  await agent.generate('mail');
  expect(toolNames(model.calls.at(-1)!)).toEqual(['search_tools', 'mail_read']);
  const result = lastToolResult(model.calls.at(-1)!.prompt)?.value as { loaded: string[] };
  expect(result.loaded).toEqual(['mail_read']);
  expect(JSON.stringify(model.calls)).not.toContain('mail_send');
});

describe.each([
  {
    fault: 'throws',
    filter: () => {
      throw new Error('policy down');
    },
  },
  { fault: 'rejects', filter: async () => Promise.reject(new Error('policy down')) },
])('a filter that $fault', ({ filter }) => {
  it('denies, is reported and leaves the run alive', async () => {
    const events: ToolSearchEvent[] = [];
    const { agent, model } = rig(
      { tools: tools(), filter: filter as never, onEvent: (event) => void events.push(event) },
      { script: calls(call('search_tools', { query: 'weather' }), load('get_weather'), call('get_weather')) },
    );
    expect((await agent.generate('weather')).text).toBe('done');
    expect(toolNames(model.calls.at(-1)!)).toEqual(['search_tools', 'load_tool']);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'filter-failed', toolName: 'get_weather', phase: 'search' }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'filter-failed', toolName: 'get_weather', phase: 'load' }),
    );
  });
});

describe.each([
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
])('a tool of a $size catalog whose right is withdrawn', ({ fillers }) => {
  const setup = (execute: () => unknown, isAllowed: () => boolean) =>
    rig(
      {
        tools: { ...toolRecord(tool('get_weather', 'The weather.', { execute })), ...fillers },
        filter: ({ phase }) => phase !== 'active' || isAllowed(),
      },
      {
        script: calls(load('get_weather'), call('get_weather')),
        agent: { memory: new Memory({ storage: new InMemoryStore() }) },
      },
    );
  const turn = { memory: { thread: 't', resource: 'r' } };

  it('between two steps is neither sent nor run', async () => {
    const execute = vi.fn(() => 'ran');
    const { agent, model } = setup(execute, () => false);
    expect((await agent.generate('weather', turn)).text).toBe('done');
    expect(toolNames(model.calls[1]!)).toEqual(['search_tools', 'load_tool']);
    expect(execute).not.toHaveBeenCalled();
  });

  it('between the model call and its run is not run', async () => {
    const execute = vi.fn(() => 'ran');
    let allowed = true;
    const { agent, model } = setup(execute, () => allowed);
    const generate = model.doGenerate.bind(model);
    model.doGenerate = (async (options: never) => {
      const answer = await generate(options);
      if (model.calls.length === 2) allowed = false;
      return answer;
    }) as never;
    await agent.generate('weather', turn);
    expect(toolNames(model.calls[1]!)).toContain('get_weather');
    expect(execute).not.toHaveBeenCalled();
    expect(lastToolResult(model.calls.at(-1)!.prompt)).toMatchObject({
      isError: true,
      value: expect.stringContaining('"get_weather" is not available to this request'),
    });
  });

  it('between two turns is neither sent nor run until the right comes back', async () => {
    const execute = vi.fn(() => 'ran');
    let allowed = true;
    const { agent, model } = setup(execute, () => allowed);
    await agent.generate('weather', turn);
    expect(execute).toHaveBeenCalledTimes(1);
    allowed = false;
    const before = model.calls.length;
    await agent.generate('again', turn);
    for (const received of model.calls.slice(before)) expect(toolNames(received)).not.toContain('get_weather');
    expect(execute).toHaveBeenCalledTimes(1);
    allowed = true;
    await agent.generate('and again', turn);
    expect(execute).toHaveBeenCalledTimes(2);
  });

  it('between two steps of a DurableAgent is not run', async () => {
    const execute = vi.fn(() => 'ran');
    const { agent, model } = setup(execute, () => false);
    const durable = createDurableAgent({ agent });
    new Mastra({ agents: { durable } as never, logger: false, storage: new InMemoryStore() });
    const { output, cleanup } = await durable.stream('weather', turn);
    await output.consumeStream();
    cleanup();
    expect(model.calls.length).toBeGreaterThan(1);
    expect(execute).not.toHaveBeenCalled();
  });
});

// Tools that the agent has as a plain record are in Mastra's own registry as well, where a DurableAgent finds them
// behind every processor's back: docs/limits.md says so.
it('a DurableAgent with includeResolvedTools runs no denied tool that the agent resolves per request', async () => {
  const execute = vi.fn(() => 'ran');
  const { agent } = rig(
    { includeResolvedTools: true, filter: ({ phase }) => phase !== 'active' },
    { script: calls(load('own'), call('own')), agent: { tools: () => ({ own: tool('own', 'Own.', { execute }) }) } },
  );
  const durable = createDurableAgent({ agent });
  new Mastra({ agents: { durable } as never, logger: false, storage: new InMemoryStore() });
  const { output, cleanup } = await durable.stream('go');
  await output.consumeStream();
  cleanup();
  expect(execute).not.toHaveBeenCalled();
});
