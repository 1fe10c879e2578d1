import type { AgentConfig } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import type { MCPClient } from '@mastra/mcp';
import { Memory } from '@mastra/memory';
import { tool as aiTool } from 'ai';
import type {
  SearchToolsResult,
  ToolSearchEvent,
  ToolSearchFilter,
  ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { loaded, userSays } from '../loaded/conversation/messages.ts';
import { type ChangingServers, changingServers } from '../support/changing-mcp.ts';
import { approve, call, calls, inMastra, inThread, load, type Rig, rig, tool, toolRecord } from '../support/harness.ts';
import { lastToolResult, type Script, systemText, toolNames, toolResults } from '../support/scripted-model.ts';

const found = ({ value }: { value: unknown } = { value: undefined }): string[] =>
  ((value as SearchToolsResult | undefined)?.results ?? []).map(({ name }) => name).sort();

describe("the key of an agent's tool with another id", () => {
  const deleteRepo = () => tool('delete-repo', 'Deletes a repository.');
  const go = async (
    script: Script,
    options: ToolSearchProcessorOptions = {},
    run: object = {},
    tools: object = { deleteRepo: deleteRepo() },
  ) => {
    const made = rig({ includeResolvedTools: true, ...options }, { script, agent: { tools: tools as never } });
    await made.agent.generate('go', run);
    return made.model;
  };

  it.each<[how: string, first: ReturnType<typeof call>, options?: ToolSearchProcessorOptions]>([
    ['load_tool', load('deleteRepo')],
    ['a list of names', call('load_tool', { toolNames: ['deleteRepo'] })],
    ['select:', call('search_tools', { query: 'select:deleteRepo' })],
    ['a pattern', load('deleteR*')],
    ['a direct call, which leads to the id', call('deleteRepo'), { onMiss: 'load' }],
  ])('loads the tool with %s', async (_, first, options) => {
    const model = await go(calls(first, call('delete-repo')), options);
    expect(JSON.stringify(model.result(1))).toContain('delete-repo');
    expect(model.sent(1)).toEqual(['search_tools', 'load_tool', 'delete-repo']);
    expect(model.result(2)).toMatchObject({ ran: 'delete-repo' });
  });

  it('runs the tool when the model calls the key', async () => {
    const model = await go(calls(call('deleteRepo')), { onMiss: 'run' });
    const ran = { toolName: 'delete-repo', value: { ran: 'delete-repo' } };
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject(ran);
  });

  it('leads to the tool when it is misspelled, by a suggestion', async () => {
    const tools = { buildReport: tool('x-1', 'Reports.') };
    const model = await go(calls(load('buildReprot')), {}, {}, tools);
    expect(model.result(1)).toMatchObject({ message: expect.stringContaining('x-1') });
  });

  it('names the tool in alwaysLoaded, keywords and activeTools', async () => {
    const model = await go(calls(call('search_tools', { query: 'wombats' })), {
      alwaysLoaded: ['deleteRepo'],
      search: { keywords: { deleteRepo: ['wombats'] } },
    });
    expect(model.sent(0)).toEqual(['search_tools', 'load_tool', 'delete-repo']);
    expect(found(lastToolResult(model.calls[1]!.prompt))).toEqual(['delete-repo']);
    const active = await go(calls(load('deleteRepo'), call('delete-repo')), {}, { activeTools: ['deleteRepo'] });
    expect(active.result(2)).toMatchObject({ ran: 'delete-repo' });
  });

  it.each(['deleteRepo', 'delete-repo'])('names the tool in a conversation that loaded "%s"', async (name) => {
    const script: Script = ({ step }) => (step === 0 ? { toolCalls: [call('delete-repo')] } : { text: 'done' });
    const made = rig(
      { includeResolvedTools: true, storage: 'context' },
      { script, agent: { tools: { deleteRepo: deleteRepo() } } },
    );
    await made.agent.generate([userSays('load it'), loaded(name), userSays('go')] as never);
    expect(made.model.sent(0)).toEqual(['search_tools', 'load_tool', 'delete-repo']);
    expect(made.model.result(1)).toMatchObject({ ran: 'delete-repo' });
  });

  it('loads the tool no more in a conversation, once the tool is unloaded', async () => {
    const made = rig(
      { includeResolvedTools: true, storage: 'context', metaTools: { unload: true } },
      {
        script: calls(call('unload_tool', { toolNames: ['delete-repo'] })),
        agent: { tools: { deleteRepo: deleteRepo() } },
      },
    );
    await made.agent.generate([userSays('load it'), loaded('deleteRepo'), userSays('go')] as never);
    expect(made.model.calls.map((step) => toolNames(step).includes('delete-repo'))).toEqual([true, false]);
  });

  it('never stands for the tool where another one has it as its id', async () => {
    const tools = { first: tool('second', 'Notes one.'), second: tool('third', 'Notes two.') };
    const model = await go(
      calls(call('search_tools', { query: 'notes' }), load('second'), call('second'), call('third')),
      {},
      {},
      tools,
    );
    expect(found(lastToolResult(model.calls[1]!.prompt))).toEqual(['first', 'third']);
    expect(model.result(4)).toMatchObject({ ran: 'third' });
  });
});

describe("an agent's tool keeps its key as its name", () => {
  const namesFor = async (tools: object, query = 'note'): Promise<{ names: string[]; events: ToolSearchEvent[] }> => {
    const events: ToolSearchEvent[] = [];
    const made = rig(
      { includeResolvedTools: true, onEvent: (event) => events.push(event) },
      { script: calls(call('search_tools', { query })), agent: { tools: tools as never } },
    );
    await made.agent.generate('go');
    return { names: found(lastToolResult(made.model.calls[1]!.prompt)), events };
  };
  const ai = (description?: string) =>
    aiTool({
      ...(description === undefined ? {} : { description }),
      inputSchema: z.object({ note: z.string() }),
      execute: async () => 'ran',
    } as never);

  const twice = { one: tool('x', 'A note.'), two: tool('x', 'Note it.') };
  it.each<[why: string, tools: object, names: string[]]>([
    ['Mastra made up its id of its description', { takeNote: ai('Takes a note.') }, ['takeNote']],
    ['Mastra made up its id', { takeNote: ai() }, ['takeNote']],
    ['another has the id', twice, ['two', 'x']],
    ['a meta-tool has the id', { finder: tool('search_tools', 'Finds a note.') }, ['finder']],
  ])('where %s', async (_, tools, names) => {
    expect((await namesFor(tools)).names).toEqual(names);
  });

  it('where two tools share an id, which is reported', async () => {
    const { events } = await namesFor(twice);
    expect(events.filter(({ type }) => type === 'tool-problem')).toEqual([
      {
        type: 'tool-problem',
        toolName: 'two',
        problem: 'renamed',
        message: expect.stringContaining('Several tools are called "x"'),
      },
    ]);
  });
});

describe('a searchable tool with the name of one that the agent sends', () => {
  it('is left out of the search, which is reported once', async () => {
    const events: ToolSearchEvent[] = [];
    const options = {
      tools: { note: tool('note', 'From the catalog.'), other: tool('other_note', 'Another note.') },
      injectCatalog: true,
      onEvent: (event: ToolSearchEvent) => events.push(event),
    };
    const script = calls(call('search_tools', { query: 'note' }), load('note'), call('note'));
    const { agent, model } = rig(options, {
      script,
      agent: { tools: { note: createTool({ id: 'own-note', description: 'Own.', execute: async () => 'own' }) } },
    });
    await agent.generate('go');
    await agent.generate('go');
    expect(found(lastToolResult(model.calls[1]!.prompt))).toEqual(['note', 'other_note']);
    expect(systemText(model.calls[0]!.prompt)).not.toContain('From the catalog');
    expect(model.result(2)).toMatchObject({
      success: true,
      message: expect.stringContaining('needs no loading'),
    });
    expect(model.result(3)).toBe('own');
    expect(events.filter(({ type }) => type === 'tool-problem')).toEqual([
      {
        type: 'tool-problem',
        toolName: 'note',
        problem: 'left-out',
        message: expect.stringContaining('the agent has a tool of that name'),
      },
    ]);
  });
});

describe('a tool that the agent and the catalog both have', () => {
  it.each([{ key: 'same' }, { key: 'otherKey' }])(
    'is reported once, as it is sent anyway: as $key',
    async ({ key }) => {
      const events: ToolSearchEvent[] = [];
      const same = tool('same', 'Same.');
      const { agent, model } = rig(
        { tools: toolRecord(same, tool('other')), onEvent: (event) => events.push(event) },
        { script: calls(load('other')), agent: { tools: { [key]: same } } },
      );
      for (let run = 0; run < 2; run++) await agent.generate('go');
      const told = events.filter(({ type }) => type === 'tool-problem');
      expect(told).toMatchObject([{ toolName: 'same', message: expect.stringContaining('on every step') }]);
      expect(model.sent(0)).toEqual(['search_tools', 'load_tool', key]);
    },
  );
});

describe.each([
  { id: 'delete-repo', name: 'delete-repo' },
  { id: 'repo.delete', name: 'repo_delete' },
])('an approved call of an agent’s tool with the key deleteRepo and the id $id', ({ id, name }) => {
  it.each([
    { isNew: false, filter: undefined },
    { isNew: false, filter: () => true },
    { isNew: true, filter: undefined },
    { isNew: true, filter: () => true },
  ])('runs after a restart ($isNew), with filter $filter', async ({ isNew, filter }) => {
    const storage = new InMemoryStore();
    const open = (): Rig => {
      const made = rig(
        { includeResolvedTools: true, ...(filter ? { filter } : {}) },
        {
          script: calls(load(name), call(name)),
          agent: { tools: { deleteRepo: tool(id, 'Deletes.', { requireApproval: true }) }, memory: new Memory() },
        },
      );
      inMastra(made.agent, storage);
      return made;
    };
    const first = open();
    const waiting = await first.agent.generate('go', inThread);
    const second = isNew ? open() : first;
    await approve(second.agent, waiting);
    expect(second.model.result()).toMatchObject({ ran: id });
  });
});

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

const ran: string[] = [];
const spyTool = (id: string, description: string) =>
  tool(id, description, {
    execute: async () => {
      ran.push(id);
      return 'ran';
    },
  });

describe('a filter that was written for @mastra/core', () => {
  const all = () => ({
    wipe: spyTool('admin.delete_all', 'Deletes all.'),
    read: spyTool('users.read', 'Reads all.'),
  });
  const sources: { from: string; options: () => ToolSearchProcessorOptions; agent?: () => object }[] = [
    { from: 'the constructor', options: () => ({ tools: all() }) },
    { from: 'a function', options: () => ({ tools: async () => all() }) },
    { from: 'the agent', options: () => ({ includeResolvedTools: true }), agent: () => ({ tools: all() }) },
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
    const { agent: made, model } = rigWith('ours', { ...options(), filter }, script, agent?.() ?? {});
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
        sent: made.model.sent(1),
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

  it.each(both)("is denied by the server's name and its own: %s", async (kind) => {
    const filter: ToolSearchFilter = ({ toolName }) => toolName !== 'github_delete_repo';
    const steps = [
      [call('search_tools', { query: 'github delete repository' }), load('github_delete_repo'), load('delete_repo')],
      [call('github_delete_repo'), call('delete_repo')],
    ];
    const script: Script = ({ step }) => (steps[step] ? { toolCalls: steps[step] } : { text: 'done' });
    const made = rigWith(kind, { includeResolvedTools: true, filter }, script, {});
    await made.agent.generate('go', { toolsets: await client.listToolsets() });
    const { model } = made;
    const results = toolResults(model.calls[2]!.prompt);
    expect(found(results[0])).not.toContain('github_delete_repo');
    expect(results.slice(1, 3).map(({ value }) => value)).toMatchObject([{ success: false }, { success: false }]);
    expect(results.filter(({ value }) => JSON.stringify(value).includes('delete_repo ran'))).toEqual([]);
    for (const step of model.calls) expect(toolNames(step)).toEqual(['search_tools', 'load_tool']);
  });
});
