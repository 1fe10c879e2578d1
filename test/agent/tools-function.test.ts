import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import {
  type MastraTool,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { part } from '../support/breadth.ts';
import {
  approve,
  call,
  calls,
  email,
  fillerTools,
  inMastra,
  load,
  newMemory,
  type Rig,
  RUNS,
  rig,
  SIZES,
  searchLoadCall,
  tool,
  toolRecord,
  weather,
} from '../support/harness.ts';
import { lastToolResult, type ModelCall, toolNames, toolResults, userText } from '../support/scripted-model.ts';

const hooks = { beforeToolCall: () => {} };

const agents = [
  { with_: 'without hooks', extra: {} },
  { with_: 'with hooks', extra: { hooks } as never },
  { with_: 'with Memory', extra: { memory: newMemory() } },
];

it.each(
  part(
    SIZES.flatMap((size) => agents.flatMap((agent) => RUNS.map((one) => ({ ...size, ...agent, ...one })))),
    'pairs',
  ),
)(
  'a function of tools, of a $size catalog, is called once in a run of four steps: $how $with_',
  async ({ fillers, extra, run }) => {
    const resolve = vi.fn(async (_args: object) => ({ ...toolRecord(weather(), email()), ...fillers }));
    const { agent, model } = rig({ tools: resolve }, { agent: extra });
    await run(agent, 'weather');
    expect(model.calls.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
    expect(model.sent(0)).toEqual(['search_tools', 'load_tool']);
    expect(model.sent(3)).toEqual(['search_tools', 'load_tool', 'get_weather']);
    expect(model.result(3)).toMatchObject({ ran: 'get_weather' });
    expect(resolve).toHaveBeenCalledTimes(1);
    await run(agent, 'weather');
    expect(resolve).toHaveBeenCalledTimes(2);
  },
);

describe.each(SIZES)('a function of tools, of a $size catalog,', ({ fillers }) => {
  const tools = (): Record<string, MastraTool> => ({ ...toolRecord(weather(), email()), ...fillers });

  it('is called once where Mastra does not ask before the run, in the first step', async () => {
    const resolve = vi.fn(async () => tools());
    const processor = new ToolSearchProcessor({ tools: resolve });
    const bare = {
      id: 'bare',
      processInputStep: (args: ProcessInputStepArgs) => processor.processInputStep(args) as never,
    };
    const { agent, model } = rig({ tools: {} }, { agent: { inputProcessors: [bare] } });
    await agent.generate('weather');
    expect(model.result(3)).toMatchObject({ ran: 'get_weather' });
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it('is called once more by a run that goes on after an approval, whose waiting call is of the first', async () => {
    let runs = 0;
    const resolve = vi.fn(async () => {
      runs += 1;
      const run = `run ${runs}`;
      return {
        ...toolRecord(tool('pay', 'Pays a bill.', { requireApproval: true, execute: () => run }), tool(`only_${runs}`)),
        ...fillers,
      };
    });
    const script = calls(load('pay'), call('pay'), call('search_tools', { query: 'only' }));
    const { agent, model } = rig({ tools: resolve }, { script });
    inMastra(agent);
    const first = await agent.generate('go');
    expect(resolve).toHaveBeenCalledTimes(1);
    await approve(agent, first);
    expect(resolve).toHaveBeenCalledTimes(2);
    const { prompt } = model.calls.at(-1)!;
    expect(lastToolResult(prompt, 'pay')?.value).toBe('run 1');
    expect(lastToolResult(prompt, 'search_tools')?.value).toMatchObject({ results: [{ name: 'only_2' }] });
  });
});

describe('a function of tools', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['returns no record', async () => undefined as never],
  ])('that %s is called once, reported once, and costs nothing but its tools', async (_, resolve) => {
    for (const { run } of RUNS) {
      const events: ToolSearchEvent[] = [];
      const asked = vi.fn(resolve);
      const { agent, model } = rig(
        { tools: asked, includeResolvedTools: true, onEvent: (event) => events.push(event) },
        { agent: { tools: async () => toolRecord(weather()) } },
      );
      await run(agent, 'weather');
      expect(model.result()).toMatchObject({ ran: 'get_weather' });
      expect(asked).toHaveBeenCalledTimes(1);
      expect(events.filter(({ type }) => type === 'tools-failed')).toHaveLength(1);
    }
  });

  it.each(RUNS)('that returns no tools is called once: $how', async ({ run }) => {
    const resolve = vi.fn(() => ({}));
    const { agent, model } = rig({ tools: resolve });
    await run(agent, 'weather');
    expect(model.calls.map(toolNames)).toEqual([
      ['search_tools', 'load_tool'],
      ['search_tools', 'load_tool'],
    ]);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it.each(RUNS)('is given the request context: $how', async ({ run }) => {
    const resolve = vi.fn((_args: { requestContext?: RequestContext }) => toolRecord(weather()));
    const { agent } = rig({ tools: resolve });
    await run(agent, 'weather', { requestContext: requestOf('ada') });
    expect(resolve.mock.calls[0]![0].requestContext?.get('user' as never)).toBe('ada');
  });

  it('is called by search() with its request context, and not before', async () => {
    const resolve = vi.fn(({ requestContext }: { requestContext?: RequestContext }) =>
      toolRecord(tool(requestContext?.get('user' as never) === 'ada' ? 'read_ada' : 'read_nobody')),
    );
    const processor = new ToolSearchProcessor({ tools: resolve });
    expect(resolve).not.toHaveBeenCalled();
    const requestContext = requestOf('ada');
    expect(await processor.search('read', { requestContext })).toMatchObject([{ name: 'read_ada' }]);
    expect(await processor.search('read')).toMatchObject([{ name: 'read_nobody' }]);
    expect(resolve).toHaveBeenCalledTimes(2);
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
    expect(model.sent(0)).toEqual(['search_tools', 'load_tool', 'send_email']);
    expect(model.result()).toMatchObject({ results: [{ name: 'zeta' }] });
  });

  it("leaves an agent's own tool of the same name to the agent", async () => {
    const { agent, model } = rig(
      { tools: () => toolRecord(weather(), email()) },
      {
        script: calls(call('get_weather')),
        agent: { tools: { get_weather: tool('get_weather', 'Own.', { execute: () => 'own' }) } },
      },
    );
    await agent.generate('go');
    expect(model.sent(0)).toEqual(['search_tools', 'load_tool', 'get_weather']);
    expect(model.result()).toBe('own');
  });
});

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
  inMastra(made.agent, storage);
  return { ...made, resolve };
}

describe.each(SIZES)("a call of a function's tool that waits for an approval, in a $size catalog,", ({ fillers }) => {
  it.each([
    { restarts: false, approver: 'ada', payer: 'ada' },
    { restarts: false, approver: 'grace', payer: 'ada' },
    { restarts: true, approver: 'ada', payer: 'ada' },
    { restarts: true, approver: 'grace', payer: 'grace' },
  ])('runs as $payer when $approver approves it, after a restart: $restarts', async ({ restarts, approver, payer }) => {
    const storage = new InMemoryStore();
    const before = start(storage, fillers);
    const memory = { thread: 'thread-1', resource: 'ada' };
    const waiting = await before.agent.generate('go', { requestContext: requestOf('ada'), memory });
    const after = restarts ? start(storage, fillers) : before;
    after.resolve.mockClear();

    await approve(after.agent, waiting, { requestContext: requestOf(approver) });
    expect(after.resolve).toHaveBeenCalledTimes(1);
    expect(after.model.result()).toEqual({ payer });
  });
});

type Tools = Record<string, MastraTool>;
type ToolsOfUser = (user: string) => Tools;

/** Each answers with whose it is. */
const secretOf = (user: string, description: string): MastraTool =>
  tool('read_secret', description, { execute: async () => ({ owner: user }) });

/** Tools of all users, in other places of the record. */
const shared = { first: tool('first', 'Shared.'), last: tool('last', 'Shared.') };
const around = (own: Tools): Tools => ({ first: shared.first, ...own, last: shared.last });
const manyFillers = fillerTools(501);

function kept(make: ToolsOfUser): ToolsOfUser {
  const known = new Map<string, Tools>();
  return (user) => known.get(user) ?? (known.set(user, make(user)).get(user) as Tools);
}

const equal: ToolsOfUser = (user) => around(toolRecord(secretOf(user, 'Reads the secret.')));
const different: ToolsOfUser = (user) => around(toolRecord(secretOf(user, `Reads the secret of ${user}.`)));
const variants: readonly { readonly what: string; readonly toolsOf: ToolsOfUser }[] = [
  { what: 'equal descriptions, new tools for each request', toolsOf: equal },
  { what: 'equal descriptions, the same tools for each user', toolsOf: kept(equal) },
  { what: 'different descriptions, new tools for each request', toolsOf: different },
  { what: 'different descriptions, the same tools for each user', toolsOf: kept(different) },
  {
    what: 'a tool more here and there',
    toolsOf: (user) => ({ ...equal(user), ...(Number(user.slice(1)) % 3 ? {} : toolRecord(tool('extra'))) }),
  },
  { what: 'a large catalog', toolsOf: kept((user) => ({ ...manyFillers, ...equal(user) })) },
];

const userOf = (requestContext?: RequestContext): string => String(requestContext?.get('user' as never));

/** The same users' tools by way of the processor, and by way of the agent. */
const ofUsers =
  (toolsOf: ToolsOfUser) =>
  async ({ requestContext }: { requestContext?: RequestContext }) =>
    toolsOf(userOf(requestContext));
const ways: readonly { readonly way: string; readonly make: (toolsOf: ToolsOfUser, memory?: Memory) => Rig }[] = [
  { way: 'tools as a function', make: (toolsOf, memory) => rigOf({ tools: ofUsers(toolsOf) }, {}, memory) },
  {
    way: 'includeResolvedTools',
    make: (toolsOf, memory) => rigOf({ includeResolvedTools: true }, { tools: ofUsers(toolsOf) }, memory),
  },
];

function rigOf(options: ToolSearchProcessorOptions, agent: object, memory?: Memory): Rig {
  return rig(options, {
    script: searchLoadCall('secret'),
    agent: { ...agent, ...(memory ? { memory } : {}) } as never,
  });
}

/** 60 requests of twelve users, in an order that is mixed but always the same. */
const requests = Array.from({ length: 60 }, (_, n) => `u${(n * 7 + Math.floor(n / 12)) % 12}`);

/** Whose tool answered, in every request that got so far. */
function answersOf(modelCalls: readonly ModelCall[]): { user: string; owner: unknown }[] {
  return modelCalls.flatMap(({ prompt, step }) => {
    const result = step === 3 ? toolResults(prompt).findLast(({ toolName }) => toolName === 'read_secret') : undefined;
    return result ? [{ user: userText(prompt), owner: (result.value as { owner?: unknown }).owner }] : [];
  });
}

function expectEachItsOwn(made: Rig, users: readonly string[]): void {
  const answers = answersOf(made.model.calls);
  expect(answers.map(({ user }) => user).sort()).toEqual([...users].sort());
  for (const { user, owner } of answers) expect(owner).toBe(user);
}

it.each(
  part(
    ways.flatMap(({ way, make }) => variants.map(({ what, toolsOf }) => ({ way, make, what, toolsOf }))),
    'values',
  ),
)('60 requests at once, with $way, each run the tools of their user: $what', async ({ make, toolsOf }) => {
  const made = make(toolsOf);
  await Promise.all(requests.map((user) => made.agent.generate(user, { requestContext: requestOf(user) })));
  expectEachItsOwn(made, requests);
});

describe.each(ways)('users with $way', ({ make }) => {
  it.each(variants.slice(0, 2))(
    'each run their tools in the second turn of their threads, with what is loaded: $what',
    async ({ toolsOf }) => {
      const made = make(toolsOf, newMemory());
      const users = requests.slice(0, 12);
      for (let turn = 0; turn < 2; turn++) {
        const before = made.model.calls.length;
        await Promise.all(
          users.map((user) =>
            made.agent.generate(user, {
              requestContext: requestOf(user),
              memory: { thread: `thread-${user}`, resource: user },
            }),
          ),
        );
        const firsts = made.model.calls.slice(before).filter(({ step }) => step === 0);
        for (const received of firsts) expect(toolNames(received).includes('read_secret')).toBe(turn === 1);
      }
      expectEachItsOwn(made, [...users, ...users]);
    },
  );

  it.each(variants)(
    'each run their tools over one RequestContext object, one after the other: $what',
    async ({ toolsOf }) => {
      const made = make(toolsOf);
      const requestContext = new RequestContext<unknown>();
      for (const user of ['u1', 'u2', 'u1']) {
        requestContext.set('user' as never, user as never);
        await made.agent.generate(user, { requestContext });
      }
      expectEachItsOwn(made, ['u1', 'u2', 'u1']);
    },
  );
});

describe('runs at once over one RequestContext object', () => {
  it.each(SIZES)(
    'each run the tools that were resolved for them, over all their steps (a $size catalog)',
    async ({ fillers }) => {
      let runs = 0;
      const { agent, model } = rig(
        {
          tools: async () => {
            runs += 1;
            return { ...fillers, ...toolRecord(secretOf(`run ${runs}`, 'Reads the secret.')) };
          },
        },
        { script: calls(load('read_secret'), call('read_secret'), call('read_secret')) },
      );
      const requestContext = new RequestContext();
      await Promise.all(Array.from({ length: 8 }, (_, n) => agent.generate(`request ${n}`, { requestContext })));
      const ends = model.calls.filter(({ step }) => step === 3);
      const owners = ends.map(({ prompt }) =>
        toolResults(prompt).flatMap(({ value }) => (value as { owner?: string }).owner ?? []),
      );
      for (const [first, second] of owners) expect(second).toBe(first);
      expect(owners.map(([first]) => first).sort()).toEqual(Array.from({ length: 8 }, (_, n) => `run ${n + 1}`));
    },
  );
});
