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
} from '../../support/agent.ts';
import { inTurn } from '../../support/breadth.ts';
import { type ModelReply, systemText, toolNames, toolResults } from '../../support/scripted-model.ts';
import { answersTo, callRig, through } from './setup.ts';

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const everywhere = { mode: modes, catalog: SIZES } as const;
const x = { text: 'x' };
const two = () => toolRecord(weather(), email());

describe.each(SIZES)('a call of a tool through call_tool, in a $size catalog', ({ fillers }) => {
  it("is the tool's own call for hooks, the tool's context and what the model reads, and one of call_tool on the stream", async () => {
    const seen: string[] = [];
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void seen.push(toolName) };
    const execute = vi.fn(async (_: unknown, __: Record<string, object>) => 'ran');
    const subject = tool('subject', 'Subject.', {
      execute,
      toModelOutput: (output: string) => ({ type: 'text', value: `${output} for the model` }),
    });
    const tools = { ...toolRecord(subject), ...fillers };
    const made = callRig({ tools }, calls(through('subject', x)), { agent: { hooks } });
    const chunks: { type: string; payload: { toolName?: string; args?: unknown } }[] = [];
    for await (const chunk of (await made.agent.stream('go')).fullStream) chunks.push(chunk as never);
    expect(seen).toEqual(['subject']);
    const told = chunks.filter(({ type }) => type === 'tool-call' || type === 'tool-result');
    expect(told.map(({ payload }) => payload.toolName)).toEqual(['call_tool', 'call_tool']);
    expect(told[0]?.payload.args).toEqual({ toolName: 'subject', arguments: x });
    const [input, context] = execute.mock.calls[0]!;
    expect(input).toEqual(x);
    for (const part of ['writer', 'requestContext']) expect(context[part], part).toBeDefined();
    expect(toolResults(made.model.calls[1]!.prompt)).toMatchObject([
      { toolName: 'call_tool', value: 'ran for the model', isError: false },
    ]);
    // The id stays empty where an agent of a large catalog has hooks, as in @mastra/core.
    await callRig({ tools }, calls(through('subject', x))).agent.generate('go');
    expect(execute.mock.calls[1]?.[1]['agent']).toMatchObject({ agentId: 'test-agent', toolCallId: 'call-1' });
  });

  it('answers wrong arguments with the mistakes and the schema, and does not run the tool', async () => {
    const execute = vi.fn(async () => 'ran');
    const inputSchema = z.object({ city: z.string(), days: z.number() });
    const tools = { ...toolRecord(tool('subject', 'Subject.', { inputSchema, execute })), ...fillers };
    const right = { city: 'Rome', days: 3 };
    const { values } = await answersTo({ tools }, [through('subject', { days: 'many' }), through('subject', right)]);
    expect(values[0]).toMatchObject({
      error: true,
      toolName: 'subject',
      message: expect.stringMatching(/city.*days.*call_tool again/s),
      parameters: { required: ['city', 'days'], properties: { city: { type: 'string' } } },
    });
    expect(execute.mock.calls.map(([input]: unknown[]) => input)).toEqual([right]);
  });

  it('answers wrong arguments within limits, whatever the size of the schema', async () => {
    const fields = Array.from({ length: 400 }, (_, n) => [`parameter_${n}`, z.string().describe('x'.repeat(40))]);
    const subject = tool('subject', 'Subject.', { inputSchema: z.object(Object.fromEntries(fields)) });
    const select = call('search_tools', { query: 'select:subject' });
    const { values } = await answersTo({ tools: { ...toolRecord(subject), ...fillers } }, [through('subject'), select]);
    expect(values).toMatchObject([
      {
        error: true,
        message: expect.stringMatching(/parameter_0.*call_tool again.*search_tools with "select:subject"/s),
        signature: expect.stringContaining('parameter_0'),
      },
      { results: [{ parameters: { properties: { parameter_399: {} } } }] },
    ]);
    expect(values[0]).not.toHaveProperty('parameters');
    expect(JSON.stringify(values[0]).length).toBeLessThan(5_000);
  });

  it.each([
    { called: through('get_wether'), message: /"get_wether" not found. Did you mean: get_weather\?/ },
    { called: through('constructor'), message: /"constructor" not found/ },
    { called: through('__proto__'), message: /"__proto__" not found/ },
    { called: through('get_*'), message: /not found/ },
    { called: through(''), message: /needs the toolName/ },
    { called: through('call_tool', { toolName: 'get_weather', arguments: {} }), message: /not found/ },
    { called: { toolName: 'call_tool', input: '{"toolName": "get_' }, message: /needs the toolName|invalid/ },
    { called: through('get_weather', '["x"]'), message: /no object/ },
  ])('answers $called.input with a result', async ({ called, message }) => {
    const { values } = await answersTo({ tools: { ...two(), ...fillers } }, [called]);
    expect(JSON.stringify(values).replaceAll('\\"', '"')).toMatch(message);
  });

  it('runs a tool that is sent anyway; one that the model calls without it is answered with how it is called', async () => {
    const { values, model } = await answersTo(
      { tools: { ...two(), ...fillers } },
      [through('clock', x), through('search_tools', { query: 'weather' }), call('get_weather', x), call('send_eml')],
      { agent: { tools: { clock: tool('clock') } } },
    );
    expect(model.sent(0)).toEqual(['search_tools', 'call_tool', 'clock']);
    expect(values).toMatchObject([
      { ran: 'clock', input: x },
      { results: [{ name: 'get_weather' }] },
      expect.stringMatching(/"get_weather" not found.*Call the tool "get_weather" through call_tool/s),
      expect.stringMatching(/"send_eml" not found.*Did you mean: send_email\?/s),
    ]);
  });
});

