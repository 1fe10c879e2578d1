import { createTool } from '@mastra/core/tools';
import type { MCPClient } from '@mastra/mcp';
import type { MastraTool, SearchToolsResult, ToolSearchFilterPhase } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Session } from '../meta-tools/session.ts';
import { call, calls, META, rig, tool, toolRecord } from '../support/agent.ts';
import { hintingServers } from '../support/hinting-mcp.ts';
import { lastToolResult, type Script, toolResults } from '../support/scripted-model.ts';

const ZOO = ['zoo_count', 'zoo_feed', 'zoo_show', 'zoo_wash'];
const always = { 'anthropic/alwaysLoad': true };
const served = (name: string, _meta?: object) => ({
  name,
  description: `Does ${name} for animals.`,
  ...(_meta ? { _meta } : {}),
});

let client: MCPClient;
beforeAll(async () => {
  const count = served('count', { 'anthropic/alwaysLoad': 'true' });
  const show = served('show', { 'anthropic/searchHint': 'wombat finder' });
  client = hintingServers(
    'pins',
    { zoo: [served('feed', always), served('wash'), count, show], bank: [served('pay', always), served('open')] },
    { bank: 'Keepers look after marsupials here.' },
  );
  await client.listTools();
});
afterAll(() => client.disconnect());

interface Way {
  readonly way: string;
  readonly options: () => Promise<object> | object;
  readonly agent?: object;
  readonly run?: () => Promise<object>;
  /** Mastra's conversion of the agent's own tools and toolsets leaves the server out. */
  readonly isConverted?: boolean;
}
const toolset = async (server: string) => ({ [server]: (await client.listToolsets())[server]! });
const includeResolvedTools = true;
const ways: readonly Way[] = [
  { way: 'listTools() in the constructor', options: async () => ({ tools: await client.listTools() }) },
  { way: 'listToolsets() as a function', options: () => ({ tools: () => client.listToolsets() }) },
  {
    way: "the agent's tools",
    options: () => ({ includeResolvedTools }),
    ...{ agent: { tools: () => client.listTools() }, isConverted: true },
  },
  {
    way: "the request's toolsets beside a function's",
    options: () => ({ includeResolvedTools, tools: () => toolset('bank') }),
    run: async () => ({ toolsets: await toolset('zoo') }),
    isConverted: true,
  },
];

async function running({ options, agent, run }: Way, script: Script, more: object = {}, model = {}) {
  const given = { ...((await options()) as object), ...more };
  const made = rig(given, { script, ...model, ...(agent ? { agent } : {}) });
  await made.agent.generate('go', { maxSteps: 9, ...(await run?.()) });
  return made.model;
}

/** Searches, loads all that is shown, and calls each under the name it was shown by. */
const searchLoadCallAll: Script = ({ prompt, step }) => {
  if (step === 0) return { toolCalls: [call('search_tools', { query: 'animals', maxResults: 20 })] };
  const { results } = lastToolResult(prompt, 'search_tools')!.value as SearchToolsResult;
  const names = results.map(({ name }) => name);
  if (step === 1) return { toolCalls: [call('load_tool', { toolNames: names })] };
  return step === 2 ? { toolCalls: names.map((name) => call(name)) } : { text: 'done' };
};

describe.each(ways)('MCP servers, whose tools come by $way,', (way) => {
  /** The tools of the servers in the first call, where a pinned one is called. */
  const pinnedWith = async (options: object) => {
    const model = await running(way, calls(call('zoo_feed')), options);
    const pinned = model.sent(0).filter((name) => /^(zoo|bank)_/.test(name));
    if (pinned.includes('zoo_feed')) expect(JSON.stringify(model.result(-1, 'zoo_feed'))).toContain('feed ran');
    return pinned.sort();
  };
  it('are found, and run, under the names that the search shows, with their server', async () => {
    const model = await running(way, searchLoadCallAll);
    const { results } = model.result(1) as SearchToolsResult;
    const ran = toolResults(model.calls[3]!.prompt).slice(2);
    expect(results.map(({ name }) => name).sort()).toEqual(['bank_open', 'bank_pay', ...ZOO]);
    for (const { name, group } of results) {
      const [server, own] = name.split('_');
      expect([name, group]).toEqual([name, way.isConverted ? undefined : server]);
      expect(JSON.stringify(ran.find(({ toolName }) => toolName === name)?.value)).toContain(`${own} ran`);
    }
    expect(model.sent(0)).toEqual(META);
  });

  const ofZoo = way.isConverted ? [] : ['zoo_feed'];
  const asked = new Set<string>();
  const filter = ({ toolName, phase }: { toolName: string; phase: ToolSearchFilterPhase }) =>
    asked.add(phase) && toolName !== 'bank_pay';

  it.each<[options: object, sent: readonly string[]]>([
    [{}, []],
    [{ trustServerHints: false }, []],
    [{ trustServerHints: [] }, []],
    [{ trustServerHints: ['Zoo', 'nobody'] }, []],
    [{ trustServerHints: ['zoo'] }, ofZoo],
    [{ trustServerHints: true, filter }, ['zoo_feed']],
    ...['load', 'call', 'native'].map((mode): [object, string[]] => [
      { trustServerHints: true, mode },
      ['bank_pay', 'zoo_feed'],
    ]),
  ])('have sent always, with %j: %j', async (options, sent) => {
    expect(await pinnedWith(options)).toEqual(sent);
    if ('filter' in options) expect([...asked]).toContain('active');
  });

  const groups = ({ id }: MastraTool) =>
    id.startsWith('bank_') ? { name: 'bank', description: 'Looks after koalas.' } : undefined;
  const BANK = ['bank_open', 'bank_pay'];
  it.each<[by: string, query: string, finds: readonly string[]]>([
    ['the hint of a tool', 'wombat finder', ['zoo_show']],
    ['the instructions of a server', 'marsupials', way.agent ? [] : BANK],
    ['the description of a group', 'koalas', BANK],
  ])('have tools found by %s', async (_, query, finds) => {
    const model = await running(way, calls(call('search_tools', { query })), { groups });
    const { results } = model.result(-1, 'search_tools') as SearchToolsResult;
    expect(results.map(({ name }) => name).sort()).toEqual(finds);
  });
});

