import { createTool } from '@mastra/core/tools';
import { tool as aiSdkTool, jsonSchema } from 'ai';
import { type MastraTool, memoryStore, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { through } from '../modes/call/setup.ts';
import { call, calls, inThread, load, newMemory, rig, SIZES, search, tool, toolRecord } from '../support/agent.ts';
import { inTurn } from '../support/breadth.ts';
import { systemText, toolNames, toolResults } from '../support/scripted-model.ts';

const schemaOf = (properties: Record<string, unknown>): object => ({ type: 'object', properties });

function circular(): object {
  const schema = schemaOf({});
  (schema as { properties: Record<string, unknown> }).properties['self'] = schema;
  return schema;
}
const bigInt = () => schemaOf({ big: { type: 'number', default: 5n } });

const description = 'Get the current weather of a city.';
const withSchema = (schema: object): MastraTool =>
  aiSdkTool({ description, inputSchema: jsonSchema(schema as never), execute: async () => 'ran' }) as never;

/** Tools that no request to a provider can hold. */
const kinds = [
  { what: 'a tool with a circular schema', size: SIZES[0]!, make: () => withSchema(circular()) },
  { what: 'a tool with a BigInt', size: SIZES[1]!, make: () => withSchema(bigInt()) },
  {
    what: 'a stub of such a tool',
    size: SIZES[1]!,
    make: () => ({ id: 'get_weather', description, resolve: async () => withSchema(circular()) }),
  },
];

describe.each(kinds)('$what, in a $size.size catalog,', ({ make, size }) => {
  const cannot = /Not available now, for a technical reason: get_weather\./;
  const refused = (message: RegExp | string = cannot) => ({ success: false, message: expect.stringMatching(message) });
  const otherAlone = { results: [expect.objectContaining({ name: 'weather_map' })] };
  const namesIn = (value: unknown) => (value as { results: { name: string }[] }).results.map(({ name }) => name);

  /** A run in which the model calls these, and the results it read. */
  async function go(options: Partial<ToolSearchProcessorOptions>, ...called: Parameters<typeof calls>) {
    const written: string[] = [];
    const inner = memoryStore();
    const add: typeof inner.add = (scope, names, settings) => {
      written.push(...names);
      return inner.add(scope, names, settings);
    };
    const others = toolRecord(tool('weather_map', 'Draw a map of the weather.'));
    const tools = { get_weather: make(), ...others, ...size.fillers } as never;
    const { agent, model, events } = rig(
      { tools, storage: { ...inner, add }, ...options },
      { script: calls(...called), agent: { memory: newMemory() } },
    );
    const ask = 'What is the current weather in the city of Paris?';
    expect((await agent.generate(ask, { ...inThread, maxSteps: 9 })).text).toBe('done');
    const problems = events.flatMap((event) => (event.type === 'tool-problem' ? event.problem : []));
    expect(problems.filter((problem) => problem === 'unsendable')).toEqual(['unsendable']);
    expect(written).not.toContain('get_weather');
    for (const each of model.calls) expect(toolNames(each)).not.toContain('get_weather');
    const results = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value);
    return { results, events, prompts: model.calls.map(({ prompt }) => prompt) };
  }

  it('is not loaded: the model is told so, and is offered it no more', async () => {
    const { results, prompts } = await go(
      {},
      load('get_weather'),
      call('load_tool', { toolNames: ['get_weather', 'weather_map'] }),
      search('weather'),
      search('select:get_weather'),
      call('get_weather'),
    );
    const [one, several, searched, selected, called] = results;
    expect(one).toMatchObject(refused());
    expect(several).toMatchObject({ ...refused(), loaded: ['weather_map'] });
    expect(searched).toMatchObject(otherAlone);
    expect(selected).toMatchObject({ results: [], message: expect.stringMatching(cannot) });
    expect(String(called)).toMatch(/"get_weather" not found/);
    expect(JSON.stringify(prompts.at(-1))).not.toContain('is available now');
  });

  it('is not loaded by a search, nor where the name is pinned or the catalog is sent whole', async () => {
    const { results, events } = await go({ search: { autoLoad: true } }, search('current weather'), search('weather'));
    const [first, second] = results as { message: string; loaded?: string[] }[];
    expect([first?.message, second?.message]).toEqual([
      expect.stringMatching(cannot),
      expect.not.stringMatching(cannot),
    ]);
    for (const answer of [first, second]) {
      expect([...namesIn(answer), ...(answer?.loaded ?? [])]).not.toContain('get_weather');
    }
    expect(events.flatMap((event) => (event.type === 'search' ? event.loaded : []))).not.toContain('get_weather');

    const pinned = await go({ alwaysLoaded: ['get_weather'] }, load('get_weather'));
    expect(pinned.results).toMatchObject([refused()]);
    await go({ passthroughBelow: 10_000 });
  });

  it.each(['load', 'call'] as const)('is not preselected in mode %s', async (mode) => {
    const { events, prompts } = await go({ preselect: true, timeouts: { preselect: 10_000 }, mode });
    expect(events.filter(({ type }) => type === 'preselect')).toMatchObject([{ tools: [], reason: 'failed' }]);
    expect(systemText(prompts[0]!)).not.toContain('get_weather');
  });

  it('is not called through the bridge, nor by its name: the model is told so', async () => {
    const asked = [through('get_weather'), call('get_weather'), search('select:get_weather'), search('weather')];
    const [bridged, called, selected, searched] = (await go({ mode: 'call' }, ...asked)).results;
    expect(bridged).toMatchObject(refused(/"get_weather" cannot be/));
    expect(JSON.stringify(called)).toMatch(/get_weather.* (cannot be|not found)/);
    expect(selected).toMatchObject({ results: [], message: expect.stringMatching(/"get_weather" cannot be/) });
    expect(searched).toMatchObject(otherAlone);
  });

  it('does not run when it is called unsent', async () => {
    const { results, prompts } = await go({}, call('get_weather'), search('weather'));
    expect(JSON.stringify(results[0])).toMatch(/not found/);
    expect(JSON.stringify(prompts[1])).toMatch(cannot);
    expect(results[1]).toMatchObject(otherAlone);
  });
});

