import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import {
  approve,
  call,
  calls,
  email,
  inMastra,
  load,
  META,
  newMemory,
  type Rig,
  RUNS,
  rig,
  SIZES,
  searchLoadCall,
  tool,
  toolRecord,
  weather,
} from '../support/agent.ts';
import { inTurn } from '../support/breadth.ts';
import { lastToolResult, toolResults, userText } from '../support/scripted-model.ts';

type Tools = Record<string, MastraTool>;
const requestOf = (user: string) => new RequestContext<unknown>([['user', user]]);
const userOf = (requestContext?: RequestContext): string => String(requestContext?.get('user' as never));
const throwing = (): never => {
  throw new Error('down');
};

describe('a function of tools', () => {
  const agents = [{}, { hooks: { beforeToolCall: () => {} } as never }, { memory: newMemory() }];
  it.each(inTurn({ runs: RUNS, catalog: SIZES, agent: agents }))(
    'is called once in a run of four steps: a $catalog.size catalog, $runs.how, $agent',
    async ({ catalog, agent: extra, runs }) => {
      const resolve = vi.fn(async (_args: object) => ({ ...toolRecord(weather(), email()), ...catalog.fillers }));
      const { agent, model } = rig({ tools: resolve }, { agent: extra });
      await runs.run(agent, 'weather');
      expect([model.sent(0), model.sent(3)]).toEqual([META, [...META, 'get_weather']]);
      expect(model.result(3)).toMatchObject({ ran: 'get_weather' });
      expect(resolve).toHaveBeenCalledTimes(1);
      await runs.run(agent, 'weather');
      expect(resolve).toHaveBeenCalledTimes(2);
    },
  );

  it('is called once where Mastra does not ask before the run, in the first step', async () => {
    const resolve = vi.fn(async () => toolRecord(weather()));
    const processor = new ToolSearchProcessor({ tools: resolve });
    const bare = { id: 'bare', processInputStep: (args: never) => processor.processInputStep(args) as never };
    const { agent, model } = rig({ tools: {} }, { agent: { inputProcessors: [bare] } });
    await agent.generate('weather');
    expect(model.result(3)).toMatchObject({ ran: 'get_weather' });
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it.each<[what: string, failed: number, resolve: () => unknown, runs: (typeof RUNS)[number] | undefined]>([
    ['throws', 1, throwing, RUNS[0]],
    ['rejects', 1, () => Promise.reject(new Error('down')), RUNS[1]],
    ['returns no record', 1, async () => undefined, RUNS[2]],
    ['returns no tools', 0, () => ({}), RUNS[0]],
  ])('that %s is called once, reported %d times, and costs nothing but its tools', async (_, failed, resolve, runs) => {
    const tools = vi.fn(resolve as () => Tools);
    const { agent, model, events } = rig(
      { tools, includeResolvedTools: true },
      { agent: { tools: async () => toolRecord(weather()) } },
    );
    await runs?.run(agent, 'weather');
    expect(model.result()).toMatchObject({ ran: 'get_weather' });
    expect(tools).toHaveBeenCalledTimes(1);
    expect(events.filter(({ type }) => type === 'tools-failed')).toHaveLength(failed);
  });

  it('may return what alwaysLoaded and keywords name', async () => {
    const { agent, model } = rig(
      {
        tools: () => toolRecord(weather(), email(), tool('zeta', 'Unrelated.')),
        alwaysLoaded: ['send_email', 'never_there'],
        search: { keywords: { zeta: ['umbrella'] } },
      },
      { script: calls(call('search_tools', { query: 'umbrella' })) },
    );
    await agent.generate('go');
    expect(model.sent(0)).toEqual([...META, 'send_email']);
    expect((model.result() as { results: unknown[] }).results[0]).toMatchObject({ name: 'zeta' });
  });
});

describe("a call of a function's tool that waits for an approval", () => {
  /** An app with its tools by user, over a storage that outlives it. */
  function start(storage: InMemoryStore, fillers: Tools = {}) {
    let asked = 0;
    const resolve = vi.fn(async ({ requestContext }: { requestContext?: RequestContext }) => {
      const payer = userOf(requestContext);
      const pay = tool('pay', 'Pays a bill.', { requireApproval: true, execute: async () => ({ payer }) });
      return { ...toolRecord(pay, tool(`only_${++asked}`)), ...fillers };
    });
    const script = calls(load('pay'), call('pay'), call('search_tools', { query: 'only' }));
    const made = rig({ tools: resolve }, { script, agent: { memory: new Memory({ storage }) } });
    inMastra(made.agent, storage);
    return { ...made, resolve };
  }

  it.each([
    { ...SIZES[0]!, restarts: false, approver: 'grace', payer: 'ada' },
    { ...SIZES[1]!, restarts: false, approver: 'ada', payer: 'ada' },
    { ...SIZES[1]!, restarts: true, approver: 'grace', payer: 'grace' },
  ])('runs as $payer when $approver approves it, after a restart ($restarts), in a $size catalog', async (one) => {
    const storage = new InMemoryStore();
    const before = start(storage, one.fillers);
    const memory = { thread: 'thread-1', resource: 'ada' };
    const waiting = await before.agent.generate('go', { requestContext: requestOf('ada'), memory });
    expect(before.resolve).toHaveBeenCalledTimes(1);
    const after = one.restarts ? start(storage, one.fillers) : before;
    after.resolve.mockClear();

    await approve(after.agent, waiting, { requestContext: requestOf(one.approver) });
    expect(after.resolve).toHaveBeenCalledTimes(1);
    const { prompt } = after.model.calls.at(-1)!;
    expect(lastToolResult(prompt, 'pay')?.value).toEqual({ payer: one.payer });
    // What goes on has the tools of the second call.
    if (!one.restarts) expect(after.model.result(-1, 'search_tools')).toMatchObject({ results: [{ name: 'only_2' }] });
  });
});

type ToolsOfUser = (user: string) => Tools;

/** Each answers with whose it is. */
const secretOf = (user: string, description = 'Reads the secret.'): MastraTool =>
  tool('read_secret', description, { execute: async () => ({ owner: user }) });

/** Tools of all users, in other places of the record. */
const shared = toolRecord(tool('last', 'Shared.'));
const equal: ToolsOfUser = (user) => ({ ...toolRecord(secretOf(user)), ...shared });

function kept(make: ToolsOfUser): ToolsOfUser {
  const known = new Map<string, Tools>();
  return (user) => known.get(user) ?? (known.set(user, make(user)).get(user) as Tools);
}

const variants: readonly { readonly what: string; readonly toolsOf: ToolsOfUser }[] = [
  { what: 'equal descriptions, new tools for each request', toolsOf: equal },
  { what: 'equal descriptions, the same tools for each user', toolsOf: kept(equal) },
  { what: 'different descriptions', toolsOf: (user) => toolRecord(secretOf(user, `Reads the secret of ${user}.`)) },
  {
    what: 'a tool more here and there',
    toolsOf: (user) => ({ ...equal(user), ...(Number(user.slice(1)) % 3 ? {} : toolRecord(tool('extra'))) }),
  },
  { what: 'a large catalog', toolsOf: kept((user) => ({ ...SIZES[1]!.fillers, ...equal(user) })) },
];

/** The same users' tools by way of the processor, and by way of the agent. */
const ways = ['tools as a function', 'includeResolvedTools'] as const;
function openFor(way: (typeof ways)[number], toolsOf: ToolsOfUser): Rig {
  const tools = async ({ requestContext }: { requestContext?: RequestContext }) => toolsOf(userOf(requestContext));
  const isOfAgent = way === 'includeResolvedTools';
  const agent = { memory: newMemory(), ...(isOfAgent ? { tools: tools as never } : {}) };
  return rig(isOfAgent ? { includeResolvedTools: true } : { tools }, { script: searchLoadCall('secret'), agent });
}

/** Whose tool answered, in every request that got so far. */
function expectEachItsOwn({ model }: Rig, users: readonly string[]): void {
  const ends = model.calls.filter(({ step }) => step === 3);
  const answers = ends.map(({ prompt }) => {
    const answer = lastToolResult(prompt, 'read_secret')?.value as { owner?: unknown } | undefined;
    return { user: userText(prompt), owner: answer?.owner };
  });
  expect(answers.map(({ user }) => user).sort()).toEqual([...users].sort());
  for (const { user, owner } of answers) expect(owner).toBe(user);
}

it.each(inTurn({ variant: variants, way: ways }))(
  'requests at once each run the tools of their user, over one RequestContext too: $way, $variant.what',
  async ({ way, variant }) => {
    const one = openFor(way, variant.toolsOf);
    /** Requests of three users, each in two threads. */
    const users = Array.from({ length: 6 }, (_, n) => `u${(n * 2) % 3}`);
    for (const turn of [1, 2]) {
      const before = one.model.calls.length;
      const requests = users.map((user, n) => {
        const memory = { thread: `thread-${n}`, resource: user };
        return one.agent.generate(user, { requestContext: requestOf(user), memory });
      });
      await Promise.all(requests);
      // What is loaded stays so in the second turn.
      const firsts = one.model.calls.slice(before).filter(({ step }) => step === 0);
      for (const { tools } of firsts) expect(tools.some(({ name }) => name === 'read_secret')).toBe(turn === 2);
    }
    expectEachItsOwn(one, [...users, ...users]);

    const other = openFor(way, variant.toolsOf);
    const requestContext = new RequestContext<unknown>();
    for (const user of ['u1', 'u2', 'u1']) {
      requestContext.set('user' as never, user as never);
      await other.agent.generate(user, { requestContext });
    }
    expectEachItsOwn(other, ['u1', 'u2', 'u1']);
  },
);

it('runs at once over one RequestContext object each run the tools that were resolved for them, over all steps', async () => {
  let runs = 0;
  const tools = async () => toolRecord(secretOf(`run ${++runs}`));
  const script = calls(load('read_secret'), call('read_secret'), call('read_secret'));
  const { agent, model } = rig({ tools }, { script });
  const requestContext = new RequestContext();
  await Promise.all(Array.from({ length: 8 }, (_, n) => agent.generate(`request ${n}`, { requestContext })));
  const ends = model.calls.filter(({ step }) => step === 3);
  const owners = ends.map(({ prompt }) =>
    toolResults(prompt).flatMap(({ value }) => (value as { owner?: string }).owner ?? []),
  );
  for (const [first, second] of owners) expect(second).toBe(first);
  expect(owners.map(([first]) => first).sort()).toEqual(Array.from({ length: 8 }, (_, n) => `run ${n + 1}`));
});