it('the tools of servers are sent eager in native mode, behind nothing that changes', async () => {
  const anthropic = { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
  const model = await running(ways[0]!, calls(call('zoo_feed')), { mode: 'native', trustServerHints: true }, anthropic);
  const { tools } = model.calls[0]!;
  expect(tools.slice(0, 3).map(({ name }) => name)).toEqual(['zoo_feed', 'bank_pay', 'search_tools']);
  const isDeferred = (name: string) =>
    JSON.stringify(tools.find((one) => one.name === name)).includes('"deferLoading":true');
  expect([isDeferred('zoo_feed'), isDeferred('zoo_wash')]).toEqual([false, true]);
});

describe('what servers may pin', () => {
  const big = (name: string, words: number, _meta: object = always): MastraTool =>
    createTool({
      id: name,
      description: `Does ${name}.`,
      inputSchema: z.object({ text: z.string().describe('word '.repeat(words)) }),
      mcp: { _meta } as never,
      execute: async () => 'ran',
    }) as MastraTool;
  const hostile = Object.defineProperty({}, 'anthropic/alwaysLoad', {
    enumerable: true,
    get: () => {
      throw new Error('not today');
    },
  });
  const two = [big('first', 3_000), big('second', 3_000)];

  const forbidding = { filter: ({ toolName }: { toolName: string }) => toolName !== 'first' };
  const whole = { passthroughBelow: 8, filter: ({ phase }: { phase: string }) => phase === 'active' };

  it.each<[what: string, tools: MastraTool[], sent: string[], options?: object]>([
    ['has room for what alwaysLoaded names as well', two, ['second', 'first'], { alwaysLoaded: ['second'] }],
    ['has room where a forbidden one would take it, of which nothing is told', two, ['second'], forbidding],
    ['is not what a hint says that cannot be read', [big('hostile', 10, hostile), big('other', 10)], ['other']],
    ['is sent as well where the catalog is sent whole', [big('pinned', 10), tool('plain')], ['pinned'], whole],
  ])('%s', async (_, tools, sent, options) => {
    const session = new Session({ tools: toolRecord(...tools), trustServerHints: true, ...options });
    expect(await session.sent()).toEqual(sent);
    expect(session.eventsOf('tool-problem')).toEqual([]);
  });

  it('is bounded by tokens: what has no room is searched, and reported once', async () => {
    const tools = toolRecord(big('first', 2_250), big('second', 2_250), big('third', 500));
    const session = new Session({ tools, trustServerHints: true });
    const next = new Session({ tools }, { processor: session.processor });
    for (const request of [session, session, next]) expect(await request.sent()).toEqual(['first', 'third']);
    const message = expect.stringMatching(/"second".*4000 tokens.*alwaysLoaded/);
    const problem = { toolName: 'second', problem: 'not-pinned', message };
    expect(session.eventsOf('tool-problem')).toMatchObject([problem]);
    expect((await session.search({ query: 'second' })).results[0]?.name).toBe('second');
  });

  it("is nothing of a client's: its tools are searched", async () => {
    const own = { id: 'own', description: 'Mine.', inputSchema: { type: 'object' }, mcp: { _meta: always } };
    const session = new Session({ includeResolvedTools: true, trustServerHints: true });
    expect(await session.sent({ tools: { own } })).toEqual([]);
  });
});
