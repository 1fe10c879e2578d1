import { InMemoryStore } from '@mastra/core/storage';
import {
  type LoadedToolStore,
  memoryStore,
  type ToolSearchEvent,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approve, call, inMastra, load, newMemory, rig, runDurable, tool, toolRecord } from '../support/harness.ts';
import { type ModelReply, toolNames } from '../support/scripted-model.ts';

const letters = ['a', 'b', 'c', 'd', 'e'];
/** As a store of one's own, from before there was `remove`. */
const withoutRemove = ({ get, add, clear }: LoadedToolStore = memoryStore()): LoadedToolStore => ({ get, add, clear });
const stores = [
  { name: 'memoryStore', make: () => memoryStore() as LoadedToolStore },
  { name: 'context', make: () => 'context' as const },
  { name: 'a store without remove', make: () => withoutRemove() },
];

type Calls = readonly { toolName: string; input: unknown }[];

/** A thread with the agents that serve it. Each request is a list of steps, each step a list of calls. */
function thread(options: Partial<ToolSearchProcessorOptions>, extraTools: Record<string, object> = {}) {
  const memory = newMemory();
  const events: ToolSearchEvent[] = [];
  let steps: readonly Calls[] = [];
  const storage = new InMemoryStore();
  const made = (changes: Partial<ToolSearchProcessorOptions>) => {
    const tools = toolRecord(...letters.map((id) => tool(id, `Tool ${id}.`, extraTools[id] ?? {})));
    const setup = { tools, onEvent: (event: ToolSearchEvent) => void events.push(event), ...options, ...changes };
    const script = ({ step }: { step: number }): ModelReply => {
      const toolCalls = steps[step];
      return toolCalls ? { toolCalls } : { text: 'done' };
    };
    const one = rig(setup as ToolSearchProcessorOptions, { script, agent: { memory } });
    inMastra(one.agent, storage);
    return one;
  };
  const first = made({});
  /** Runs a request and says which tools each of its steps was sent. */
  const request = async (next: readonly Calls[], turn: object | null = { thread: 't', resource: 'r' }, by = first) => {
    steps = next;
    const before = by.model.calls.length;
    const output = await by.agent.generate('go', (turn ? { memory: turn, maxSteps: 20 } : { maxSteps: 20 }) as never);
    return { output, sent: by.model.calls.slice(before).map((received) => toolNames(received).slice(2)) };
  };
  const evicted = () => events.flatMap((event) => (event.type === 'evict' ? [event.toolNames] : []));
  const lastResult = (name?: string) => first.model.result(-1, name);
  return { ...first, made, events, request, evicted, lastResult };
}

