import { jsonSchema } from 'ai';
import type { MastraTool, PassthroughLimits, ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { denying, numbered, Session } from '../meta-tools/session.ts';
import { call, calls, email, fillerTools, META, RUNS, rig, tool, toolRecord, weather } from '../support/agent.ts';
import { systemText, toolNames, toolResults } from '../support/scripted-model.ts';

const few = (): Record<string, MastraTool> => toolRecord(weather(), email());
const NAMES = ['get_weather', 'send_email'];

/** What the first step of a request is sent, and what is told of that. */
async function stepOf(tools: Record<string, MastraTool>, passthroughBelow?: number | object, options: object = {}) {
  const session = new Session({ tools, ...(passthroughBelow === undefined ? {} : { passthroughBelow }), ...options });
  return { sent: Object.keys((await session.step()).tools), events: session.eventsOf('passthrough'), session };
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
      [3, (all) => all + 1, 'tokens', true],
      [3, (all) => all, 'tokens', false],
      [3, (_, first) => first, 'tokens', false],
      [2, () => 1, 'tools', false],
    ],
  )(
    'of two tools below %s tools and so many tokens %s: the %s decide, %s',
    async (tools, tokens, limit, isSentWhole) => {
      const sizeOf = async (count: number) => (await stepOf(numbered(count), { tokens: 1e9 })).events[0]!.size;
      const [first, all] = [await sizeOf(1), await sizeOf(2)];
      const below = tokens(all, first);
      const { sent, events } = await stepOf(numbered(2), { tokens: below, ...(tools === undefined ? {} : { tools }) });
      const size = limit === 'tools' ? 2 : below === first ? first : all;
      expect(events).toMatchObject([{ isSentWhole, limit, size, below: limit === 'tools' ? tools : below }]);
      expect(sent).toEqual(isSentWhole ? ['t0', 't1'] : META);
    },
  );

  const failing = (): never => {
    throw new Error('no such model');
  };
  it.each<[why: string, contextWindow: unknown, outcome: object]>([
    ['of a window', 100_000, { isSentWhole: true, below: 10_000 }],
    ['of a small window', 100, { isSentWhole: false, below: 10 }],
    [
      'of the window of the model',
      ({ modelId }: { modelId?: string }) => (modelId === 'small' ? 100 : 100_000),
      { isSentWhole: false, below: 10 },
    ],
    ['of a window that is not known', () => undefined, { isSentWhole: false, below: 0 }],
    ['where whoever knows it fails', failing, { isSentWhole: false, below: 0 }],
  ])('may be a share %s', async (_, contextWindow, outcome) => {
    const model = { modelId: 'small' };
    const session = new Session({ tools: few(), passthroughBelow: { share: 0.1, contextWindow } as PassthroughLimits });
    const { tools } = await session.step({ model });
    expect(session.eventsOf('passthrough')).toMatchObject([{ limit: 'share', ...outcome }]);
    expect(Object.keys(tools)).toEqual((outcome as { isSentWhole: boolean }).isSentWhole ? NAMES : META);
  });

  it('refuses a share without a window', () => {
    const make = () => rig({ tools: few(), passthroughBelow: { share: 0.1 } });
    expect(make).toThrow(/"passthroughBelow.share" must be used with passthroughBelow.contextWindow/);
  });

  it('counts no further than where the limit is passed', async () => {
    let read = 0;
    const counting = () => ({
      execute: async () => 'ran',
      get inputSchema() {
        read += 1;
        return jsonSchema({ type: 'object' });
      },
    });
    const tools = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`tool_${n}`, counting()]));
    const session = new Session({ tools: tools as never, passthroughBelow: { tokens: 1 } });
    const before = read;
    await session.step();
    expect(read - before).toBeLessThanOrEqual(1);
    expect(session.eventsOf('passthrough')).toMatchObject([{ isSentWhole: false, limit: 'tokens' }]);
  });

  it.each<[hidden: number, limits: number | PassthroughLimits, isSentWhole: boolean]>([
    [4, 8, true],
    [3, 8, false],
    [11, { tokens: 10_000 }, true],
  ])('does not count %d hidden tools of 11 against %j', async (hidden, limits, isSentWhole) => {
    const filter: ToolSearchFilter = ({ toolName, phase }) => phase !== 'search' || Number(toolName.slice(1)) >= hidden;
    const { sent, events } = await stepOf(numbered(11), limits, { filter });
    expect(sent).toEqual(isSentWhole ? Object.keys(numbered(11)).slice(hidden) : META);
    expect(events).toMatchObject([{ isSentWhole, size: 11 - hidden }]);
  });
});

