import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { type Mode, run, turn } from '../../agent/missed-calls.ts';
import { call, tool, toolRecord } from '../../support/harness.ts';
import { type ModelReply, toolResults } from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

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
    { agent: { tools: noting([], 'own'), memory: new Memory({ storage: new InMemoryStore() }) } },
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
