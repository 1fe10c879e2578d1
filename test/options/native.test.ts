import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { catalog } from '../native/rig/package-runs.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { refusalOf } from './refusal.ts';

const make = (options: object): ToolSearchProcessor =>
  new ToolSearchProcessor({ tools: catalog(), ...options } as ToolSearchProcessorOptions);

const onServer = `left out with native.execution: 'server', where the provider decides what is loaded, or used with 'client'`;
const server = { mode: 'native', native: { execution: 'server' } };

describe('the options of native mode', () => {
  it.each([
    [{ native: {} }, `"mode" must be 'native' where there is the option native; got "load".`],
    [{ mode: 'load', native: server.native }, `"mode" must be 'native' where there is the option native; got "load".`],
    [{ ...server, maxLoaded: { tools: 5 } }, `"maxLoaded.tools" must be ${onServer}; got 5.`],
    [{ ...server, maxLoaded: { tokens: 500 } }, `"maxLoaded.tokens" must be ${onServer}; got 500.`],
    [{ ...server, metaTools: { unload: true } }, `"metaTools.unload" must be ${onServer}; got true.`],
    [{ ...server, metaTools: { unload: { name: 'drop' } } }, `"metaTools.unload" must be ${onServer}; got an object.`],
  ])('are refused in the constructor: %j', (options, message) => {
    expect(refusalOf(() => make(options)).message).toBe(message);
  });

  it.each([
    {},
    { mode: 'load' },
    { mode: 'load', native: undefined },
    { mode: 'native' },
    { mode: 'native', native: {} },
    { mode: 'native', native: { execution: undefined, variant: undefined, namespace: undefined } },
    { mode: 'native', native: { execution: 'client' }, maxLoaded: { tools: 5, tokens: 500 } },
    { mode: 'native', metaTools: { unload: true } },
    { ...server, maxLoaded: { tools: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY } },
    { ...server, metaTools: { unload: false, search: { name: 'find' } } },
    { mode: 'native', native: { namespace: false, variant: 'regex', fallback: 'error', detect: () => undefined } },
    { mode: 'native', native: { append: 'auto' } },
    { mode: 'native', native: { append: false } },
    { mode: 'native', native: { fallback: 'call' }, search: { schemaTokens: 0 }, metaTools: { call: { name: 'run' } } },
  ])('are accepted: %j', (options) => {
    expect(() => make(options)).not.toThrow();
  });
});

describe('the name of a provider’s search tool', () => {
  const searches = ['tool_search', 'tool_search_tool_bm25', 'tool_search_tool_regex'];

  it.each(searches)('%s may not stand in the catalog in native mode', (name) => {
    const message = `The tool under key "${name}" is called "${name}", which is the name of a meta-tool. Rename the tool, or the meta-tool in metaTools.`;
    for (const execution of ['client', 'server']) {
      const options = { tools: toolRecord(tool(name)), mode: 'native', native: { execution } };
      expect(refusalOf(() => make(options), 'reserved-name').message).toBe(message);
    }
  });

  it.each(searches)('%s may stand in the catalog in load mode', (name) => {
    expect(() => make({ tools: toolRecord(tool(name)) })).not.toThrow();
  });

  it.each(searches)('%s is left out of what a function of tools returns, which is reported', async (name) => {
    const events: object[] = [];
    const processor = make({
      tools: () => toolRecord(tool(name), tool('get_weather')),
      mode: 'native',
      onEvent: (event: object) => void events.push(event),
    });
    const found = await processor.search('get weather tool search');
    expect(found.map((entry) => entry.name)).toEqual(['get_weather']);
    expect(events).toMatchObject([{ type: 'tool-problem', problem: 'left-out', toolName: name }]);
  });

  it.each([
    ['anthropic.messages', 'claude-sonnet-4-5', 'client', 'search_tools'],
    ['anthropic.messages', 'claude-sonnet-4-5', 'server', 'tool_search_tool_bm25'],
    ['openai.responses', 'gpt-5.4', 'client', 'tool_search'],
    ['openai.responses', 'gpt-5.4', 'server', 'tool_search'],
  ])('the search of %s, %s, %s clashes with a tool of the agent: %s', async (provider, modelId, execution, name) => {
    const model = scriptedModel(() => ({ text: 'Done.' }), { provider, modelId });
    const inputProcessors = [make({ mode: 'native', native: { execution } })];
    const tools = toolRecord(tool(name));
    const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, tools, inputProcessors });
    await expect(agent.generate('hi')).rejects.toThrow(`The agent already has a tool called "${name}"`);
    expect(model.calls).toEqual([]);
  });
});

describe('the hooks of a processor', () => {
  const refused = Object.assign(new Error('tool search is not supported on this model'), { statusCode: 400 });
  const request = { error: refused, state: {}, messageList: undefined, requestContext: undefined };

  it.each([{ onMiss: 'error' }, { mode: 'load', onMiss: 'error' }])(
    'neither read prompts nor try again: %j',
    (options) => {
      const processor = make(options);
      expect('processLLMRequest' in processor).toBe(false);
      // There for the type of `errorProcessors`, without effect.
      expect(processor.processAPIError(request)).toBeUndefined();
    },
  );

  it.each([{}, { execution: 'server' }, { execution: 'client' }])('read prompts in native mode: %j', (native) => {
    const processor = make({ mode: 'native', native });
    expect(processor.processLLMRequest).toBeTypeOf('function');
    // Nothing was sent that could have been refused.
    expect(processor.processAPIError(request)).toBeUndefined();
  });

  it('belong to the instance', () => {
    make({ mode: 'native' });
    expect('processLLMRequest' in make({ onMiss: 'error' })).toBe(false);
  });
});
