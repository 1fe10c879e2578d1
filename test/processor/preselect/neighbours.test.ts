import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, fillerTools, rig, tool, toolRecord } from '../../support/harness.ts';
import { lastToolResult } from '../../support/scripted-model.ts';
import { ASKS_FOR_WEATHER, MODES, office, officeWith, sentIn } from './office.ts';

const timeouts = { preselect: 10_000 };

describe.each(MODES)('preselect in %s works', (mode) => {
  it.each([
    { what: 'tools as a function', options: { tools: async () => office() } },
    { what: 'a catalog of more than 500 tools', options: { tools: { ...office(), ...fillerTools(501) } } },
    { what: 'search.autoLoad', options: { search: { autoLoad: true } } },
    { what: 'an injected catalog', options: { injectCatalog: 'names' as const } },
    { what: 'a filter', options: { filter: () => true } },
    { what: 'a scope of its own', options: { scope: () => undefined } },
  ])('with $what', async ({ options }) => {
    const { say, model } = officeWith(options, ['get_weather']);
    expect(await say(ASKS_FOR_WEATHER, {}, mode)).toEqual([['get_weather'], ['get_weather']]);
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ isError: false, value: { ran: 'get_weather' } });
  });

  it('with a processor that is made for each request', async () => {
    const inputProcessors = () => [new ToolSearchProcessor({ tools: office(), preselect: true, timeouts })];
    const { say, model } = officeWith({}, ['get_weather'], { agent: { inputProcessors } });
    expect(await say(ASKS_FOR_WEATHER, {}, mode)).toEqual([['get_weather'], ['get_weather']]);
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ isError: false });
  });
});

describe('preselect', () => {
  it("adds to the caller's list of active tools", async () => {
    const { say } = officeWith({}, ['get_weather'], { agent: { tools: toolRecord(tool('clock'), tool('hidden')) } });
    const [first] = await say(ASKS_FOR_WEATHER, { activeTools: ['clock'] });
    expect(first).toEqual(['clock', 'get_weather']);
  });

  it('goes beside another processor that preselects', async () => {
    const rain = tool('measure_rain', 'Measure the rain and the current weather of a city.');
    const other = new ToolSearchProcessor({
      ...{ tools: { ...toolRecord(rain), ...fillerTools(20) }, preselect: true, timeouts },
      metaTools: { search: { name: 'find_more' }, load: { name: 'load_more' } },
    });
    const one = new ToolSearchProcessor({ tools: office(), preselect: true, timeouts });
    const { agent, model } = rig(
      { tools: {} },
      { script: calls(call('measure_rain')), agent: { inputProcessors: [one, other] } },
    );
    await agent.generate(ASKS_FOR_WEATHER);
    const names = sentIn(model.calls[0]!).filter((name) => !name.endsWith('_more'));
    expect(names).toEqual(['get_weather', 'measure_rain']);
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ isError: false });
  });

  it('reads the request of an agent that another agent calls', async () => {
    const inner = officeWith({}, ['get_weather']);
    const script = calls({ toolName: 'agent-inner', input: { prompt: ASKS_FOR_WEATHER } });
    const { agent } = rig({ tools: {} }, { script, agent: { agents: { inner: inner.agent } } });
    await agent.generate('Ask the other one.');
    expect(inner.model.calls.map(sentIn)).toEqual([['get_weather'], ['get_weather']]);
  });
});
