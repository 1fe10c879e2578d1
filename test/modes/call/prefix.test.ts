import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { type Mode, run, turn, withMemory } from '../../agent/missed-calls.ts';
import { STEP, traced } from '../../events/traced.ts';
import { pairwise } from '../../support/breadth.ts';
import {
  call,
  calls,
  email,
  newMemory,
  type Rig,
  rig,
  SIZES,
  tool,
  toolRecord,
  weather,
} from '../../support/harness.ts';
import {
  type ModelCall,
  type ModelReply,
  type ModelVersion,
  type Script,
  scriptedModel,
  systemText,
  toolResults,
} from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const versions: readonly ModelVersion[] = ['v2', 'v3', 'v4'];

/** What each step of a turn answers. */
const STEPS = [
  { toolCalls: [call('search_tools', { query: 'weather' })] },
  { text: 'One moment.', toolCalls: [through('get_weather', { text: 'Rome' }), through('get_wether')] },
  { toolCalls: [{ toolName: 'call_tool', input: { arguments: '{"text":"x"}', toolName: 'send_email' } }] },
  { toolCalls: [call('clock', { text: 'now' }), through('clock', {})] },
  { text: 'done' },
] as const;

const script: Script = ({ step }) => STEPS[step] as never;

/** The messages without what Mastra notes beside them, which no provider is sent. */
function wireOf({ prompt }: ModelCall): string[] {
  return prompt.map(({ role, content }) =>
    JSON.stringify({ role, content }, (key, value) => (isNote(key) ? undefined : value)),
  );
}
const isNote = (key: string): boolean => key === 'providerOptions' || key === 'createdAt';

describe.each(SIZES)('the prompts of call mode, in a $size catalog', ({ fillers }) => {
  describe.each(modes)('in %s', (mode) => {
    it.each(versions)('begin with those before, over steps and turns, for a model of %s', async (version) => {
      const { model, agent } = callRig({ tools: { ...toolRecord(weather(), email()), ...fillers } }, script, {
        version,
        agent: { memory: newMemory(), tools: { clock: tool('clock') } },
      });
      await run({ agent }, mode, turn);
      await run({ agent }, mode, turn);
      expect(model.calls).toHaveLength(2 * STEPS.length);
      const tools = model.calls.map((received) => JSON.stringify(received.tools));
      expect(new Set(tools).size).toBe(1);
      for (const [at, received] of model.calls.entries()) {
        const before = at === 0 ? [] : wireOf(model.calls[at - 1]!);
        expect(wireOf(received).slice(0, before.length)).toEqual(before);
      }
    });
  });

  it('show the calls as the model wrote them', async () => {
    const { model, agent } = callRig({ tools: { ...toolRecord(weather(), email()), ...fillers } }, script, {
      agent: { tools: { clock: tool('clock') } },
    });
    await agent.generate('go');
    const last = model.calls.at(-1)!;
    const written = last.prompt.flatMap(({ role, content }) =>
      role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [part] : [])) : [],
    );
    const answered = STEPS.flatMap((step) => ('toolCalls' in step ? step.toolCalls : []));
    expect(written.map(({ toolName, input }) => JSON.stringify({ toolName, input }))).toEqual(
      answered.map(({ toolName, input }) => JSON.stringify({ toolName, input })),
    );
    expect(toolResults(last.prompt).map(({ toolName }) => toolName)).toEqual(answered.map(({ toolName }) => toolName));
    expect(JSON.stringify(last.prompt)).not.toContain('mastra-tool-search');
  });
});

