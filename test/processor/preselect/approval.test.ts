import type { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { approve, call, inMastra, tool, toolRecord } from '../../support/harness.ts';
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

describe.each<{ kind: Kind; where: string; restarts: boolean }>([
  { kind: 'Agent', where: 'the same process', restarts: false },
  { kind: 'Agent', where: 'a new process', restarts: true },
  { kind: 'DurableAgent', where: 'the same process', restarts: false },
  { kind: 'DurableAgent', where: 'a new process', restarts: true },
])("a call of a $kind's preselected tool that is approved in $where", ({ kind, restarts }) => {
  it.each(['in-memory', 'context'])('runs, and its tool stays loaded, with storage %s', async (storage) => {
    const { agent, model, run } = await waiting(kind, restarts, { storage });
    await approve(agent, run);
    const last = model.calls.at(-1)!;
    expect(lastToolResult(last.prompt)).toMatchObject({ isError: false, value: { ran: 'pay_bill' } });
    expect(sentIn(last)).toEqual(['pay_bill']);
    await agent.generate('Thanks!', thread);
    expect(sentIn(model.calls.at(-1)!)).toEqual(['pay_bill']);
  });

  it('does not run when its right has gone', async () => {
    // Else another tool for customers takes its place.
    const denied = ['create_invoice'];
    const { agent, model, run, events } = await waiting(kind, restarts, {}, denied);
    denied.push('pay_bill');
    await approve(agent, run);
    const last = model.calls.at(-1)!;
    expect(lastToolResult(last.prompt)?.isError).toBe(true);
    expect(sentIn(last)).toEqual([]);
    expect(events).toContainEqual({ type: 'call-denied', toolName: 'pay_bill' });
  });
});
