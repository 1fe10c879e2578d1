import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { through } from '../modes/call/setup.ts';
import { call, fillerTools, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { lastToolResult, type ModelReply, toolNames, toolResults } from '../support/scripted-model.ts';
import { type Mode, missing, run, sentIn } from './missed-calls.ts';

const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];
const modes: readonly Mode[] = ['generate', 'stream', 'durable'];

describe.each(sizes)("with onMiss: 'run', a call of a tool that is not sent, in a $size catalog,", ({ fillers }) => {
  const options = (...tools: readonly MastraTool[]) => ({
    tools: { ...toolRecord(...tools), ...fillers },
    onMiss: 'run' as const,
  });

  describe.each(modes)('in %s', (mode) => {
    it.each(['get_weather', 'functions.getWeather'])('as %s runs at once, and loads nothing', async (called) => {
      const made = missing([call(called, { text: 'x' })], options(weather()));
      await run(made, mode);
      expect(made.model.calls.map(toolNames)).toEqual(Array(2).fill(['search_tools', 'load_tool']));
      expect(lastToolResult(made.model.calls[1]!.prompt)).toMatchObject({
        toolName: 'get_weather',
        value: { ran: 'get_weather', input: { text: 'x' } },
      });
      const told = made.events.filter(({ type }) => type === 'run-on-miss');
      expect(told).toEqual([{ type: 'run-on-miss', called, toolName: 'get_weather' }]);
      expect(made.mended()).toEqual([]);
    });

    it('with wrong arguments is answered with the parameters of the tool, so that the next call is right', async () => {
      const subject = tool('subject', 'Subject.', { inputSchema: z.object({ city: z.string() }) });
      const made = missing([call('subject', { town: 'x' }), call('subject', { city: 'x' })], options(subject));
      await run(made, mode);
      expect(made.model.calls.map(sentIn)).toEqual([[], [], []]);
      const [first, second] = toolResults(made.model.calls[2]!.prompt);
      expect(first?.value).toMatchObject({ error: true, parameters: { required: ['city'] } });
      expect(second?.value).toMatchObject({ ran: 'subject' });
    });
  });

  it('asks for its approval under its own name', async () => {
    const execute = vi.fn(async () => 'ran');
    const made = missing(['subject'], options(tool('subject', 'Subject.', { requireApproval: true, execute })));
    const waiting = await made.agent.generate('go');
    expect(waiting.suspendPayload).toMatchObject({ toolName: 'subject' });
    expect(execute).not.toHaveBeenCalled();
  });

  it('leaves calls of sent tools as they are', async () => {
    const made = missing([load('get_weather'), call('get_weather'), call('clock')], options(weather()), {
      tools: { clock: tool('clock') },
    });
    await made.agent.generate('go');
    const results = toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => value);
    expect(results.slice(1)).toMatchObject([{ ran: 'get_weather' }, { ran: 'clock' }]);
    expect(made.events.filter(({ type }) => type === 'run-on-miss')).toEqual([]);
  });
});

it.each(['no_such_tool', 'search_tools.0', 'constructor_x', 'withheld'])(
  'answers a call of %s as Mastra does',
  async (called) => {
    const made = missing([called], { tools: toolRecord(weather()), onMiss: 'run' });
    await made.agent.generate('go');
    expect(lastToolResult(made.model.calls[1]!.prompt)?.value).toMatch(
      /not found. Available tools: search_tools, load_tool/,
    );
  },
);

it.each([
  { options: { onMiss: 'run' as const }, answered: call('get_weather') },
  { options: { mode: 'call' as const }, answered: through('get_weather') },
])('names no place to the model, with $options', async ({ options, answered }) => {
  const script = ({ step }: { step: number }): ModelReply =>
    step === 0 ? { toolCalls: [answered, call('nope_nope')] } : { text: 'done' };
  const { agent, model } = rig({ tools: toolRecord(weather()), ...options }, { script });
  await agent.generate('go');
  expect(toolResults(model.calls[1]!.prompt).map(({ value }) => value)).toMatchObject([
    { ran: 'get_weather' },
    expect.stringMatching(/not found\. Available tools: search_tools, (?:load|call)_tool\. /),
  ]);
});

it('with onMiss: run keeps the shape of a step outside an agent', async () => {
  const made = missing(['get_weather'], { tools: toolRecord(weather()), onMiss: 'run' });
  const { tools } = await made.processor.processInputStep({
    tools: {},
    messages: [],
    model: made.model,
    messageList: { addSystem: () => {} },
    stepNumber: 0,
  } as never);
  expect(Object.keys(tools).filter((name) => !name.includes('.'))).toEqual(['search_tools', 'load_tool']);
});
