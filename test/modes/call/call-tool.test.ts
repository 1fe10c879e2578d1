import { createTool } from '@mastra/core/tools';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Mode, run } from '../../agent/missed-calls.ts';
import { call, calls, email, fillerTools, tool, toolRecord, weather } from '../../support/harness.ts';
import { lastToolResult, type Script, toolNames, toolResults } from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

/** Up to 500 tools Mastra is given proxy tools, above lightweight proxies. */
const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];
const modes: readonly Mode[] = ['generate', 'stream', 'durable'];

describe.each(sizes)('a call of a tool through call_tool, in a $size catalog', ({ fillers }) => {
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
    expect(JSON.stringify(lastToolResult(model.calls[1]!.prompt)?.value)).toMatch(/output validation failed/i);
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
    expect(lastToolResult(model.calls[2]!.prompt)?.value).toMatchObject({
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
    expect(lastToolResult(model.calls[1]!.prompt)?.value).toMatchObject({ ran: 'subject', input: { text: 'x' } });
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
    expect(JSON.stringify(lastToolResult(model.calls[1]!.prompt)?.value).replaceAll('\\"', '"')).toMatch(message);
  });

  it('calls a tool that is sent anyway by itself', async () => {
    const clock = tool('clock', 'The time.');
    const { agent, model } = callRig(
      { tools: { ...toolRecord(weather()), ...fillers } },
      calls(through('clock', { text: 'x' }), through('search_tools', { query: 'weather' })),
      { agent: { tools: { clock } } },
    );
    await agent.generate('go');
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'call_tool', 'clock']);
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
