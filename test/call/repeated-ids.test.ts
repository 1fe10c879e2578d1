import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { expect, it } from 'vitest';
import { turn } from '../agent/missed-calls.ts';
import { tool, toolRecord } from '../support/harness.ts';
import type { ModelReply } from '../support/scripted-model.ts';
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

it('runs each of two calls of one id as what it is', async () => {
  const ran: string[] = [];
  const both = [through('a', { text: 'A' }), { toolName: 'own', input: { text: 'R' } }];
  const { agent } = callRig(
    { tools: noting(ran, 'a') },
    ({ step }) => (step === 0 ? { content: both.flatMap((one) => callAs('0', one).content ?? []) } : { text: 'done' }),
    { agent: { tools: noting(ran, 'own') } },
  );
  await agent.generate('go');
  expect(ran.toSorted()).toEqual(['a {"text":"A"}', 'own {"text":"R"}']);
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
