import { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import {
  type PreselectClassifier,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
  type ToolSource,
} from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import {
  call,
  calls,
  email,
  fillerTools,
  inThread,
  load,
  META,
  newMemory,
  rig,
  tool,
  toolRecord,
  weather,
} from '../support/harness.ts';
import { type MemorySource, memorySource, TENANT } from '../support/memory-source.ts';
import { lastToolResult, type Script, scriptedModel, toolNames } from '../support/scripted-model.ts';

// Runs over a source, each by itself: tenants, aborts, the agent's own tools, groups, learning.
const tenant = (name: string) => new RequestContext([[TENANT, name]] as never);

it('runs of tenants at the same time each get their own tool of a name', async () => {
  const source = await memorySource();
  const names = Array.from({ length: 8 }, (_, n) => `tenant-${n}`);
  for (const name of names) {
    const execute = async () => ({ from: name });
    await source.fill(toolRecord(tool('get_weather', `Weather of ${name}.`, { execute })), name);
  }
  const runs = names.map(async (name) => {
    // A processor for all, and a model for each run.
    const { agent, model } = rig({ tools: source });
    await agent.generate('weather', { requestContext: tenant(name) });
    return model.result(3);
  });
  expect(await Promise.all(runs)).toEqual(names.map((from) => ({ from })));
});

it('an aborted run aborts what it asks of the source, and that is no fault', async () => {
  const events: ToolSearchEvent[] = [];
  const controller = new AbortController();
  let aborted = false;
  const source: ToolSource = {
    search: (_, { abortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal?.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('stopped'));
        });
        controller.abort();
      }),
    get: () => ({}),
  };
  const { agent } = rig({ tools: source, onEvent: (event) => events.push(event) });
  await agent.generate('weather', { abortSignal: controller.signal }).catch(() => {});
  await expect.poll(() => aborted).toBe(true);
  expect(events.filter(({ type }) => type.endsWith('-failed'))).toEqual([]);
});

it("the agent's own tool wins over one of the source of its name", async () => {
  const source = await memorySource(
    toolRecord(weather(), tool('get_climate', 'The climate of a city, and its weather.')),
  );
  const own = tool('get_weather', 'My own weather.', { execute: async () => ({ ran: 'mine' }) });
  const { agent, model } = rig(
    { tools: source },
    {
      script: calls(call('search_tools', { query: 'weather of a city' }), load('get_weather'), call('get_weather')),
      agent: { tools: { get_weather: own } },
    },
  );
  await agent.generate('weather');
  const found = model.result(1) as { results: { name: string }[] };
  expect(found.results.map(({ name }) => name)).toEqual(['get_climate']);
  expect(model.sent(2)).toEqual(['search_tools', 'load_tool', 'get_weather']);
  expect(model.result(3)).toMatchObject({ ran: 'mine' });
});

it('the option groups decides about candidates, by what is known of them', async () => {
  const source = await memorySource(toolRecord(weather(), email()));
  const { agent, model } = rig(
    { tools: source, groups: ({ id }) => id.split('_')[1] },
    { script: calls(call('search_tools', { query: 'weather' }), call('search_tools', { query: 'email' })) },
  );
  await agent.generate('go');
  expect(model.result(1)).toMatchObject({ results: [{ group: 'weather' }] });
  expect(model.result(2)).toMatchObject({ results: [{ group: 'email' }] });
});

it('past use lifts what is among the candidates', async () => {
  const twins = ['report_one', 'report_two'].map((name) => tool(name, 'Weather report of a city.'));
  const source = await memorySource(toolRecord(...twins));
  const events: ToolSearchEvent[] = [];
  const query = 'weather report for the city';
  const { agent, processor } = rig(
    { tools: source, learning: { scope: 'global' }, onEvent: (event) => events.push(event) },
    { script: calls(call('search_tools', { query }), load('report_two'), call('report_two')) },
  );
  const ranked = async () => (await processor.search(query)).map(({ name }) => name);
  expect(await ranked()).toEqual(['report_one', 'report_two']);
  await agent.generate('weather');
  expect(events.filter(({ type }) => type === 'learn')).toMatchObject([{ toolName: 'report_two' }]);
  await expect.poll(ranked).toEqual(['report_two', 'report_one']);
});

it('lists what a thread has loaded outside a run', async () => {
  const source = await memorySource(toolRecord(weather()));
  const { agent, processor } = rig({ tools: source }, { script: calls(load('get_weather')) });
  const requestContext = new RequestContext([['mastra__threadId', 't']] as never);
  await agent.generate('go', { requestContext });
  expect(Object.keys(await processor.getLoadedToolsForRequestContext({ requestContext }))).toEqual(['get_weather']);
  expect(processor.getStateStats().threadCount).toBe(1);
  await processor.clearState('t');
  expect(Object.keys(await processor.getLoadedToolsForRequestContext({ requestContext }))).toEqual([]);
});

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
    expect(model.sent(2)).toEqual([...META, 'send_email', 'get_weather']);
    expect(model.result(2)).toMatchObject({ ran: 'get_weather' });
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
      expect(there.model.sent(1)).toEqual(sent);
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
    expect(there.model.sent(0)).toEqual([...META, 'get_weather']);
    expect(there.model.result(1)).toMatchObject({ ran: 'get_weather' });
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
    expect(there.model.sent(0)).toEqual([...META, 'send_email']);
    expect(there.model.result(1)).toMatchObject({ ran: 'send_email' });
  });

  it('what a thread has loaded goes with its time', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    try {
      const memory = newMemory();
      const there = await over({ ttl: 60_000 }, calls(load('get_weather')), { memory });
      await there.agent.generate('go', inThread);
      await there.agent.generate('go', inThread);
      expect(there.model.sent(2)).toEqual([...META, 'get_weather']);
      vi.setSystemTime(Date.now() + 120_000);
      await there.agent.generate('go', inThread);
      expect(there.model.sent(3)).toEqual(META);
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
    expect(model.result(2)).toMatchObject({ ran: 'get_weather' });
    expect(there.model.result(3)).toMatchObject({ ran: 'send_email' });
    expect(gets(there.source)).toEqual(['send_email']);
  });

  it('hooks are told the name of a tool that the thread has loaded before', async () => {
    const told: unknown[] = [];
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void told.push(toolName) };
    const memory = newMemory();
    const script: Script = ({ step }) =>
      step < 2 ? { toolCalls: [step === 0 ? load('get_weather') : call('get_weather')] } : { text: 'done' };
    const there = await over({}, script, { hooks, memory });
    for (const text of ['one', 'two']) await there.agent.generate(text, inThread);
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
      const memory = newMemory();
      const watched = new Agent({
        ...{ id: 'a', name: 'a', instructions: 'Help.', model: agent.model, memory },
        inputProcessors: [spy as never, processor],
      });
      for (let at = 0; at < 2; at++) await watched.generate('go', inThread);
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
