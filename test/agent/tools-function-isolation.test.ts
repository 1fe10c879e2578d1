import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { MastraTool, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { part } from '../support/breadth.ts';
import { call, calls, fillerTools, load, type Rig, rig, searchLoadCall, tool, toolRecord } from '../support/harness.ts';
import { type ModelCall, toolNames, toolResults, userText } from '../support/scripted-model.ts';

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
const ways: readonly { readonly way: string; readonly make: (toolsOf: ToolsOfUser, memory?: Memory) => Rig }[] = [
  {
    way: 'tools as a function',
    make: (toolsOf, memory) =>
      rigOf({ tools: async ({ requestContext }) => toolsOf(userOf(requestContext)) }, {}, memory),
  },
  {
    way: 'includeResolvedTools',
    make: (toolsOf, memory) =>
      rigOf(
        { includeResolvedTools: true },
        { tools: async ({ requestContext }: { requestContext: RequestContext }) => toolsOf(userOf(requestContext)) },
        memory,
      ),
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
  await Promise.all(
    requests.map((user) =>
      made.agent.generate(user, { requestContext: new RequestContext<unknown>([['user', user]]) }),
    ),
  );
  expectEachItsOwn(made, requests);
});

describe.each(ways)('users with $way', ({ make }) => {
  it.each(variants.slice(0, 2))(
    'each run their tools in the second turn of their threads, with what is loaded: $what',
    async ({ toolsOf }) => {
      const made = make(toolsOf, new Memory({ storage: new InMemoryStore() }));
      const users = requests.slice(0, 12);
      for (let turn = 0; turn < 2; turn++) {
        const before = made.model.calls.length;
        await Promise.all(
          users.map((user) =>
            made.agent.generate(user, {
              requestContext: new RequestContext<unknown>([['user', user]]),
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
  it.each([
    { size: 'small', fillers: {} },
    { size: 'large', fillers: manyFillers },
  ])('each run the tools that were resolved for them, over all their steps (a $size catalog)', async ({ fillers }) => {
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
  });
});