it('a tool that is known to be unsendable is passed over by the next preselection', async () => {
  const tools = { get_weather: withSchema(circular()), ...toolRecord(tool('weather_now', description)) } as never;
  const preselection = { preselect: { minConfidence: 0.1 }, timeouts: { preselect: 10_000 } };
  const { agent, events } = rig({ tools, ...preselection }, { script: calls(), agent: { memory: newMemory() } });
  for (let turn = 0; turn < 2; turn++) await agent.generate('get weather', inThread);
  const preselected = events.filter(({ type }) => type === 'preselect');
  expect(preselected).toMatchObject([{ tools: [], reason: 'failed' }, { tools: ['weather_now'] }]);
});

function deep(levels: number): z.ZodType {
  let schema: z.ZodType = z.string();
  for (let level = 0; level < levels; level++) schema = z.object({ inner: schema });
  return schema;
}
const zodTool = (inputSchema: z.ZodType): MastraTool =>
  createTool({ id: 'broken', description: 'B.', inputSchema, execute: async () => 'ran' }) as never;

const fails = (what: string) => (): never => {
  throw new Error(`${what} cannot be read`);
};
const unconvertible = {
  '~standard': {
    version: 1,
    vendor: 'x',
    validate: () => ({ value: 1 }),
    jsonSchema: { input: fails('input'), output: fails('output') },
  },
};

/** Tools with which Mastra, or the request to the provider, fails. */
const broken: readonly { why: string; make: () => MastraTool }[] = [
  { why: 'a cyclic schema', make: () => withSchema(circular()) },
  { why: 'a BigInt', make: () => withSchema(bigInt()) },
  { why: 'a null property', make: () => withSchema(schemaOf({ nothing: null })) },
  { why: 'a type that JSON has no word for', make: () => zodTool(z.object({ map: z.map(z.string(), z.symbol()) })) },
  { why: 'zod of 800 levels', make: () => zodTool(deep(800)) },
  { why: 'zod of 5,000 levels', make: () => zodTool(deep(5_000)) },
  {
    why: 'an output schema that cannot be converted',
    make: () => tool('broken', 'B.', { outputSchema: unconvertible }),
  },
  ...['inputSchema', 'outputSchema', 'onOutput', 'requireApproval', 'toModelOutput', 'mcp', 'description'].map(
    (field) => ({
      why: `a getter that throws: ${field}`,
      make: () => Object.defineProperty(tool('broken'), field, { enumerable: true, get: fails(field) }),
    }),
  ),
];
const providers = ['openai.responses', 'anthropic.messages', 'google.generative-ai', 'scripted'];

