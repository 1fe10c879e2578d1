import { tool as aiSdkTool, jsonSchema } from 'ai';
import { memoryStore, type ToolSearchEvent, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { through } from '../modes/call/setup.ts';
import { call, calls, fillerTools, load, rig, tool, toolRecord } from '../support/harness.ts';
import { systemText, toolNames, toolResults } from '../support/scripted-model.ts';
import { withMemory } from './missed-calls.ts';

const schemaOf = (properties: Record<string, unknown>): object => ({ type: 'object', properties });

function circular(): object {
  const schema = schemaOf({});
  (schema as { properties: Record<string, unknown> }).properties['self'] = schema;
  return schema;
}

const withSchema = (schema: object): object =>
  aiSdkTool({
    description: 'Get the current weather of a city.',
    inputSchema: jsonSchema(schema as never),
    execute: async () => 'ran',
  });

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

const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
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

const all = sizes.flatMap(({ size, fillers }) => kinds.map((kind) => ({ size, fillers, ...kind })));

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
      expect(toolNames(model.calls[0]!)).not.toContain('get_weather');
      expect(problems()).toEqual(['unsendable']);
    }
  });
});
