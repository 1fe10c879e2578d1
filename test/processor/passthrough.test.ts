import { jsonSchema } from 'ai';
import type {
  MastraTool,
  PassthroughLimits,
  ToolSearchEvent,
  ToolSearchFilter,
  ToolSearchFilterArgs,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/util/tokens.ts';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/harness.ts';

const META = ['search_tools', 'load_tool'];
const tools = (count: number): Record<string, MastraTool> =>
  toolRecord(...Array.from({ length: count }, (_, n) => tool(`tool_${n}`)));

/** A tool whose definition has so many tokens as JSON: a short word is one. */
function ofSize(name: string, tokens: number): Record<string, MastraTool> {
  const rest = estimateTokens(JSON.stringify({ name, description: 'word' })) - 1;
  const made = { description: 'word '.repeat(tokens - rest), execute: async () => 'ran' };
  return { [name]: made as unknown as MastraTool };
}

async function stepOf(options: { tools: Record<string, MastraTool>; passthroughBelow?: number | PassthroughLimits }) {
  const session = new Session(options);
  const sent = Object.keys((await session.step()).tools);
  return { sent, isWhole: !sent.includes('search_tools'), events: session.eventsOf('passthrough') };
}

describe('passthroughBelow', () => {
  it.each([
    { below: 1, count: 0, isWhole: true, why: 'nothing to search' },
    { below: 1, count: 1, isWhole: false, why: 'as many' },
    { below: 8, count: 7, isWhole: true, why: 'one less' },
    { below: 8, count: 8, isWhole: false, why: 'as many' },
    { below: 8, count: 9, isWhole: false, why: 'one more' },
    { below: 2.5, count: 2, isWhole: true, why: 'less than a fraction' },
    { below: Number.POSITIVE_INFINITY, count: 600, isWhole: true, why: 'there is no limit' },
    { below: 0, count: 0, isWhole: false, why: 'it is off' },
    { below: undefined, count: 1, isWhole: false, why: 'it is off by default' },
  ])('decides $isWhole on sending $count tools whole below $below: $why', async ({ below, count, isWhole }) => {
    const step = await stepOf({ tools: tools(count), ...(below === undefined ? {} : { passthroughBelow: below }) });
    expect(step.isWhole).toBe(isWhole);
    expect(step.sent).toEqual(isWhole ? Object.keys(tools(count)) : META);
    expect(step.events).toEqual(
      below ? [{ type: 'passthrough', isSentWhole: isWhole, limit: 'tools', size: count, below }] : [],
    );
  });

  it.each([
    { limits: { tokens: 101 }, size: 100, below: 101, isWhole: true },
    { limits: { tokens: 100 }, size: 100, below: 100, isWhole: false },
  ])('decides $isWhole on sending 100 tokens below $limits', async ({ limits, size, below, isWhole }) => {
    const step = await stepOf({ tools: { ...ofSize('a', 59), ...ofSize('b', 41) }, passthroughBelow: limits });
    expect(step.isWhole).toBe(isWhole);
    expect(step.events).toEqual([{ type: 'passthrough', isSentWhole: isWhole, limit: 'tokens', size, below }]);
  });

  it.each([
    { limits: { tools: 3, tokens: 101 }, decides: 'tokens', size: 100, isWhole: true },
    { limits: { tools: 2, tokens: 101 }, decides: 'tools', size: 2, isWhole: false },
    { limits: { tools: 3, tokens: 100 }, decides: 'tokens', size: 100, isWhole: false },
    { limits: { tools: 3, tokens: 50 }, decides: 'tokens', size: 59, isWhole: false },
    { limits: { tools: 2, tokens: 1 }, decides: 'tools', size: 2, isWhole: false },
  ])(
    'decides $isWhole on sending 2 tools of 100 tokens below $limits, by the $decides',
    async ({ limits, decides, size, isWhole }) => {
      const step = await stepOf({ tools: { ...ofSize('a', 59), ...ofSize('b', 41) }, passthroughBelow: limits });
      expect(step.events).toMatchObject([{ isSentWhole: isWhole, limit: decides, size }]);
      expect(step.isWhole).toBe(isWhole);
    },
  );

  it('counts no further than where the limit is passed', async () => {
    let read = 0;
    const counting = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => {
        const made = {
          execute: async () => 'ran',
          get inputSchema() {
            read += 1;
            return jsonSchema({ type: 'object' });
          },
        };
        return [`tool_${n}`, made as unknown as MastraTool];
      }),
    );
    const session = new Session({ tools: counting, passthroughBelow: { tokens: 1 } });
    const before = read;
    await session.step();
    expect(read - before).toBeLessThanOrEqual(1);
    expect(session.eventsOf('passthrough')).toMatchObject([{ isSentWhole: false, limit: 'tokens' }]);
  });
});

