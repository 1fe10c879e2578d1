import type { ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, fillerTools, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { type Script, toolResults } from '../support/scripted-model.ts';
import { search, threadOver } from './changing-mcp.ts';

const EMPTY =
  'No other tools are available at the moment. Searching again does not help now: go on without, or say what is missing.';
const UNKNOWN = EMPTY.replace('moment.', 'moment: the list of them could not be fetched.');

/** Searches until it is told that this does not help, as a model does. */
const persistent: Script = ({ prompt, step }) => {
  const told = JSON.stringify(toolResults(prompt).at(-1)?.value ?? '');
  if (told.includes('does not help') || told.includes('search no more')) return { text: 'I cannot do that.' };
  return { toolCalls: [{ toolName: 'search_tools', input: { query: `weather ${step}` } }] };
};

const hidden = (): ToolSearchFilter => () => false;

const cases: { what: string; options: ToolSearchProcessorOptions; says: string }[] = [
  { what: 'is empty', options: { tools: {} }, says: EMPTY },
  { what: 'has servers without tools', options: { tools: { mail: {}, files: {} } }, says: EMPTY },
  { what: 'is the empty one of a function', options: { tools: () => ({}) }, says: EMPTY },
  { what: 'is all forbidden', options: { tools: fillerTools(300), filter: hidden() }, says: EMPTY },
  {
    what: 'is all forbidden, after a while',
    options: { tools: toolRecord(weather(), email()), filter: async () => false },
    says: EMPTY,
  },
  {
    what: 'is all forbidden by a filter that fails',
    options: { tools: toolRecord(weather()), filter: () => Promise.reject(new Error('down')) },
    says: EMPTY,
  },
  { what: 'could not be fetched', options: { tools: () => Promise.reject(new Error('down')) }, says: UNKNOWN },
  { what: 'came too late', options: { tools: () => new Promise(() => {}), timeouts: { tools: 1 } }, says: UNKNOWN },
  {
    what: 'could not be fetched, and the rest is forbidden',
    options: { tools: () => Promise.reject(new Error('down')), includeResolvedTools: true, filter: hidden() },
    says: UNKNOWN,
  },
];

const agentOf = ({ includeResolvedTools }: ToolSearchProcessorOptions) => ({
  defaultOptions: { maxSteps: 20 },
  ...(includeResolvedTools ? { tools: { own: tool('own') } } : {}),
});

it.each(cases)('a catalog that $what makes a model search once and no more', async ({ options, says }) => {
  const { agent, model } = rig(options, { script: persistent, agent: agentOf(options) });
  expect((await agent.generate('go')).text).toBe('I cannot do that.');
  expect(toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value)).toEqual([{ results: [], message: says }]);
});

/** One case for each of the two answers: why there is nothing changes no more than that. */
const both = cases.filter(({ what }) => what === 'is all forbidden' || what === 'could not be fetched');

describe.each(both)('a catalog that $what', ({ options, says }) => {
  const agent = agentOf(options);

  it('makes a model search once and no more with autoLoad', async () => {
    const { agent: made, model } = rig({ ...options, search: { autoLoad: true } }, { script: persistent, agent });
    expect((await made.generate('go')).text).toBe('I cannot do that.');
    expect(toolResults(model.calls.at(-1)!.prompt)).toMatchObject([{ value: { results: [], message: says } }]);
  });

  it.each([
    { how: 'several queries', input: { query: ['weather', 'mail'] }, message: says },
    { how: 'a select:', input: { query: 'select:get_weather,filler_7' }, message: says },
  ])('is told of in the answer to $how', async ({ input, message }) => {
    const { agent: made, model } = rig(options, {
      script: ({ step }) => (step === 0 ? { toolCalls: [{ toolName: 'search_tools', input }] } : { text: 'done' }),
      agent,
    });
    await made.generate('go');
    expect(toolResults(model.calls[1]!.prompt)[0]?.value).toMatchObject({ results: [], message });
  });

  it.each([
    { input: { toolName: 'get_wetter' }, message: `Tool "get_wetter" not found. ${says}` },
    { input: { toolNames: ['a_tool', 'b_tool'] }, message: `Not found: a_tool, b_tool. ${says}` },
  ])('is told of in the answer to load_tool $input', async ({ input, message }) => {
    const { agent: made, model } = rig(
      // A tool may be loaded by its exact name though no search shows it, so nothing may be.
      options,
      {
        script: ({ step }) => (step === 0 ? { toolCalls: [{ toolName: 'load_tool', input }] } : { text: 'done' }),
        agent,
      },
    );
    await made.generate('go');
    expect(toolResults(model.calls[1]!.prompt)[0]?.value).toMatchObject({ success: false, message });
  });
});

it('servers that are all down leave an empty catalog', async () => {
  const made = threadOver('all-down', { one: { get_weather: 'Get the weather.' } });
  try {
    await made.run(load('one_get_weather'));
    await made.servers.kill('one');
    const { results } = await made.run(search('weather'));
    expect(results[0]?.value).toMatchObject({ results: [], message: EMPTY });
  } finally {
    await made.servers.close();
  }
});

describe('a search without a match in a catalog with visible tools', () => {
  it.each([
    { what: 'one tool of many', filter: ({ toolName }: { toolName: string }) => toolName === 'filler_299' },
    { what: 'no filter', filter: undefined },
  ])('asks the model to try other words: $what', async ({ filter }) => {
    const { agent, model } = rig(
      { tools: fillerTools(300), ...(filter ? { filter } : {}) },
      { script: ({ step }) => (step === 0 ? { toolCalls: [search('qqqq')] } : { text: 'done' }) },
    );
    await agent.generate('go');
    expect(toolResults(model.calls[1]!.prompt)[0]?.value).toEqual({
      results: [],
      message: 'No tools found matching "qqqq". Try different keywords.',
    });
  });
});

it('a search asks the model to try other words where the filter is too slow to tell whether any tool is visible', async () => {
  const { agent, model } = rig(
    { tools: fillerTools(600), filter: () => new Promise(() => {}) },
    { script: ({ step }) => (step === 0 ? { toolCalls: [search('qqqq')] } : { text: 'done' }) },
  );
  await agent.generate('go');
  expect(toolResults(model.calls[1]!.prompt)[0]?.value).toMatchObject({
    message: expect.stringMatching(
      /^No tools found matching "qqqq"\. Try different keywords\. Not all tools could be checked in time\./,
    ),
  });
});
