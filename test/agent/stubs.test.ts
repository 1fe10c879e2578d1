import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { MastraTool, ToolSearchEvent, ToolStub } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { approve, call, calls, fillerTools, inMastra, load, newMemory, rig, SIZES, tool } from '../support/harness.ts';
import { askingTool } from '../support/simple-tools.ts';
import { lazyToolOf } from './counted-stub.ts';
import { run, turn, withMemory } from './missed-calls.ts';

const requestOf = (user: string) => new RequestContext<unknown>([['user', user]]);

const weather = () => tool('get_weather', 'Get the weather of a city.');
const failing = (error = new Error('down')): ToolStub => ({
  id: 'get_weather',
  description: 'Get the weather of a city.',
  resolve: async () => {
    throw error;
  },
});

describe('a stub', () => {
  it('is searched by what it has, and not resolved for that', async () => {
    const { stub, resolve } = lazyToolOf(weather(), { keywords: ['forecast'], parameters: ['city', 'units'] });
    const session = new Session({ tools: { stub }, injectCatalog: true });
    for (const query of ['weather', 'forecast', 'units', 'get_weather']) {
      const { results } = await session.search({ query });
      expect(results[0]).toMatchObject({ name: 'get_weather', signature: '(city, units)' });
    }
    expect(resolve).not.toHaveBeenCalled();
  });

  it.each<[how: string, first: ReturnType<typeof call>, onMiss: 'load' | 'run' | 'error']>([
    ['loaded by load_tool', load('get_weather'), 'error'],
    ['loaded by a select:', call('search_tools', { query: 'select:get_weather' }), 'error'],
    ['loaded by a call that misses it', call('get_weather', { text: 'x' }), 'load'],
    ['called without being loaded', call('get_weather', { text: 'x' }), 'run'],
  ])('is resolved once in a run, %s, and called as the tool it stands for', async (_, first, onMiss) => {
    const { stub, resolve } = lazyToolOf(weather());
    const script = calls(first, call('get_weather', { text: 'Rome' }), call('get_weather', { text: 'Oslo' }));
    const { agent, model } = rig({ tools: { stub }, onMiss }, { script });
    const requestContext = requestOf('ada');
    await agent.generate('go', { requestContext });
    expect(model.result()).toEqual({ ran: 'get_weather', input: { text: 'Oslo' } });
    const sent = model.calls[1]?.tools?.find(({ name }: { name: string }) => name === 'get_weather');
    if (onMiss === 'run') expect(sent).toBeUndefined();
    else expect(JSON.stringify(sent)).toContain('"text"');
    expect(resolve.mock.calls).toEqual([[{ requestContext }]]);
  });

  it('is resolved once for calls at the same time', async () => {
    const { stub, resolve } = lazyToolOf(weather());
    const session = new Session({ tools: { stub } });
    const { tools } = await session.step();
    const loads = [1, 2, 3].map(() => tools['load_tool']?.execute?.({ toolName: 'get_weather' } as never, {} as never));
    await Promise.all(loads);
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(await session.sent()).toEqual(['get_weather']);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it('is resolved anew in the next run of a thread, with the request context of that run', async () => {
    const users: unknown[] = [];
    const stub: ToolStub = {
      id: 'get_weather',
      description: 'Get the weather.',
      resolve: ({ requestContext }) => {
        users.push(requestContext?.get('user'));
        return weather();
      },
    };
    const { agent, model } = rig(
      { tools: { stub } },
      {
        script: ({ step }) => (step === 0 ? { toolCalls: [load('get_weather')] } : { text: 'done' }),
        agent: { memory: newMemory() },
      },
    );
    const memory = { thread: 't', resource: 'r' };
    await agent.generate('go', { requestContext: requestOf('ada'), memory });
    await agent.generate('go', { requestContext: requestOf('grace'), memory });
    expect(users).toEqual(['ada', 'grace']);
    expect(model.calls.at(-1)?.tools?.map(({ name }: { name: string }) => name)).toContain('get_weather');
  });

  it('may be one of many: of 10,000, those that are loaded are resolved', async () => {
    const resolve = vi.fn<ToolStub['resolve']>(async () => tool('any'));
    const stubs = Array.from({ length: 10_000 }, (_, n): [string, ToolStub] => [
      `stub_${n}`,
      { id: `stub_${n}`, description: `Does thing number ${n}.`, parameters: ['thing'], resolve },
    ]);
    const filter = () => true;
    const session = new Session({ tools: Object.fromEntries(stubs), filter, injectCatalog: 'names' });
    await session.search({ query: ['thing number 77', 'number 4711'] });
    expect(resolve).toHaveBeenCalledTimes(0);
    await session.load({ toolNames: ['stub_77', 'stub_4711'] });
    expect(await session.sent()).toEqual(['stub_77', 'stub_4711']);
    expect(resolve).toHaveBeenCalledTimes(2);
    expect((await session.load({ toolNames: ['stub_1*'] })).loadedCount).toBe(20);
    expect(resolve).toHaveBeenCalledTimes(22);
    await session.processor.getLoadedToolsForRequestContext({ tools: {}, requestContext: session.requestContext });
    expect(resolve).toHaveBeenCalledTimes(22);
  });

  it('may be an AI SDK tool, and in a record of servers', async () => {
    const { inputSchema } = tool('x');
    const resolve = () => ({ description: 'Real.', inputSchema: inputSchema as object, execute: async () => 'ran' });
    const stub: ToolStub = { id: 'get_weather', description: 'Get the weather.', resolve };
    const { agent, model } = rig(
      { tools: { server: { get_weather: stub } } },
      { script: calls(load('get_weather'), call('get_weather')) },
    );
    await agent.generate('go');
    expect(model.result()).toBe('ran');
  });

  it('may come from a function, anew in each run', async () => {
    const resolve = vi.fn<ToolStub['resolve']>(async () => weather());
    const stub = (): ToolStub => ({ id: 'get_weather', description: 'Get the weather.', resolve });
    const { agent, model } = rig(
      { tools: async () => ({ stub: stub() }) },
      { script: calls(load('get_weather'), call('get_weather')) },
    );
    await agent.generate('go');
    expect(model.result()).toMatchObject({ ran: 'get_weather' });
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it('is sent with others where the catalog is small, and where it is always loaded', async () => {
    const { stub, resolve } = lazyToolOf(weather());
    expect(await new Session({ tools: { stub }, passthroughBelow: 3 }).sent()).toEqual(['get_weather']);
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(await new Session({ tools: { stub }, alwaysLoaded: ['get_weather'] }).sent()).toEqual(['get_weather']);
  });

  it.each([3, 501])('is called in a DurableAgent, beside %i other tools', async (count) => {
    const { stub, resolve } = lazyToolOf(weather());
    const made = rig(
      { tools: { stub, ...fillerTools(count) } },
      { script: calls(load('get_weather'), call('get_weather', { text: 'Rome' })), agent: withMemory() },
    );
    await run(made, 'durable', turn);
    expect(made.model.result()).toMatchObject({ ran: 'get_weather' });
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it('is what getLoadedToolsForRequestContext() returns resolved', async () => {
    const real = weather();
    const { stub } = lazyToolOf(real);
    const session = new Session({ tools: { stub } });
    await session.load({ toolName: 'get_weather' });
    const { processor, requestContext } = session;
    expect(await processor.getLoadedToolsForRequestContext({ requestContext })).toEqual({ get_weather: real });
  });

  it('is resolved for nobody who may not load it', async () => {
    const { stub, resolve } = lazyToolOf(weather());
    const filter = ({ phase }: { phase: string }) => phase === 'search';
    const session = new Session({ tools: { stub }, filter });
    expect(await session.load({ toolName: 'get_weather' })).toMatchObject({ success: false });
    expect(await session.sent()).toEqual([]);
    expect(resolve).not.toHaveBeenCalled();
  });
});

describe('a stub that cannot be resolved', () => {
  const fail = () => {
    throw new Error('down');
  };
  it.each<[why: string, resolve: ToolStub['resolve']]>([
    ['resolve() rejects', async () => fail()],
    ['resolve() throws', fail],
    ['it returns no tool', (() => ({})) as never],
    ['it returns another stub', (() => failing()) as never],
    ['it takes too long', () => new Promise<never>(() => {})],
  ])('is a result that says so, and an event: %s', async (_, resolve) => {
    const stub = { ...failing(), resolve };
    const session = new Session({ tools: { stub, other: tool('other') }, timeouts: { tools: 30 } });
    const message = 'Not available now, for a technical reason: get_weather. Go on without, or use another tool.';
    expect(await session.load({ toolName: 'get_weather' })).toEqual({
      success: false,
      message,
      toolName: 'get_weather',
    });
    expect(await session.load({ toolNames: ['get_weather', 'other'] })).toEqual({
      success: false,
      message: `Loaded: other — call it now ${message}`,
      loadedCount: 1,
      loaded: ['other'],
    });
    expect((await session.search({ query: 'select:get_weather' })).message).toContain(message);
    expect(await session.sent()).toEqual(['other']);
    // Not tried again in this run.
    expect(session.eventsOf('stub-failed')).toEqual([
      { type: 'stub-failed', toolName: 'get_weather', error: expect.any(Error) },
    ]);
  });

  it('ends no run, and is no call that a model is told to repeat', async () => {
    const { agent, model } = rig(
      { tools: { stub: failing() } },
      { script: calls(call('get_weather'), call('search_tools', { query: 'weather' })) },
    );
    const { text } = await agent.generate('go');
    expect(text).toBe('done');
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('available now: call it again');
  });

  it('is left out of the steps of a thread that has it loaded, and comes back', async () => {
    let isDown = false;
    const stub: ToolStub = {
      ...failing(),
      resolve: async () => {
        if (isDown) throw new Error('down');
        return weather();
      },
    };
    const session = new Session({ tools: { stub } });
    await session.load({ toolName: 'get_weather' });
    isDown = true;
    const next = new Session({ tools: {} }, { processor: session.processor });
    expect(await next.sent()).toEqual([]);
    isDown = false;
    expect(await new Session({ tools: {} }, { processor: session.processor }).sent()).toEqual(['get_weather']);
  });

  it('is left out where it is always loaded, or the catalog is sent whole', async () => {
    const events: ToolSearchEvent[] = [];
    const onEvent = (event: ToolSearchEvent) => events.push(event);
    const tools = { stub: failing(), other: tool('other') };
    expect(await new Session({ tools, alwaysLoaded: ['get_weather'], onEvent }).sent()).toEqual([]);
    expect(await new Session({ tools, passthroughBelow: 5, onEvent }).sent()).toEqual(['other']);
    expect(events.filter(({ type }) => type === 'stub-failed')).toHaveLength(2);
  });
});

/** An app over a storage that outlives it. */
function start(storage: InMemoryStore, real: MastraTool, fillers: Record<string, MastraTool>, filter = () => true) {
  const { stub, resolve } = lazyToolOf(real);
  const made = rig(
    { tools: { [real.id]: stub, ...fillers }, filter },
    { script: calls(load(real.id), call(real.id)), agent: { memory: new Memory({ storage }) } },
  );
  inMastra(made.agent, storage);
  return { ...made, resolve };
}

describe.each(SIZES)('a call of a tool that came from a stub, in a $size catalog,', ({ fillers }) => {
  const memory = { thread: 'thread-1', resource: 'ada' };
  const places = [{ restarts: false }, { restarts: true }];
  const pay = (extra: object = {}) => tool('pay', 'Pays a bill.', { requireApproval: true, ...extra });

  it.each(places)(
    'waits for an approval, or suspends itself, and goes on (restart: $restarts)',
    async ({ restarts }) => {
      for (const real of [pay(), askingTool('ask')]) {
        const storage = new InMemoryStore();
        const before = start(storage, real, fillers);
        const waiting = await before.agent.generate('go', { memory });
        expect(waiting.finishReason).toBe('suspended');
        const after = restarts ? start(storage, real, fillers) : before;
        if (real.id === 'pay') await approve(after.agent, waiting);
        else await after.agent.resumeGenerate({ answer: 'yes' }, { runId: waiting.runId! });
        expect(after.model.result()).toMatchObject(real.id === 'pay' ? { ran: 'pay' } : { answer: 'yes' });
      }
    },
  );

  it.each(places)('does not run once the right is withdrawn (restart: $restarts)', async ({ restarts }) => {
    const storage = new InMemoryStore();
    const execute = vi.fn(async () => 'paid');
    let isAllowed = true;
    const before = start(storage, pay({ execute }), fillers, () => isAllowed);
    const waiting = await before.agent.generate('go', { memory });
    const after = restarts ? start(storage, pay({ execute }), fillers, () => isAllowed) : before;
    isAllowed = false;
    await approve(after.agent, waiting);
    expect(execute).not.toHaveBeenCalled();
    expect(JSON.stringify(after.model.calls.at(-1)?.prompt)).toContain('is not available to this request');
  });
});
