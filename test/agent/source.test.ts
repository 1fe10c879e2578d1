import { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor, type ToolSearchProcessorOptions, type ToolSource } from 'mastra-tool-search';
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
  search,
  tool,
  toolRecord,
  weather,
} from '../support/agent.ts';
import { memorySource } from '../support/memory-source.ts';
import { type Script, scriptedModel, toolNames } from '../support/scripted-model.ts';

// Runs over a source, each by itself. Tenants and permissions in all modes: test/modes/source.test.ts.
const catalog = { ...toolRecord(weather(), email()), ...fillerTools(20) };

async function over(options: ToolSearchProcessorOptions, script: Script, agent: object = {}, tools: object = catalog) {
  const source = await memorySource(tools as never);
  const gets = () => source.asked.filter(({ operation }) => operation === 'get').map(({ what }) => what);
  return { ...rig({ tools: source, ...options }, { script, agent }), source, gets };
}

it('an aborted run aborts what it asks of the source, and that is no fault', async () => {
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
  const { agent, events } = rig({ tools: source });
  await agent.generate('weather', { abortSignal: controller.signal }).catch(() => {});
  await expect.poll(() => aborted).toBe(true);
  expect(events.filter(({ type }) => type.endsWith('-failed'))).toEqual([]);
});

it("the agent's own tool wins over one of the source of its name, and the option groups decides about candidates", async () => {
  const own = tool('get_weather', 'My own weather.', { execute: async () => ({ ran: 'mine' }) });
  const tools = toolRecord(weather(), tool('get_climate', 'The climate of a city, and its weather.'));
  const groups: ToolSearchProcessorOptions['groups'] = ({ id }) => id.split('_')[1];
  const script = calls(search('weather of a city'), load('get_weather'), call('get_weather'));
  const { agent, model } = await over({ groups }, script, { tools: { get_weather: own } }, tools);
  await agent.generate('weather');
  const { results } = model.result(1) as { results: unknown[] };
  expect(results).toMatchObject([{ name: 'get_climate', group: 'climate' }]);
  expect(results).toHaveLength(1);
  expect(model.sent(2)).toEqual([...META, 'get_weather']);
  expect(model.result(3)).toMatchObject({ ran: 'mine' });
});

it('past use lifts what is among the candidates', async () => {
  const twins = toolRecord(...['report_one', 'report_two'].map((name) => tool(name, 'Weather report of a city.')));
  const query = 'weather report for the city';
  const script = calls(search(query), load('report_two'), call('report_two'));
  const { agent, processor, events } = await over({ learning: { scope: 'global' } }, script, {}, twins);
  const ranked = async () => (await processor.search(query)).map(({ name }) => name);
  expect(await ranked()).toEqual(['report_one', 'report_two']);
  await agent.generate('weather');
  expect(events.filter(({ type }) => type === 'learn')).toMatchObject([{ toolName: 'report_two' }]);
  await expect.poll(ranked).toEqual(['report_two', 'report_one']);
});

it('lists what a thread has loaded outside a run, until its time is over or it is cleared', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const { agent, processor, model } = await over({ ttl: 60_000 }, calls(load('get_weather')));
  const requestContext = new RequestContext([['mastra__threadId', 't']] as never);
  const listed = async () => Object.keys(await processor.getLoadedToolsForRequestContext({ requestContext }));
  for (const end of [() => vi.setSystemTime(Date.now() + 120_000), () => processor.clearState('t')]) {
    const before = model.calls.length;
    await agent.generate('go', { requestContext });
    await agent.generate('go', { requestContext });
    expect(model.calls.slice(before).map(toolNames)[2]).toEqual([...META, 'get_weather']);
    expect(await listed()).toEqual(['get_weather']);
    expect(processor.getStateStats().threadCount).toBe(1);
    await end();
    expect(await listed()).toEqual([]);
  }
  await agent.generate('go', { requestContext });
  expect(model.sent(-2)).toEqual(META);
});

describe('over a source', () => {
  it('what is pinned is fetched at the beginning, once, and sent on every step', async () => {
    const script = calls(call('get_weather'), call('get_weather'));
    const { agent, model, gets } = await over({ alwaysLoaded: ['get_weather', 'no_such_tool'] }, script);
    await agent.generate('go');
    expect(model.calls.map(toolNames)).toEqual(Array.from({ length: 3 }, () => [...META, 'get_weather']));
    expect(gets()).toEqual(['get_weather,no_such_tool']);
  });

  it.each([
    { onMiss: 'load', answer: 'not found', sent: [...META, 'get_weather'], got: ['get_weather', 'no_such_tool'] },
    { onMiss: 'error', answer: 'not found', sent: META, got: [] },
  ] as const)("a call of a name that the run never met is answered, with onMiss: '$onMiss'", async (one) => {
    // What is not there is not asked for again, and ends no run.
    const script = calls(call('get_weather'), call('no_such_tool'), call('no_such_tool'), call('constructor_'));
    const { agent, model, gets } = await over({ onMiss: one.onMiss }, script);
    expect((await agent.generate('go')).text).toBe('done');
    expect(JSON.stringify(model.result(1))).toContain(one.answer);
    expect(model.sent(1)).toEqual(one.sent);
    expect(gets().filter((name) => name !== 'constructor_')).toEqual(one.got);
  });

  it('what the words of the user ask for is sent in the first step, and what a function names', async () => {
    const options = { preselect: true, timeouts: { preselect: 10_000 } };
    const { agent, model, source } = await over(options, calls(call('get_weather')));
    await agent.generate('current weather of a city');
    expect(model.sent(0)).toEqual([...META, 'get_weather']);
    expect(model.result(1)).toMatchObject({ ran: 'get_weather' });
    expect(source.asked.map(({ operation }) => operation)).toEqual(['search', 'get']);

    const preselect = { choose: () => ['send_email'] };
    const chosen = await over({ preselect }, calls(call('send_email')));
    await chosen.agent.generate('write to ann');
    expect(chosen.model.sent(0)).toEqual([...META, 'send_email']);
    expect(chosen.model.result(1)).toMatchObject({ ran: 'send_email' });
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

  it('hooks are told the name of a tool that the thread has loaded before', async () => {
    const told: unknown[] = [];
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void told.push(toolName) };
    const script = calls(load('get_weather'), call('get_weather'));
    const { agent } = await over({}, script, { hooks, memory: newMemory() });
    for (const text of ['one', 'two']) await agent.generate(text, inThread);
    expect(told).toEqual(['found_by_search_tools', 'get_weather']);
  });

  it('the model never sees the wildcard proxy, nor can it call it', async () => {
    const script = calls(call('found_by_search_tools', { toolName: 'get_weather' }));
    const { agent, model, events } = await over({}, script);
    await agent.generate('go');
    for (const one of model.calls) expect(toolNames(one)).toEqual(META);
    // The name is like that of the search, which is called in its place.
    expect(events.filter(({ type }) => type === 'call')).toEqual([]);
  });
});
