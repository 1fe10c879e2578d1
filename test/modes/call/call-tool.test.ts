import { createTool } from '@mastra/core/tools';
import { type MastraTool, ToolSearchProcessor, type ToolStub } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Mode, run } from '../../agent/missed-calls.ts';
import { officeOver, turn } from '../../restart/office.ts';
import {
  approve,
  askingTool,
  call,
  calls,
  email,
  newMemory,
  SIZES,
  tool,
  toolRecord,
  weather,
} from '../../support/harness.ts';
import {
  lastToolResult,
  type ModelReply,
  type Script,
  systemText,
  toolNames,
  toolResults,
} from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];

describe.each(SIZES)('a call of a tool through call_tool, in a $size catalog', ({ fillers }) => {
  describe.each(modes)('in %s', (mode) => {
    it.each(['v2', 'v3', 'v4'] as const)(
      'runs the tool in the step after the search, for a model of %s',
      async (version) => {
        const script: Script = ({ prompt, step }) => {
          if (step === 0) return { toolCalls: [call('search_tools', { query: 'weather' })] };
          const found = lastToolResult(prompt, 'search_tools')?.value as { results: { name: string }[] };
          return step === 1 ? { toolCalls: [through(found.results[0]!.name, { text: 'Rome' })] } : { text: 'done' };
        };
        const made = callRig({ tools: { ...toolRecord(weather(), email()), ...fillers } }, script, { version });
        await run(made, mode);
        expect(made.model.calls.map(toolNames)).toEqual(Array(3).fill(['search_tools', 'call_tool']));
        expect(lastToolResult(made.model.calls[2]!.prompt)).toMatchObject({
          toolName: 'call_tool',
          isError: false,
          value: { ran: 'get_weather', input: { text: 'Rome' } },
        });
      },
    );

    it('runs several tools of one answer, and one of them twice', async () => {
      const script: Script = ({ step }) =>
        step === 0
          ? {
              text: 'let me see',
              toolCalls: [
                through('get_weather', { text: 'a' }),
                through('send_email'),
                through('get_weather', { text: 'b' }),
              ],
            }
          : { text: 'done' };
      const made = callRig({ tools: { ...toolRecord(weather(), email()), ...fillers } }, script);
      await run(made, mode);
      expect(toolResults(made.model.calls[1]!.prompt).map(({ value }) => value)).toEqual([
        { ran: 'get_weather', input: { text: 'a' } },
        { ran: 'send_email', input: {} },
        { ran: 'get_weather', input: { text: 'b' } },
      ]);
    });
  });

  it("is the tool's own call for hooks, events of the stream and the tool's context", async () => {
    const seen: string[] = [];
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void seen.push(toolName) };
    const execute = vi.fn(async (_input: unknown, _context: never) => 'ran');
    const subject = tool('subject', 'Subject.', { execute });
    const made = callRig({ tools: { ...toolRecord(subject), ...fillers } }, calls(through('subject', { text: 'x' })), {
      agent: { hooks },
    });
    const stream = await made.agent.stream('go');
    const chunks: { type: string; payload: { toolName?: string; args?: unknown } }[] = [];
    for await (const chunk of stream.fullStream) chunks.push(chunk as never);
    expect(seen).toEqual(['subject']);
    const told = chunks.filter(({ type }) => type === 'tool-call' || type === 'tool-result');
    expect(told.map(({ payload }) => payload.toolName)).toEqual(['subject', 'subject']);
    expect(told[0]?.payload.args).toEqual({ text: 'x' });
    expect(execute.mock.calls[0]?.[0]).toEqual({ text: 'x' });
  });

  it('has agent id, call id, request context, messages, signal and writer', async () => {
    const execute = vi.fn(async (_input: unknown, _context: never) => 'ran');
    const subject = tool('subject', 'Subject.', { execute });
    const { agent } = callRig({ tools: { ...toolRecord(subject), ...fillers } }, calls(through('subject')));
    await agent.generate('go');
    const context = execute.mock.calls[0]?.[1] as unknown as Record<'agent' | 'writer' | 'requestContext', object>;
    expect(context.agent).toMatchObject({ agentId: 'test-agent', toolCallId: 'call-1' });
    expect(context.writer).toBeDefined();
    expect(context.requestContext).toBeDefined();
  });

  it('gives the model what toModelOutput makes of the result', async () => {
    const subject = tool('subject', 'Subject.', { toModelOutput: () => ({ type: 'text', value: 'for the model' }) });
    const { agent, model } = callRig({ tools: { ...toolRecord(subject), ...fillers } }, calls(through('subject')));
    await agent.generate('go');
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ toolName: 'call_tool', value: 'for the model' });
  });

  it('checks the result by the outputSchema of the tool', async () => {
    const subject = createTool({
      id: 'subject',
      description: 'Subject.',
      outputSchema: z.object({ count: z.number() }),
      execute: async () => ({ count: 'many' }) as never,
    }) as unknown as MastraTool;
    const { agent, model } = callRig({ tools: { ...toolRecord(subject), ...fillers } }, calls(through('subject')));
    await agent.generate('go');
    expect(JSON.stringify(model.result(1))).toMatch(/output validation failed/i);
  });

  it('answers wrong arguments with the mistakes and the schema, and does not run the tool', async () => {
    const execute = vi.fn(async () => 'ran');
    const subject = tool('subject', 'Subject.', {
      inputSchema: z.object({ city: z.string(), days: z.number() }),
      execute,
    });
    const script = calls(through('subject', { days: 'many' }), through('subject', { city: 'Rome', days: 3 }));
    const { agent, model } = callRig({ tools: { ...toolRecord(subject), ...fillers } }, script);
    await agent.generate('go');
    const { value } = lastToolResult(model.calls[1]!.prompt)!;
    expect(value).toMatchObject({
      error: true,
      toolName: 'subject',
      message: expect.stringMatching(/city.*days.*call_tool again/s),
      parameters: { required: ['city', 'days'], properties: { city: { type: 'string' } } },
    });
    expect(execute.mock.calls.map(([input]: unknown[]) => input)).toEqual([{ city: 'Rome', days: 3 }]);
  });

  it('answers wrong arguments within limits, whatever the size of the schema', async () => {
    const fields = Array.from({ length: 400 }, (_, n) => [`parameter_${n}`, z.string().describe('x'.repeat(40))]);
    const subject = tool('subject', 'Subject.', { inputSchema: z.object(Object.fromEntries(fields)) });
    const script = calls(through('subject'), call('search_tools', { query: 'select:subject' }));
    const { agent, model } = callRig({ tools: { ...toolRecord(subject), ...fillers } }, script);
    await agent.generate('go');
    const { value } = lastToolResult(model.calls[1]!.prompt)!;
    expect(value).toMatchObject({
      error: true,
      message: expect.stringMatching(/parameter_0.*call_tool again.*search_tools with "select:subject"/s),
      signature: expect.stringContaining('parameter_0'),
    });
    expect(value).not.toHaveProperty('parameters');
    expect(JSON.stringify(value).length).toBeLessThan(5_000);
    expect(model.result(2)).toMatchObject({
      results: [{ parameters: { properties: { parameter_399: {} } } }],
    });
  });

  it.each([
    { form: 'as JSON text', input: { toolName: 'subject', arguments: '{"text":"x"}' } },
    { form: 'as JSON', input: '{"toolName":"subject","arguments":{"text":"x"}}' },
    { form: 'beside the name', input: { toolName: 'subject', text: 'x' } },
    { form: 'by other words', input: { name: 'subject', args: { text: 'x' } } },
    { form: 'with null for what is optional', input: { toolName: 'subject', arguments: { text: 'x', n: null } } },
    { form: 'by the name in another spelling', input: { toolName: 'functions.subject', arguments: { text: 'x' } } },
  ])('reads a call $form', async ({ input }) => {
    const subject = tool('subject', 'Subject.', {
      inputSchema: z.object({ text: z.string(), n: z.number().optional() }),
    });
    const { agent, model } = callRig(
      { tools: { ...toolRecord(subject), ...fillers } },
      calls({ toolName: 'call_tool', input }),
    );
    await agent.generate('go');
    expect(model.result(1)).toMatchObject({ ran: 'subject', input: { text: 'x' } });
  });

  it.each([
    { called: through('get_wether'), message: /"get_wether" not found. Did you mean: get_weather\?/ },
    { called: through('constructor'), message: /"constructor" not found/ },
    { called: through('__proto__'), message: /"__proto__" not found/ },
    { called: through('get_*'), message: /not found/ },
    { called: through(''), message: /needs the toolName/ },
    { called: through('call_tool', { toolName: 'get_weather', arguments: {} }), message: /not found/ },
    { called: { toolName: 'call_tool', input: '{"toolName": "get_' }, message: /needs the toolName|invalid/ },
    { called: through('get_weather', ['x']), message: /no object/ },
    { called: through('get_weather', '["x"]'), message: /no object/ },
  ])('answers $called.input with a result', async ({ called, message }) => {
    const { agent, model } = callRig({ tools: { ...toolRecord(weather(), email()), ...fillers } }, calls(called));
    const { text } = await agent.generate('go');
    expect(text).toBe('done');
    expect(JSON.stringify(model.result(1)).replaceAll('\\"', '"')).toMatch(message);
  });

  it('calls a tool that is sent anyway by itself', async () => {
    const clock = tool('clock', 'The time.');
    const { agent, model } = callRig(
      { tools: { ...toolRecord(weather()), ...fillers } },
      calls(through('clock', { text: 'x' }), through('search_tools', { query: 'weather' })),
      { agent: { tools: { clock } } },
    );
    await agent.generate('go');
    expect(model.sent(0)).toEqual(['search_tools', 'call_tool', 'clock']);
    const [first, second] = toolResults(model.calls[2]!.prompt);
    expect(first).toMatchObject({ toolName: 'call_tool', value: { ran: 'clock', input: { text: 'x' } } });
    expect(second).toMatchObject({ value: { results: [{ name: 'get_weather' }] } });
  });

  it('runs a tool that the model calls without the bridge', async () => {
    const { agent, model } = callRig(
      { tools: { ...toolRecord(weather(), email()), ...fillers } },
      calls(call('get_weather', { text: 'x' }), call('get_weather', { text: 5 }), call('send_eml')),
    );
    await agent.generate('go');
    expect(toolResults(model.calls[3]!.prompt).map(({ value }) => value)).toMatchObject([
      { ran: 'get_weather', input: { text: 'x' } },
      { error: true, parameters: { properties: { text: {} } } },
      expect.stringContaining('"send_eml" not found. Available tools: search_tools, call_tool'),
    ]);
  });
});

