import {
  ToolSearchProcessor as CoreToolSearchProcessor,
  type ProcessInputArgs,
  type ProcessInputStepArgs,
  TokenLimiter,
} from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, email, inThread, load, META, RUNS, rig, tool, toolRecord, weather } from '../support/agent.ts';
import { toolNames, toolResults } from '../support/scripted-model.ts';

const tools = () => toolRecord(weather(), email());
const ours = (options: object = {}) => new ToolSearchProcessor({ tools: tools(), ...options });
const OTHER_META = ['find_work_tools', 'take_work_tools'];
const ALL_META = [...META, ...OTHER_META].sort();

describe('a processor beside other processors', () => {
  it.each(RUNS)(
    'leaves messages and system texts of others as they are, and its own do not pile up, in $how',
    async ({ run }) => {
      const shout = {
        id: 'shout',
        processInput: ({ messages }: ProcessInputArgs) =>
          messages.map((message) => ({
            ...message,
            content: { ...message.content, parts: [{ type: 'text' as const, text: 'LOUD' }] },
          })),
      };
      const other = {
        id: 'other',
        processInputStep: ({ messageList, stepNumber }: ProcessInputStepArgs) => {
          if (stepNumber === 0) messageList.addSystem('other says hello', 'other');
          return {};
        },
      };
      const limiter = new TokenLimiter({ limit: 2000, trimMode: 'contiguous' } as never);
      const inputProcessors = [shout, other, ours({ injectCatalog: true }), limiter];
      const { agent, model } = rig({ tools: {} }, { agent: { inputProcessors } });
      await run(agent, 'weather');
      expect(model.sent()).toEqual([...META, 'get_weather']);
      for (const { prompt } of model.calls) {
        const texts = prompt.filter(({ role }) => role === 'system').map(({ content }) => String(content));
        for (const own of [/^Help\.$/, /^other says hello$/, /To discover available tools/, /Available tools:/])
          expect(texts.filter((text) => own.test(text))).toHaveLength(1);
        expect(JSON.stringify(prompt)).toContain('LOUD');
      }
    },
  );

  it("unloads a load that TokenLimiter trims away, with storage 'context'", async () => {
    const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 50 } });
    let limit = 100_000;
    const trim = {
      id: 'trim',
      processInputStep: (args: ProcessInputStepArgs) => new TokenLimiter({ limit }).processInputStep(args) as never,
    };
    const inputProcessors = [trim, ours({ storage: 'context' })];
    const { agent, model } = rig({ tools: {} }, { agent: { memory, inputProcessors } });
    await agent.generate('weather', inThread);
    const before = model.calls.length;
    limit = 150;
    await agent.generate('weather', inThread);
    expect(model.sent(before)).toEqual(META);
  });
});

