import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import {
  type PreselectClassifier,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
  type ToolSource,
} from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { call, calls, email, fillerTools, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { type MemorySource, memorySource } from '../support/memory-source.ts';
import { lastToolResult, type Script, scriptedModel, toolNames } from '../support/scripted-model.ts';

const META = ['search_tools', 'load_tool'];
const turn = { memory: { thread: 't', resource: 'r' } };
const aSource = () => memorySource({ ...toolRecord(weather(), email()), ...fillerTools(20) });
const gets = (source: MemorySource) =>
  source.asked.filter(({ operation }) => operation === 'get').map(({ what }) => what);

async function over(options: ToolSearchProcessorOptions, script: Script, agent: object = {}) {
  const source = await aSource();
  const events: ToolSearchEvent[] = [];
  const onEvent = (event: ToolSearchEvent) => void events.push(event);
  return { ...rig({ tools: source, onEvent, ...options }, { script, agent }), source, events };
}

describe('over a source', () => {
  it('what is pinned is fetched at the beginning, once, and sent on every step', async () => {
    const there = await over(
      { alwaysLoaded: ['get_weather', 'no_such_tool'] },
      calls(call('get_weather'), call('get_weather')),
    );
    await there.agent.generate('go');
    expect(there.model.calls.map(toolNames)).toEqual(Array.from({ length: 3 }, () => [...META, 'get_weather']));
    expect(gets(there.source)).toEqual(['get_weather,no_such_tool']);
  });

  it('a processor that is made for each request pins, loads and calls', async () => {
    const source = await aSource();
    const make = () => new ToolSearchProcessor({ tools: source, alwaysLoaded: ['send_email'] });
    const { agent, model } = rig(
      { tools: {} },
      {
        script: calls(load('get_weather'), call('get_weather')),
        agent: { inputProcessors: (() => [make()]) as never },
      },
    );
    await agent.generate('go');
    expect(toolNames(model.calls[2]!)).toEqual([...META, 'send_email', 'get_weather']);
    expect(lastToolResult(model.calls[2]!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
  });

  it.each([
    { onMiss: 'run', answers: { ran: 'get_weather' }, sent: META },
    { onMiss: 'load', answers: expect.stringContaining('not found'), sent: [...META, 'get_weather'] },
    { onMiss: 'error', answers: expect.stringContaining('not found'), sent: META },
  ] as const)(
    "a call of a name that the run never met is answered, with onMiss: '$onMiss'",
    async ({ onMiss, answers, sent }) => {
      const there = await over({ onMiss }, calls(call('get_weather')));
      await there.agent.generate('go');
      const { value } = lastToolResult(there.model.calls[1]!.prompt)!;
      expect(value).toEqual(typeof value === 'string' ? answers : expect.objectContaining(answers));
      expect(toolNames(there.model.calls[1]!)).toEqual(sent);
      expect(gets(there.source)).toEqual(onMiss === 'error' ? [] : ['get_weather']);
    },
  );

  it.each(['run', 'load'] as const)(
    "a name that the source does not have ends no run, with onMiss: '%s'",
    async (onMiss) => {
      const there = await over({ onMiss }, calls(call('no_such_tool'), call('no_such_tool'), call('constructor_')));
      expect((await there.agent.generate('go')).text).toBe('done');
      // What is not there is not asked for again.
      expect(gets(there.source).filter((names) => names === 'no_such_tool')).toHaveLength(1);
    },
  );

  it('what the words of the user ask for is sent in the first step', async () => {
    const there = await over({ preselect: true, timeouts: { preselect: 10_000 } }, calls(call('get_weather')));
    await there.agent.generate('current weather of a city');
    expect(toolNames(there.model.calls[0]!)).toEqual([...META, 'get_weather']);
    expect(lastToolResult(there.model.calls[1]!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
    expect(there.source.asked.map(({ operation }) => operation)).toEqual(['search', 'get']);
  });

  it('what a classifier chooses is loaded', async () => {
    const classifier: PreselectClassifier = {
      questions: { domain: { type: 'choice', criteria: { mail: 'Mail', none: 'Nothing' } } },
      evaluate: async () => ({ answers: { domain: { type: 'choice', choice: 'mail' } } }),
    };
    const preselect = { classifier, question: 'domain', tools: { mail: ['send_email'], none: [] } };
    const there = await over({ preselect }, calls(call('send_email')));
    await there.agent.generate('write to ann');
    expect(toolNames(there.model.calls[0]!)).toEqual([...META, 'send_email']);
    expect(lastToolResult(there.model.calls[1]!.prompt)?.value).toMatchObject({ ran: 'send_email' });
  });

  it('a search loads what it finds, with autoLoad', async () => {
    const there = await over(
      { search: { autoLoad: true } },
      calls(call('search_tools', { query: 'weather' }), call('get_weather')),
    );
    await there.agent.generate('go');
    expect(toolNames(there.model.calls[1]!)).toEqual(['search_tools', 'get_weather']);
    expect(lastToolResult(there.model.calls[2]!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
  });

  it('a tool goes where there is no room for another', async () => {
    const there = await over(
      { maxLoaded: { tools: 1 } },
      calls(load('get_weather'), load('send_email'), call('send_email')),
    );
    await there.agent.generate('go');
    expect(there.model.calls.map(toolNames).map((names) => names.slice(2))).toEqual([
      [],
      ['get_weather'],
      ['send_email'],
      ['send_email'],
    ]);
    expect(there.events.filter(({ type }) => type === 'evict')).toMatchObject([{ toolNames: ['get_weather'] }]);
  });

  it('what a thread has loaded goes with its time', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    try {
      const memory = new Memory({ storage: new InMemoryStore() });
      const there = await over({ ttl: 60_000 }, calls(load('get_weather')), { memory });
      await there.agent.generate('go', turn);
      await there.agent.generate('go', turn);
      expect(toolNames(there.model.calls[2]!)).toEqual([...META, 'get_weather']);
      vi.setSystemTime(Date.now() + 120_000);
      await there.agent.generate('go', turn);
      expect(toolNames(there.model.calls[3]!)).toEqual(META);
    } finally {
      vi.useRealTimers();
    }
  });

  it('several agents share one processor, each with its own loads and its own id', async () => {
    const told: unknown[] = [];
    const execute = async (_: unknown, { agent }: { agent: { agentId: string } }) => told.push(agent.agentId);
    const source = await memorySource(toolRecord(tool('get_weather', 'Weather.', { execute })));
    const processor = new ToolSearchProcessor({ tools: source });
    const agents = ['one', 'two'].map((id) => {
      const model = scriptedModel(calls(load('get_weather'), call('get_weather')));
      return new Agent({ id, name: id, instructions: 'Help.', model: model as never, inputProcessors: [processor] });
    });
    await Promise.all(agents.map((agent) => agent.generate('go')));
    expect(told.sort()).toEqual(['one', 'two']);
  });

  it('a subagent searches a source of its own within a run of another', async () => {
    const source = await memorySource(toolRecord(weather()));
    const model = scriptedModel(calls(load('get_weather'), call('get_weather')));
    const sub = new Agent({
      ...{ id: 'sub', name: 'sub', description: 'Knows the weather.', instructions: 'Help.', model: model as never },
      inputProcessors: [new ToolSearchProcessor({ tools: source })],
    });
    const there = await over(
      {},
      calls(call('agent-sub', { prompt: 'weather?' }), load('send_email'), call('send_email')),
      {
        agents: { sub },
      },
    );
    await there.agent.generate('go');
    expect(lastToolResult(model.calls[2]!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
    expect(lastToolResult(there.model.calls[3]!.prompt)?.value).toMatchObject({ ran: 'send_email' });
    expect(gets(there.source)).toEqual(['send_email']);
  });

  it('what was loaded goes on working while the source is down', async () => {
    const there = await over({}, ({ step }) => {
      if (step === 1) there.source.fault = new Error('down');
      return calls(load('get_weather'), call('get_weather'), load('send_email'))({ step } as never);
    });
    expect((await there.agent.generate('go')).text).toBe('done');
    expect(lastToolResult(there.model.calls[2]!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
    expect(lastToolResult(there.model.calls[3]!.prompt)?.value).toMatchObject({ success: false });
    expect(there.events.some(({ type }) => type === 'source-failed')).toBe(true);
  });

  it('hooks are told the name of a tool that the thread has loaded before', async () => {
    const told: unknown[] = [];
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void told.push(toolName) };
    const memory = new Memory({ storage: new InMemoryStore() });
    const script: Script = ({ step }) =>
      step < 2 ? { toolCalls: [step === 0 ? load('get_weather') : call('get_weather')] } : { text: 'done' };
    const there = await over({}, script, { hooks, memory });
    for (const text of ['one', 'two']) await there.agent.generate(text, turn);
    expect(told).toEqual(['found_by_search_tools', 'get_weather']);
  });

  it('the model never sees the wildcard proxy, nor can it call it', async () => {
    const there = await over({ onMiss: 'run' }, calls(call('found_by_search_tools', { toolName: 'get_weather' })));
    await there.agent.generate('go');
    for (const one of there.model.calls) expect(toolNames(one)).toEqual(META);
    // The name is like that of the search, which is called in its place.
    expect(there.events.filter(({ type }) => type === 'call')).toEqual([]);
  });
});

describe('a run over 100,000 tools', () => {
  it('asks the source no more, and hands over no more, than one over ten', async () => {
    const seen = async (count: number): Promise<unknown> => {
      const all = new Map(Object.entries({ ...toolRecord(weather()), ...fillerTools(count) }));
      const asked: string[] = [];
      const source: ToolSource = {
        search: ({ text }, { limit }) => {
          asked.push(`search ${text}, ${limit}`);
          return [{ name: 'get_weather', description: 'Weather.', score: 1 }];
        },
        get: (names) => {
          asked.push(`get ${names.join()}`);
          return Object.fromEntries(names.flatMap((name) => (all.has(name) ? [[name, all.get(name)!]] : [])));
        },
      };
      const steps = [call('search_tools', { query: 'weather' }), load('get_weather'), call('get_weather')];
      const script: Script = ({ step }) => (steps[step] ? { toolCalls: [steps[step]!] } : { text: 'done' });
      const handed: number[] = [];
      const spy = {
        id: 'spy',
        processInputStep: ({ tools }: { tools?: object }) => void handed.push(Object.keys(tools ?? {}).length),
      };
      const { agent, processor } = rig({ tools: source }, { script });
      const memory = new Memory({ storage: new InMemoryStore() });
      const watched = new Agent({
        ...{ id: 'a', name: 'a', instructions: 'Help.', model: agent.model, memory },
        inputProcessors: [spy as never, processor],
      });
      for (let at = 0; at < 2; at++) await watched.generate('go', turn);
      return { asked: asked.map((one) => one.replace(/, \d+$/, '')), handed };
    };
    const few = await seen(10);
    expect(await seen(100_000)).toEqual(few);
    expect(few).toEqual({
      // The second run begins with what the thread has loaded, at one get, and none for the load.
      asked: ['search weather', 'get get_weather', 'get get_weather', 'search weather'],
      // The wildcard proxy; and what is loaded.
      handed: [1, 1, 1, 1, 2, 2, 2, 2],
    });
  });
});
