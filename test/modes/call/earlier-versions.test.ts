import { InMemoryStore } from '@mastra/core/storage';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { approve, say } from '../../native/rig/rig.ts';
import { answerOf, type OfficeOptions, officeOver, turn } from '../../restart/office.ts';
import { call, newMemory, tool, toolRecord, weather } from '../../support/agent.ts';
import { toolResults } from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

// Until 0.9, call mode stored the calls of tools under the tools' own names, with a note of what the model wrote.

/** A turn as 0.9 stored it. */
const stored = [
  { role: 'user', content: { format: 2, parts: [{ type: 'text', text: 'How is the weather?' }] } },
  {
    role: 'assistant',
    content: {
      format: 2,
      parts: [
        {
          type: 'tool-invocation',
          toolInvocation: {
            ...{ state: 'result', toolCallId: 'call-1', toolName: 'get_weather' },
            ...{ args: { text: 'Rome' }, result: { ran: 'get_weather' } },
          },
          providerMetadata: {
            'mastra-tool-search': {
              toolName: 'call_tool',
              input: '{"toolName":"get_weather","arguments":{"text":"Rome"}}',
            },
          },
        },
        { type: 'text', text: 'Sunny.' },
      ],
    },
  },
].map((message, at) => ({
  ...message,
  ...{ id: `m${at}`, threadId: 't', resourceId: 'r', type: 'v2', createdAt: new Date(2026, 0, 1, 0, 0, at) },
}));

describe('a thread of call mode that 0.9 stored', () => {
  it('goes on: the model reads its calls, searches again and calls the tool', async () => {
    const memory = newMemory();
    await memory.saveThread({
      thread: { id: 't', resourceId: 'r', title: '', createdAt: new Date(), updatedAt: new Date() },
    });
    await memory.saveMessages({ messages: stored as never });
    const steps = [[call('search_tools', { query: 'weather' })], [through('get_weather', { text: 'Bern' })]];
    const { agent, model } = callRig(
      { tools: toolRecord(weather()), preselect: true, timeouts: { preselect: 10_000 } },
      ({ step }) => (steps[step] ? { toolCalls: steps[step] } : { text: 'done' }),
      { agent: { memory } },
    );
    const { text } = await agent.generate('And in Bern?', { memory: { thread: 't', resource: 'r' } } as never);
    expect(text).toBe('done');
    const results = toolResults(model.calls.at(-1)!.prompt);
    expect(results.map(({ toolName, isError }) => [toolName, isError])).toEqual([
      ['get_weather', false],
      ['search_tools', false],
      ['call_tool', false],
    ]);
    expect(results.at(-1)?.value).toEqual({ ran: 'get_weather', input: { text: 'Bern' } });
  });

  it.each(['Agent', 'DurableAgent'] as const)('goes on with a call that waits for its approval (%s)', async (kind) => {
    const execute = vi.fn(async () => 'ran');
    const subject: MastraTool = tool('subject', 'Subject.', { requireApproval: true, execute });
    const open = officeOver(new InMemoryStore());
    // A call under the tool's own name waits in the same form in every mode.
    const before: OfficeOptions = { kind };
    const waits = await say(open(subject, before).agent, 'generate', 'go', turn);
    expect(waits.waitingTool).toBe('subject');
    const after = open(subject, { kind, loads: false, processor: { mode: 'call' }, together: [] });
    await approve(after.agent, 'generate', waits);
    expect(execute).toHaveBeenCalledTimes(1);
    expect(answerOf(after, 'subject')).toBe('ran');
  });
});