it.each(inTurn(everywhere))(
  'several tools of one answer run, and one of them twice ($mode, $catalog.size catalog)',
  async ({ mode, catalog: { fillers } }) => {
    const toolCalls = [through('get_weather', x), through('send_email'), through('get_weather', { text: 'y' })];
    const made = callRig({ tools: { ...two(), ...fillers } }, ({ step }) =>
      step === 0 ? { text: 'let me see', toolCalls } : { text: 'done' },
    );
    await run(made, mode);
    expect(toolResults(made.model.calls[1]!.prompt).map(({ value }) => value)).toEqual([
      { ran: 'get_weather', input: x },
      { ran: 'send_email', input: {} },
      { ran: 'get_weather', input: { text: 'y' } },
    ]);
  },
);

it('the result is checked by the outputSchema of the tool', async () => {
  const subject = createTool({
    id: 'subject',
    description: 'Subject.',
    outputSchema: z.object({ count: z.number() }),
    execute: async () => ({ count: 'many' }) as never,
  }) as unknown as MastraTool;
  const { values } = await answersTo({ tools: { subject } }, [through('subject')]);
  expect(JSON.stringify(values)).toMatch(/output validation failed/i);
});

// Approvals: schema-code.test.ts, and over a restart in test/restart.
it('calls wait for their answers, one after the other', async () => {
  const processor = { mode: 'call' } as const;
  const asking = officeOver()(askingTool('subject'), { processor, loads: false, together: [through('subject')] });
  const { suspendPayload, runId = '' } = await asking.agent.generate('go', turn);
  const { toolCallId } = suspendPayload as { toolCallId: string };
  await asking.agent.resumeGenerate({ answer: 'yes' }, { runId, toolCallId });
  expect(asking.model.result()).toEqual({ answer: 'yes' });

  const execute = vi.fn(async () => 'ran');
  const subject = tool('subject', 'Subject.', { requireApproval: true, execute });
  const together = [through('subject'), through('subject')];
  const { agent } = officeOver()(subject, { processor, loads: false, together });
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

describe('a lazy tool that was not sent', () => {
  it.each(inTurn(everywhere))(
    'is resolved once in a run, and runs ($mode, $catalog.size catalog)',
    async ({ mode, catalog: { fillers } }) => {
      const resolve = vi.fn(async () => tool('get_weather'));
      const written = through('get_weather', x);
      const made = callRig({ tools: { stub: lazyToolOf(resolve), ...fillers } }, calls(written, written));
      await run(made, mode);
      const results = toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => value);
      expect(results).toEqual(Array(2).fill({ ran: 'get_weather', input: x }));
      expect(resolve).toHaveBeenCalledTimes(1);
    },
  );

  it.each(SIZES)(
    'waits for the approval that the tool behind it wants, and does not run unresolved ($size catalog)',
    async ({ fillers }) => {
      const written = calls(through('get_weather', x));
      for (const requireApproval of [true, false]) {
        const stub = lazyToolOf(async () => tool('get_weather', 'Weather.', { requireApproval }));
        const { agent } = callRig({ tools: { stub, ...fillers } }, written);
        expect((await agent.generate('go')).finishReason).toBe(requireApproval ? 'suspended' : 'stop');
      }
      const stub = lazyToolOf(() => Promise.reject(new Error('down')));
      const { agent, model, events } = callRig({ tools: { stub, ...fillers } }, written);
      await agent.generate('go');
      expect(JSON.stringify(model.result(1))).toMatch(/cannot be used|not found/);
      expect(events.filter(({ type }) => type === 'stub-failed')).toHaveLength(1);
    },
  );

  it('shows its signature in a search, and its definition when it is selected', async () => {
    const resolve = vi.fn(async () => tool('get_weather'));
    const queries = ['weather', 'select:get_weather'].map((query) => call('search_tools', { query }));
    const { values } = await answersTo({ tools: { stub: lazyToolOf(resolve) } }, queries);
    expect(values).toMatchObject([
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
    const metaTools = { search: { name: 'find' }, call: { name: 'use', description: 'Uses what was found.' } };
    const used = call('use', { toolName: 'get_weather', arguments: {} });
    const { model } = await answersTo({ tools: toolRecord(weather()), metaTools }, [used]);
    expect(model.calls[0]!.tools).toMatchObject([
      { name: 'find' },
      { name: 'use', description: 'Uses what was found.' },
    ]);
    expect(systemText(model.calls[0]!.prompt)).toMatch(/call find .*call use /);
    expect(toolResults(model.calls[1]!.prompt)).toMatchObject([{ toolName: 'use', value: { ran: 'get_weather' } }]);
  });

  it('hold with native.fallback: call for a model without tool search', async () => {
    const { model, values, events } = await answersTo({ tools: two(), mode: 'native', native: { fallback: 'call' } }, [
      call('search_tools', { query: 'weather' }),
      through('get_weather', x),
    ]);
    expect(model.calls.map(toolNames)).toEqual(Array(3).fill(['search_tools', 'call_tool']));
    expect(values[1]).toEqual({ ran: 'get_weather', input: x });
    expect(events.filter(({ type }) => type === 'native-off')).toMatchObject([{ reason: 'unsupported-model' }]);
  });

  it('preselect tells the definition, and changes no tool', async () => {
    const { agent, model } = callRig(
      { tools: two(), preselect: true, timeouts: { preselect: 10_000 } },
      calls(through('get_weather', x)),
    );
    await agent.generate('What is the current weather in the city of Paris?');
    expect(model.calls.map(toolNames)).toEqual(Array(2).fill(['search_tools', 'call_tool']));
    const [told, after] = model.calls.map(({ prompt }) => systemText(prompt));
    expect(told).toMatch(/<suggested-tools>\n\{"name":"get_weather",.*"parameters":.*\n<\/suggested-tools>/);
    expect(after).toBe(told);
    expect(model.result(1)).toMatchObject({ ran: 'get_weather' });
  });
});

it.each(inTurn({ name: ['constructor', 'toString', 'hasOwnProperty', '__proto__'], ...everywhere }))(
  'a name that is something of every object is that of a tool, or not found: $name ($mode, $catalog.size catalog)',
  async ({ name, mode, catalog: { fillers } }) => {
    const tools = { get_weather: weather(), ...fillers };
    const made = callRig({ tools }, calls(through(name)));
    await run(made, mode);
    const values = toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => JSON.stringify(value));
    expect(values).toEqual([expect.stringContaining('not found')]);
    if (name === '__proto__') return;
    const own = { ...tools, ...Object.fromEntries([[name, tool(name)]]) };
    const there = callRig({ tools: own }, calls(through(name, x)));
    await run(there, mode);
    const results = toolResults(there.model.calls.at(-1)!.prompt).map(({ value }) => value);
    expect(results).toEqual([{ ran: name, input: x }]);
  },
);

it('calls with one id in two turns are told apart, and shown as they were written', async () => {
  const own = call('own', { text: 'R' });
  const as = ({ toolName, input }: typeof own): ModelReply => ({
    content: [{ type: 'tool-call', toolCallId: 'call_0', toolName, input: JSON.stringify(input) }],
  });
  const { agent: asked, model } = callRig(
    { tools: toolRecord(tool('a'), tool('b')) },
    ({ step, prompt }) => {
      if (step > 0) return { text: 'done' };
      return as(JSON.stringify(prompt).includes('again') ? own : through('a', x));
    },
    { agent: { tools: toolRecord(tool('own')), memory: newMemory() } },
  );
  for (const said of ['go', 'again']) await asked.generate(said, turn as never);
  const parts = model.calls.at(-1)!.prompt.flatMap(({ content }) => content as { type: string; toolName: string }[]);
  const told = parts.filter(({ type }) => type === 'tool-call' || type === 'tool-result');
  expect(told.map(({ toolName }) => toolName)).toEqual(['call_tool', 'call_tool', 'own', 'own']);
});
