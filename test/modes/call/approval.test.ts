import { InMemoryStore } from '@mastra/core/storage';
import { describe, expect, it, vi } from 'vitest';
import { type OfficeOptions, officeOver, turn } from '../../restart/office.ts';
import { askingTool, call, tool } from '../../support/harness.ts';
import { lastToolResult } from '../../support/scripted-model.ts';
import { through } from './setup.ts';

// More, over a database and with restarts, in test/restart.
const ways = [
  { way: "mode: 'call'", processor: { mode: 'call' }, called: through('subject') },
  { way: "onMiss: 'run'", processor: { onMiss: 'run' }, called: call('subject') },
] as const;

describe.each(['Agent', 'DurableAgent'] as const)('a call of an unsent tool of kind %s waits', (kind) => {
  describe.each(ways)('with $way', ({ processor, called }) => {
    it.each([1, 501])('for its approval, among %i other tools', async (fillers) => {
      const execute = vi.fn(async () => 'ran');
      const subject = tool('subject', 'Subject.', { requireApproval: true, execute });
      const options: OfficeOptions = { kind, fillers, processor, loads: false, together: [called] };
      const { agent, model } = officeOver(new InMemoryStore())(subject, options);
      const waiting = await agent.generate('go', turn);
      expect(waiting.finishReason).toBe('suspended');
      expect(execute).not.toHaveBeenCalled();
      const { toolCallId, toolName } = waiting.suspendPayload as { toolCallId: string; toolName: string };
      expect(toolName).toBe('subject');
      await agent.approveToolCallGenerate({ runId: waiting.runId ?? '', toolCallId });
      expect(lastToolResult(model.calls.at(-1)?.prompt ?? [])?.value).toBe('ran');
    });
  });
});

it.each(ways)('a call of an unsent tool waits for its answer, with $way', async ({ processor, called }) => {
  const { agent, model } = officeOver(new InMemoryStore())(askingTool('subject'), {
    processor,
    loads: false,
    together: [called],
  });
  const waiting = await agent.generate('go', turn);
  const { toolCallId } = waiting.suspendPayload as { toolCallId: string };
  await agent.resumeGenerate({ answer: 'yes' }, { runId: waiting.runId ?? '', toolCallId });
  expect(lastToolResult(model.calls.at(-1)?.prompt ?? [])?.value).toEqual({ answer: 'yes' });
});

it.each(ways)('two calls of unsent tools wait one after the other, with $way', async ({ processor, called }) => {
  const execute = vi.fn(async () => 'ran');
  const subject = tool('subject', 'Subject.', { requireApproval: true, execute });
  const { agent } = officeOver(new InMemoryStore())(subject, { processor, loads: false, together: [called, called] });
  const first = await agent.generate('go', turn);
  const idOf = (output: { suspendPayload?: unknown }): string =>
    (output.suspendPayload as { toolCallId: string }).toolCallId;
  const second = await agent.approveToolCallGenerate({ runId: first.runId ?? '', toolCallId: idOf(first) });
  expect(execute).toHaveBeenCalledTimes(1);
  await agent.approveToolCallGenerate({ runId: first.runId ?? '', toolCallId: idOf(second) });
  expect(execute).toHaveBeenCalledTimes(2);
});
