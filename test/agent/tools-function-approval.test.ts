import { Mastra } from '@mastra/core/mastra';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { call, calls, fillerTools, load, rig, tool, toolRecord } from '../support/harness.ts';
import { lastToolResult } from '../support/scripted-model.ts';

const requestOf = (user: string) => new RequestContext<unknown>([['user', user]]);

/** An app with its tools by user, over a storage that outlives it. */
function start(storage: InMemoryStore, fillers: Record<string, MastraTool>) {
  const resolve = vi.fn(async ({ requestContext }: { requestContext?: RequestContext }) => {
    const user = requestContext?.get('user');
    const pay = tool('pay', 'Pays a bill.', { requireApproval: true, execute: async () => ({ payer: user }) });
    return { ...toolRecord(pay), ...fillers };
  });
  const made = rig(
    { tools: resolve },
    { script: calls(load('pay'), call('pay')), agent: { memory: new Memory({ storage }) } },
  );
  new Mastra({ agents: { agent: made.agent }, logger: false, storage });
  return { ...made, resolve };
}

describe.each([
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
])("a call of a function's tool that waits for an approval, in a $size catalog,", ({ fillers }) => {
  it.each([
    { where: 'the same process', restarts: false, approver: 'ada', payer: 'ada' },
    { where: 'the same process', restarts: false, approver: 'grace', payer: 'ada' },
    { where: 'a new process', restarts: true, approver: 'ada', payer: 'ada' },
    { where: 'a new process', restarts: true, approver: 'grace', payer: 'grace' },
  ])('runs as $payer when $approver approves it in $where', async ({ restarts, approver, payer }) => {
    const storage = new InMemoryStore();
    const before = start(storage, fillers);
    const memory = { thread: 'thread-1', resource: 'ada' };
    const waiting = await before.agent.generate('go', { requestContext: requestOf('ada'), memory });
    const { toolCallId } = waiting.suspendPayload as { toolCallId: string };
    const after = restarts ? start(storage, fillers) : before;
    after.resolve.mockClear();

    const requestContext = requestOf(approver);
    await after.agent.approveToolCallGenerate({ runId: waiting.runId!, toolCallId, requestContext } as never);
    expect(after.resolve).toHaveBeenCalledTimes(1);
    expect(lastToolResult(after.model.calls.at(-1)!.prompt)?.value).toEqual({ payer });
  });
});