describe.each(stores)('maxLoaded.tools with $name', ({ name, make }) => {
  it('evicts the least recently used tool when another one is loaded, and only then', async () => {
    const { request, evicted, lastResult } = thread({ storage: make(), maxLoaded: { tools: 2 } });
    const { sent } = await request([[load('a')], [load('b')], [call('a')], [call('a')], [load('c')], [call('c')]]);
    expect(sent).toEqual([[], ['a'], ['a', 'b'], ['a', 'b'], ['a', 'b'], ['a', 'c'], ['a', 'c']]);
    expect(evicted()).toEqual([['b']]);
    expect(lastResult('load_tool')).toEqual({
      success: true,
      message: 'Tool "c" loaded successfully. Call it now. Unloaded to make room: b.',
      toolName: 'c',
      loaded: ['c'],
      unloaded: ['b'],
    });
  });

  it.each([
    { by: 'name', ask: call('load_tool', { toolNames: ['a', 'c'] }) },
    { by: 'select:', ask: call('search_tools', { query: 'select:a,c' }) },
  ])('keeps a loaded tool that is asked for together with a new one by $by', async ({ ask }) => {
    const { request, evicted } = thread({ storage: make(), maxLoaded: { tools: 2 } });
    const { sent } = await request([[load('a')], [load('b')], [ask], [call('a')]]);
    expect(sent.at(-1)).toEqual(['a', 'c']);
    expect(evicted()).toEqual([['b']]);
  });

  it('counts what earlier requests used and loaded', async () => {
    const { request, evicted } = thread({ storage: make(), maxLoaded: { tools: 2 } });
    await request([[load('a')], [load('b')]]);
    await request([[call('a')]]);
    await request([[load('c')]]);
    expect((await request([])).sent).toEqual([['a', 'c']]);
    expect(evicted()).toEqual([['b']]);
  });

  it('allows an evicted tool to be loaded again', async () => {
    const { request, evicted } = thread({ storage: make(), maxLoaded: { tools: 1 } });
    const { sent } = await request([[load('a')], [load('b')], [load('a')]]);
    expect(sent).toEqual([[], ['a'], ['b'], ['a']]);
    expect((await request([])).sent).toEqual([['a']]);
    expect(evicted()).toEqual([['a'], ['b']]);
  });

  it('is kept from the first step of the next request on when it becomes lower', async () => {
    const { request, made, evicted } = thread({ storage: make() });
    const turn = { thread: 't', resource: 'r' };
    await request([[load('a')], [load('b')], [load('c')], [call('a')]]);
    const lower = made({ maxLoaded: { tools: 2 } });
    expect((await request([[call('a')]], turn, lower)).sent).toEqual([
      ['a', 'c'],
      ['a', 'c'],
    ]);
    expect(evicted()).toEqual([['b']]);
    expect((await request([], turn, lower)).sent).toEqual([['a', 'c']]);
    // The conversation still shows what has no room, and nothing else remembers.
    expect(evicted()).toEqual(name === 'context' ? [['b'], ['b']] : [['b']]);
  });

  it('leaves out what does not fit beside the others of one call', async () => {
    const { request, lastResult, evicted } = thread({ storage: make(), maxLoaded: { tools: 2 } });
    const { sent } = await request([[load('e')], [call('load_tool', { toolNames: ['a', 'b', 'c'] })]]);
    expect(sent).toEqual([[], ['e'], ['a', 'b']]);
    expect(evicted()).toEqual([['e']]);
    expect(lastResult()).toEqual({
      success: false,
      message: 'Loaded: a, b — call them now Unloaded to make room: e. No room for: c. Load fewer at a time.',
      loadedCount: 2,
      loaded: ['a', 'b'],
      unloaded: ['e'],
    });
  });

  it('bounds search.autoLoad and select: too', async () => {
    const auto = thread({ storage: make(), maxLoaded: { tools: 2 }, search: { autoLoad: true } });
    const searching = [[call('search_tools', { query: 'tool' })], [call('search_tools', { query: 'select:d,e' })]];
    const { model } = auto;
    await auto.request(searching);
    const loadedIn = model.calls.map((received) => toolNames(received).slice(1));
    expect(loadedIn[1]).toHaveLength(2);
    expect(loadedIn[2]).toEqual(['d', 'e']);
    expect(auto.evicted().flat().sort()).toEqual(loadedIn[1]?.filter((name) => !['d', 'e'].includes(name)).sort());
  });

  const answering = async (
    _: unknown,
    { agent }: { agent: { resumeData?: object; suspend(payload: object): unknown } },
  ) => (agent.resumeData ? { ran: 'a' } : agent.suspend({}));
  it.each<[why: string, extra: object]>([
    ['an approval', { requireApproval: true }],
    ['an answer', { suspendSchema: z.object({}), resumeSchema: z.object({ answer: z.string() }), execute: answering }],
  ])('never evicts a tool that waits for %s', async (why, extra) => {
    const { request, agent, evicted, model, lastResult } = thread(
      { storage: make(), maxLoaded: { tools: 2 } },
      { a: extra },
    );
    const { output } = await request([[load('a')], [load('b')], [call('b')], [call('a')]]);
    expect(output.finishReason).toBe('suspended');
    expect((await request([[load('c')], [load('d')]])).sent).toEqual([
      ['a', 'b'],
      ['a', 'c'],
      ['a', 'd'],
    ]);
    expect(evicted()).toEqual([['b'], ['c']]);

    if (why === 'an answer') await agent.resumeGenerate({ answer: 'yes' }, { runId: output.runId! });
    else await approve(agent, output);
    expect(lastResult('a')).toMatchObject({ ran: 'a' });
    expect(model.sent()).toContain('a');
  });

  it('does not evict a tool that is called in the very step that loads another', async () => {
    const { request, lastResult, evicted } = thread({ storage: make(), maxLoaded: { tools: 1 } });
    const { sent } = await request([[load('a')], [call('a'), load('b')]]);
    expect(sent).toEqual([[], ['a'], ['a']]);
    expect(lastResult('a')).toMatchObject({ ran: 'a' });
    expect(lastResult('load_tool')).toMatchObject({ success: false, message: 'No room for: b. Load fewer at a time.' });
    expect(evicted()).toEqual([]);
  });

  it('counts what was loaded in the same step as used', async () => {
    const { request, evicted } = thread({ storage: make(), maxLoaded: { tools: 2 } });
    const { sent } = await request([[load('a')], [load('b'), load('c')]]);
    expect(sent.at(-1)).toEqual(['b', 'c']);
    expect(evicted()).toEqual([['a']]);
  });
});

