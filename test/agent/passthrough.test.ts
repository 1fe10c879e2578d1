import type { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import type { MastraTool, ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { call, calls, email, fillerTools, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { lastToolResult, type Script, systemText, toolNames, toolResults } from '../support/scripted-model.ts';

const few = (): Record<string, MastraTool> => toolRecord(weather(), email());
const NAMES = ['get_weather', 'send_email'];

const runs = [
  { how: 'generate', run: (agent: Agent) => agent.generate('weather') },
  { how: 'stream', run: async (agent: Agent) => (await agent.stream('weather')).consumeStream() },
  {
    how: 'a DurableAgent',
    run: async (agent: Agent) => {
      const durable = createDurableAgent({ agent });
      new Mastra({ agents: { durable } as never, logger: false, storage: new InMemoryStore() });
      const { output, cleanup } = await durable.stream('weather');
      await output.consumeStream();
      cleanup();
    },
  },
];

describe.each(runs)('a catalog below passthroughBelow, in $how,', ({ run }) => {
  it('is sent whole on every step, without meta-tools and system text, and reported once', async () => {
    const events: ToolSearchEvent[] = [];
    const { agent, model } = rig(
      { tools: few(), passthroughBelow: 8, injectCatalog: true, onEvent: (event) => events.push(event) },
      { script: calls(call('get_weather'), call('send_email')) },
    );
    await run(agent);
    expect(model.calls.map(toolNames)).toEqual([NAMES, NAMES, NAMES]);
    for (const { prompt } of model.calls) expect(systemText(prompt)).toBe('Help.');
    const ran = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value);
    expect(ran).toMatchObject([{ ran: 'get_weather' }, { ran: 'send_email' }]);
    expect(events).toEqual([{ type: 'passthrough', isSentWhole: true, limit: 'tools', size: 2, below: 8 }]);
  });

  it('has no tool run whose right is withdrawn after it was sent', async () => {
    const execute = vi.fn(async () => 'ran');
    let isAllowed = true;
    const script: Script = ({ step }) => {
      isAllowed = false;
      return step === 0 ? { toolCalls: [call('get_weather')] } : { text: 'done' };
    };
    const { agent, model } = rig(
      {
        tools: toolRecord(tool('get_weather', 'Weather.', { execute })),
        passthroughBelow: 8,
        filter: ({ phase }) => phase !== 'active' || isAllowed,
      },
      { script },
    );
    await run(agent);
    expect(toolNames(model.calls[0]!)).toEqual(['get_weather']);
    expect(toolNames(model.calls[1]!)).toEqual([]);
    expect(execute).not.toHaveBeenCalled();
  });
});

it('a tool that was sent whole is called with the id of its agent, also in a large catalog', async () => {
  const seen: unknown[] = [];
  const execute = async (_input: unknown, context: { agent?: { agentId?: string } }) =>
    seen.push(context.agent?.agentId);
  for (const fillers of [{}, fillerTools(501)]) {
    const { agent } = rig(
      {
        tools: { ...toolRecord(tool('subject', 'S.', { execute })), ...fillers },
        passthroughBelow: Number.POSITIVE_INFINITY,
      },
      { script: calls(call('subject')) },
    );
    await agent.generate('go');
  }
  expect(seen).toEqual(['test-agent', 'test-agent']);
});

it('passthroughBelow sends the tools of agent and request that would be hiddenTools as well', async () => {
  const { agent, model } = rig(
    { tools: few(), includeResolvedTools: true, passthroughBelow: 8 },
    { script: calls(call('own')), agent: { tools: { own: tool('own') } } },
  );
  await agent.generate('go', { toolsets: { more: toolRecord(tool('given')) } } as never);
  expect(toolNames(model.calls[0]!).sort()).toEqual(['get_weather', 'given', 'own', 'send_email']);
  expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'own' });
});

it.each(['search', 'load', 'active'])(
  'passthroughBelow hides what the %s phase denies, and a call of it fails',
  async (denied) => {
    const execute = vi.fn();
    const { agent, model } = rig(
      {
        tools: { ...few(), ...toolRecord(tool('secret', 'Secret.', { execute })) },
        passthroughBelow: 8,
        filter: ({ toolName, phase }) => toolName !== 'secret' || phase !== denied,
      },
      { script: calls(call('secret')) },
    );
    expect((await agent.generate('go')).text).toBe('done');
    expect(toolNames(model.calls.at(-1)!)).toEqual(NAMES);
    expect(lastToolResult(model.calls.at(-1)!.prompt)?.isError).toBe(true);
    expect(execute).not.toHaveBeenCalled();
  },
);

it('passthroughBelow runs a tool of alwaysLoaded, which is never loaded, where the load phase denies it', async () => {
  const { agent, model } = rig(
    { tools: few(), alwaysLoaded: ['get_weather'], passthroughBelow: 8, filter: ({ phase }) => phase !== 'load' },
    { script: calls(call('get_weather')) },
  );
  await agent.generate('go');
  expect(model.calls.map(toolNames)).toEqual([['get_weather'], ['get_weather']]);
  expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
});
