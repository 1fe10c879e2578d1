import { types } from 'node:util';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import {
  call,
  calls,
  email,
  inThread,
  load,
  META,
  newMemory,
  RUNS,
  rig,
  searchLoadCall,
  tool,
  toolRecord,
  weather,
} from '../support/harness.ts';
import { lastToolResult, scriptedModel, toolNames, toolResults } from '../support/scripted-model.ts';

const tools = () => toolRecord(weather(), email());

describe.each(['v2', 'v3', 'v4'] as const)('an agent with a model of specification %s', (version) => {
  it('searches, loads and calls a tool in generate', async () => {
    const { agent, model } = rig({ tools: tools() }, { version, script: searchLoadCall('weather', { text: 'Rome' }) });
    const result = await agent.generate('How is the weather?');
    expect(result.text).toBe('done');
    const loaded = [...META, 'get_weather'];
    expect(model.calls.map(toolNames)).toEqual([META, META, loaded, loaded]);
    expect(lastToolResult(model.calls[3]?.prompt ?? [])?.value).toEqual({
      ran: 'get_weather',
      input: { text: 'Rome' },
    });
  });

  it.each(RUNS)('searches, loads and calls a tool with $how', async ({ run }) => {
    const { agent, model } = rig({ tools: tools() }, { version });
    await run(agent, 'weather?');
    expect(model.calls.map((received) => toolNames(received).length)).toEqual([2, 2, 3, 3]);
  });

  it.each(['in-memory', 'context'] as const)(
    'keeps a loaded tool for the next turn, with storage %s',
    async (storage) => {
      const { agent, model } = rig({ tools: tools(), storage }, { version, agent: { memory: newMemory() } });
      await agent.generate('weather?', inThread);
      const before = model.calls.length;
      await (await agent.stream('and now?', inThread)).consumeStream();
      expect(toolNames(model.calls[before]!)).toEqual([...META, 'get_weather']);
    },
  );
});

it('an agent with autoLoad loads and answers in one turn less', async () => {
  const { agent, model } = rig(
    { tools: tools(), search: { autoLoad: true, topK: 1 } },
    { script: calls(call('search_tools', { query: 'weather' }), call('get_weather')) },
  );
  expect((await agent.generate('weather')).text).toBe('done');
  expect(model.calls.map(toolNames)).toEqual([
    ['search_tools'],
    ['search_tools', 'get_weather'],
    ['search_tools', 'get_weather'],
  ]);
});

it('an agent gives its model a result for every refusal, and the run goes on', async () => {
  const { agent, model } = rig(
    { tools: tools() },
    {
      script: calls(
        call('search_tools', {}),
        call('search_tools', '{ "query": '),
        call('load_tool', {}),
        load('constructor'),
        load('getWeather'),
        call('load_tool', { toolNames: 'get_weather', extra: true }),
      ),
    },
  );
  const result = await agent.generate('hello', { maxSteps: 10 });
  expect(result.text).toBe('done');
  const results = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => (value as { message: string }).message);
  expect(results).toEqual([
    ...Array(2).fill(expect.stringContaining('The query is empty.')),
    expect.stringContaining('You must provide'),
    expect.stringContaining('"constructor" not found'),
    expect.stringContaining('Did you mean: get_weather?'),
    expect.stringContaining('Loaded: get_weather'),
  ]);
});

interface Seen {
  readonly received: ProcessInputStepArgs;
  readonly returned: { tools: Record<string, object>; activeTools?: string[]; model?: unknown };
}

/** The steps of an agent, with what they received and returned. */
async function stepsOf(options: Partial<ToolSearchProcessorOptions>, agent: object = {}): Promise<readonly Seen[]> {
  const processor = new ToolSearchProcessor({ tools: toolRecord(weather(), email()), ...options });
  const seen: Seen[] = [];
  const step = processor.processInputStep.bind(processor);
  processor.processInputStep = async (received) => {
    const returned = await step(received);
    seen.push({ received: { ...received }, returned: returned as never });
    return returned;
  };
  const script = calls(call('get_weather', {}), load('send_email'), call('send_email', {}));
  const made = new Agent({
    ...{ id: 'calm', name: 'calm', instructions: '', model: scriptedModel(script) as never },
    inputProcessors: [processor as never],
    ...agent,
  });
  new Mastra({ agents: { calm: made }, logger: false });
  await made.generate('go', { maxSteps: 6 });
  expect(seen.length).toBeGreaterThan(3);
  return seen;
}

/** What of a step leans on the inside of Mastra. */
function interceptionIn({ returned: { tools, activeTools, model } }: Seen): string[] {
  return [
    ...(model === undefined ? [] : ['a model']),
    ...(types.isProxy(tools) ? ['a proxy of the tools'] : []),
    ...Object.entries(tools).flatMap(([name, tool]) => {
      const isPlain = !types.isProxy(tool) && !types.isProxy(Object.getPrototypeOf(tool) ?? {});
      const isHidden = String((tool as { type?: unknown }).type).startsWith('provider');
      return isPlain && !isHidden ? [] : [`the tool ${name}`];
    }),
    ...(activeTools && (Object.hasOwn(activeTools, 'includes') || types.isProxy(activeTools)) ? ['includes()'] : []),
  ];
}

describe('a step of load mode with default options', () => {
  it.each<{ what: string; options: Partial<ToolSearchProcessorOptions>; agent?: object }>([
    { what: 'plain', options: {} },
    { what: 'with a filter', options: { filter: () => true } },
    { what: 'with auto-load', options: { search: { autoLoad: true } } },
    { what: "with the agent's own tools", options: {}, agent: { tools: { clock: tool('clock') } } },
    { what: 'with hooks', options: {}, agent: { hooks: { beforeToolCall: () => undefined } } },
  ])('has no wrapped model, no proxy, no hidden tool and no replaced includes(): $what', async ({ options, agent }) => {
    for (const step of await stepsOf(options, agent)) expect(interceptionIn(step)).toEqual([]);
  });

  it("extends the caller's list of active tools by a plain one", async () => {
    const processor = new ToolSearchProcessor({ tools: toolRecord(weather()) });
    const messageList = { addSystem() {}, clearSystemMessages() {}, get: { all: { db: () => [] } } };
    const received = {
      messages: [],
      messageList,
      state: {},
      tools: {},
      steps: [],
      systemMessages: [],
      activeTools: ['a'],
    };
    const { activeTools = [] } = await processor.processInputStep(received as never);
    expect(activeTools).toEqual(['a', 'search_tools', 'load_tool']);
    expect(Object.hasOwn(activeTools, 'includes')).toBe(false);
  });

  it('sees all of this with onMiss: run', async () => {
    const [step] = await stepsOf({ onMiss: 'run' });
    const found = interceptionIn(step as Seen);
    expect(found).toEqual(expect.arrayContaining(['a model', 'a proxy of the tools', 'includes()']));
  });
});
