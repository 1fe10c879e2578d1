import type { AgentConfig } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import type { MCPClient } from '@mastra/mcp';
import type { MastraTool, SearchToolsResult, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Session } from '../meta-tools/session.ts';
import { call, calls, rig, tool, toolRecord } from '../support/harness.ts';
import { hintingServers, type ServedTool } from '../support/hinting-mcp.ts';
import { toolNames } from '../support/scripted-model.ts';

const always = { 'anthropic/alwaysLoad': true };
const served = (name: string, _meta?: object): ServedTool => ({
  name,
  description: `Does ${name}.`,
  ...(_meta ? { _meta } : {}),
});

let client: MCPClient;
beforeAll(async () => {
  client = hintingServers('pins', {
    zoo: [served('feed', always), served('wash'), served('count', { 'anthropic/alwaysLoad': 'true' })],
    bank: [served('pay', always)],
  });
  await client.listTools();
});
afterAll(() => client.disconnect());

interface Way {
  readonly way: string;
  readonly options: () => Promise<ToolSearchProcessorOptions> | ToolSearchProcessorOptions;
  readonly agent?: () => Partial<AgentConfig>;
  readonly run?: () => Promise<object>;
}

const waysOf = (mcp: () => MCPClient): readonly Way[] => [
  { way: 'the constructor', options: async () => ({ tools: await mcp().listTools() }) },
  { way: 'a function', options: () => ({ tools: () => mcp().listTools() }) },
  {
    way: "the agent's tools",
    options: () => ({ includeResolvedTools: true }),
    agent: () => ({ tools: () => mcp().listTools() }),
  },
  {
    way: "the request's toolsets",
    options: () => ({ includeResolvedTools: true }),
    run: async () => ({ toolsets: await mcp().listToolsets() }),
  },
];
const all = waysOf(() => client);
const [fixedWays, requestWays] = [all.slice(0, 2), all.slice(2)];

/** The names of the server's tools in the first call, and the result of a call of a pinned one. */
async function sentBy({ options, agent, run }: Way, more: Partial<ToolSearchProcessorOptions>, model: object = {}) {
  const made = rig(
    { ...(await options()), ...more },
    {
      script: calls(call('zoo_feed')),
      ...model,
      ...(agent ? { agent: agent() } : {}),
    },
  );
  await made.agent.generate('Feed them.', { maxSteps: 9, ...(await run?.()) });
  const [first] = made.model.calls;
  return {
    sent: toolNames(first!).filter((name) => /^(zoo|bank)_/.test(name)),
    tools: first!.tools,
    result: JSON.stringify(made.model.result(-1, 'zoo_feed')),
  };
}