// Approvals: schema-code.test.ts, and over a restart in test/restart.
const ways = [
  { way: "mode: 'call'", processor: { mode: 'call' }, called: through('subject') },
  { way: "onMiss: 'run'", processor: { onMiss: 'run' }, called: call('subject') },
] as const;

it.each(ways)('a call of an unsent tool waits for its answer, with $way', async ({ processor, called }) => {
  const { agent, model } = officeOver()(askingTool('subject'), {
    processor,
    loads: false,
    together: [called],
  });
  const waiting = await agent.generate('go', turn);
  const { toolCallId } = waiting.suspendPayload as { toolCallId: string };
  await agent.resumeGenerate({ answer: 'yes' }, { runId: waiting.runId ?? '', toolCallId });
  expect(model.result()).toEqual({ answer: 'yes' });
});

it.each(ways)('two calls of unsent tools wait one after the other, with $way', async ({ processor, called }) => {
  const execute = vi.fn(async () => 'ran');
  const subject = tool('subject', 'Subject.', { requireApproval: true, execute });
  const { agent } = officeOver()(subject, { processor, loads: false, together: [called, called] });
  const second = await approve(agent, await agent.generate('go', turn));
  expect(execute).toHaveBeenCalledTimes(1);
  await approve(agent, second);
  expect(execute).toHaveBeenCalledTimes(2);
});

