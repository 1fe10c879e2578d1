// Runs over a source, each by itself: tenants, aborts, the agent's own tools, groups, learning.
import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchEvent, ToolSource } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { call, calls, email, load, rig, searchLoadCall, tool, toolRecord, weather } from '../support/harness.ts';
import { memorySource, TENANT } from '../support/memory-source.ts';
import { lastToolResult, toolNames } from '../support/scripted-model.ts';

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
    return lastToolResult(model.calls[3]!.prompt)?.value;
  });
  expect(await Promise.all(runs)).toEqual(names.map((from) => ({ from })));
});

it('one processor serves tenants at the same time, and none sees what another has', async () => {
  const source = await memorySource();
  await source.fill(toolRecord(weather()), 'one');
  await source.fill(toolRecord(email()), 'two');
  const { agent, model } = rig(
    { tools: source },
    { script: ({ prompt, step }) => searchLoadCall('weather email')({ prompt, step } as never) },
  );
  const [one, two, three] = await Promise.all(
    ['one', 'two', 'three'].map((name) => agent.generate('go', { requestContext: tenant(name) })),
  );
  const shown = (result: { steps: readonly { toolResults: readonly { payload: { result: unknown } }[] }[] }) =>
    JSON.stringify(result.steps.flatMap(({ toolResults }) => toolResults.map(({ payload }) => payload.result)));
  expect(shown(one as never)).toContain('get_weather');
  expect(shown(one as never)).not.toContain('send_email');
  expect(shown(two as never)).toContain('send_email');
  expect(shown(two as never)).not.toContain('get_weather');
  expect(shown(three as never)).not.toMatch(/get_weather|send_email/);
  expect(model.calls.length).toBeGreaterThan(0);
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
  const found = lastToolResult(model.calls[1]!.prompt)?.value as { results: { name: string }[] };
  expect(found.results.map(({ name }) => name)).toEqual(['get_climate']);
  expect(toolNames(model.calls[2]!)).toEqual(['search_tools', 'load_tool', 'get_weather']);
  expect(lastToolResult(model.calls[3]!.prompt)?.value).toMatchObject({ ran: 'mine' });
});

it('the option groups decides about candidates, by what is known of them', async () => {
  const source = await memorySource(toolRecord(weather(), email()));
  const { agent, model } = rig(
    { tools: source, groups: ({ id }) => id.split('_')[1] },
    { script: calls(call('search_tools', { query: 'weather' }), call('search_tools', { query: 'email' })) },
  );
  await agent.generate('go');
  expect(lastToolResult(model.calls[1]!.prompt)?.value).toMatchObject({ results: [{ group: 'weather' }] });
  expect(lastToolResult(model.calls[2]!.prompt)?.value).toMatchObject({ results: [{ group: 'email' }] });
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
