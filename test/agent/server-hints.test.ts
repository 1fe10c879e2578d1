import type { AgentConfig } from '@mastra/core/agent';
import type { MCPClient } from '@mastra/mcp';
import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rig, searchLoadCall } from '../support/harness.ts';
import { hintingServers } from '../support/hinting-mcp.ts';
import { lastToolResult } from '../support/scripted-model.ts';

let client: MCPClient;
beforeAll(async () => {
  const hinted = { name: 'show', description: 'Shows it.', _meta: { 'anthropic/searchHint': 'wombat finder' } };
  client = hintingServers('hints', { zoo: [hinted, { name: 'hide', description: 'Hides it.' }] });
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