const lazyToolOf = (resolve: ToolStub['resolve']): ToolStub => ({
  id: 'get_weather',
  description: 'Get the weather of a city.',
  parameters: ['text'],
  resolve,
});

describe.each(SIZES)('a stub of a $size catalog, called without being sent,', ({ fillers }) => {
  const ways = [
    { way: "mode: 'call'", options: { mode: 'call' }, written: through('get_weather', { text: 'x' }) },
    { way: "onMiss: 'run'", options: { mode: 'load', onMiss: 'run' }, written: call('get_weather', { text: 'x' }) },
  ] as const;
  describe.each(ways)('with $way', ({ options, written }) => {
    it.each(modes)('is resolved once in a run, and runs, in %s', async (mode) => {
      const resolve = vi.fn(async () => tool('get_weather'));
      const made = callRig({ tools: { stub: lazyToolOf(resolve), ...fillers }, ...options }, calls(written, written));
      await run(made, mode);
      const results = toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => value);
      expect(results).toEqual(Array(2).fill({ ran: 'get_weather', input: { text: 'x' } }));
      expect(resolve).toHaveBeenCalledTimes(1);
    });

    it('waits for the approval that the tool behind it wants, and for no other', async () => {
      for (const requireApproval of [true, false]) {
        const stub = lazyToolOf(async () => tool('get_weather', 'Weather.', { requireApproval }));
        const { agent } = callRig({ tools: { stub, ...fillers }, ...options }, calls(written));
        const { finishReason } = await agent.generate('go');
        expect(finishReason).toBe(requireApproval ? 'suspended' : 'stop');
      }
    });

    it('does not run where it cannot be resolved', async () => {
      const stub = lazyToolOf(async () => {
        throw new Error('down');
      });
      const { agent, model, events } = callRig({ tools: { stub, ...fillers }, ...options }, calls(written));
      await agent.generate('go');
      expect(JSON.stringify(model.result(1))).toMatch(/cannot be used|not found/);
      expect(events.filter(({ type }) => type === 'stub-failed')).toHaveLength(1);
    });
  });

  it('shows its signature in a search, and its definition when it is selected', async () => {
    const resolve = vi.fn(async () => tool('get_weather'));
    const { agent, model } = callRig(
      { tools: { stub: lazyToolOf(resolve), ...fillers } },
      calls(call('search_tools', { query: 'weather' }), call('search_tools', { query: 'select:get_weather' })),
    );
    await agent.generate('go');
    expect(toolResults(model.calls[2]!.prompt).map(({ value }) => value)).toMatchObject([
      { results: [{ name: 'get_weather', signature: '(text)' }] },
      { results: [{ name: 'get_weather', parameters: { properties: { text: { type: 'string' } } } }] },
    ]);
    expect(resolve).toHaveBeenCalledTimes(1);
  });
});

