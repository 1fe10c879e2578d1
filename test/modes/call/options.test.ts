import { ToolSearchError, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, email, tool, toolRecord, weather } from '../../support/harness.ts';
import { lastToolResult, systemText, toolNames } from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

function refusal(options: object): unknown {
  try {
    new ToolSearchProcessor({ tools: toolRecord(weather()), ...options } as ToolSearchProcessorOptions);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ToolSearchError);
    return (error as Error).message;
  }
}

const nothingLoaded = `left out with mode: 'call', where nothing is loaded`;

describe('the options of call mode', () => {
  it.each([
    [{ mode: 'call', search: { autoLoad: true } }, `"search.autoLoad" must be ${nothingLoaded}; got true.`],
    [{ mode: 'call', metaTools: { load: {} } }, `"metaTools.load" must be ${nothingLoaded}`],
    [{ mode: 'call', metaTools: { unload: true } }, `"metaTools.unload" must be ${nothingLoaded}; got true.`],
    [{ mode: 'call', maxLoaded: { tools: 5 } }, `"maxLoaded" must be ${nothingLoaded}`],
    [{ mode: 'call', native: {} }, `"mode" must be 'native' where there is the option native; got "call".`],
    [{ mode: 'call', search: { schemaTokens: -1 } }, `"search.schemaTokens" must be a number of at least 0; got -1.`],
    [{ mode: 'call', search: { schemaTokens: '9' } }, `"search.schemaTokens" must be a number of at least 0; got "9".`],
    [{ mode: 'call', metaTools: { call: { name: 'a b' } } }, `"metaTools.call.name" must be 1 to 64 letters`],
    [{ mode: 'call', metaTools: { call: { name: 'search_tools' } } }, `"metaTools.call.name" must be another name`],
    [{ metaTools: { call: { name: 'x' } } }, `"metaTools.call" must be left out, or used with mode: 'call'`],
    [{ search: { schemaTokens: 9 } }, `"search.schemaTokens" must be left out, or used with mode: 'call'; got 9.`],
    [{ mode: 'call', metaTools: { invoke: {} } }, `"metaTools.invoke"`],
  ])('are refused in the constructor: %j', (options, message) => {
    expect(refusal(options)).toContain(message);
  });

  it.each([
    {},
    { search: { schemaTokens: 0 } },
    { search: { schemaTokens: Number.POSITIVE_INFINITY } },
    { metaTools: { call: { name: 'load_tool' } } },
    { storage: 'context', ttl: 5_000 },
  ])('are taken: %j', (options) => {
    expect(refusal({ mode: 'call', ...options })).toBeUndefined();
  });

  it('keep the name of the bridge from tools of the catalog, only in call mode', () => {
    const tools = toolRecord(tool('call_tool'));
    expect(refusal({ tools, mode: 'call' })).toMatch(/call_tool/);
    expect(refusal({ tools })).toBeUndefined();
  });

  it('name the meta-tools and describe them', async () => {
    const { agent, model } = callRig(
      {
        tools: toolRecord(weather()),
        metaTools: { search: { name: 'find' }, call: { name: 'use', description: 'Uses what was found.' } },
      },
      calls({ toolName: 'use', input: { toolName: 'get_weather', arguments: {} } }),
    );
    await agent.generate('go');
    expect(toolNames(model.calls[0]!)).toEqual(['find', 'use']);
    expect(model.calls[0]!.tools[1]).toMatchObject({ description: 'Uses what was found.' });
    expect(systemText(model.calls[0]!.prompt)).toMatch(/call find .*call use /);
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ toolName: 'use', value: { ran: 'get_weather' } });
  });
});

describe('with native.fallback: call, a model without tool search', () => {
  it('calls through the bridge, as in call mode', async () => {
    const { agent, model, events } = callRig(
      { tools: toolRecord(weather(), email()), mode: 'native', native: { fallback: 'call' } },
      calls(call('search_tools', { query: 'weather' }), through('get_weather', { text: 'x' })),
    );
    await agent.generate('go');
    expect(model.calls.map(toolNames)).toEqual(Array(3).fill(['search_tools', 'call_tool']));
    expect(lastToolResult(model.calls[2]!.prompt)?.value).toEqual({ ran: 'get_weather', input: { text: 'x' } });
    expect(events.filter(({ type }) => type === 'native-off')).toMatchObject([{ reason: 'unsupported-model' }]);
  });
});

it('preselect tells the definition, and changes no tool', async () => {
  const { agent, model } = callRig(
    {
      tools: toolRecord(weather(), email(), tool('create_invoice', 'Create an invoice.')),
      preselect: true,
      timeouts: { preselect: 10_000 },
    },
    calls(through('get_weather', { text: 'Paris' })),
  );
  await agent.generate('What is the current weather in the city of Paris?');
  expect(model.calls.map(toolNames)).toEqual(Array(2).fill(['search_tools', 'call_tool']));
  const told = systemText(model.calls[0]!.prompt);
  expect(told).toMatch(/<suggested-tools>\n\{"name":"get_weather",.*"parameters":.*\n<\/suggested-tools>/);
  expect(systemText(model.calls[1]!.prompt)).toBe(told);
  expect(lastToolResult(model.calls[1]!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
});
