import type { AgentConfig } from '@mastra/core/agent';
import type { MCPClient } from '@mastra/mcp';
import type { SearchToolsResult, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChangingServers, changingServers } from '../support/changing-mcp.ts';
import { call, rig } from '../support/harness.ts';
import { lastToolResult, type Script, toolNames, toolResults } from '../support/scripted-model.ts';

let servers: ChangingServers;
let client: MCPClient;
beforeAll(async () => {
  servers = changingServers('toolsets', {
    mail: { send: 'Sends a note by mail.', read_mail: 'Reads a note of the mailbox.' },
    files: { write: 'Writes a note to a file.', read_file: 'Reads a note of a file.' },
  });
  client = servers.client;
  await client.listTools();
});
afterAll(() => servers.close());

/** Searches, loads all that is shown, and calls each under the name it was shown by. */
const searchLoadCallAll: Script = ({ prompt, step }) => {
  if (step === 0) return { toolCalls: [call('search_tools', { query: 'note', maxResults: 20 })] };
  const { results } = lastToolResult(prompt, 'search_tools')!.value as SearchToolsResult;
  const names = results.map(({ name }) => name);
  if (step === 1) return { toolCalls: [call('load_tool', { toolNames: names })] };
  return step === 2 ? { toolCalls: names.map((name) => call(name)) } : { text: 'done' };
};

interface Way {
  readonly way: string;
  readonly options: () => Promise<ToolSearchProcessorOptions> | ToolSearchProcessorOptions;
  readonly agent?: () => Partial<AgentConfig>;
  readonly run?: () => Promise<object>;
}

const byServer = { mail_send: 'send', mail_read_mail: 'read_mail', files_write: 'write', files_read_file: 'read_file' };

const ways: readonly (Way & { readonly names: Readonly<Record<string, string>> })[] = [
  {
    way: 'listTools() in the constructor',
    options: async () => ({ tools: await client.listTools() }),
    names: byServer,
  },
  {
    way: 'listToolsets() in the constructor',
    options: async () => ({ tools: await client.listToolsets() }),
    names: byServer,
  },
  { way: 'listTools() as a function', options: () => ({ tools: () => client.listTools() }), names: byServer },
  { way: 'listToolsets() as a function', options: () => ({ tools: () => client.listToolsets() }), names: byServer },
  {
    way: "listTools() as the agent's tools",
    options: () => ({ includeResolvedTools: true }),
    agent: () => ({ tools: () => client.listTools() }),
    names: byServer,
  },
  {
    way: "listToolsets() as the request's toolsets",
    options: () => ({ includeResolvedTools: true }),
    run: async () => ({ toolsets: await client.listToolsets() }),
    names: byServer,
  },
  {
    way: "toolsets of the request beside a function's",
    options: () => ({
      tools: async () => ({ mail: (await client.listToolsets())['mail']! }),
      includeResolvedTools: true,
    }),
    run: async () => ({ toolsets: { files: (await client.listToolsets())['files'] } }),
    names: byServer,
  },
];

describe.each(ways)('$way', ({ options, agent, run, names }) => {
  it('lets the tools of two real servers be found, and run under the names that the search shows', async () => {
    const made = rig(await options(), { script: searchLoadCallAll, agent: agent?.() ?? {} });
    await made.agent.generate('go', (await run?.()) ?? {});
    const { results } = lastToolResult(made.model.calls[1]!.prompt)!.value as SearchToolsResult;
    expect(results.map(({ name }) => name).sort()).toEqual(Object.keys(names).sort());
    const ran = toolResults(made.model.calls[3]!.prompt).slice(2);
    expect(Object.fromEntries(ran.map(({ toolName, value }) => [toolName, JSON.stringify(value)]))).toEqual(
      Object.fromEntries(Object.entries(names).map(([name, tool]) => [name, expect.stringContaining(`${tool} ran`)])),
    );
    expect(toolNames(made.model.calls[0]!)).toEqual(['search_tools', 'load_tool']);
  });
});

// What the agent brings has been converted by Mastra, which drops the server.
it.each(ways.slice(0, 4))(
  '$way lets each tool be shown with its server, which can be loaded as a whole',
  async ({ options }) => {
    const toolCalls = [call('search_tools', { query: 'note' }), call('load_tool', { toolNames: ['files*'] })];
    const made = rig(await options(), { script: ({ step }) => (step === 0 ? { toolCalls } : { text: 'done' }) });
    await made.agent.generate('go');
    const { results } = lastToolResult(made.model.calls[1]!.prompt, 'search_tools')!.value as SearchToolsResult;
    expect(results.map(({ name, group }) => `${group} ${name}`).sort()).toEqual([
      'files files_read_file',
      'files files_write',
      'mail mail_read_mail',
      'mail mail_send',
    ]);
    expect(toolNames(made.model.calls[1]!).slice(2).sort()).toEqual(['files_change', 'files_read_file', 'files_write']);
  },
);
