import type { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { approve, call, inMastra, tool, toolRecord } from '../../support/harness.ts';
import { lastToolResult, type Script } from '../../support/scripted-model.ts';
import { inThread, office, officeWith, sentIn } from './office.ts';

const PAYS = 'Pay the bill of the customer.';
/** Pays in the first turn, and chats in the second. */
const script: Script = ({ prompt, step }) => {
  const turns = prompt.filter(({ role }) => role === 'user').length;
  return turns === 1 && step === 0 ? { toolCalls: [call('pay_bill')] } : { text: 'done' };
};

type Kind = 'Agent' | 'DurableAgent';

/** An app whose tool waits for an approval, over a storage that outlives it. */
function start(kind: Kind, storage: InMemoryStore, options: { storage?: 'context'; denied?: Set<string> } = {}) {
  const pay = tool('pay_bill', 'Pay a bill of a customer.', { requireApproval: true });
  const { denied = new Set(), ...others } = options;
  const made = officeWith(
    { tools: { ...office(), ...toolRecord(pay) }, filter: ({ toolName }) => !denied.has(toolName), ...others },
    [],
    { script, agent: { memory: new Memory({ storage }) } },
  );
  const agent =
    kind === 'Agent'
      ? made.agent
      : (createDurableAgent({ agent: made.agent, cleanupTimeoutMs: 0 }) as unknown as Agent);
  inMastra(agent, storage);
  return { ...made, agent };
}

const KINDS: readonly Kind[] = ['Agent', 'DurableAgent'];
const CASES = KINDS.flatMap((kind) => [
  { kind, where: 'the same process', restarts: false },
  { kind, where: 'a new process', restarts: true },
]);

describe.each(CASES)("a call of a $kind's preselected tool that is approved in $where", ({ kind, restarts }) => {
  it.each([{ storage: undefined }, { storage: 'context' as const }])(
    'runs, and its tool stays loaded, with storage $storage',
    async ({ storage: store }) => {
      const storage = new InMemoryStore();
      const options = store ? { storage: store } : {};
      const before = start(kind, storage, options);
      const waiting = await before.agent.generate(PAYS, inThread('t') as never);
      const after = restarts ? start(kind, storage, options) : before;
      await approve(after.agent, waiting);
      const last = after.model.calls.at(-1)!;
      expect(lastToolResult(last.prompt)).toMatchObject({ isError: false, value: { ran: 'pay_bill' } });
      expect(sentIn(last)).toEqual(['pay_bill']);
      await after.agent.generate('Thanks!', inThread('t') as never);
      expect(sentIn(after.model.calls.at(-1)!)).toEqual(['pay_bill']);
    },
  );

  it('does not run when its right has gone', async () => {
    const storage = new InMemoryStore();
    // Else another tool for customers takes its place.
    const denied = new Set<string>(['create_invoice']);
    const before = start(kind, storage, { denied });
    const waiting = await before.agent.generate(PAYS, inThread('t') as never);
    denied.add('pay_bill');
    const after = restarts ? start(kind, storage, { denied }) : before;
    await approve(after.agent, waiting);
    const last = after.model.calls.at(-1)!;
    expect(lastToolResult(last.prompt)?.isError).toBe(true);
    expect(sentIn(last)).toEqual([]);
    expect(after.events).toContainEqual({ type: 'call-denied', toolName: 'pay_bill' });
  });
});