describe('a catalog that is sent whole', () => {
  it.each([
    ['search', ['t0', 't2'], true],
    ['load', ['t0', 't2'], true],
    ['active', ['t0', 't2'], false],
  ] as const)(
    'lacks what the %s phase denies, but for a tool of alwaysLoaded: %j, %s',
    async (phase, without, isPinned) => {
      const filter = denying(phase, 't1');
      expect((await stepOf(numbered(3), 8, { filter })).sent).toEqual(without);
      const { sent } = await stepOf(numbered(3), 8, { filter, alwaysLoaded: ['t1'] });
      expect(sent.includes('t1')).toBe(isPinned);
    },
  );

  it('goes without a tool for which the filter fails, and the fault is reported', async () => {
    const filter: ToolSearchFilter = ({ toolName }) => {
      if (toolName === 't0') throw new Error('down');
      return true;
    };
    const { sent, session } = await stepOf(numbered(2), 8, { filter });
    expect(sent).toEqual(['t1']);
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

describe.each(RUNS)('a catalog below passthroughBelow, in $how,', ({ run }) => {
  it('is sent on every step, without meta-tools and system text, and has no tool run whose right is withdrawn', async () => {
    const execute = vi.fn(async () => 'paid');
    let isAllowed = true;
    const { agent, model, events } = rig(
      {
        tools: { ...few(), ...toolRecord(tool('pay', 'Pays.', { execute })) },
        ...{ passthroughBelow: 8, injectCatalog: true },
        filter: ({ toolName, phase }) => toolName !== 'pay' || phase !== 'active' || isAllowed,
      },
      {
        script: (received) => {
          if (received.step === 2) isAllowed = false;
          return calls(call('get_weather'), call('send_email'), call('pay'))(received);
        },
      },
    );
    await run(agent, 'weather');
    const all = [...NAMES, 'pay'];
    expect(model.calls.map(toolNames)).toEqual([all, all, all, NAMES]);
    for (const { prompt } of model.calls) expect(systemText(prompt)).toBe('Help.');
    const ran = toolResults(model.calls.at(-1)!.prompt);
    expect(ran.map(({ value }) => value)).toMatchObject([
      { ran: 'get_weather' },
      { ran: 'send_email' },
      expect.stringContaining('pay'),
    ]);
    expect(execute).not.toHaveBeenCalled();
    expect(events.find(({ type }) => type === 'call')).toMatchObject({ agentId: 'test-agent' });
    const passthrough = events.filter(({ type }) => type === 'passthrough');
    expect(passthrough).toEqual([{ type: 'passthrough', isSentWhole: true, limit: 'tools', size: 3, below: 8 }]);
  });
});

it('a thread is searched while its catalog is large, and keeps its loads while its catalog is small', async () => {
  const many = { ...few(), ...fillerTools(20) };
  let tools: Record<string, MastraTool> = many;
  const first = new Session({ tools: () => tools, passthroughBelow: 8 });
  await first.load({ toolName: 'get_weather' });
  const next = async () => Object.keys((await new Session({}, { processor: first.processor }).step()).tools);
  tools = few();
  expect(await next()).toEqual(NAMES);
  tools = many;
  expect(await next()).toEqual([...META, 'get_weather']);
});
