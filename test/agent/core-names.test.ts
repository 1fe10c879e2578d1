import type { AgentConfig } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import type { MCPClient } from '@mastra/mcp';
import type { SearchToolsResult, ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type ChangingServers, changingServers } from '../support/changing-mcp.ts';
import { call, calls, load, type Rig, rig, tool } from '../support/harness.ts';
import { lastToolResult, type Script, toolNames, toolResults } from '../support/scripted-model.ts';

/** An agent with the class of @mastra/core, or with ours. */
function rigWith(
  kind: 'core' | 'ours',
  options: ToolSearchProcessorOptions,
  script: Script,
  agent: Partial<AgentConfig>,
): Rig {
  const inputProcessors = [new CoreProcessor({ tools: {}, ...options } as never)];
  return rig(options, { script, agent: kind === 'core' ? { ...agent, inputProcessors } : agent });
}

const both = ['core', 'ours'] as const;
const found = ({ value }: { value: unknown } = { value: undefined }): string[] =>
  ((value as SearchToolsResult | undefined)?.results ?? []).map(({ name }) => name).sort();

const ran: string[] = [];
const spyTool = (id: string, description: string) =>
  tool(id, description, {
    execute: async () => {
      ran.push(id);
      return 'ran';
    },
  });

describe('a filter that was written for @mastra/core', () => {
  const sources = [
    {
      from: 'the constructor',
      options: () => ({
        tools: { wipe: spyTool('admin.delete_all', 'Deletes all.'), read: spyTool('users.read', 'Reads all.') },
      }),
      agent: () => ({}),
    },
    {
      from: 'a function',
      options: () => ({
        tools: async () => ({
          wipe: spyTool('admin.delete_all', 'Deletes all.'),
          read: spyTool('users.read', 'Reads all.'),
        }),
      }),
      agent: () => ({}),
    },
    {
      from: 'the agent, with includeResolvedTools',
      options: () => ({ includeResolvedTools: true }),
      agent: () => ({
        tools: { wipe: spyTool('admin.delete_all', 'Deletes all.'), read: spyTool('users.read', 'Reads all.') },
      }),
    },
  ];

  it.each(sources)('denies by ids that providers refuse: tools of $from', async ({ options, agent }) => {
    ran.length = 0;
    const asked = new Set<string>();
    const filter: ToolSearchFilter = ({ toolName, callableName }) => {
      asked.add(`${toolName} ${callableName}`);
      return !toolName.startsWith('admin.');
    };
    const names = ['wipe', 'admin.delete_all', 'admin_delete_all', 'users_read'];
    const script: Script = ({ step }) => {
      if (step === 0)
        return { toolCalls: [call('search_tools', { query: 'all' }), call('load_tool', { toolNames: names })] };
      return step === 1 ? { toolCalls: names.map((name) => call(name)) } : { text: 'done' };
    };
    const { agent: made, model } = rigWith('ours', { ...options(), filter }, script, agent());
    await made.generate('go');
    const { prompt } = model.calls[1]!;
    expect(found(lastToolResult(prompt, 'search_tools'))).toEqual(['users_read']);
    expect(lastToolResult(prompt, 'load_tool')?.value).toMatchObject({
      loaded: ['users_read'],
      notFound: names.slice(0, 3),
    });
    expect(ran).toEqual(['users.read']);
    expect([...asked].sort()).toEqual(['admin.delete_all admin_delete_all', 'users.read users_read']);
  });

  const resolved = [
    { why: 'one denied id', filter: (({ toolName }) => toolName !== 'delete-repo') as ToolSearchFilter },
    { why: 'an allowlist by prefix', filter: (({ toolName }) => toolName.startsWith('list-')) as ToolSearchFilter },
  ];
  it.each(resolved)('decides as in @mastra/core about tools of the agent with other keys: $why', async ({ filter }) => {
    const agent = {
      tools: { deleteRepo: spyTool('delete-repo', 'A repo.'), listRepos: spyTool('list-repos', 'All repos.') },
    };
    const seen: Record<string, unknown> = {};
    for (const kind of both) {
      ran.length = 0;
      const names = ['delete-repo', 'list-repos'];
      const script: Script = ({ step }) => {
        if (step === 0)
          return {
            toolCalls: [call('search_tools', { query: 'repo repos' }), call('load_tool', { toolNames: names })],
          };
        return step === 1 ? { toolCalls: names.map((name) => call(name)) } : { text: 'done' };
      };
      const made = rigWith(kind, { includeResolvedTools: true, filter }, script, agent);
      await made.agent.generate('go');
      const { prompt } = made.model.calls[1]!;
      seen[kind] = {
        found: found(lastToolResult(prompt, 'search_tools')),
        sent: toolNames(made.model.calls[1]!),
        ran: [...ran],
      };
    }
    expect(seen['ours']).toEqual(seen['core']);
    expect(seen['ours']).toMatchObject({ found: ['list-repos'], ran: ['list-repos'] });
  });

  it('is asked by an id that looks made up, but is not', async () => {
    const execute = vi.fn();
    const wipe = createTool({
      id: 'tool-delete',
      description: '',
      inputSchema: z.object({}),
      execute: async () => execute(),
    });
    const { agent } = rig(
      { includeResolvedTools: true, filter: ({ toolName }) => toolName !== 'tool-delete' },
      {
        script: calls(load('wipe'), call('wipe'), load('tool-delete'), call('tool-delete')),
        agent: { tools: { wipe } },
      },
    );
    await agent.generate('go', { maxSteps: 8 });
    expect(execute).not.toHaveBeenCalled();
  });

  it('is asked by the id right before a call too, and about a provider’s own tool', async () => {
    const asked: string[] = [];
    const filter: ToolSearchFilter = ({ toolName, callableName, phase }) =>
      asked.push(`${phase} ${toolName} ${callableName}`) > 0;
    const webSearch = { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} } as const;
    const { agent } = rig(
      { includeResolvedTools: true, filter, tools: { webSearch } },
      {
        script: calls(load('webSearch'), load('sendMail'), call('mail_send')),
        agent: { tools: { sendMail: tool('mail.send') } },
      },
    );
    await agent.generate('go');
    expect(asked).toContain('load openai.web_search webSearch');
    expect(asked.slice(-3)).toContain('active mail.send mail_send');
    expect(new Set(asked.map((line) => line.split(' ').slice(1).join(' ')))).toEqual(
      new Set(['openai.web_search webSearch', 'mail.send mail_send']),
    );
  });
});