describe('maxLoaded.tokens', () => {
  /** About 250 tokens of description. */
  const large = { description: 'word '.repeat(250) };

  it.each(stores)('evicts as many tools as the tokens of the new one take, with $name', async ({ make }) => {
    const { request, evicted } = thread({ storage: make(), maxLoaded: { tokens: 350 } }, { e: large });
    const { sent } = await request([[load('a')], [load('b')], [load('c')], [load('e')], [load('a')]]);
    expect(sent.slice(0, 4)).toEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']]);
    expect(sent[4]).toEqual(['c', 'e']);
    expect(sent[5]?.toSorted()).toEqual(['a', 'e']);
    expect(evicted()).toEqual([['a', 'b'], ['c']]);
  });

  it('leaves out a tool that alone costs more, and evicts nothing for it', async () => {
    const { request, evicted, lastResult } = thread({ maxLoaded: { tokens: 200 } }, { e: large });
    const { sent } = await request([[load('a')], [load('e')]]);
    expect(sent).toEqual([[], ['a'], ['a']]);
    expect(lastResult()).toMatchObject({
      success: false,
      toolName: 'e',
      message: expect.stringContaining('No room for: e.'),
    });
    expect(evicted()).toEqual([]);
  });

  it('has a search with autoLoad say what found no room, and not that none may be loaded', async () => {
    const { request, lastResult } = thread({ maxLoaded: { tokens: 1 }, search: { autoLoad: true } });
    await request([[call('search_tools', { query: 'tool' })]]);
    const { message } = lastResult() as { message: string };
    expect(message).toContain('No room for: ');
    expect(message).not.toContain('available to load');
  });
});

it.each(['in-memory', 'context'] as const)(
  'the caps of a request without a thread hold for it alone (%s)',
  async (storage) => {
    const { request, evicted } = thread({ maxLoaded: { tools: 1 }, storage });
    expect((await request([[load('a')], [load('b')], [call('b')]], null)).sent).toEqual([[], ['a'], ['b'], ['b']]);
    expect(evicted()).toEqual([['a']]);
  },
);

it('tools that are always sent take no room of maxLoaded', async () => {
  const { request, evicted } = thread({ maxLoaded: { tools: 1 }, alwaysLoaded: ['a', 'b'] });
  expect((await request([[load('c')], [call('a')]])).sent).toEqual([
    ['a', 'b'],
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]);
  expect(evicted()).toEqual([]);
});

it('maxLoaded holds in a DurableAgent, and changes the tools only when something is loaded', async () => {
  const evicted: unknown[] = [];
  const steps = [[load('a')], [load('b')], [call('a')], [load('c')], [call('c')]];
  const { agent, model } = rig(
    {
      tools: toolRecord(...letters.map((id) => tool(id))),
      maxLoaded: { tools: 2 },
      onEvent: (event) => void (event.type === 'evict' && evicted.push(event.toolNames)),
    },
    { script: ({ step }) => (steps[step] ? { toolCalls: steps[step] } : { text: 'done' }) },
  );
  await runDurable(agent, 'go', { maxSteps: 20 } as never);
  const sent = model.calls.map((received) => toolNames(received).slice(2));
  expect(sent).toEqual([[], ['a'], ['a', 'b'], ['a', 'b'], ['a', 'c'], ['a', 'c']]);
  expect(evicted).toEqual([['b']]);
});

const numbered = (count: number, from = 0, prefix = 't') =>
  toolRecord(...Array.from({ length: count }, (_, n) => tool(`${prefix}${from + n}`)));
const names = (count: number, from = 0, prefix = 't') => Object.keys(numbered(count, from, prefix));
const loadAll = (...toolNames: string[]) => call('load_tool', { toolNames });
const turn = { memory: { thread: 'thread', resource: 'resource' }, maxSteps: 30 } as never;

/** An agent over a thread that others may share, and what each of its steps was sent besides the meta-tools. */
function replica(options: Partial<ToolSearchProcessorOptions> & Pick<ToolSearchProcessorOptions, 'tools'>) {
  const events: ToolSearchEvent[] = [];
  let steps: (() => readonly { toolName: string; input: unknown }[])[] = [];
  const script = ({ step }: { step: number }): ModelReply => {
    const next = steps[step];
    return next ? { toolCalls: next() } : { text: 'done' };
  };
  const memory = newMemory();
  const one = rig({ onEvent: (event) => void events.push(event), ...options }, { script, agent: { memory } });
  inMastra(one.agent);
  const request = async (...next: typeof steps): Promise<string[][]> => {
    steps = next;
    const before = one.model.calls.length;
    await one.agent.generate('go', turn);
    return one.model.calls.slice(before).map((received) => toolNames(received).slice(2));
  };
  const evicted = () => events.flatMap((event) => (event.type === 'evict' ? event.toolNames : []));
  return { ...one, request, evicted };
}

