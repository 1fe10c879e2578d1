import type { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { approve, call, inMastra, tool, toolRecord } from '../../support/agent.ts';
import { lastToolResult } from '../../support/scripted-model.ts';
import { inThread, inTurns, office, officeWith, sentIn } from './office.ts';

type Kind = 'Agent' | 'DurableAgent';
const thread = inThread('t') as never;

/** An app whose tool waits for an approval, over a storage that outlives it; with its run that waits. */
async function waiting(kind: Kind, restarts: boolean, options: object = {}, denied: readonly string[] = []) {
  const storage = new InMemoryStore();
  const pay = tool('pay_bill', 'Pay a bill of a customer.', { requireApproval: true });
  const filter = ({ toolName }: { toolName: string }) => !denied.includes(toolName);
  const start = () => {
    const tools = { ...office(), ...toolRecord(pay) };
    const memory = new Memory({ storage });
    const made = officeWith({ tools, filter, ...options }, inTurns([call('pay_bill')]), { memory });
    const durable = () => createDurableAgent({ agent: made.agent, cleanupTimeoutMs: 0 }) as unknown as Agent;
    const agent = kind === 'Agent' ? made.agent : durable();
    inMastra(agent, storage);
    return { ...made, agent };
  };
  const before = start();
  const run = await before.agent.generate('Pay the bill of the customer.', thread);
  return { run, ...(restarts ? start() : before) };
}

describe.each<[kind: Kind, storage: string, restarts: boolean]>([
  ['Agent', 'in-memory', false],
  ['Agent', 'context', true],
  ['DurableAgent', 'context', false],
  ['DurableAgent', 'in-memory', true],
])("a call of a %s's preselected tool that is approved, with storage %s (restart: %s)", (kind, storage, restarts) => {
  it('runs, and its tool stays loaded, unless its right has gone', async () => {
    const { agent, model, run, events } = await waiting(kind, restarts, { storage });
    await approve(agent, run);
    const ids = { agentId: 'test-agent', threadId: 't', resourceId: 'ada' };
    expect(events.find(({ type }) => type === 'call')).toMatchObject(ids);
    const last = model.calls.at(-1)!;
    expect(lastToolResult(last.prompt)).toMatchObject({ isError: false, value: { ran: 'pay_bill' } });
    expect(sentIn(last)).toEqual(['pay_bill']);
    await agent.generate('Thanks!', thread);
    expect(sentIn(model.calls.at(-1)!)).toEqual(['pay_bill']);

    // Else another tool for customers takes its place.
    const denied = ['create_invoice'];
    const gone = await waiting(kind, restarts, { storage }, denied);
    denied.push('pay_bill');
    await approve(gone.agent, gone.run);
    const after = gone.model.calls.at(-1)!;
    expect(lastToolResult(after.prompt)?.isError).toBe(true);
    expect(sentIn(after)).toEqual([]);
    expect(gone.events).toContainEqual({ type: 'call-denied', toolName: 'pay_bill' });
  });
});