// What they refuse: test/options/refusals.test.ts.
describe('the options of call mode', () => {
  it('keep the name of the bridge from tools of the catalog, only in call mode', () => {
    const tools = toolRecord(tool('call_tool'));
    expect(() => new ToolSearchProcessor({ tools, mode: 'call' })).toThrow(/call_tool/);
    expect(() => new ToolSearchProcessor({ tools })).not.toThrow();
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
    expect(model.sent(0)).toEqual(['find', 'use']);
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
    expect(model.result(2)).toEqual({ ran: 'get_weather', input: { text: 'x' } });
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
  expect(model.result(1)).toMatchObject({ ran: 'get_weather' });
});

const NAMES = ['constructor', 'toString', 'hasOwnProperty'];
const named = (name: string) => Object.fromEntries([[name, tool(name, 'Subject.')]]);
describe.each(SIZES)('in a $size catalog', ({ fillers }) => {
  describe.each(NAMES)('a tool called %s, as something of every object is,', (name) => {
    const written = { text: 'x' };

    it.each(modes)('runs through the bridge, in %s', async (mode) => {
      const tools = { ...named(name), ...fillers };
      const made = callRig({ tools }, calls(through(name, written), call(name, written)));
      await run(made, mode);
      const results = toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => value);
      expect(results).toEqual(Array(2).fill({ ran: name, input: written }));
    });

    it("is loaded with onMiss: 'run', and runs then", async () => {
      const tools = { ...named(name), ...fillers };
      const made = callRig({ tools, mode: 'load', onMiss: 'run' }, calls(call(name, written), call(name, written)));
      await made.agent.generate('go');
      expect(toolResults(made.model.calls.at(-1)!.prompt).at(-1)?.value).toEqual({ ran: name, input: written });
    });
  });

  describe.each([...NAMES, '__proto__'])('a call of %s, which is no tool,', (name) => {
    it.each(modes)('is answered, in %s', async (mode) => {
      const ways = [
        { options: {}, written: [through(name), call(name)] },
        { options: { mode: 'load', onMiss: 'run' }, written: [call(name)] },
      ];
      for (const { options, written } of ways) {
        const tools = { get_weather: weather(), ...fillers };
        const made = callRig({ tools, ...options } as never, calls(...written));
        await run(made, mode);
        const results = toolResults(made.model.calls.at(-1)!.prompt);
        expect(results).toHaveLength(written.length);
        for (const { value } of results) expect(JSON.stringify(value)).toMatch(/not found/);
      }
    });
  });
});

/** A call with an id of its own, as some providers count them anew in each answer. */
function callAs(toolCallId: string, { toolName, input }: { toolName: string; input: unknown }): ModelReply {
  return { content: [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }] };
}

