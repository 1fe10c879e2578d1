import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import type { SearchToolsResult, ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { loaded, userSays } from '../loaded/conversation/messages.ts';
import {
  approve,
  call,
  calls,
  inMastra,
  inThread,
  load,
  META,
  newMemory,
  type Rig,
  rig,
  search,
  tool,
  toolRecord,
} from '../support/agent.ts';
import { lastToolResult, type Script, systemText } from '../support/scripted-model.ts';

type Called = ReturnType<typeof call>;
const found = (value: unknown): string[] =>
  ((value as SearchToolsResult | undefined)?.results ?? []).map(({ name }) => name).sort();
/** Several calls a step. */
const steps =
  (...all: Called[][]): Script =>
  ({ step }) =>
    all[step] ? { toolCalls: all[step] } : { text: 'done' };

const deleteRepo = (extra: object = {}, id = 'delete-repo') => ({
  deleteRepo: tool(id, 'Deletes a repository.', extra),
});

/** An agent with these tools, and what its runs reported. */
function agentWith(tools: object, script: Script, options: ToolSearchProcessorOptions = {}) {
  const made = rig({ includeResolvedTools: true, ...options }, { script, agent: { tools } });
  return { ...made, problems: () => made.events.filter(({ type }) => type === 'tool-problem') };
}

describe("the key of an agent's tool with another id", () => {
  it.each<[how: string, first: Called, options?: ToolSearchProcessorOptions, run?: object]>([
    ['load_tool', load('deleteRepo')],
    ['a list of names', call('load_tool', { toolNames: ['deleteRepo'] })],
    ['select:', search('select:deleteRepo')],
    ['a pattern', load('deleteR*')],
    ['a direct call, which leads to the id', call('deleteRepo'), { onMiss: 'load' }],
    ['a load where activeTools has the key', load('deleteRepo'), {}, { activeTools: ['deleteRepo'] }],
  ])('loads the tool with %s', async (_, first, options, run) => {
    const { agent, model } = agentWith(deleteRepo(), calls(first, call('delete-repo')), options);
    await agent.generate('go', run ?? {});
    expect(JSON.stringify(model.result(1))).toContain('delete-repo');
    expect(model.sent(1)).toEqual([...META, 'delete-repo']);
    expect(model.result(2)).toMatchObject({ ran: 'delete-repo' });
  });

  it('runs the tool when the model calls it, and leads to it when it is misspelled', async () => {
    const script = calls(call('call_tool', { toolName: 'deleteRepo', arguments: {} }), search('select:buildReprot'));
    const tools = { ...deleteRepo(), buildReport: tool('x-1', 'Reports.') };
    const { agent, model } = agentWith(tools, script, { mode: 'call' });
    await agent.generate('go');
    const ran = { toolName: 'call_tool', value: { ran: 'delete-repo' } };
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject(ran);
    expect(model.result(2)).toMatchObject({ message: expect.stringContaining('x-1') });
  });

  it('names the tool in alwaysLoaded and keywords', async () => {
    const options = { alwaysLoaded: ['deleteRepo'], search: { keywords: { deleteRepo: ['wombats'] } } };
    const { agent, model } = agentWith(deleteRepo(), calls(search('wombats')), options);
    await agent.generate('go');
    expect(model.sent(0)).toEqual([...META, 'delete-repo']);
    expect(found(model.result(1))).toEqual(['delete-repo']);
  });

  it.each(['deleteRepo', 'delete-repo'])('names the tool in a conversation that loaded "%s"', async (name) => {
    const script = calls(call('delete-repo'), call('unload_tool', { toolNames: ['delete-repo'] }));
    const options = { storage: 'context', metaTools: { unload: true } } as const;
    const { agent, model } = agentWith(deleteRepo(), script, options);
    await agent.generate([userSays('load it'), loaded(name), userSays('go')] as never);
    expect(model.result(1)).toMatchObject({ ran: 'delete-repo' });
    expect(model.calls.map((_, step) => model.sent(step).includes('delete-repo'))).toEqual([true, true, false]);
  });

  it.each<[why: string, tools: object, names: string[], renamed: string]>([
    ['another has the id', { one: tool('x', 'A note.'), two: tool('x', 'Note it.') }, ['two', 'x'], 'two'],
    ['a meta-tool has the id', { finder: tool('search_tools', 'Finds a note.') }, ['finder'], 'finder'],
  ])('is its name where %s, which is reported', async (_, tools, names, renamed) => {
    const { agent, model, problems } = agentWith(tools, calls(search('note')));
    await agent.generate('go');
    expect(found(model.result(1))).toEqual(names);
    expect(problems()).toMatchObject([{ toolName: renamed, problem: 'renamed' }]);
  });

  it.each([
    { id: 'delete-repo', isNew: false, filter: undefined },
    { id: 'repo.delete', isNew: false, filter: () => true },
    { id: 'delete-repo', isNew: true, filter: () => true },
    { id: 'repo.delete', isNew: true, filter: undefined },
  ])('does not matter to an approved call of $id, after a restart ($isNew), with filter $filter', async (one) => {
    const storage = new InMemoryStore();
    const name = one.id.replace('.', '_');
    const options = { includeResolvedTools: true, ...(one.filter ? { filter: one.filter } : {}) };
    const open = (): Rig => {
      const agent = { tools: deleteRepo({ requireApproval: true }, one.id), memory: newMemory() };
      const made = rig(options, { script: calls(load(name), call(name)), agent });
      inMastra(made.agent, storage);
      return made;
    };
    const first = open();
    const waiting = await first.agent.generate('go', inThread);
    const second = one.isNew ? open() : first;
    await approve(second.agent, waiting);
    expect(second.model.result()).toMatchObject({ ran: one.id });
  });
});

describe('a searchable tool with the name of one that the agent sends', () => {
  it('is left out of the search, which is reported once', async () => {
    const tools = { note: tool('note', 'From the catalog.'), other: tool('other_note', 'Another note.') };
    const own = createTool({ id: 'own-note', description: 'Own.', execute: async () => 'own' });
    const script = calls(search('note'), load('note'), call('note'));
    const options = { tools, includeResolvedTools: false, injectCatalog: true };
    const { agent, model, problems } = agentWith({ note: own }, script, options);
    for (let run = 0; run < 2; run++) await agent.generate('go');
    expect(found(model.result(1))).toEqual(['note', 'other_note']);
    expect(systemText(model.calls[0]!.prompt)).not.toContain('From the catalog');
    expect(model.result(2)).toMatchObject({ success: true, message: expect.stringContaining('needs no loading') });
    expect(model.result(3)).toBe('own');
    const message = expect.stringContaining('the agent has a tool of that name');
    expect(problems()).toEqual([{ type: 'tool-problem', toolName: 'note', problem: 'left-out', message }]);
  });

  it.each(['same', 'otherKey'])('is reported once, where it is the very same: as %s', async (key) => {
    const same = tool('same', 'Same.');
    const options = { tools: toolRecord(same, tool('other')), includeResolvedTools: false };
    const { agent, model, problems } = agentWith({ [key]: same }, calls(load('other')), options);
    for (let run = 0; run < 2; run++) await agent.generate('go');
    expect(problems()).toMatchObject([{ toolName: 'same', message: expect.stringContaining('on every step') }]);
    expect(model.sent(0)).toEqual([...META, key]);
  });
});

describe('a filter that was written for @mastra/core', () => {
  let ran: string[] = [];
  const spyTool = (id: string, description: string) =>
    tool(id, description, { execute: async () => void ran.push(id) });
  const all = () => ({ wipe: spyTool('admin.delete_all', 'Deletes all.'), read: spyTool('users.read', 'Reads all.') });

  it.each<[from: string, tools: object, options: ToolSearchProcessorOptions]>([
    ['the constructor', {}, { tools: all() }],
    ['a function', {}, { tools: async () => all() }],
    ['the agent', all(), {}],
  ])('denies by ids that providers refuse: tools of %s', async (_, tools, options) => {
    ran = [];
    const asked = new Set<string>();
    const filter: ToolSearchFilter = ({ toolName, callableName }) => {
      asked.add(`${toolName} ${callableName}`);
      return !toolName.startsWith('admin.');
    };
    const names = ['wipe', 'admin.delete_all', 'admin_delete_all', 'users_read'];
    const loads = [search('all'), call('load_tool', { toolNames: names })];
    const script = steps(
      loads,
      names.map((name) => call(name)),
    );
    const { agent, model } = agentWith(tools, script, { filter, ...options });
    await agent.generate('go');
    expect(found(model.result(1, 'search_tools'))).toEqual(['users_read']);
    const loadedAll = { loaded: ['users_read'], notFound: names.slice(0, 3) };
    expect(model.result(1, 'load_tool')).toMatchObject(loadedAll);
    expect(ran).toEqual(['users.read']);
    expect([...asked].sort()).toEqual(['admin.delete_all admin_delete_all', 'users.read users_read']);
  });

  const repos = () => ({
    deleteRepo: spyTool('delete-repo', 'A repo.'),
    listRepos: spyTool('list-repos', 'All repos.'),
  });
  /** As an MCPClient lists them. */
  const server = () => ({
    delete_repo: spyTool('github_delete_repo', 'A repo.'),
    list_repos: spyTool('github_list_repos', 'Repos.'),
  });
  it.each<[why: string, filter: ToolSearchFilter, given: object, names: string[], allowed: string]>([
    [
      'one denied id',
      ({ toolName }) => toolName !== 'delete-repo',
      repos(),
      ['delete-repo', 'list-repos'],
      'list-repos',
    ],
    [
      'an allowlist',
      ({ toolName }) => toolName.startsWith('list-'),
      repos(),
      ['delete-repo', 'list-repos'],
      'list-repos',
    ],
    [
      "a name of a server's tool",
      ({ toolName }) => toolName !== 'github_delete_repo',
      { github: server() },
      ['github_delete_repo', 'delete_repo', 'github_list_repos'],
      'github_list_repos',
    ],
  ])('decides as there about tools of a request: %s', async (_, filter, given, names, allowed) => {
    const loads = [search('repo repos'), ...names.map((name) => load(name))];
    const script = steps(
      loads,
      names.map((name) => call(name)),
    );
    const options = { includeResolvedTools: true, filter };
    const core = [new CoreProcessor({ tools: {}, ...options } as never)];
    for (const inputProcessors of [core, undefined]) {
      ran = [];
      const tools = ('github' in given ? {} : given) as never;
      const { agent, model } = rig(options, { script, agent: { tools, ...(inputProcessors && { inputProcessors }) } });
      await agent.generate('go', 'github' in given ? { toolsets: given as never } : {});
      expect(found(model.result(1, 'search_tools'))).toEqual([allowed]);
      expect(model.sent(1)).toEqual([...META, allowed]);
      expect(ran).toEqual([allowed]);
    }
  });

  it('is asked by an id that looks made up, but is not', async () => {
    ran = [];
    const wipe = createTool({ id: 'tool-delete', description: '', execute: async () => void ran.push('wipe') });
    const script = calls(load('wipe'), call('wipe'), load('tool-delete'), call('tool-delete'));
    const { agent } = agentWith({ wipe }, script, { filter: ({ toolName }) => toolName !== 'tool-delete' });
    await agent.generate('go', { maxSteps: 8 });
    expect(ran).toEqual([]);
  });

  it('is asked by the id right before a call too, and about a provider’s own tool', async () => {
    const asked: string[] = [];
    const filter: ToolSearchFilter = ({ toolName, callableName, phase }) =>
      asked.push(`${phase} ${toolName} ${callableName}`) > 0;
    const webSearch = { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} } as const;
    const script = calls(load('webSearch'), load('sendMail'), call('mail_send'));
    const { agent } = agentWith({ sendMail: tool('mail.send') }, script, { filter, tools: { webSearch } });
    await agent.generate('go');
    expect(asked).toContain('load openai.web_search webSearch');
    expect(asked.slice(-3)).toContain('active mail.send mail_send');
    const names = new Set(asked.map((line) => line.replace(/^\w+ /, '')));
    expect(names).toEqual(new Set(['openai.web_search webSearch', 'mail.send mail_send']));
  });
});
