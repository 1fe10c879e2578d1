import fc from 'fast-check';
import { memoryStore } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { invocation, message } from './conversation/messages.ts';

// Through real agents, with every store: test/agent/caps.test.ts.

/** Ten tools, the longer the more they cost. */
const names = Array.from({ length: 10 }, (_, n) => `t${n}`);
const tools = toolRecord(...names.map((name, n) => tool(name, 'word '.repeat(1 + 6 * (n % 4)))));
const NO_LIMIT = Number.POSITIVE_INFINITY;

interface Room {
  readonly loaded?: readonly string[];
  readonly added?: readonly string[];
  readonly caps?: { readonly tools?: number; readonly tokens?: number };
  /** In the order of use. */
  readonly used?: readonly string[];
  /** Tools of which a call waits. */
  readonly needed?: readonly string[];
}

/** Loads tools into a thread that has some, and says what the thread has then, and what the model is told. */
async function load({ loaded = [], added = [], caps = {}, used = [], needed = [] }: Room) {
  const storage = memoryStore();
  storage.add('one', loaded, { ttl: 0 });
  const session = new Session({ tools, storage, scope: () => 'one', maxLoaded: { tools: NO_LIMIT, ...caps } });
  const parts = used.map((toolName) => invocation({ toolName, state: needed.includes(toolName) ? 'call' : 'result' }));
  session.messageList.add(message('user', [{ type: 'text', text: 'go' }]) as never, 'input');
  if (parts.length > 0) session.messageList.add(message('assistant', parts) as never, 'memory');
  if (added.length === 0) await session.sent();
  const result = added.length === 0 ? undefined : await session.load({ toolNames: added });
  const evicted = session.eventsOf('evict').flatMap(({ toolNames }) => toolNames);
  return { kept: storage.get('one'), loaded: result?.loaded ?? [], evicted };
}

/** What the definition of a tool costs: the least cap under which it is loaded. */
async function costOf(name: string): Promise<number> {
  let [low, high] = [1, 500];
  while (low < high) {
    const tokens = (low + high) >> 1;
    if ((await load({ added: [name], caps: { tokens } })).loaded.length > 0) high = tokens;
    else low = tokens + 1;
  }
  return low;
}

it('what was never used goes first, the oldest load of it; then the order of use; nothing for what finds no room', async () => {
  const full = { loaded: ['t0', 't1', 't2'], added: ['t3'] };
  expect((await load({ ...full, caps: { tools: 3 } })).evicted).toEqual(['t0']);
  expect((await load({ ...full, caps: { tools: 3 }, used: ['t0', 't1'] })).evicted).toEqual(['t2']);
  expect((await load({ ...full, caps: { tools: 2 }, used: ['t2', 't0', 't1'] })).evicted).toEqual(['t2', 't0']);
  expect(await load({ loaded: ['t0'], added: ['t3'], caps: { tokens: await costOf('t0') } })).toMatchObject({
    ...{ kept: ['t0'], loaded: [], evicted: [] },
  });
});

it('a thread keeps for any loads, caps, costs and uses what a plain list would keep', async () => {
  const costs = new Map<string, number>();
  for (const [n, name] of names.entries()) costs.set(name, n < 4 ? await costOf(name) : (costs.get(`t${n % 4}`) ?? 0));
  const most = Math.max(...costs.values());
  const requests = fc.record({
    order: fc.shuffledSubarray(names),
    split: fc.nat({ max: 10 }),
    caps: fc.record({
      tools: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(NO_LIMIT)),
      tokens: fc.oneof(fc.integer({ min: 1, max: 4 * most }), fc.constant(NO_LIMIT)),
    }),
    used: fc.shuffledSubarray(names),
    needs: fc.subarray(names),
  });
  await fc.assert(
    fc.asyncProperty(requests, async ({ order, split, caps, used, needs }) => {
      const [before, added] = [order.slice(0, split), order.slice(split)];
      const needed = used.filter((name) => needs.includes(name));
      const fits = (list: readonly string[]): boolean =>
        list.length <= caps.tools && list.reduce((sum, name) => sum + (costs.get(name) ?? 0), 0) <= caps.tokens;
      const evicted: string[] = [];
      /** What is left of the loaded tools when the longest unused go until the rest fits beside others. */
      const left = (list: readonly string[], beside: readonly string[]): readonly string[] => {
        const byAge = list
          .filter((name) => !needed.includes(name))
          .sort((one, other) => used.indexOf(one) - used.indexOf(other) || list.indexOf(one) - list.indexOf(other));
        let rest = list;
        for (const name of byAge) {
          if (fits([...rest, ...beside])) break;
          rest = rest.filter((kept) => kept !== name);
          evicted.push(name);
        }
        return rest;
      };
      const staying = left(before, []);
      const accepted: string[] = [];
      for (const name of added)
        if (fits([...staying.filter((kept) => needed.includes(kept)), ...accepted, name])) accepted.push(name);
      const kept = [...left(staying, accepted), ...accepted];
      expect(await load({ loaded: before, added, caps, used, needed })).toEqual({ kept, loaded: accepted, evicted });
    }),
    { numRuns: 200 },
  );
});