describe("a tool of a real MCP server's toolset", () => {
  let servers: ChangingServers;
  let client: MCPClient;
  beforeAll(async () => {
    servers = changingServers('core-names', {
      github: { create_issue: 'Opens an issue.', delete_repo: 'Deletes a repository.' },
    });
    client = servers.client;
    await client.listTools();
  });
  afterAll(() => servers.close());

  const run = async (kind: 'core' | 'ours', script: Script, options: ToolSearchProcessorOptions = {}) => {
    const made = rigWith(kind, { includeResolvedTools: true, ...options }, script, {});
    await made.agent.generate('go', { toolsets: await client.listToolsets() });
    return made.model;
  };

  it.each(both)("is loaded and called by the server's name and its own: %s", async (kind) => {
    const model = await run(kind, calls(load('github_create_issue'), call('github_create_issue', { text: 'x' })));
    expect(toolNames(model.calls[1]!)).toEqual(['search_tools', 'load_tool', 'github_create_issue']);
    expect(JSON.stringify(lastToolResult(model.calls[2]!.prompt)?.value)).toContain('create_issue ran');
  });

  it.each(both)('is found by the name of the server: %s', async (kind) => {
    const model = await run(kind, calls(call('search_tools', { query: 'github issue' })));
    expect(found(lastToolResult(model.calls[1]!.prompt))).toContain('github_create_issue');
  });

  it.each(both)("is denied by the server's name and its own: %s", async (kind) => {
    const filter: ToolSearchFilter = ({ toolName }) => toolName !== 'github_delete_repo';
    const steps = [
      [call('search_tools', { query: 'github delete repository' }), load('github_delete_repo'), load('delete_repo')],
      [call('github_delete_repo'), call('delete_repo')],
    ];
    const script: Script = ({ step }) => (steps[step] ? { toolCalls: steps[step] } : { text: 'done' });
    const model = await run(kind, script, { filter });
    const results = toolResults(model.calls[2]!.prompt);
    expect(found(results[0])).not.toContain('github_delete_repo');
    expect(results.slice(1, 3).map(({ value }) => value)).toMatchObject([{ success: false }, { success: false }]);
    expect(results.filter(({ value }) => JSON.stringify(value).includes('delete_repo ran'))).toEqual([]);
    for (const step of model.calls) expect(toolNames(step)).toEqual(['search_tools', 'load_tool']);
  });
});