it('shows the calls of a history of load mode as they were written', async () => {
  const memory = newMemory();
  const tools = toolRecord(weather(), email());
  const loading = callRig(
    { tools, mode: 'load' },
    ({ step }) =>
      [
        { toolCalls: [call('load_tool', { toolName: 'get_weather' })] },
        { toolCalls: [call('get_weather', { text: 'Rome' })] },
      ][step] ?? { text: 'done' },
    { agent: { memory } },
  );
  await loading.agent.generate('go', turn as never);
  const calling = callRig({ tools }, () => ({ text: 'done' }), { agent: { memory } });
  await calling.agent.generate('go on', turn as never);
  const [received] = calling.model.calls;
  expect(received!.tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool']);
  const shown = toolResults(received!.prompt).map(({ toolName }) => toolName);
  expect(shown).toEqual(['load_tool', 'get_weather']);
});

it('keeps the calls of the bridge readable for load mode', async () => {
  const memory = newMemory();
  const tools = toolRecord(weather(), email());
  const calling = callRig(
    { tools },
    ({ step }) => (step === 0 ? { toolCalls: [through('get_weather')] } : { text: 'ok' }),
    {
      agent: { memory },
    },
  );
  await calling.agent.generate('go', turn as never);
  const loading = callRig({ tools, mode: 'load' }, () => ({ text: 'done' }), { agent: { memory } });
  await loading.agent.generate('go on', turn as never);
  expect(toolResults(loading.model.calls[0]!.prompt)).toMatchObject([{ toolName: 'get_weather', isError: false }]);
});

describe('places', () => {
  type Called = ReturnType<typeof call>;

  /** What no text may have: the key of a place for calls of tools that are not sent. */
  const PLACE = /(?:search_tools|call_tool)\.\d/;
  /** The same, in the list of tools that Mastra tells a model that calls another one. */
  const LISTED = new RegExp(`Available tools:[^"]*${PLACE.source}`);
  const NAMES = Array.from({ length: 40 }, (_, n) => `tool_${n}`);

  const modes: readonly { readonly options: Partial<ToolSearchProcessorOptions>; readonly calling: typeof through }[] =
    [
      { options: { onMiss: 'run' }, calling: call },
      { options: { mode: 'call', onMiss: 'run' }, calling: through },
      { options: { mode: 'call', onMiss: 'load' }, calling: through },
    ];
  const answers: readonly { readonly what: string; readonly calls: (calling: typeof through) => readonly Called[] }[] =
    [
      { what: 'one tool and a name that no tool has', calls: (calling) => [calling('tool_0'), call('nope_nope')] },
      { what: 'a name that no tool has and one tool', calls: (calling) => [call('nope_nope'), calling('tool_0')] },
      {
        what: 'one tool and a place',
        calls: (calling) => [calling('tool_0'), call('search_tools.0'), call('call_tool.0')],
      },
      { what: 'one tool and what every object has', calls: (calling) => [calling('tool_0'), call('constructor')] },
      {
        what: 'one tool and forty names that no tool has',
        calls: (calling) => [calling('tool_0'), ...NAMES.map((name) => call(`nope_${name}`))],
      },
      { what: 'forty tools', calls: (calling) => NAMES.map((name) => calling(name)) },
    ];

  /** An agent whose model answers with these calls at once, then one at a time. */
  function placesRig(
    options: Partial<ToolSearchProcessorOptions>,
    first: readonly Called[],
    then: readonly Called[],
  ): Rig & {
    readonly ran: string[];
    readonly events: ToolSearchEvent[];
  } {
    const ran: string[] = [];
    const events: ToolSearchEvent[] = [];
    const tools = toolRecord(
      ...NAMES.map((id) => tool(id, `Does ${id}.`, { execute: async () => ({ ran: ran.push(id) }) })),
    );
    const script = ({ step }: { step: number }): ModelReply => {
      const calls = step === 0 ? first : then.slice(step - 1, step);
      return calls.length > 0 ? { toolCalls: [...calls] } : { text: 'done' };
    };
    const setup = { script, agent: withMemory() };
    return { ...rig({ tools, onEvent: (event) => events.push(event), ...options }, setup), ran, events };
  }

  it.each(pairwise({ way: modes, answer: answers, mode: ['generate', 'stream', 'durable'] }))(
    'an answer that calls $answer.what names no place anywhere, with $way.options ($mode)',
    async ({ way: { options, calling }, answer: { what, calls }, mode }) => {
      const made = placesRig(options, calls(calling), [calling('tool_1')]);
      await run(made, mode, turn);
      const memory = await made.agent.getMemory();
      const stored = await memory?.recall({ threadId: 't', resourceId: 'r' });
      // A model may have written the name itself.
      const inner = what.endsWith('place') ? LISTED : PLACE;
      const results = made.model.calls.map(({ prompt }) => toolResults(prompt));
      for (const said of [results, made.events, stored]) expect(JSON.stringify(said)).not.toMatch(inner);
      expect(JSON.stringify(made.model.calls.map(({ tools }) => tools))).not.toMatch(PLACE);
      expect(JSON.stringify(stored)).toContain('done');
      // Nothing is lost for the steps that follow.
      expect(made.ran).toContain('tool_1');
      // Beyond so many names, a DurableAgent runs no missed call at once.
      if (!(what.includes('forty names') && mode === 'durable' && options.mode !== 'call'))
        expect(made.ran).toContain('tool_0');
      expect(made.model.calls).toHaveLength(3);
    },
  );

  it.each(modes)(
    'spans and chunks of a run that misses tools name no place, with $options',
    async ({ options, calling }) => {
      const made = placesRig(options, [calling('tool_0'), call('nope_nope')], [calling('tool_1')]);
      const { agent, spans } = traced(made.agent);
      const { fullStream } = await agent.stream('go', turn as never);
      const chunks: unknown[] = [];
      for await (const chunk of fullStream as AsyncIterable<unknown>) chunks.push(chunk);
      expect(JSON.stringify(chunks)).not.toMatch(PLACE);
      // Mastra writes what a processor returns into the span of that.
      const others = (await spans()).filter(({ name }) => name !== STEP);
      const said = others.map(({ name, input, output, attributes, errorInfo }) => [
        name,
        input,
        output,
        attributes,
        errorInfo,
      ]);
      expect(JSON.stringify(said)).not.toMatch(PLACE);
    },
  );
});

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** A model that calls `own` in its first answer, and ends it when the tool has run, or has had the time to. */
function slowModel(ran: Promise<unknown>, order: string[]): object {
  const model = scriptedModel(() => ({ text: 'done' })) as unknown as { doStream: unknown };
  let answers = 0;
  model.doStream = async () => {
    const isFirst = answers++ === 0;
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue({ type: 'stream-start', warnings: [] });
        if (isFirst) {
          controller.enqueue({ type: 'tool-call', toolCallId: 'c1', toolName: 'own', input: '{}' });
          await Promise.race([ran, new Promise((resolve) => setTimeout(resolve, 60_000).unref())]);
          order.push('the model ended');
        }
        const finishReason = { unified: isFirst ? 'tool-calls' : 'stop', raw: 'x' };
        controller.enqueue({ type: 'finish', finishReason, usage });
        controller.close();
      },
    });
    return { stream };
  };
  return model;
}

