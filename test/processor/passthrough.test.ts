import { jsonSchema } from 'ai';
import type { MastraTool, PassthroughLimits, ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { denying, numbered, Session } from '../meta-tools/session.ts';
import { META, tool, toolRecord } from '../support/harness.ts';

type Limit = number | PassthroughLimits;

async function stepOf(tools: Record<string, MastraTool>, passthroughBelow?: Limit) {
  const session = new Session({ tools, ...(passthroughBelow === undefined ? {} : { passthroughBelow }) });
  return {
    sent: await session.step().then((step) => Object.keys(step.tools)),
    events: session.eventsOf('passthrough'),
  };
}

describe('passthroughBelow', () => {
  it.each<[below: number | undefined, count: number, isSentWhole: boolean, why: string]>([
    [1, 0, true, 'nothing to search'],
    [8, 7, true, 'one less'],
    [8, 8, false, 'as many'],
    [2.5, 2, true, 'less than a fraction'],
    [Number.POSITIVE_INFINITY, 600, true, 'there is no limit'],
    [0, 0, false, 'it is off'],
    [undefined, 1, false, 'it is off by default'],
  ])('below %d tools, sends %d of them whole: %s, %s', async (below, count, isSentWhole) => {
    const { sent, events } = await stepOf(numbered(count), below);
    expect(sent).toEqual(isSentWhole ? Object.keys(numbered(count)) : META);
    expect(events).toEqual(below ? [{ type: 'passthrough', isSentWhole, limit: 'tools', size: count, below }] : []);
  });

  it.each<[tools: number | undefined, tokens: (all: number, first: number) => number, limit: string, isWhole: boolean]>(
    [
      [undefined, (all) => all + 1, 'tokens', true],
      [undefined, (all) => all, 'tokens', false],
      [3, (all) => all + 1, 'tokens', true],
      [2, (all) => all + 1, 'tools', false],
      [3, (all) => all, 'tokens', false],
      [3, (_, first) => first, 'tokens', false],
      [2, () => 1, 'tools', false],
    ],
  )(
    'of two tools below %s tools and so many tokens %s: the %s decide, %s',
    async (tools, tokens, limit, isSentWhole) => {
      const sizeOf = async (count: number) =>
        (await stepOf(numbered(count), { tokens: Number.POSITIVE_INFINITY })).events[0]!.size;
      const [first, all] = [await sizeOf(1), await sizeOf(2)];
      const below = tokens(all, first);
      const { sent, events } = await stepOf(numbered(2), { tokens: below, ...(tools === undefined ? {} : { tools }) });
      const size = limit === 'tools' ? 2 : below === first ? first : all;
      expect(events).toMatchObject([{ isSentWhole, limit, size, below: limit === 'tools' ? tools : below }]);
      expect(sent).toEqual(isSentWhole ? ['t0', 't1'] : META);
    },
  );

  it('counts no further than where the limit is passed', async () => {
    let read = 0;
    const counting = (): MastraTool =>
      ({
        execute: async () => 'ran',
        get inputSchema() {
          read += 1;
          return jsonSchema({ type: 'object' });
        },
      }) as unknown as MastraTool;
    const tools = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`tool_${n}`, counting()]));
    const session = new Session({ tools, passthroughBelow: { tokens: 1 } });
    const before = read;
    await session.step();
    expect(read - before).toBeLessThanOrEqual(1);
    expect(session.eventsOf('passthrough')).toMatchObject([{ isSentWhole: false, limit: 'tokens' }]);
  });
});

describe('a catalog that is sent whole', () => {
  it.each([
    ['search', true],
    ['load', true],
    ['active', false],
  ] as const)('has a tool of alwaysLoaded that the %s phase denies: %s', async (phase, isSent) => {
    const options = { alwaysLoaded: ['t1'], passthroughBelow: 8, filter: denying(phase, 't1') };
    const { tools } = await new Session({ tools: numbered(3), ...options }).step();
    expect(Object.keys(tools).includes('t1')).toBe(isSent);
  });

  it.each<[hidden: number, limits: Limit, isSentWhole: boolean]>([
    [4, 8, true],
    [3, 8, false],
    [11, 8, true],
    [11, { tokens: 10_000 }, true],
  ])('does not count %d hidden tools of 11 against %j', async (hidden, passthroughBelow, isSentWhole) => {
    const filter: ToolSearchFilter = ({ toolName, phase }) => phase !== 'search' || Number(toolName.slice(1)) >= hidden;
    const session = new Session({ tools: numbered(11), passthroughBelow, filter });
    const sent = Object.keys((await session.step()).tools);
    expect(sent).toEqual(isSentWhole ? Object.keys(numbered(11)).slice(hidden) : META);
    expect(session.eventsOf('passthrough')).toMatchObject([{ isSentWhole, size: 11 - hidden }]);
  });

  it('goes without a tool for which the filter fails, and the fault is reported', async () => {
    const filter: ToolSearchFilter = ({ toolName }) => {
      if (toolName === 't0') throw new Error('down');
      return true;
    };
    const session = new Session({ tools: numbered(2), passthroughBelow: 8, filter });
    expect(Object.keys((await session.step()).tools)).toEqual(['t1']);
    // Once to count what the request may see, once to send it.
    const fault = { toolName: 't0', phase: 'search' };
    expect(session.eventsOf('filter-failed')).toMatchObject([fault, fault]);
  });

  it("comes behind the request's own tools, which win over its own and the meta-tools' names", async () => {
    const own = toolRecord(tool('own'), tool('t1', 'Own.'), tool('load_tool'));
    const session = new Session({ tools: numbered(3), passthroughBelow: 8 });
    const { tools: sent } = await session.step({ tools: own });
    expect(Object.keys(sent)).toEqual(['own', 't1', 'load_tool', 't0', 't2']);
    expect(sent['t1']).toBe(own['t1']);
  });

  it('extends activeTools with all its tools, and sets none where the caller set none', async () => {
    const session = new Session({ tools: numbered(2), passthroughBelow: 8 });
    const tools = toolRecord(tool('own'), tool('hidden'));
    expect((await session.step({ tools, activeTools: ['own'] })).activeTools).toEqual(['own', 't0', 't1']);
    expect(await session.step({ tools })).not.toHaveProperty('activeTools');
  });

  it('is decided about once for all steps of a request, and reported once', async () => {
    const session = new Session({ tools: numbered(2), includeResolvedTools: true, passthroughBelow: 4 });
    const many = toolRecord(...Array.from({ length: 9 }, (_, n) => tool(`own_${n}`)));
    await session.step();
    expect(Object.keys((await session.step({ tools: many })).tools)).toHaveLength(11);
    const event = { type: 'passthrough', isSentWhole: true, limit: 'tools', size: 2, below: 4 };
    expect(session.eventsOf('passthrough')).toEqual([event]);
    const next = new Session({ tools: {} }, { processor: session.processor });
    expect(Object.keys((await next.step({ tools: many })).tools)).toEqual(META);
  });
});
