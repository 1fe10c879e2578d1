import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { MastraTool, ToolStub } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { approve, askingTool, call, calls, inMastra, load, newMemory, rig, SIZES, tool } from '../support/agent.ts';
import { type Mode, run, turn } from './missed-calls.ts';

const NAME = 'get_weather';
const weather = () => tool(NAME, 'Get the weather of a city.');

/** A stub of a tool, which counts how often it is resolved. */
function stubOf(real = weather(), extra: Partial<ToolStub> = {}) {
  const resolve = vi.fn<ToolStub['resolve']>(async () => real);
  const stub: ToolStub = { id: real.id, description: real.description, resolve, ...extra };
  return { tools: { stub }, resolve };
}

describe('a stub', () => {
  it('is searched by what it has, resolved once by whoever loads it, and returned resolved', async () => {
    const real = weather();
    const { tools, resolve } = stubOf(real, { keywords: ['forecast'], parameters: ['city', 'units'] });
    const session = new Session({ tools, injectCatalog: true });
    for (const query of ['weather', 'forecast', 'units', NAME]) {
      const { results } = await session.search({ query });
      expect(results[0]).toMatchObject({ name: NAME, signature: '(city, units)' });
    }
    expect(resolve).not.toHaveBeenCalled();
    const step = await session.step();
    const loadAgain = () => step.tools['load_tool']?.execute?.({ toolName: NAME } as never, {} as never);
    await Promise.all([1, 2, 3].map(loadAgain));
    expect(await session.sent()).toEqual([NAME]);
    expect(resolve).toHaveBeenCalledTimes(1);
    const { processor, requestContext } = session;
    expect(await processor.getLoadedToolsForRequestContext({ requestContext })).toEqual({ get_weather: real });
  });

  it.each<[how: string, first: ReturnType<typeof call>, onMiss: 'load' | 'error', mode?: Mode]>([
    ['loaded by load_tool', load(NAME), 'error'],
    ['loaded by load_tool in a DurableAgent', load(NAME), 'error', 'durable'],
    ['loaded by a select:', call('search_tools', { query: `select:${NAME}` }), 'error'],
    ['loaded by a call that misses it', call(NAME, { text: 'x' }), 'load'],
  ])(
    'is resolved once in each run, %s, for its request, and called as the tool',
    async (...[, first, onMiss, mode]) => {
      const { tools, resolve } = stubOf();
      const script = calls(first, call(NAME, { text: 'Rome' }), call(NAME, { text: 'Oslo' }));
      // A function makes its stubs anew in each run.
      const anew = () => ({ server: { ...tools } });
      const made = rig({ tools: mode ? tools : anew, onMiss }, { script, agent: { memory: newMemory() } });
      const users: unknown[] = [];
      resolve.mockImplementation(async ({ requestContext }) => {
        users.push(requestContext?.get('user'));
        return weather();
      });
      for (const user of ['ada', 'grace']) {
        const requestContext = new RequestContext<unknown>([['user', user]]);
        await run(made, mode ?? 'generate', { ...turn, requestContext } as never);
        expect(made.model.result()).toEqual({ ran: NAME, input: { text: 'Oslo' } });
      }
      const sent = made.model.calls[1]?.tools?.find(({ name }) => name === NAME);
      expect(JSON.stringify(sent)).toContain('"text"');
      expect(users).toEqual(['ada', 'grace']);
    },
  );

  it('may be one of many: of 10,000, those that are loaded are resolved', async () => {
    const { resolve } = stubOf(tool('any'));
    const stubs = Array.from({ length: 10_000 }, (_, n): [string, ToolStub] => [
      `stub_${n}`,
      { id: `stub_${n}`, description: `Does thing number ${n}.`, parameters: ['thing'], resolve },
    ]);
    const session = new Session({ tools: Object.fromEntries(stubs), filter: () => true, injectCatalog: 'names' });
    await session.search({ query: ['thing number 77', 'number 4711'] });
    expect(resolve).not.toHaveBeenCalled();
    await session.load({ toolNames: ['stub_77', 'stub_4711'] });
    expect(await session.sent()).toEqual(['stub_77', 'stub_4711']);
    expect((await session.load({ toolNames: ['stub_1*'] })).loadedCount).toBe(20);
    const { processor, requestContext } = session;
    await processor.getLoadedToolsForRequestContext({ tools: {}, requestContext });
    expect(resolve).toHaveBeenCalledTimes(22);
  });

  it('may be an AI SDK tool', async () => {
    const { inputSchema } = tool('x');
    const real = { description: 'Real.', inputSchema: inputSchema as object, execute: async () => 'ran' };
    const { tools } = stubOf(weather(), { resolve: () => real });
    const { agent, model } = rig({ tools }, { script: calls(load(NAME), call(NAME)) });
    await agent.generate('go');
    expect(model.result()).toBe('ran');
  });

  it('is resolved for nobody who may not load it', async () => {
    const { tools, resolve } = stubOf();
    const session = new Session({ tools, filter: ({ phase }) => phase === 'search' });
    expect(await session.load({ toolName: NAME })).toMatchObject({ success: false });
    expect(await session.sent()).toEqual([]);
    expect(resolve).not.toHaveBeenCalled();
  });
});