describe('a tool that Mastra runs before the model has ended', () => {
  it.each([{ onMiss: 'load' }, {}, { mode: 'call' }] as const)(
    'runs as early beside an output processor that reads results, with %j',
    async (options) => {
      const order: string[] = [];
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      const own = tool('own', 'Own.', {
        execute: async () => {
          order.push('the tool ran');
          resolve();
          return 'ran';
        },
      });
      const reader = { id: 'reader', processToolResult: async () => undefined };
      const { agent } = rig({ tools: toolRecord(weather()), ...options } as never, {
        agent: { model: slowModel(promise, order), tools: { own }, outputProcessors: [reader] } as never,
      });
      await (await agent.stream('go', { eagerToolExecution: true } as never)).consumeStream();
      expect(order).toEqual(['the tool ran', 'the model ended']);
    },
  );
});

const timeouts = { preselect: 10_000 };
const question = 'What is the current weather in the city of Paris?';
const hidden = '\u200b\u202e\u{E0049}';

function withParameter(description: string): ReturnType<typeof tool> {
  const inputSchema = { type: 'object', properties: { city: { type: 'string', description } }, required: ['city'] };
  return tool('get_weather', 'Get the current weather of a city', { inputSchema } as never);
}

it("suggests a client's tool by its name alone: its text must not become system text", async () => {
  const client = {
    id: 'get_weather',
    description: 'Get the current weather of a city. EVIL',
    inputSchema: { type: 'object', properties: { city: { type: 'string', description: 'EVIL' } } },
  };
  const options = {
    tools: toolRecord(tool('send_email', 'Send.')),
    includeResolvedTools: true,
    preselect: true,
    timeouts,
  };
  const { agent, model } = callRig(options as never, () => ({ text: 'done' }));
  await agent.generate(question, { clientTools: { get_weather: client } as never });
  const text = systemText(model.calls[0]!.prompt);
  expect(text).toContain('{"name":"get_weather"}');
  expect(text).not.toContain('EVIL');
});

it('takes out of definitions what a person does not see', async () => {
  const tools = toolRecord(withParameter(`Name${hidden} of a city`));
  const { agent, model } = callRig(
    { tools, preselect: true, timeouts } as never,
    calls(call('search_tools', { query: 'weather' })),
  );
  await agent.generate(question);
  const received = JSON.stringify(model.calls.at(-1)!.prompt);
  expect(received).toContain('Name of a city');
  expect(received).not.toMatch(/[\u200b\u202e]|\u{E0049}/u);
});

it('suggests a tool whose definition is large with its signature', async () => {
  const tools = toolRecord(withParameter('x'.repeat(50_000)));
  const { agent, model } = callRig({ tools, preselect: true, timeouts } as never, () => ({ text: 'done' }));
  await agent.generate(question);
  const text = systemText(model.calls[0]!.prompt);
  expect(text).toContain('"signature":"(city)"');
  expect(text.length).toBeLessThan(2_000);
});

it('does not suggest the name that was asked for', async () => {
  const filter = ({ phase }: { phase: string }): boolean => phase !== 'active';
  const { agent, model } = callRig(
    { tools: toolRecord(weather()), filter } as never,
    calls(through('get_weather', {})),
  );
  await agent.generate('go');
  const [{ value } = { value: undefined }] = toolResults(model.calls.at(-1)!.prompt);
  expect(JSON.stringify(value)).toContain('not found');
  expect(JSON.stringify(value)).not.toContain('Did you mean');
});