it.each(inTurn({ broken, provider: providers, catalog: SIZES }))(
  'in a $catalog.size catalog, a tool with $broken.why costs nothing but itself: $provider',
  async ({ catalog: { fillers }, broken: { make }, provider }) => {
    const tools = { broken: make(), ...toolRecord(tool('subject')), ...fillers };
    const {
      agent,
      events,
      model: called,
    } = rig({ tools }, { script: calls(load('broken'), load('subject'), call('subject')), provider });
    for (let turn = 0; turn < 2; turn++) expect((await agent.generate('go')).text).toBe('done');
    expect(called.result()).toMatchObject({ ran: 'subject' });
    for (const { tools: sent } of called.calls) expect(JSON.stringify(sent)).toContain('load_tool');
    const names = new Set(called.calls.flatMap(toolNames));
    const problems = events.flatMap((event) => (event.type === 'tool-problem' ? event.problem : []));
    expect(problems.filter((problem) => problem === 'unsendable')).toHaveLength(names.has('broken') ? 0 : 1);
  },
);

it('a schema that only the layer of a provider cannot read is sent as no provider shapes it', async () => {
  const tools = { broken: withSchema(schemaOf({ nothing: null })) };
  const { agent, model } = rig({ tools }, { script: calls(load('broken')), provider: 'openai.responses' });
  await agent.generate('go');
  expect(model.sent()).toContain('broken');
});

it.each([
  ['can convert', () => schemaOf({})],
  ['cannot convert', fails('input')],
])('a schema that Mastra %s is converted in one step only', async (_, input) => {
  const converted = vi.fn(input);
  const its = { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) };
  const conversions = async (...called: Parameters<typeof calls>) => {
    converted.mockClear();
    const inputSchema = { '~standard': { ...its, jsonSchema: { input: converted, output: converted } } };
    const { agent } = rig({ tools: toolRecord(tool('subject', 'S.', { inputSchema })) }, { script: calls(...called) });
    await agent.generate('go');
    return converted.mock.calls.length;
  };
  const once = await conversions(load('subject'));
  expect(once).toBeGreaterThan(0);
  expect(await conversions(load('subject'), load('subject'), search('subject'))).toBe(once);
});

const unreadable = (field: string, of: object) =>
  Object.defineProperty(of, field, { enumerable: true, get: fails(field) });
it.each<[where: string, make: (others: object) => object]>([
  ['as a member of the record', (others) => unreadable('broken', { ...others })],
  ['as a member of a toolset', (others) => ({ server: unreadable('broken', { ...others }) })],
  ...['id', 'execute', 'inputSchema', 'type'].map((field): [string, (others: object) => object] => {
    const read = { description: 'B.', inputSchema: z.object({}), execute: async () => 'ran' };
    return [`in its ${field}`, (others) => ({ ...others, broken: unreadable(field, { ...read }) })];
  }),
])(
  'a tool that cannot be read %s is left out of what a function returns, and refused by the constructor',
  async (_, make) => {
    const tools = make(toolRecord(tool('subject'))) as never;
    const script = calls(load('subject'), call('subject'));
    const { agent, model, events } = rig({ tools: () => tools }, { script });
    for (let turn = 0; turn < 2; turn++) await agent.generate('go');
    expect(model.result()).toMatchObject({ ran: 'subject' });
    const told = events.filter(({ type }) => type === 'tools-failed' || type === 'tool-problem');
    const message = expect.stringContaining('cannot be read');
    expect(told).toMatchObject([{ type: 'tool-problem', problem: 'left-out', message }]);
    expect(() => new ToolSearchProcessor({ tools })).toThrow(
      expect.objectContaining({ code: 'invalid-tool', message: expect.stringContaining('broken"] cannot be read') }),
    );
  },
);
