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
import {
  call,
  calls,
  email,
  load,
  rig,
  runDurable,
  searchLoadCall,
  tool,
  toolRecord,
  weather,
} from '../support/harness.ts';
import { systemText, toolNames, toolResults } from '../support/scripted-model.ts';

const tools = () => toolRecord(weather(), email());

describe('a processor beside other processors', () => {
  it('works before TokenLimiter', async () => {
    const processor = new ToolSearchProcessor({ tools: tools() });
    const { agent, model } = rig(
      { tools: {} },
      { agent: { inputProcessors: [processor, new TokenLimiter({ limit: 2000, trimMode: 'contiguous' } as never)] } },
    );
    expect((await agent.generate('weather')).text).toBe('done');
    expect(model.sent()).toEqual(['search_tools', 'load_tool', 'get_weather']);
  });

  it("unloads a load that TokenLimiter trims away, with storage 'context'", async () => {
    const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 50 } });
    const processor = new ToolSearchProcessor({ tools: tools(), storage: 'context' });
    let limit = 100_000;
    const trim = {
      id: 'trim',
      processInputStep: (args: ProcessInputStepArgs) => new TokenLimiter({ limit }).processInputStep(args) as never,
    };
    const { agent, model } = rig({ tools: {} }, { agent: { memory, inputProcessors: [trim, processor] } });
    const turn = { memory: { thread: 't', resource: 'r' } };
    await agent.generate('weather', turn);
    const script = model.calls.length;
    limit = 150;
    await agent.generate('weather', turn);
    expect(toolNames(model.calls[script]!)).toEqual(['search_tools', 'load_tool']);
  });

  it('works behind a processor that changes the messages', async () => {
    const shout = {
      id: 'shout',
      processInput: ({ messages }: ProcessInputArgs) =>
        messages.map((message) => ({
          ...message,
          content: { ...message.content, parts: [{ type: 'text' as const, text: 'LOUD' }] },
        })),
    };
    const processor = new ToolSearchProcessor({ tools: tools() });
    const { agent, model } = rig({ tools: {} }, { agent: { inputProcessors: [shout, processor] } });
    expect((await agent.generate('weather')).text).toBe('done');
    expect(JSON.stringify(model.calls[0]!.prompt)).toContain('LOUD');
  });

  it('leaves the system messages of the agent and of others as they are, and its own do not pile up', async () => {
    const other = {
      id: 'other',
      processInputStep: ({ messageList, stepNumber }: ProcessInputStepArgs) => {
        if (stepNumber === 0) messageList.addSystem('other says hello', 'other');
        return {};
      },
    };
    const processor = new ToolSearchProcessor({ tools: tools(), injectCatalog: true });
    const { agent, model } = rig({ tools: {} }, { agent: { inputProcessors: [other, processor] } });
    await agent.generate('weather');
    for (const { prompt } of model.calls) {
      const texts = prompt.filter(({ role }) => role === 'system').map(({ content }) => String(content));
      expect(texts.filter((text) => text === 'Help.')).toHaveLength(1);
      expect(texts.filter((text) => text === 'other says hello')).toHaveLength(1);
      expect(texts.filter((text) => text.includes('To discover available tools'))).toHaveLength(1);
      expect(texts.filter((text) => text.includes('Available tools:'))).toHaveLength(1);
    }
  });
});

describe('two processors on one agent', () => {
  const second = () =>
    new ToolSearchProcessor({
      tools: toolRecord(tool('create_issue', 'Create an issue.')),
      metaTools: { search: { name: 'find_work_tools' }, load: { name: 'take_work_tools' } },
    });

  it('work side by side under different meta-tool names, in either order', async () => {
    for (const order of [1, -1]) {
      const processors = [new ToolSearchProcessor({ tools: tools() }), second()];
      const { agent, model } = rig(
        { tools: {} },
        {
          script: calls(
            load('get_weather'),
            call('find_work_tools', { query: 'issue' }),
            call('take_work_tools', { toolName: 'create_issue' }),
            call('create_issue'),
            call('get_weather'),
          ),
          agent: { inputProcessors: order === 1 ? processors : processors.reverse() },
        },
      );
      await agent.generate('go', { maxSteps: 8 });
      const results = toolResults(model.calls.at(-1)!.prompt);
      expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, false]);
      expect(results.slice(-2).map(({ value }) => value)).toMatchObject([
        { ran: 'create_issue' },
        { ran: 'get_weather' },
      ]);
      expect(model.sent(0).sort()).toEqual(['find_work_tools', 'load_tool', 'search_tools', 'take_work_tools']);
    }
  });

  it('do not hide each other’s tools under includeResolvedTools', async () => {
    const processors = [new ToolSearchProcessor({ tools: tools(), includeResolvedTools: true }), second()];
    const { agent, model } = rig(
      { tools: {} },
      {
        script: calls(call('take_work_tools', { toolName: 'create_issue' }), load('own'), load('get_weather')),
        agent: { inputProcessors: processors.reverse(), tools: { own: tool('own') } },
      },
    );
    await agent.generate('go');
    expect(model.sent(0).sort()).toEqual(['find_work_tools', 'load_tool', 'search_tools', 'take_work_tools']);
    expect(model.sent()).toEqual(expect.arrayContaining(['create_issue', 'own', 'get_weather']));
  });

  it.each<[what: string, name: string, processors: (own: ToolSearchProcessor) => readonly unknown[], tools?: object]>([
    ['by ours', 'search_tools', (own) => [new ToolSearchProcessor({ tools: {} }), own]],
    ['by the one of @mastra/core', 'search_tools', (own) => [new CoreToolSearchProcessor({ tools: {} }), own]],
    ["by an agent's own tool", 'load_tool', (own) => [own], toolRecord(tool('load_tool'))],
  ])(
    'are refused where a name of theirs is taken %s, by an error that names it',
    async (_, name, processors, own = {}) => {
      const inputProcessors = processors(new ToolSearchProcessor({ tools: tools() }));
      const { agent } = rig(
        { tools: {} },
        { agent: { inputProcessors: inputProcessors as never, tools: own as never } },
      );
      await expect(agent.generate('go')).rejects.toThrow(`already has a tool called "${name}"`);
    },
  );
});