/** Tools that note their arguments. */
function noting(ran: string[], ...names: string[]): ReturnType<typeof toolRecord> {
  const tools = names.map((name) =>
    tool(name, `Does ${name}.`, {
      execute: async (input: unknown) => {
        ran.push(`${name} ${JSON.stringify(input)}`);
        return name;
      },
    } as never),
  );
  return toolRecord(...tools);
}

describe.each<Mode>(['generate', 'stream', 'durable'])('two calls of one id in one answer (%s)', (mode) => {
  const own = { toolName: 'own', input: { text: 'R' } };
  it.each([
    { why: 'the second is sent', both: [through('a', { text: 'A' }), own], options: {} },
    { why: 'the first is sent', both: [own, through('a', { text: 'A' })], options: {} },
    { why: 'neither is sent', both: [through('a', { text: 'A' }), through('b', { text: 'R' })], options: {} },
    { why: 'one was missed', both: [call('a', { text: 'A' }), own], options: { mode: 'load', onMiss: 'run' } },
    {
      why: 'both were missed',
      both: [call('a', { text: 'A' }), call('b', { text: 'R' })],
      options: { mode: 'load', onMiss: 'run' },
    },
    { why: 'both are sent', both: [{ ...own, toolName: 'other' }, own], options: { mode: 'load', onMiss: 'run' } },
  ] as const)('run as what they are, and are told apart: $why', async ({ both, options }) => {
    const ran: string[] = [];
    const made = callRig(
      { tools: noting(ran, 'a', 'b'), ...options },
      ({ step }) =>
        step === 0 ? { content: both.flatMap((one) => callAs('0', one).content ?? []) } : { text: 'done' },
      { agent: { tools: noting(ran, 'own', 'other') } },
    );
    await run(made, mode);
    const expected = both.map(({ toolName, input }) => {
      const { toolName: name = toolName, arguments: args = input } = input as { toolName?: string; arguments?: object };
      return { name, text: `${name} ${JSON.stringify(args)}` };
    });
    expect(ran.toSorted()).toEqual(expected.map(({ text }) => text).sort());
    const results = toolResults(made.model.calls[1]!.prompt);
    expect(results.map(({ value }) => value)).toEqual(expected.map(({ name }) => name));
  });
});

it('shows a call as it was written where an earlier one had its id', async () => {
  const { agent, model } = callRig(
    { tools: noting([], 'a') },
    ({ step, prompt }) => {
      if (step > 0) return { text: 'done' };
      const isSecond = JSON.stringify(prompt).includes('again');
      return callAs('call_0', isSecond ? { toolName: 'own', input: { text: 'R' } } : through('a', { text: 'A' }));
    },
    { agent: { tools: noting([], 'own'), memory: newMemory() } },
  );
  await agent.generate('go', turn as never);
  await agent.generate('again', turn as never);
  const calls = model.calls
    .at(-1)!
    .prompt.flatMap(({ content }) =>
      Array.isArray(content) ? content.filter(({ type }) => type === 'tool-call' || type === 'tool-result') : [],
    ) as { toolName: string }[];
  expect(calls.map(({ toolName }) => toolName)).toEqual(['call_tool', 'call_tool', 'own', 'own']);
});