describe('the tools that MCP servers want to be sent always', () => {
  const modes = [{ mode: 'load' }, { mode: 'call' }, { mode: 'native' }] as const;
  const products = all.flatMap((way) => modes.map(({ mode }) => ({ ...way, mode })));

  it.each(products)('are sent on the first step and run, with $mode mode, from $way', async ({ mode, ...way }) => {
    const { sent, result } = await sentBy(way, { mode, trustServerHints: true });
    expect(sent.sort()).toEqual(['bank_pay', 'zoo_feed']);
    expect(result).toContain('feed ran');
  });

  it.each(all)('are searched as any other unless that is asked for, from $way', async (way) => {
    expect((await sentBy(way, {})).sent).toEqual([]);
    expect((await sentBy(way, { trustServerHints: false })).sent).toEqual([]);
  });

  it.each(fixedWays)('are sent where their server is named, from $way', async (way) => {
    expect((await sentBy(way, { trustServerHints: ['zoo'] })).sent).toEqual(['zoo_feed']);
    expect((await sentBy(way, { trustServerHints: ['Zoo', 'nobody'] })).sent).toEqual([]);
    expect((await sentBy(way, { trustServerHints: [] })).sent).toEqual([]);
  });

  it.each(requestWays)('are not sent by the name of a server that Mastra does not tell, from $way', async (way) => {
    expect((await sentBy(way, { trustServerHints: ['zoo'] })).sent).toEqual([]);
  });

  it.each(all)('are sent as the active phase permits, from $way', async (way) => {
    const asked = new Set<string>();
    const filter: ToolSearchProcessorOptions['filter'] = ({ toolName, phase }) => {
      asked.add(phase);
      return toolName !== 'bank_pay';
    };
    expect((await sentBy(way, { trustServerHints: true, filter })).sent).toEqual(['zoo_feed']);
    expect([...asked]).toContain('active');
  });

  it('are sent eager in native mode, behind nothing that changes', async () => {
    const model = { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5', version: 'v3' as const };
    const { tools, result } = await sentBy(fixedWays[0]!, { mode: 'native', trustServerHints: true }, model);
    const deferred = new Map(
      tools!.map((sent) => [sent.name, 'providerOptions' in sent && JSON.stringify(sent.providerOptions)]),
    );
    expect(tools!.slice(0, 3).map(({ name }) => name)).toEqual(['zoo_feed', 'bank_pay', 'search_tools']);
    expect(`${deferred.get('zoo_feed')}`).not.toContain('deferLoading');
    expect(deferred.get('zoo_wash')).toContain('"deferLoading":true');
    expect(result).toContain('feed ran');
  });
});

describe('what servers may pin', () => {
  const big = (name: string, words: number, _meta: Record<string, unknown> = always) =>
    createTool({
      id: name,
      description: `Does ${name}.`,
      inputSchema: z.object({ text: z.string().describe('word '.repeat(words)) }),
      mcp: { _meta },
      execute: async () => 'ran',
    });

  it('is bounded by tokens: what has no room is searched, and reported once', async () => {
    const tools = toolRecord(big('first', 2_250), big('second', 2_250), big('third', 500));
    const session = new Session({ tools, trustServerHints: true });
    expect(await session.sent()).toEqual(['first', 'third']);
    expect(await session.sent()).toEqual(['first', 'third']);
    expect(await new Session({ tools }, { processor: session.processor }).sent()).toEqual(['first', 'third']);
    const [problem, ...others] = session.eventsOf('tool-problem');
    expect(problem).toMatchObject({ toolName: 'second', problem: 'not-pinned' });
    expect(problem!.message).toMatch(/"second".*4000 tokens.*alwaysLoaded/);
    expect(others).toEqual([]);
    expect((await session.search({ query: 'second' })).results[0]?.name).toBe('second');
  });

  it('has room for what alwaysLoaded names as well', async () => {
    const tools = toolRecord(big('first', 3_000), big('second', 3_000));
    const session = new Session({ tools, trustServerHints: true, alwaysLoaded: ['second'] });
    expect(await session.sent()).toEqual(['second', 'first']);
    expect(session.eventsOf('tool-problem')).toEqual([]);
  });

  it('has room for a tool where a forbidden one would take it, and tells nothing of that one', async () => {
    const tools = toolRecord(big('secret', 3_000), big('open', 3_000));
    const session = new Session({ tools, trustServerHints: true, filter: ({ toolName }) => toolName !== 'secret' });
    expect(await session.sent()).toEqual(['open']);
    expect(session.eventsOf('tool-problem')).toEqual([]);
  });

  it('is what a hint that cannot be read does not change', async () => {
    const fail = (): never => {
      throw new Error('not today');
    };
    const hostile = Object.defineProperty({} as Record<string, unknown>, 'anthropic/alwaysLoad', {
      get: fail,
      enumerable: true,
    });
    const tools = toolRecord(big('hostile', 10, hostile), big('other', 10), tool('plain'));
    expect(await new Session({ tools, trustServerHints: true }).sent()).toEqual(['other']);
  });

  it("is nothing of a client's: its tools are searched", async () => {
    const own = { id: 'own', description: 'Mine.', inputSchema: { type: 'object' }, mcp: { _meta: always } };
    const session = new Session({ includeResolvedTools: true, trustServerHints: true });
    const { tools } = await session.step({ tools: { own } });
    expect(Object.keys(tools)).not.toContain('own');
  });

  it('is sent as well where the catalog is sent whole', async () => {
    const tools = toolRecord(big('pinned', 10), tool('plain'));
    const filter: ToolSearchProcessorOptions['filter'] = ({ phase }) => phase === 'active';
    const session = new Session({ tools, trustServerHints: true, passthroughBelow: 8, filter });
    expect(Object.keys((await session.step()).tools)).toEqual(['pinned']);
  });
});

const BOTH = ['zoo_hide', 'zoo_show'];

describe('server hints', () => {
  let client: MCPClient;
  beforeAll(async () => {
    const hinted = { name: 'show', description: 'Shows it.', _meta: { 'anthropic/searchHint': 'wombat finder' } };
    const others = ['open', 'close', 'count'].map((name) => ({ name, description: 'Does it.' }));
    client = hintingServers(
      'hints',
      {
        zoo: [hinted, { name: 'hide', description: 'Hides it.' }],
        garden: [{ name: 'dig', description: 'Digs.' }, ...others],
      },
      { zoo: 'Keepers look after marsupials here.' },
    );
    await client.listTools();
  });
  afterAll(() => client.disconnect());

  const groups = ({ id }: MastraTool) =>
    id.startsWith('zoo_') ? { name: 'zoo', description: 'Looks after koalas.' } : undefined;
  const of = waysOf(() => client);

  it.each([
    ...of.map((way) => ({ ...way, by: 'the hint of a tool', query: 'wombat finder', names: ['zoo_show'] })),
    // Mastra's conversion of the agent's own tools and toolsets leaves the server out.
    ...of.slice(0, 2).map((way) => ({ ...way, by: 'the instructions of a server', query: 'marsupials', names: BOTH })),
    ...of.map((way) => ({ ...way, by: 'the description of a group', query: 'koalas', names: BOTH })),
  ])('by $by, find tools that came by $way', async ({ options, agent, run, query, names }) => {
    const { agent: made, model } = rig(
      { groups, ...(await options()) },
      { script: calls(call('search_tools', { query })), agent: agent?.() ?? {} },
    );
    await made.generate('Find it.', { maxSteps: 9, ...(await run?.()) });
    const { results } = model.result(-1, 'search_tools') as SearchToolsResult;
    expect(results.map(({ name }) => name).sort()).toEqual(names);
  });
});
