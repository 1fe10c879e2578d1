import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { tool as aiTool } from 'ai';
import type { SearchToolsResult, ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loaded, userSays } from '../loaded/conversation/messages.ts';
import { call, calls, load, type Rig, rig, tool, toolRecord } from '../support/harness.ts';
import { lastToolResult, type Script, systemText, toolNames } from '../support/scripted-model.ts';

const turn = { memory: { thread: 't', resource: 'r' } };
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

  it.each([
    { how: 'load_tool', first: load('deleteRepo') },
    { how: 'a list of names', first: call('load_tool', { toolNames: ['deleteRepo'] }) },
    { how: 'select:', first: call('search_tools', { query: 'select:deleteRepo' }) },
    { how: 'a pattern', first: load('deleteR*') },
    { how: 'a direct call', first: call('deleteRepo'), options: { onMiss: 'load' as const } },
  ])('loads the tool with $how', async ({ first, options }) => {
    const model = await go(calls(first, call('delete-repo')), options);
    expect(toolNames(model.calls[1]!)).toEqual(['search_tools', 'load_tool', 'delete-repo']);
    expect(lastToolResult(model.calls[2]!.prompt)?.value).toMatchObject({ ran: 'delete-repo' });
  });

  it('runs the tool when the model calls the key', async () => {
    const model = await go(calls(call('deleteRepo')), { onMiss: 'run' });
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({
      toolName: 'delete-repo',
      value: { ran: 'delete-repo' },
    });
  });

  it("leads the model to the id when it calls the key, with onMiss: 'load'", async () => {
    const model = await go(calls(call('deleteRepo')), { onMiss: 'load' });
    expect(lastToolResult(model.calls[1]!.prompt)?.value).toContain('delete-repo');
  });

  it('leads to the tool when it is misspelled, by a suggestion', async () => {
    const tools = { buildReport: tool('x-1', 'Reports.') };
    const model = await go(calls(load('buildReprot')), {}, {}, tools);
    expect(lastToolResult(model.calls[1]!.prompt)?.value).toMatchObject({ message: expect.stringContaining('x-1') });
  });

  it('names the tool in alwaysLoaded, keywords and activeTools', async () => {
    const model = await go(calls(call('search_tools', { query: 'wombats' })), {
      alwaysLoaded: ['deleteRepo'],
      search: { keywords: { deleteRepo: ['wombats'] } },
    });
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool', 'delete-repo']);
    expect(found(lastToolResult(model.calls[1]!.prompt))).toEqual(['delete-repo']);
    const active = await go(calls(load('deleteRepo'), call('delete-repo')), {}, { activeTools: ['deleteRepo'] });
    expect(lastToolResult(active.calls[2]!.prompt)?.value).toMatchObject({ ran: 'delete-repo' });
  });

  it.each(['deleteRepo', 'delete-repo'])('names the tool in a conversation that loaded "%s"', async (name) => {
    const script: Script = ({ step }) => (step === 0 ? { toolCalls: [call('delete-repo')] } : { text: 'done' });
    const made = rig(
      { includeResolvedTools: true, storage: 'context' },
      { script, agent: { tools: { deleteRepo: deleteRepo() } } },
    );
    await made.agent.generate([userSays('load it'), loaded(name), userSays('go')] as never);
    expect(toolNames(made.model.calls[0]!)).toEqual(['search_tools', 'load_tool', 'delete-repo']);
    expect(lastToolResult(made.model.calls[1]!.prompt)?.value).toMatchObject({ ran: 'delete-repo' });
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
    expect(lastToolResult(model.calls[4]!.prompt)?.value).toMatchObject({ ran: 'third' });
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

  it.each([
    { why: 'Mastra made up its id of its description', tools: { takeNote: ai('Takes a note.') }, names: ['takeNote'] },
    { why: 'Mastra made up its id', tools: { takeNote: ai() }, names: ['takeNote'] },
    {
      why: 'another has the id',
      tools: { one: tool('x', 'A note.'), two: tool('x', 'Note it.') },
      names: ['two', 'x'],
    },
    { why: 'a meta-tool has the id', tools: { finder: tool('search_tools', 'Finds a note.') }, names: ['finder'] },
  ])('where $why', async ({ tools, names }) => {
    expect((await namesFor(tools)).names).toEqual(names);
  });

  it('where two tools share an id, which is reported', async () => {
    const { events } = await namesFor({ one: tool('x', 'A note.'), two: tool('x', 'Note it.') });
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
    expect(lastToolResult(model.calls[2]!.prompt)?.value).toMatchObject({
      success: true,
      message: expect.stringContaining('needs no loading'),
    });
    expect(lastToolResult(model.calls[3]!.prompt)?.value).toBe('own');
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
      for (let turn = 0; turn < 2; turn++) await agent.generate('go');
      const told = events.filter(({ type }) => type === 'tool-problem');
      expect(told).toMatchObject([{ toolName: 'same', message: expect.stringContaining('on every step') }]);
      expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool', key]);
    },
  );
});

describe.each([
  { id: 'delete-repo', name: 'delete-repo' },
  { id: 'repo.delete', name: 'repo_delete' },
])('an approved call of an agent’s tool with the key deleteRepo and the id $id', ({ id, name }) => {
  it.each([
    { where: 'in the same process', isNew: false, filter: undefined },
    { where: 'in the same process, with a filter', isNew: false, filter: () => true },
    { where: 'after a restart', isNew: true, filter: undefined },
    { where: 'after a restart, with a filter', isNew: true, filter: () => true },
  ])('runs $where', async ({ isNew, filter }) => {
    const storage = new InMemoryStore();
    const open = (): Rig => {
      const made = rig(
        { includeResolvedTools: true, ...(filter ? { filter } : {}) },
        {
          script: calls(load(name), call(name)),
          agent: { tools: { deleteRepo: tool(id, 'Deletes.', { requireApproval: true }) }, memory: new Memory() },
        },
      );
      new Mastra({ agents: { agent: made.agent }, storage, logger: false });
      return made;
    };
    const first = open();
    const { runId = '', suspendPayload } = await first.agent.generate('go', turn);
    const second = isNew ? open() : first;
    const { toolCallId } = suspendPayload as { toolCallId: string };
    await second.agent.approveToolCallGenerate({ runId, toolCallId });
    expect(lastToolResult(second.model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: id });
  });
});