describe('two processors on one agent', () => {
  const second = () =>
    new ToolSearchProcessor({
      tools: toolRecord(tool('create_issue', 'Create an issue.')),
      metaTools: { search: { name: 'find_work_tools' }, load: { name: 'take_work_tools' } },
    });
  const take = call('take_work_tools', { toolName: 'create_issue' });

  it.each(['in front', 'behind'])(
    'work side by side under other names of the meta-tools, the other %s',
    async (where) => {
      const inputProcessors = where === 'behind' ? [ours(), second()] : [second(), ours()];
      const find = call('find_work_tools', { query: 'issue' });
      const script = calls(load('get_weather'), find, take, call('create_issue'), call('get_weather'));
      const { agent, model } = rig({ tools: {} }, { script, agent: { inputProcessors } });
      await agent.generate('go', { maxSteps: 8 });
      const results = toolResults(model.calls.at(-1)!.prompt);
      expect(results.map(({ isError }) => isError)).toEqual(Array(5).fill(false));
      expect(results.slice(-2).map(({ value }) => value)).toMatchObject([
        { ran: 'create_issue' },
        { ran: 'get_weather' },
      ]);
      expect([...model.sent(0)].sort()).toEqual(ALL_META);
    },
  );

  it('do not hide each other’s tools under includeResolvedTools', async () => {
    const inputProcessors = [second(), ours({ includeResolvedTools: true })];
    const script = calls(take, load('own'), load('get_weather'));
    const { agent, model } = rig({ tools: {} }, { script, agent: { inputProcessors, tools: { own: tool('own') } } });
    await agent.generate('go');
    expect([...model.sent(0)].sort()).toEqual(ALL_META);
    expect(model.sent()).toEqual(expect.arrayContaining(['create_issue', 'own', 'get_weather']));
  });

  it('send a catalog that the one in front sends whole', async () => {
    const inputProcessors = [ours({ mode: 'native', passthroughBelow: 8 }), second()];
    const { agent, model } = rig({ tools: {} }, { script: calls(call('get_weather')), agent: { inputProcessors } });
    await agent.generate('go');
    expect(model.sent().toSorted()).toEqual([...OTHER_META, 'get_weather', 'send_email'].toSorted());
    expect(model.result()).toMatchObject({ ran: 'get_weather' });
  });

  it.each<[what: string, name: string, front: unknown[], own?: object]>([
    ['by ours', 'search_tools', [new ToolSearchProcessor({ tools: {} })]],
    ['by the one of @mastra/core', 'search_tools', [new CoreToolSearchProcessor({ tools: {} })]],
    ["by an agent's own tool", 'load_tool', [], toolRecord(tool('load_tool'))],
  ])('are refused where a name of theirs is taken %s, by an error that names it', async (_, name, front, own = {}) => {
    const { agent } = rig({ tools: {} }, { agent: { inputProcessors: [...front, ours()], tools: own } as never });
    await expect(agent.generate('go')).rejects.toThrow(`already has a tool called "${name}"`);
  });
});

it('one processor serves two agents, each with its own tools, over one RequestContext', async () => {
  const setup = { inputProcessors: [ours()] };
  const first = rig({ tools: {} }, { agent: { ...setup, tools: { get_weather: tool('get_weather', 'Own.') } } });
  const second = rig({ tools: {} }, { agent: setup });
  await Promise.all([first.agent.generate('weather'), second.agent.generate('weather')]);
  expect(first.model.sent(0)).toEqual([...META, 'get_weather']);
  expect(second.model.sent(0)).toEqual(META);
});

describe('the tools of a step', () => {
  it('are meta-tools, resident tools, then loaded tools in load order, and extend the activeTools of the caller', async () => {
    const { agent, model } = rig(
      { tools: { ...tools(), ...toolRecord(tool('pinned')) }, alwaysLoaded: ['pinned'] },
      { script: calls(load('send_email'), load('get_weather')), agent: { tools: toolRecord(tool('own'), tool('b')) } },
    );
    await agent.generate('go', { activeTools: ['own'] } as never);
    expect(toolNames(model.calls[0]!)).toEqual([...META, 'own', 'pinned']);
    expect(model.sent()).toEqual([...META, 'own', 'pinned', 'send_email', 'get_weather']);
  });

  it('are with includeResolvedTools no own tools of the agent, nor of Memory, but those of alwaysLoaded', async () => {
    const options = { workingMemory: { enabled: true, template: '# User' } };
    const memory = new Memory({ storage: new InMemoryStore(), options });
    const { agent, model } = rig(
      { includeResolvedTools: true, alwaysLoaded: ['updateWorkingMemory', 'own_mail'] },
      { agent: { tools: { own_weather: weather(), own_mail: email() }, memory } },
    );
    await agent.generate('weather', inThread);
    expect(model.sent(0).slice(0, 2)).toEqual(META);
    expect(new Set(model.sent(0))).toEqual(new Set([...META, 'updateWorkingMemory', 'send_email']));
    expect(model.sent(3).at(-1)).toBe('get_weather');
    expect(model.result(3)).toMatchObject({ ran: 'get_weather' });
  });

  it('are those of alwaysLoaded that the active phase permits, also the agent’s own', async () => {
    const { agent, model } = rig(
      {
        tools: tools(),
        includeResolvedTools: true,
        alwaysLoaded: ['own', 'get_weather', 'send_email'],
        filter: ({ toolName, phase }) => phase !== 'active' || toolName === 'send_email',
      },
      { script: () => ({ text: 'done' }), agent: { tools: { own: tool('own') } } },
    );
    await agent.generate('go');
    expect(model.sent(0)).toEqual([...META, 'send_email']);
  });
});