describe('a stub that cannot be resolved', () => {
  const fail = () => {
    throw new Error('down');
  };
  const failing = (resolve: ToolStub['resolve'] = fail) => ({
    ...stubOf(weather(), { resolve }).tools,
    other: tool('other'),
  });
  it.each<[why: string, resolve: ToolStub['resolve']]>([
    ['resolve() rejects', async () => fail()],
    ['resolve() throws', fail],
    ['it returns no tool', (() => ({})) as never],
    ['it returns another stub', (() => failing().stub) as never],
    ['it takes too long', () => new Promise<never>(() => {})],
  ])('is a result that says so, and one event in a run: %s', async (_, resolve) => {
    const session = new Session({ tools: failing(resolve), timeouts: { tools: 30 } });
    const says = expect.stringContaining(`Not available now, for a technical reason: ${NAME}.`);
    const one = await session.load({ toolName: NAME });
    expect(one).toEqual({ success: false, message: says, toolName: NAME });
    const two = await session.load({ toolNames: [NAME, 'other'] });
    expect(two).toEqual({ success: false, message: says, loadedCount: 1, loaded: ['other'] });
    expect((await session.search({ query: `select:${NAME}` })).message).toEqual(says);
    expect(await session.sent()).toEqual(['other']);
    expect(session.eventsOf('stub-failed')).toEqual([
      { type: 'stub-failed', toolName: NAME, error: expect.any(Error) },
    ]);
  });

  it('ends no run, and is no call that a model is told to repeat', async () => {
    const script = calls(call(NAME), call('search_tools', { query: 'weather' }));
    const { agent, model } = rig({ tools: failing() }, { script });
    expect((await agent.generate('go')).text).toBe('done');
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('available now: call it again');
  });

  it('is left out of the steps of a thread that has it loaded, and comes back', async () => {
    let isDown = false;
    const first = new Session({ tools: failing(async () => (isDown ? fail() : weather())) });
    await first.load({ toolName: NAME });
    const next = () => new Session({ tools: {} }, { processor: first.processor }).sent();
    isDown = true;
    expect(await next()).toEqual([]);
    isDown = false;
    expect(await next()).toEqual([NAME]);
  });

  it.each([{ alwaysLoaded: [NAME, 'other'] }, { passthroughBelow: 5 }])(
    'is left out of what is sent by %j',
    async (options) => {
      const sound = stubOf();
      expect(await new Session({ tools: { ...failing(), ...sound.tools }, ...options }).sent()).toContain(NAME);
      expect(sound.resolve).toHaveBeenCalledTimes(1);
      const session = new Session({ tools: failing(), ...options });
      expect(await session.sent()).toEqual(['other']);
      expect(session.eventsOf('stub-failed')).toHaveLength(1);
    },
  );
});

describe.each([
  { ...SIZES[0]!, restarts: true },
  { ...SIZES[1]!, restarts: true },
])('a call of a tool from a stub, in a $size catalog (restart: $restarts)', ({ fillers, restarts }) => {
  /** A run that waits for its call, and the app that goes on with it. */
  async function waitingFor(real: MastraTool, filter = () => true) {
    const storage = new InMemoryStore();
    const start = () => {
      const tools = { [real.id]: stubOf(real).tools.stub, ...fillers };
      const script = calls(load(real.id), call(real.id));
      const made = rig({ tools, filter }, { script, agent: { memory: new Memory({ storage }) } });
      inMastra(made.agent, storage);
      return made;
    };
    const before = start();
    const waiting = await before.agent.generate('go', turn as never);
    expect(waiting.finishReason).toBe('suspended');
    return { waiting, ...(restarts ? start() : before) };
  }

  it('waits for an approval, or suspends itself, and goes on, unless the right is withdrawn', async () => {
    const asking = await waitingFor(askingTool('ask'));
    await asking.agent.resumeGenerate({ answer: 'yes' }, { runId: asking.waiting.runId! });
    expect(asking.model.result()).toMatchObject({ answer: 'yes' });
    for (const isKept of [true, false]) {
      const execute = vi.fn(async () => 'paid');
      const pay = tool('pay', 'Pays a bill.', { requireApproval: true, execute });
      let isAllowed = true;
      const { agent, model, waiting } = await waitingFor(pay, () => isAllowed);
      isAllowed = isKept;
      await approve(agent, waiting);
      expect(execute).toHaveBeenCalledTimes(isKept ? 1 : 0);
      expect(model.result()).toEqual(isKept ? 'paid' : expect.stringContaining('is not available to this request'));
    }
  });
});
