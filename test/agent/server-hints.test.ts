import type { AgentConfig } from '@mastra/core/agent';
import type { MCPClient } from '@mastra/mcp';
import type { MastraTool, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, calls, rig, searchLoadCall } from '../support/harness.ts';
import { hintingServers } from '../support/hinting-mcp.ts';
import { lastToolResult } from '../support/scripted-model.ts';

let client: MCPClient;
beforeAll(async () => {
  const hinted = { name: 'show', description: 'Shows it.', _meta: { 'anthropic/searchHint': 'wombat finder' } };
  const others = ['open', 'close', 'count'].map((name) => ({ name, description: 'Does it.' }));
  client = hintingServers(
    'hints',
    {
      zoo: [hinted, { name: 'hide', description: 'Hides it.' }],
      garden: [{ name: 'dig', description: 'Digs.' }, ...others],
    },
    { zoo: 'Keepers look after marsupials here.' },
  );
  await client.listTools();
});
afterAll(() => client.disconnect());

interface Way {
  readonly way: string;
  readonly options: () => Promise<ToolSearchProcessorOptions> | ToolSearchProcessorOptions;
  readonly agent?: () => Partial<AgentConfig>;
  readonly run?: () => Promise<object>;
}

const ways: readonly Way[] = [
  { way: 'the constructor', options: async () => ({ tools: await client.listTools() }) },
  { way: 'a function', options: () => ({ tools: () => client.listTools() }) },
  {
    way: "the agent's tools",
    options: () => ({ includeResolvedTools: true }),
    agent: () => ({ tools: () => client.listTools() }),
  },
  {
    way: "the request's toolsets",
    options: () => ({ includeResolvedTools: true }),
    run: async () => ({ toolsets: await client.listToolsets() }),
  },
];

describe("the search hints of a real MCP server's tools", () => {
  it.each(ways)('find a tool that came by $way', async ({ options, agent, run }) => {
    const { agent: made, model } = rig(await options(), {
      script: searchLoadCall('wombat finder'),
      ...(agent ? { agent: agent() } : {}),
    });
    await made.generate('Find a wombat.', { maxSteps: 9, ...(await run?.()) });
    const called = model.calls.at(-1)!.prompt;
    expect(JSON.stringify(lastToolResult(called, 'zoo_show')?.value)).toContain('show ran');
  });
});

describe('the instructions of a real MCP server', () => {
  // Mastra's conversion of the agent's own tools and toolsets leaves the server out.
  it.each(ways.slice(0, 2))('find its tools, when they came by $way', async ({ options }) => {
    const { agent: made, model } = rig(await options(), {
      script: calls(call('search_tools', { query: 'marsupials' })),
    });
    await made.generate('Find a marsupial.', { maxSteps: 9 });
    const { results } = lastToolResult(model.calls.at(-1)!.prompt, 'search_tools')!.value as {
      results: { name: string }[];
    };
    expect(results.map(({ name }) => name).sort()).toEqual(['zoo_hide', 'zoo_show']);
  });
});

describe('the description of a group', () => {
  it.each(ways)('finds tools that came by $way', async ({ options, agent, run }) => {
    const groups = ({ id }: MastraTool) =>
      id.startsWith('zoo_') ? { name: 'zoo', description: 'Looks after koalas.' } : undefined;
    const { agent: made, model } = rig(
      { ...(await options()), groups },
      { script: calls(call('search_tools', { query: 'koalas' })), ...(agent ? { agent: agent() } : {}) },
    );
    await made.generate('Find a koala.', { maxSteps: 9, ...(await run?.()) });
    const found = lastToolResult(model.calls.at(-1)!.prompt, 'search_tools')!.value as { results: { name: string }[] };
    expect(found.results.map(({ name }) => name).sort()).toEqual(['zoo_hide', 'zoo_show']);
  });
});
