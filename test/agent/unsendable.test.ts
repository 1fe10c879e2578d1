import { ToolSearchProcessor as CoreToolSearchProcessor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { tool as aiSdkTool, jsonSchema } from 'ai';
import {
  type MastraTool,
  memoryStore,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { through } from '../modes/call/setup.ts';
import { part } from '../support/breadth.ts';
import { call, calls, load, rig, SIZES, tool, toolRecord } from '../support/harness.ts';
import { systemText, toolNames, toolResults } from '../support/scripted-model.ts';
import { withMemory } from './missed-calls.ts';

const schemaOf = (properties: Record<string, unknown>): object => ({ type: 'object', properties });

function circular(): object {
  const schema = schemaOf({});
  (schema as { properties: Record<string, unknown> }).properties['self'] = schema;
  return schema;
}

const withSchema = (schema: object): MastraTool =>
  aiSdkTool({
    description: 'Get the current weather of a city.',
    inputSchema: jsonSchema(schema as never),
    execute: async () => 'ran',
  }) as never;

/** Tools that no request to a provider can hold. */
const kinds = [
  { what: 'a tool with a circular schema', make: () => withSchema(circular()) },
  { what: 'a tool with a BigInt', make: () => withSchema(schemaOf({ big: { type: 'number', default: 5n } })) },
  {
    what: 'a stub of such a tool',
    make: () => ({
      id: 'get_weather',
      description: 'Get the current weather of a city.',
      resolve: async () => withSchema(circular()),
    }),
  },
];

const ASK = 'What is the current weather in the city of Paris?';
const cannot = /Not available now, for a technical reason: get_weather\./;

function made(make: () => object, options: Partial<ToolSearchProcessorOptions>, script: Parameters<typeof calls>) {
  const events: ToolSearchEvent[] = [];
  const written: string[] = [];
  const inMemory = memoryStore();
  const storage = {
    ...inMemory,
    add: (scope: string, names: readonly string[], settings: never) => {
      written.push(...names);
      return inMemory.add(scope, names, settings);
    },
  };
  const subject = rig(
    {
      tools: { get_weather: make(), ...toolRecord(tool('weather_map', 'Draw a map of the weather.')) } as never,
      storage,
      onEvent: (event) => events.push(event),
      ...options,
    } as ToolSearchProcessorOptions,
    { script: calls(...script), agent: withMemory() },
  );
  const run = async (): Promise<unknown[]> => {
    const { text } = await subject.agent.generate(ASK, { memory: { thread: 't', resource: 'r' }, maxSteps: 9 });
    expect(text).toBe('done');
    return toolResults(subject.model.calls.at(-1)!.prompt).map(({ value }) => value);
  };
  const problems = (): readonly string[] =>
    events.flatMap((event) => (event.type === 'tool-problem' ? event.problem : [])).filter((it) => it === 'unsendable');
  return { ...subject, run, events, written, problems };
}

const all = SIZES.flatMap(({ size, fillers }) => kinds.map((kind) => ({ size, fillers, ...kind })));

describe.each(all)('$what, in a $size catalog,', ({ make, fillers }) => {
  const toolsOf = () =>
    ({ get_weather: make(), ...toolRecord(tool('weather_map', 'Draw a map of the weather.')), ...fillers }) as never;

  it('is not loaded: the model is told so, and is offered it no more', async () => {
    const { run, written, problems, model } = made(make, { tools: toolsOf() }, [
      load('get_weather'),
      call('load_tool', { toolNames: ['get_weather', 'weather_map'] }),
      call('search_tools', { query: 'weather' }),
      call('search_tools', { query: 'select:get_weather' }),
      call('get_weather'),
    ]);
    const [one, several, searched, selected, called] = await run();
    expect(one).toMatchObject({ success: false, message: expect.stringMatching(cannot) });
    expect(several).toMatchObject({
      success: false,
      loaded: ['weather_map'],
      message: expect.stringMatching(/Loaded: weather_map/),
    });
    expect((several as { message: string }).message).toMatch(cannot);
    expect((searched as { results: { name: string }[] }).results.map(({ name }) => name)).toEqual(['weather_map']);
    expect(selected).toMatchObject({ results: [], message: expect.stringMatching(cannot) });
    expect(String(called)).toMatch(/"get_weather" not found/);
    expect(JSON.stringify(model.calls.at(-1)!.prompt)).not.toContain('is available now');
    expect(written).toEqual(['weather_map']);
    expect(problems()).toEqual(['unsendable']);
    for (const each of model.calls) expect(toolNames(each)).not.toContain('get_weather');
  });

  it('is not loaded by a search', async () => {
    const { run, written, events } = made(make, { tools: toolsOf(), search: { autoLoad: true } }, [
      call('search_tools', { query: 'current weather of a city' }),
      call('search_tools', { query: 'current weather of a city' }),
    ]);
    const [first, second] = (await run()) as { results: { name: string }[]; message: string; loaded?: string[] }[];
    expect(first?.message).toMatch(cannot);
    for (const answer of [first, second]) {
      expect(answer?.results.map(({ name }) => name)).not.toContain('get_weather');
      expect(answer?.loaded ?? []).not.toContain('get_weather');
    }
    expect(second?.message).not.toMatch(cannot);
    expect(written).not.toContain('get_weather');
    expect(events.flatMap((event) => (event.type === 'search' ? event.loaded : []))).not.toContain('get_weather');
  });

  it('is not preselected', async () => {
    for (const mode of ['load', 'call'] as const) {
      const preselecting = { preselect: true, timeouts: { preselect: 10_000 } };
      const { run, events, problems, written, model } = made(make, { tools: toolsOf(), ...preselecting, mode }, []);
      await run();
      expect(events.filter(({ type }) => type === 'preselect')).toMatchObject([{ tools: [], reason: 'failed' }]);
      expect(problems()).toEqual(['unsendable']);
      expect(written).toEqual([]);
      expect(systemText(model.calls[0]!.prompt)).not.toContain('get_weather');
    }
  });

  it('is not called through the bridge, nor by its name: the model is told so', async () => {
    const { run, problems } = made(make, { tools: toolsOf(), mode: 'call' }, [
      through('get_weather'),
      call('get_weather'),
      call('search_tools', { query: 'select:get_weather' }),
      call('search_tools', { query: 'weather' }),
    ]);
    const [bridged, called, selected, searched] = await run();
    expect(bridged).toMatchObject({ success: false, message: expect.stringMatching(/"get_weather" cannot be/) });
    expect(JSON.stringify(called)).toMatch(/get_weather.* (cannot be|not found)/);
    expect(selected).toMatchObject({ results: [], message: expect.stringMatching(/"get_weather" cannot be/) });
    expect((searched as { results: { name: string }[] }).results.map(({ name }) => name)).toEqual(['weather_map']);
    expect(problems()).toEqual(['unsendable']);
  });

  it.each(['run', 'load'] as const)(
    "does not run when it is called without being sent, with onMiss: '%s'",
    async (onMiss) => {
      const { run, problems, model } = made(make, { tools: toolsOf(), onMiss }, [
        call('get_weather'),
        call('search_tools', { query: 'weather' }),
      ]);
      const [called, searched] = await run();
      expect(JSON.stringify(called)).toMatch(/not found/);
      expect(JSON.stringify(model.calls[1]!.prompt)).toMatch(cannot);
      expect((searched as { results: { name: string }[] }).results.map(({ name }) => name)).toEqual(['weather_map']);
      expect(problems()).toEqual(['unsendable']);
    },
  );

  it('is left out where it is pinned, and where the catalog is sent whole', async () => {
    const pinned = made(make, { tools: toolsOf(), alwaysLoaded: ['get_weather'] }, [load('get_weather')]);
    const [answer] = await pinned.run();
    expect(answer).toMatchObject({ success: false, message: expect.stringMatching(cannot) });
    const whole = made(make, { tools: toolsOf(), passthroughBelow: 10_000 }, []);
    await whole.run();
    for (const { model, problems } of [pinned, whole]) {
      expect(model.sent(0)).not.toContain('get_weather');
      expect(problems()).toEqual(['unsendable']);
    }
  });
});

function deep(levels: number): z.ZodType {
  let schema: z.ZodType = z.string();
  for (let level = 0; level < levels; level++) schema = z.object({ inner: schema });
  return schema;
}

const zodTool = (inputSchema: unknown): MastraTool =>
  createTool({
    id: 'broken',
    description: 'B.',
    inputSchema: inputSchema as z.ZodType,
    execute: async () => 'ran',
  }) as never;

const fails = (what: string) => (): never => {
  throw new Error(`${what} cannot be read`);
};
const withGetter = (field: string): MastraTool =>
  Object.defineProperty(tool('broken'), field, { enumerable: true, get: fails(field) });
const unconvertible = { input: fails('input'), output: fails('output') };

/** Tools with which Mastra, or the request to the provider, fails. */
const broken: readonly { why: string; make: () => MastraTool }[] = [
  { why: 'a cyclic schema', make: () => withSchema(circular()) },
  { why: 'a BigInt', make: () => withSchema(schemaOf({ big: { type: 'number', default: 5n } })) },
  { why: 'a null property', make: () => withSchema(schemaOf({ nothing: null })) },
  { why: 'a type that JSON has no word for', make: () => zodTool(z.object({ map: z.map(z.string(), z.symbol()) })) },
  { why: 'zod of 800 levels', make: () => zodTool(deep(800)) },
  { why: 'zod of 5,000 levels', make: () => zodTool(deep(5_000)) },
  {
    why: 'an output schema that cannot be converted',
    make: () =>
      tool('broken', 'B.', {
        outputSchema: {
          '~standard': { version: 1, vendor: 'x', validate: () => ({ value: 1 }), jsonSchema: unconvertible },
        },
      }),
  },
  ...['inputSchema', 'outputSchema', 'onOutput', 'requireApproval', 'toModelOutput', 'mcp', 'description'].map(
    (field) => ({ why: `a getter that throws: ${field}`, make: () => withGetter(field) }),
  ),
];
const models = [
  { provider: 'openai.responses', modelId: 'gpt-5' },
  { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
  { provider: 'google.generative-ai', modelId: 'gemini-3-pro' },
  { provider: 'scripted', modelId: 'scripted' },
];

const cases = part(
  SIZES.flatMap(({ size, fillers }) =>
    broken.flatMap(({ why, make }) => models.map((model) => ({ size, fillers, why, make, ...model }))),
  ),
  'pairs',
);

it.each(cases)(
  'in a $size catalog, a tool with $why costs nothing but itself: $provider',
  async ({ fillers, make, provider, modelId }) => {
    const events: ToolSearchEvent[] = [];
    const tools = { broken: make(), ...toolRecord(tool('subject')), ...fillers };
    const { agent, model: called } = rig(
      { tools, onEvent: (event) => events.push(event) },
      { script: calls(load('broken'), load('subject'), call('subject')), provider, modelId },
    );
    for (let turn = 0; turn < 2; turn++) expect((await agent.generate('go')).text).toBe('done');
    expect(called.result()).toMatchObject({ ran: 'subject' });
    for (const { tools: sent } of called.calls) expect(JSON.stringify(sent)).toContain('load_tool');
    const names = new Set(called.calls.flatMap(toolNames));
    const problems = events.flatMap((event) => (event.type === 'tool-problem' ? event.problem : []));
    expect(problems.filter((problem) => problem === 'unsendable')).toHaveLength(names.has('broken') ? 0 : 1);
  },
);

it.each(broken)('a tool with $why ends no run where the one of @mastra/core does not', async ({ make }) => {
  const run = async (Processor: typeof ToolSearchProcessor | typeof CoreToolSearchProcessor) => {
    const tools = { broken: make(), ...toolRecord(tool('subject')) } as never;
    const inputProcessors = [new Processor({ tools })];
    const { agent } = rig({ tools: {} }, { script: calls(load('subject')), agent: { inputProcessors } });
    return agent.generate('go').then(
      ({ text }) => text,
      () => 'failed',
    );
  };
  const theirs = await run(CoreToolSearchProcessor).catch(() => 'failed');
  expect(await run(ToolSearchProcessor)).toBe(theirs === 'failed' ? 'done' : theirs);
});

describe('a tool that cannot be read', () => {
  const unreadable = (field: string) =>
    Object.defineProperty({ description: 'B.', inputSchema: z.object({}), execute: async () => 'ran' }, field, {
      get: fails(field),
      enumerable: true,
    });
  const within = (record: object): object =>
    Object.defineProperty(record, 'broken', { enumerable: true, get: fails('broken') });
  const records = [
    { what: 'as a member of the record', make: (others: object) => within({ ...others }) },
    { what: 'as a member of a toolset', make: (others: object) => ({ server: within({ ...others }) }) },
    ...['id', 'execute', 'inputSchema', 'type'].map((field) => ({
      what: `in its ${field}`,
      make: (others: object) => ({ ...others, broken: unreadable(field) }),
    })),
  ];

  it.each(records)('is left out alone of what a function returns: $what', async ({ make }) => {
    const events: ToolSearchEvent[] = [];
    const subject = tool('subject');
    const { agent, model } = rig(
      { tools: () => make(toolRecord(subject)) as never, onEvent: (event) => events.push(event) },
      { script: calls(load('subject'), call('subject')) },
    );
    for (let turn = 0; turn < 2; turn++) await agent.generate('go');
    expect(model.result()).toMatchObject({ ran: 'subject' });
    const told = events.filter(({ type }) => type === 'tools-failed' || type === 'tool-problem');
    expect(told).toMatchObject([
      { type: 'tool-problem', problem: 'left-out', message: expect.stringContaining('cannot be read') },
    ]);
  });

  it.each(records)('is refused by the constructor by its name: $what', ({ make }) => {
    const construct = () => new ToolSearchProcessor({ tools: make(toolRecord(tool('subject'))) as never });
    expect(construct).toThrow(
      expect.objectContaining({ code: 'invalid-tool', message: expect.stringContaining('broken"] cannot be read') }),
    );
  });
});
