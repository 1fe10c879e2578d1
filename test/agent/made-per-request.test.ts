import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { type ToolSearchProcessor as Processor, type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { threadStateStore } from 'mastra-tool-search/thread-state';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { call, calls, inThread, load, META, newMemory, RUNS, rig, SIZES, tool, toolRecord } from '../support/agent.ts';
import { memorySource } from '../support/memory-source.ts';
import { type Script, toolNames, toolResults } from '../support/scripted-model.ts';

/** An agent whose processors are made anew whenever Mastra asks for them. */
const perRequest = (options: object, script: Script, agent: object = {}) => {
  const inputProcessors = () => [new ToolSearchProcessor(options)];
  return rig({ tools: {} }, { script, agent: { ...agent, inputProcessors } as never });
};

describe.each(SIZES)('processors that are made for each request, over a $size catalog,', ({ fillers }) => {
  const tools = { ...toolRecord(tool('subject'), tool('secret_admin'), tool('other')), ...fillers };
  const filter = ({ toolName }: { toolName: string }) => !toolName.startsWith('secret');

  it.each(RUNS)('send and run what is loaded and allowed, in every step of every turn, in $how', async ({ run }) => {
    const steps = [load('subject'), call('subject'), load('secret_admin'), call('secret_admin')];
    const options = { tools, filter, storage: 'context' };
    const { agent, model } = perRequest(options, calls(...steps), { memory: newMemory() });
    for (const text of ['go', 'again']) await run(agent, text, { ...inThread, maxSteps: 6 });
    const [first, ...later] = model.calls.map(toolNames);
    expect(first).toEqual(META);
    expect(new Set(later.map(String))).toEqual(new Set([[...META, 'subject'].join()]));
    expect(JSON.stringify(model.calls)).not.toContain('Does secret admin');
    expect(model.result(2, 'subject')).toMatchObject({ ran: 'subject' });
    const denied = toolResults(model.calls.at(-1)!.prompt).at(-1)!;
    expect(denied.isError).toBe(true);
    expect(String(denied.value)).not.toContain('Available tools: secret');
  });

  it('call a loaded tool between hooks, with the id of the agent, also over a source', async () => {
    const execute = vi.fn(async (_input: unknown, _context: never) => 'ran');
    const beforeToolCall = vi.fn();
    const subject = { ...toolRecord(tool('subject', 'Subject.', { execute })), ...fillers };
    const script = calls(load('subject'), call('subject'));
    for (const given of [subject, await memorySource(subject)])
      for (const agent of [{}, { hooks: { beforeToolCall } }])
        await perRequest({ tools: given }, script, agent).agent.generate('go');
    const told = beforeToolCall.mock.calls.map(([{ toolName }]) => toolName);
    expect(told).toEqual(['subject', 'found_by_search_tools']);
    for (const at of [0, 2]) expect(execute.mock.calls[at]?.[1]).toMatchObject({ agent: { agentId: 'test-agent' } });
    expect(execute).toHaveBeenCalledTimes(4);
  });

  it('search and guard the own tools of the agent as well', async () => {
    const own = { tools: { own: tool('own'), secret_own: tool('secret_own') } };
    const script = calls(load('own'), call('own'), load('secret_own'), call('secret_own'), load('subject'));
    const { agent, model } = perRequest({ tools, filter, includeResolvedTools: true }, script, own);
    await agent.generate('go', { maxSteps: 8 });
    expect(model.sent(0)).toEqual(META);
    expect(new Set(model.sent())).toEqual(new Set([...META, 'own', 'subject']));
    expect(model.result(2)).toMatchObject({ ran: 'own' });
    expect(toolResults(model.calls.at(-1)!.prompt)[3]).toMatchObject({ isError: true });
  });
});

/** Two copies of the package in one process, as ESM and CommonJS, or two versions, are. */
let copies: readonly (typeof Processor)[];
beforeAll(async () => {
  const importAnew = async () => {
    vi.resetModules();
    return (await import('../../src/index.ts')).ToolSearchProcessor;
  };
  copies = [await importAnew(), await importAnew()];
});

describe.each(SIZES)('two copies of the package, over a $size catalog,', ({ size, fillers }) => {
  const tools = { ...toolRecord(tool('subject')), ...fillers };

  it('recognise what the other one handed over, where Mastra asks one for tools and the other for steps', async () => {
    expect(copies[0]).not.toBe(copies[1]);
    let turn = 0;
    const inputProcessors = () => [new copies[turn++ % 2]!({ tools })];
    const script = calls(load('subject'), call('subject'));
    const { agent, model } = rig({ tools: {} }, { script, agent: { inputProcessors } });
    for (let run = 0; run < 2; run++) {
      await agent.generate('go');
      turn += 1;
    }
    const run = [META, [...META, 'subject'], [...META, 'subject']];
    expect(model.calls.map(toolNames)).toEqual([...run, ...run]);
    expect(model.result()).toMatchObject({ ran: 'subject' });
  });

  it('work side by side on one agent, whichever is first', async () => {
    const [One, Other] = (size === 'small' ? copies : copies.toReversed()) as [typeof Processor, typeof Processor];
    const work = { ...toolRecord(tool('create_issue')), ...fillers };
    const metaTools = { search: { name: 'find_work' }, load: { name: 'take_work' } };
    const beforeToolCall = vi.fn();
    const take = call('take_work', { toolName: 'create_issue' });
    const script = calls(load('subject'), take, call('create_issue'), call('subject'));
    const inputProcessors = [new One({ tools }), new Other({ tools: work, metaTools, includeResolvedTools: true })];
    const { agent, model } = rig(
      { tools: {} },
      { script, agent: { hooks: { beforeToolCall }, inputProcessors } as never },
    );
    await agent.generate('go', { maxSteps: 8 });
    const meta = [...META, 'find_work', 'take_work'];
    expect(new Set(model.sent(0))).toEqual(new Set(meta));
    expect(new Set(model.sent())).toEqual(new Set([...meta, 'subject', 'create_issue']));
    expect(beforeToolCall.mock.calls.map(([{ toolName }]) => toolName)).toEqual(['create_issue', 'subject']);
  });
});

const REMEMBERED = [...META, 'subject'];

it('threadStateStore() leaves loads to the run without a Mastra instance, and its event says what to do', async () => {
  const errors: unknown[] = [];
  const onEvent = (event: ToolSearchEvent) => void (event.type === 'store-failed' && errors.push(event.error));
  const setup = { script: calls(load('subject')), agent: { memory: newMemory() } };
  const { agent, model } = rig({ tools: toolRecord(tool('subject')), storage: threadStateStore(), onEvent }, setup);
  expect((await agent.generate('go', inThread)).text).toBe('done');
  expect(model.calls.map(toolNames)).toEqual([META, REMEMBERED]);
  expect(errors[0]).toMatchObject({ code: 'storage-unavailable' });
});

describe('threadStateStore() of a processor that is made for each request', () => {
  /** Two requests of one thread. */
  async function twoRequests(extra: object = {}, { isGiven = false, fillers = {} } = {}) {
    const errors: string[] = [];
    const onEvent = (event: ToolSearchEvent) => void (event.type === 'store-failed' && errors.push(`${event.error}`));
    let mastra: Mastra | undefined;
    const inputProcessors = () => {
      const storage = threadStateStore(mastra && isGiven ? { mastra } : {});
      return [new ToolSearchProcessor({ tools: { ...toolRecord(tool('subject')), ...fillers }, storage, onEvent })];
    };
    const agent = { inputProcessors, memory: new Memory(), ...extra };
    const made = rig({ tools: {} }, { script: calls(load('subject'), call('subject')), agent: agent as never });
    mastra = new Mastra({ agents: { agent: made.agent }, storage: new InMemoryStore(), logger: false });
    for (let request = 0; request < 2; request++) await made.agent.generate('go', inThread);
    return { sent: made.model.calls.map(toolNames), errors };
  }

  it.each(SIZES)('finds the storage of the Mastra instance by itself: a $size catalog', async ({ fillers }) => {
    const { sent, errors } = await twoRequests({}, { fillers });
    expect(errors).toEqual([]);
    expect(sent).toEqual([META, ...Array(5).fill(REMEMBERED)]);
  });

  it('asks for nothing through the agent’s hooks, and its event says what to do', async () => {
    const beforeToolCall = vi.fn();
    const { errors } = await twoRequests({ hooks: { beforeToolCall } });
    expect(beforeToolCall.mock.calls.map(([{ toolName }]) => toolName)).toEqual(['subject', 'subject']);
    expect(errors[0]).toContain('then pass it, threadStateStore({ mastra })');
    const mended = await twoRequests({ hooks: { beforeToolCall } }, { isGiven: true });
    expect([mended.errors, mended.sent.at(-1)]).toEqual([[], REMEMBERED]);
  });
});