describe('an agent over 800 tools', () => {
  it('is sent 64 at most by default, however often and however many at once it loads', async () => {
    const { request, evicted } = replica({ tools: numbered(800) });
    const twice = () => [loadAll('t1*'), loadAll('t2*')];
    const sent = await request(twice, twice, twice, () => [loadAll('t3*')]);
    expect(sent.map(({ length }) => length)).toEqual([0, 40, 64, 64, 64]);
    expect(evicted().length).toBeGreaterThan(0);
  });

  it.each([100, Number.POSITIVE_INFINITY])('is sent 100 of them where maxLoaded.tools is %d', async (tools) => {
    const { request, evicted } = replica({ tools: numbered(800), maxLoaded: { tools } });
    const sent = await request(...Array.from({ length: 5 }, () => () => [loadAll('t*')]));
    expect(sent.at(-1)).toHaveLength(100);
    expect(evicted()).toEqual([]);
  });
});

it('two replicas that load for one thread at once are both within the cap from the next step on', async () => {
  const storage = memoryStore();
  const tools = numbered(200);
  const left = replica({ tools, storage, maxLoaded: { tools: 10 } });
  const right = replica({ tools, storage, maxLoaded: { tools: 10 } });
  const sent = await left.request(
    () => [loadAll(...names(8))],
    // While the run of the left one is under way.
    () => [loadAll('t8')],
    () => [loadAll('t9')],
  );
  expect(sent.at(-1)).toHaveLength(10);
  const nested = await right.request(() => [loadAll(...names(8, 100))]);
  expect(nested.map(({ length }) => length)).toEqual([10, 10]);

  // What another replica adds in the middle of a run, past this one's rules.
  const [scope = ''] = storage.scopes();
  const during = await left.request(
    () => {
      storage.add(scope, names(10, 150), { ttl: 0 });
      return [loadAll('t20')];
    },
    () => [],
  );
  for (const step of during) expect(step.length).toBeLessThanOrEqual(10);
  expect(during.at(-1)).toContain('t20');
  expect(storage.get(scope).length).toBeLessThanOrEqual(10);
});

describe('loaded names that left the catalog', () => {
  /** Each over one that is looked into. */
  const stores: { name: string; make: () => { storage: LoadedToolStore; seen: ReturnType<typeof memoryStore> } }[] = [
    { name: 'memoryStore', make: (seen = memoryStore()) => ({ storage: seen, seen }) },
    { name: 'a store without remove', make: (seen = memoryStore()) => ({ storage: withoutRemove(seen), seen }) },
  ];

  it.each(stores)('do not pile up in $name over a hundred releases', async ({ make }) => {
    const { storage, seen } = make();
    let release = 0;
    const tools = () => numbered(5, 0, `v${release}_`);
    const { request, evicted } = replica({ tools, storage, maxLoaded: { tools: 12 } });
    for (release = 0; release < 100; release++) {
      const sent = await request(() => [loadAll(`v${release}_*`)]);
      expect(sent.map(({ length }) => length)).toEqual([0, 5]);
    }
    const [scope = ''] = seen.scopes();
    expect(seen.get(scope).length).toBeLessThanOrEqual(12 + 5);
    expect(evicted()).not.toContain('v99_0');
  });

  it.each(stores)(
    'are loaded again in $name when they come back, the newest of them, as long as there is room',
    async ({ make }) => {
      let isDown = false;
      const tools = () => (isDown ? numbered(20, 0, 'other') : { ...numbered(6), ...numbered(20, 0, 'other') });
      const { request, evicted } = replica({ tools, storage: make().storage, maxLoaded: { tools: 10 } });
      await request(() => [loadAll('t*')]);
      isDown = true;
      expect((await request(() => [loadAll(...names(4, 0, 'other'))])).at(-1)).toEqual(names(4, 0, 'other'));
      isDown = false;
      expect((await request()).at(-1)?.toSorted()).toEqual([...names(4, 0, 'other'), ...names(6)]);
      expect(evicted()).toEqual([]);

      isDown = true;
      await request(() => [loadAll('other4', 'other5')]);
      isDown = false;
      await request();
      expect(evicted()).toEqual(['t0', 't1']);
    },
  );

  it('are 1,000 at most where nothing is capped', async () => {
    const storage = memoryStore();
    const { request } = replica({ tools: numbered(5), storage, maxLoaded: { tools: Number.POSITIVE_INFINITY } });
    await request(() => [loadAll('t0')]);
    const [scope = ''] = storage.scopes();
    storage.add(scope, names(5_000, 0, 'gone'), { ttl: 0 });
    expect((await request()).at(-1)).toEqual(['t0']);
    expect(storage.get(scope)).toHaveLength(1_001);
    expect(storage.get(scope)).toContain('gone4999');
  });
});