describe('one processor on two agents', () => {
  it('serves both, each with its own tools, over one RequestContext', async () => {
    const processor = new ToolSearchProcessor({ tools: tools() });
    const setup = { inputProcessors: [processor] };
    const first = rig({ tools: {} }, { agent: { ...setup, tools: { get_weather: tool('get_weather', 'Own.') } } });
    const second = rig({ tools: {} }, { agent: setup });
    await Promise.all([first.agent.generate('weather'), second.agent.generate('weather')]);
    expect(first.model.sent(0)).toEqual(['search_tools', 'load_tool', 'get_weather']);
    expect(second.model.sent(0)).toEqual(['search_tools', 'load_tool']);
  });
});

describe('the tools of a step', () => {
  it('are meta-tools, resident tools, then loaded tools in load order', async () => {
    const { agent, model } = rig(
      { tools: { ...tools(), ...toolRecord(tool('pinned')) }, alwaysLoaded: ['pinned'] },
      { script: calls(load('send_email'), load('get_weather')), agent: { tools: { own: tool('own') } } },
    );
    await agent.generate('go');
    expect(model.sent()).toEqual(['search_tools', 'load_tool', 'own', 'pinned', 'send_email', 'get_weather']);
    expect(model.sent(0)).toEqual(['search_tools', 'load_tool', 'own', 'pinned']);
  });

  it('extend the activeTools of the caller', async () => {
    const own = { own: tool('own'), hidden: tool('hidden') };
    const { agent, model } = rig({ tools: tools() }, { script: searchLoadCall('weather'), agent: { tools: own } });
    await agent.generate('weather', { activeTools: ['own'] } as never);
    expect(model.sent()).toEqual(['search_tools', 'load_tool', 'own', 'get_weather']);
    expect(model.result()).toMatchObject({ ran: 'get_weather' });
  });
});

describe('includeResolvedTools', () => {
  it('makes the agent’s tools searchable, those of Memory too, and keeps those of alwaysLoaded', async () => {
    const memory = new Memory({
      storage: new InMemoryStore(),
      options: { workingMemory: { enabled: true, template: '# User' } },
    });
    const own = { own_weather: weather(), own_mail: email() };
    const { agent, model } = rig(
      { includeResolvedTools: true, alwaysLoaded: ['updateWorkingMemory', 'own_mail'] },
      { agent: { tools: own, memory } },
    );
    await agent.generate('weather', { memory: { thread: 't', resource: 'r' } });
    expect(model.sent(0).slice(0, 2)).toEqual(['search_tools', 'load_tool']);
    expect(new Set(model.sent(0))).toEqual(new Set(['search_tools', 'load_tool', 'updateWorkingMemory', 'send_email']));
    expect(model.sent(3).at(-1)).toBe('get_weather');
    expect(model.result(3)).toMatchObject({ ran: 'get_weather' });
  });

  it('asks the active phase for alwaysLoaded, also for the agent’s own tools', async () => {
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
    expect(model.sent(0)).toEqual(['search_tools', 'load_tool', 'send_email']);
  });
});

it('the system text of a DurableAgent stays the same over its steps', async () => {
  const { agent, model } = rig({ tools: tools(), injectCatalog: true });
  await runDurable(agent, 'weather');
  expect(new Set(model.calls.map(({ prompt }) => systemText(prompt))).size).toBe(1);
});
