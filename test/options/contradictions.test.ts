import { Agent } from '@mastra/core/agent';
import { bm25Scorer, ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import { memorySource } from '../support/memory-source.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { refusalOf } from './refusal.ts';

const tools = toolRecord(tool('get_weather'), tool('send_email'));
const make = (options: object) => new ToolSearchProcessor({ tools, ...options } as never);
const refusal = (options: object): string => refusalOf(() => make(options)).message;

const onServer = `left out with native.execution: 'server', where the provider decides what is loaded, or used with 'client'`;
const server = { mode: 'native', native: { execution: 'server' } };
const ofNative = `'native' where there is the option native; got "load".`;
const ofCall = `left out with mode: 'call', where nothing is loaded`;
const elsewhere = `left out, or used with mode: 'call'`;
const noConfidence = 'left out with the scorer "tiered", which gives no confidence; the default scorer does; got';
const another = 'another name than';

it.each<[options: object, option: string, expected: string]>([
  [{ native: {} }, 'mode', ofNative],
  [{ mode: 'load', native: server.native }, 'mode', ofNative],
  [{ ...server, maxLoaded: { tools: 5 } }, 'maxLoaded.tools', `${onServer}; got 5.`],
  [{ ...server, maxLoaded: { tokens: 500 } }, 'maxLoaded.tokens', `${onServer}; got 500.`],
  [{ ...server, metaTools: { unload: true } }, 'metaTools.unload', `${onServer}; got true.`],
  [{ ...server, metaTools: { unload: { name: 'drop' } } }, 'metaTools.unload', `${onServer}; got an object.`],
  [{ mode: 'call', search: { autoLoad: true } }, 'search.autoLoad', ofCall],
  [{ mode: 'call', metaTools: { load: {} } }, 'metaTools.load', ofCall],
  [{ mode: 'call', metaTools: { unload: true } }, 'metaTools.unload', ofCall],
  [{ mode: 'call', maxLoaded: { tools: 5 } }, 'maxLoaded', ofCall],
  [{ metaTools: { call: { name: 'x' } } }, 'metaTools.call', elsewhere],
  [{ search: { schemaTokens: 0 } }, 'search.schemaTokens', elsewhere],
  [{ preselect: true, search: { scorer: tieredScorer() } }, 'preselect', noConfidence],
  [{ search: { minConfidence: 0.5, scorer: tieredScorer() } }, 'search.minConfidence', noConfidence],
  [{ search: { autoLoad: true }, metaTools: { load: {} } }, 'metaTools.load', 'left out with search.autoLoad: true'],
  [{ search: { autoLoad: true }, metaTools: { load: false } }, 'metaTools.load', 'left out with search.autoLoad'],
  // Only undefined leaves an option out.
  [{ search: { autoLoad: true }, metaTools: { load: null } }, 'metaTools.load', 'an object with name and'],
  [{ mode: 'call', metaTools: { load: null } }, 'metaTools.load', 'an object with name and description; got null'],
  [{ mode: 'call', metaTools: { load: false } }, 'metaTools.load', 'an object with name and description; got false'],
  // The meta-tools have names of their own.
  [{ metaTools: { search: { name: 'load_tool' } } }, 'metaTools.load.name', `${another} metaTools.search.name; got`],
  [{ metaTools: { unload: { name: 'load_tool' } } }, 'metaTools.unload.name', `${another} those of the other`],
  [{ mode: 'call', metaTools: { call: { name: 'search_tools' } } }, 'metaTools.call.name', `${another} those of the`],
])('%j is refused', (options, option, expected) => {
  expect(refusal(options)).toContain(`"${option}" must be ${expected}`);
});

it.each<object>([
  { mode: 'load', native: undefined },
  { mode: 'native', native: { execution: 'client' }, maxLoaded: { tools: 5, tokens: 500 } },
  { mode: 'native', metaTools: { unload: true } },
  { ...server, maxLoaded: { tools: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY } },
  { ...server, metaTools: { unload: false, search: { name: 'find' } } },
  { mode: 'native', native: { fallback: 'call' }, search: { schemaTokens: 0 }, metaTools: { call: { name: 'run' } } },
  { metaTools: { search: { name: 'load_tool' }, load: { name: 'search_tools' } } },
  { passthroughBelow: { tools: undefined, tokens: 5 } },
  { search: undefined, ttl: undefined, filter: undefined, metaTools: undefined },
])('%j is accepted', (options) => {
  expect(() => make(options)).not.toThrow();
});

describe('over a source', () => {
  it.each<[option: string, options: object, why: string]>([
    ['includeResolvedTools', { includeResolvedTools: true }, 'ranks its own tools alone'],
    ['injectCatalog', { injectCatalog: true }, 'never listed whole'],
    ['injectCatalog', { injectCatalog: 'names' }, 'alwaysLoaded'],
    ['passthroughBelow', { passthroughBelow: 8 }, 'never sent whole'],
    ['trustServerHints', { trustServerHints: ['mail'] }, 'alwaysLoaded'],
    ['search.scorer', { search: { scorer: bm25Scorer() } }, 'ranks its tools itself'],
    ['search.keywords', { search: { keywords: { a: ['b'] } } }, 'give it the keywords'],
    ['native.execution', server, "use 'client'"],
  ])('%s is refused', async (option, options, why) => {
    const message = refusal({ tools: await memorySource(), ...options });
    expect(message).toContain(`"${option}" must be left out with a ToolSource`);
    expect(message).toContain(why);
  });

  it('what is off is no contradiction', () => {
    const off = { includeResolvedTools: false, injectCatalog: false, passthroughBelow: 0, trustServerHints: false };
    const native = { mode: 'native', native: { execution: 'client' }, search: { topK: 3 } };
    expect(() => make({ tools: { search: () => [], get: () => ({}) }, ...off, ...native })).not.toThrow();
  });
});

it.each(['tool_search', 'tool_search_tool_bm25', 'tool_search_tool_regex'])(
  'a tool may be called %s, as the search tool of a provider, but in native mode',
  async (name) => {
    const message = `The tool under key "${name}" is called "${name}", which is the name of a meta-tool. Rename the tool, or the meta-tool in metaTools.`;
    for (const execution of ['client', 'server']) {
      const options = { tools: toolRecord(tool(name)), mode: 'native', native: { execution } };
      expect(refusalOf(() => make(options), 'reserved-name').message).toBe(message);
    }
    expect(() => make({ tools: toolRecord(tool(name)) })).not.toThrow();
    const events: object[] = [];
    const processor = make({
      tools: () => toolRecord(tool(name), tool('get_weather')),
      mode: 'native',
      // The default scorer reads its table of words first, which may take too long on a busy machine: that is an event.
      search: { scorer: bm25Scorer() },
      onEvent: (event: object) => void events.push(event),
    });
    const found = await processor.search('get weather tool search');
    expect(found.map((entry) => entry.name)).toEqual(['get_weather']);
    expect(events).toMatchObject([{ type: 'tool-problem', problem: 'left-out', toolName: name }]);
  },
);

it.each([
  ['anthropic.messages', 'claude-sonnet-4-5', 'client', 'search_tools'],
  ['anthropic.messages', 'claude-sonnet-4-5', 'server', 'tool_search_tool_bm25'],
  ['openai.responses', 'gpt-5.4', 'client', 'tool_search'],
  ['openai.responses', 'gpt-5.4', 'server', 'tool_search'],
])('the search of %s, %s, %s clashes with a tool of the agent: %s', async (provider, modelId, execution, name) => {
  const model = scriptedModel(() => ({ text: 'Done.' }), { provider, modelId });
  const inputProcessors = [make({ mode: 'native', native: { execution } })];
  const own = toolRecord(tool(name));
  const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, tools: own, inputProcessors });
  await expect(agent.generate('hi')).rejects.toThrow(`The agent already has a tool called "${name}"`);
  expect(model.calls).toEqual([]);
});

it('a processor tries again in native mode alone, and each for itself', () => {
  const error = Object.assign(new Error('tool search is not supported on this model'), { statusCode: 400 });
  const request = { error, state: {}, messageList: undefined, requestContext: undefined };
  const native = [{}, { execution: 'server' }, { execution: 'client' }].map((of) => ({ mode: 'native', native: of }));
  for (const options of [...native, { onMiss: 'error' }, { mode: 'load', onMiss: 'error' }]) {
    const processor = make(options);
    // There for the type of `errorProcessors`; and nothing was sent that could have been refused.
    expect(processor.processAPIError(request)).toBeUndefined();
  }
});