describe('a catalog that is sent whole', () => {
  const denying =
    (denied: string) =>
    ({ toolName, phase }: ToolSearchFilterArgs) =>
      !(toolName === 'tool_1' && phase === denied);

  it('has a tool of alwaysLoaded unless the active phase denies it', async () => {
    for (const [phase, isSent] of [
      ['search', true],
      ['load', true],
      ['active', false],
    ] as const) {
      const session = new Session({
        tools: tools(3),
        alwaysLoaded: ['tool_1'],
        passthroughBelow: 8,
        filter: denying(phase),
      });
      expect(Object.keys((await session.step()).tools).includes('tool_1')).toBe(isSent);
    }
  });

  it.each([
    { limits: 8, hidden: 4, isWhole: true, size: 7 },
    { limits: 8, hidden: 3, isWhole: false, size: 8 },
    { limits: 8, hidden: 11, isWhole: true, size: 0 },
    { limits: { tokens: 10_000 }, hidden: 11, isWhole: true, size: 0 },
  ])('does not count $hidden hidden tools of 11 against $limits', async ({ limits, hidden, ...result }) => {
    const filter: ToolSearchFilter = ({ toolName, phase }) =>
      phase !== 'search' || Number(toolName.slice('tool_'.length)) >= hidden;
    const session = new Session({ tools: tools(11), passthroughBelow: limits, filter });
    const sent = Object.keys((await session.step()).tools);
    expect(sent).toEqual(result.isWhole ? Object.keys(tools(11)).slice(hidden) : META);
    expect(session.eventsOf('passthrough')).toMatchObject([{ isSentWhole: result.isWhole, size: result.size }]);
  });

  it('goes without a tool for which the filter fails, and the fault is reported', async () => {
    const session = new Session({
      tools: tools(2),
      passthroughBelow: 8,
      filter: ({ toolName }) => {
        if (toolName === 'tool_0') throw new Error('down');
        return true;
      },
    });
    expect(Object.keys((await session.step()).tools)).toEqual(['tool_1']);
    // Once to count what the request may see, once to send it.
    expect(session.eventsOf('filter-failed')).toMatchObject([
      { toolName: 'tool_0', phase: 'search' },
      { toolName: 'tool_0', phase: 'search' },
    ]);
  });

  it("comes behind the request's own tools, which win over tools of their name", async () => {
    const own = { own: tool('own'), tool_1: tool('tool_1', 'Own.') };
    const session = new Session({ tools: tools(3), passthroughBelow: 8 });
    const { tools: sent } = await session.step({ tools: own });
    expect(Object.keys(sent)).toEqual(['own', 'tool_1', 'tool_0', 'tool_2']);
    expect(sent['tool_1']).toBe(own.tool_1);
  });

  it('extends activeTools with all its tools, and sets none where the caller set none', async () => {
    const session = new Session({ tools: tools(2), passthroughBelow: 8 });
    const own = { own: tool('own'), hidden: tool('hidden') };
    expect((await session.step({ tools: own, activeTools: ['own'] })).activeTools).toEqual(['own', 'tool_0', 'tool_1']);
    expect(await session.step({ tools: own })).not.toHaveProperty('activeTools');
  });

  it("may stand beside an agent's tool with the name of a meta-tool, as none is sent", async () => {
    const session = new Session({ tools: tools(1), passthroughBelow: 8 });
    expect(Object.keys((await session.step({ tools: { load_tool: tool('load_tool') } })).tools)).toEqual([
      'load_tool',
      'tool_0',
    ]);
  });

  it('is decided about once for all steps of a request, and reported once', async () => {
    const session = new Session({ tools: tools(2), includeResolvedTools: true, passthroughBelow: 4 });
    const many = toolRecord(...Array.from({ length: 9 }, (_, n) => tool(`own_${n}`)));
    await session.step();
    expect(Object.keys((await session.step({ tools: many })).tools)).toHaveLength(11);
    const events: readonly ToolSearchEvent[] = session.eventsOf('passthrough');
    expect(events).toEqual([{ type: 'passthrough', isSentWhole: true, limit: 'tools', size: 2, below: 4 }]);
    const next = new Session({ tools: {} }, { processor: session.processor });
    expect(Object.keys((await next.step({ tools: many })).tools)).toEqual(META);
  });
});
