import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { call, calls, fillerTools, load, rig, tool } from '../support/harness.ts';
import { lastToolResult } from '../support/scripted-model.ts';
import { askingTool } from '../support/simple-tools.ts';
import { lazyToolOf } from './counted-stub.ts';

/** An app over a storage that outlives it. */
function start(storage: InMemoryStore, real: MastraTool, fillers: Record<string, MastraTool>, filter = () => true) {
  const { stub, resolve } = lazyToolOf(real);
  const made = rig(
    { tools: { [real.id]: stub, ...fillers }, filter },
    { script: calls(load(real.id), call(real.id)), agent: { memory: new Memory({ storage }) } },
  );
  new Mastra({ agents: { agent: made.agent }, logger: false, storage });
  return { ...made, resolve };
}

describe.each([
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
])('a call of a tool that came from a stub, in a $size catalog,', ({ fillers }) => {
  const memory = { thread: 'thread-1', resource: 'ada' };
  const places = [{ restarts: false }, { restarts: true }];
  const idsOf = (waiting: { runId?: string | undefined; suspendPayload?: unknown }) => ({
    runId: waiting.runId!,
    toolCallId: (waiting.suspendPayload as { toolCallId: string }).toolCallId,
  });

  it.each(places)('waits for an approval, and runs (restart: $restarts)', async ({ restarts }) => {
    const storage = new InMemoryStore();
    const pay = tool('pay', 'Pays a bill.', { requireApproval: true });
    const before = start(storage, pay, fillers);
    const waiting = await before.agent.generate('go', { memory });
    expect(waiting.finishReason).toBe('suspended');
    const after = restarts ? start(storage, pay, fillers) : before;
    await after.agent.approveToolCallGenerate(idsOf(waiting) as never);
    expect(lastToolResult(after.model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'pay' });
  });

  it.each(places)('suspends itself, and goes on (restart: $restarts)', async ({ restarts }) => {
    const storage = new InMemoryStore();
    const before = start(storage, askingTool('ask'), fillers);
    const waiting = await before.agent.generate('go', { memory });
    const after = restarts ? start(storage, askingTool('ask'), fillers) : before;
    await after.agent.resumeGenerate({ answer: 'yes' }, idsOf(waiting) as never);
    expect(lastToolResult(after.model.calls.at(-1)!.prompt)?.value).toEqual({ answer: 'yes' });
  });

  it.each(places)('does not run once the right is withdrawn (restart: $restarts)', async ({ restarts }) => {
    const storage = new InMemoryStore();
    const execute = vi.fn(async () => 'paid');
    const pay = tool('pay', 'Pays a bill.', { requireApproval: true, execute });
    let isAllowed = true;
    const before = start(storage, pay, fillers, () => isAllowed);
    const waiting = await before.agent.generate('go', { memory });
    const after = restarts ? start(storage, pay, fillers, () => isAllowed) : before;
    isAllowed = false;
    await after.agent.approveToolCallGenerate(idsOf(waiting) as never);
    expect(execute).not.toHaveBeenCalled();
    expect(JSON.stringify(after.model.calls.at(-1)?.prompt)).toContain('is not available to this request');
  });
});
