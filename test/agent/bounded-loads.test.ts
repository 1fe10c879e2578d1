import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import {
  type LoadedToolStore,
  memoryStore,
  type ToolSearchEvent,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, rig, tool, toolRecord } from '../support/harness.ts';
import { type ModelReply, toolNames } from '../support/scripted-model.ts';

const numbered = (count: number, from = 0, prefix = 't') =>
  toolRecord(...Array.from({ length: count }, (_, n) => tool(`${prefix}${from + n}`)));
const names = (count: number, from = 0, prefix = 't') => Object.keys(numbered(count, from, prefix));
const load = (...toolNames: string[]) => call('load_tool', { toolNames });
const turn = { memory: { thread: 'thread', resource: 'resource' }, maxSteps: 30 } as never;

/** An agent over a thread that others may share, and what each of its steps was sent besides the meta-tools. */
function replica(options: Partial<ToolSearchProcessorOptions> & Pick<ToolSearchProcessorOptions, 'tools'>) {
  const events: ToolSearchEvent[] = [];
  let steps: (() => readonly { toolName: string; input: unknown }[])[] = [];
  const script = ({ step }: { step: number }): ModelReply => {
    const next = steps[step];
    return next ? { toolCalls: next() } : { text: 'done' };
  };
  const memory = new Memory({ storage: new InMemoryStore() });
  const one = rig({ onEvent: (event) => void events.push(event), ...options }, { script, agent: { memory } });
  new Mastra({ agents: { agent: one.agent }, logger: false, storage: new InMemoryStore() });
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
  it('is sent 20 of them after one load of all, by a pattern or several, by names or by select:', async () => {
    const tens = Array.from({ length: 8 }, (_, n) => `t${n + 1}*`);
    for (const ask of [
      load('t*'),
      load(...tens),
      load(...names(100)),
      call('search_tools', { query: tens.map((ten) => `select:${ten}`) }),
    ]) {
      const sent = await replica({ tools: numbered(800) }).request(() => [ask]);
      expect(sent.map(({ length }) => length)).toEqual([0, 20]);
    }
  });

  it('is sent 64 at most by default, however often and however many at once it loads', async () => {
    const { request, evicted } = replica({ tools: numbered(800) });
    const twice = () => [load('t1*'), load('t2*')];
    const sent = await request(twice, twice, twice, () => [load('t3*')]);
    expect(sent.map(({ length }) => length)).toEqual([0, 40, 64, 64, 64]);
    expect(evicted().length).toBeGreaterThan(0);
  });

  it.each([100, Number.POSITIVE_INFINITY])('is sent 100 of them where maxLoaded.tools is %d', async (tools) => {
    const { request, evicted } = replica({ tools: numbered(800), maxLoaded: { tools } });
    const sent = await request(...Array.from({ length: 5 }, () => () => [load('t*')]));
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
    () => [load(...names(8))],
    // While the run of the left one is under way.
    () => [load('t8')],
    () => [load('t9')],
  );
  expect(sent.at(-1)).toHaveLength(10);
  const nested = await right.request(() => [load(...names(8, 100))]);
  expect(nested.map(({ length }) => length)).toEqual([10, 10]);

  // What another replica adds in the middle of a run, past this one's rules.
  const [scope = ''] = storage.scopes();
  const during = await left.request(
    () => {
      storage.add(scope, names(10, 150), { ttl: 0 });
      return [load('t20')];
    },
    () => [],
  );
  for (const step of during) expect(step.length).toBeLessThanOrEqual(10);
  expect(during.at(-1)).toContain('t20');
  expect(storage.get(scope).length).toBeLessThanOrEqual(10);
});

describe('loaded names that left the catalog', () => {
  /** A store with nothing but what a store has to have, over one that is looked into. */
  const stores: { name: string; make: () => { storage: LoadedToolStore; seen: ReturnType<typeof memoryStore> } }[] = [
    {
      name: 'memoryStore',
      make: () => {
        const seen = memoryStore();
        return { storage: seen, seen };
      },
    },
    {
      name: 'a store without remove',
      make: () => {
        const seen = memoryStore();
        const { get, add, clear } = seen;
        return { storage: { get, add, clear }, seen };
      },
    },
  ];

  it.each(stores)('do not pile up in $name over a hundred releases', async ({ make }) => {
    const { storage, seen } = make();
    let release = 0;
    const tools = () => numbered(5, 0, `v${release}_`);
    const { request, evicted } = replica({ tools, storage, maxLoaded: { tools: 12 } });
    for (release = 0; release < 100; release++) {
      const sent = await request(() => [load(`v${release}_*`)]);
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
      await request(() => [load('t*')]);
      isDown = true;
      expect((await request(() => [load(...names(4, 0, 'other'))])).at(-1)).toEqual(names(4, 0, 'other'));
      isDown = false;
      expect((await request()).at(-1)?.toSorted()).toEqual([...names(4, 0, 'other'), ...names(6)]);
      expect(evicted()).toEqual([]);

      isDown = true;
      await request(() => [load('other4', 'other5')]);
      isDown = false;
      await request();
      expect(evicted()).toEqual(['t0', 't1']);
    },
  );

  it('are 1,000 at most where nothing is capped', async () => {
    const storage = memoryStore();
    const { request } = replica({ tools: numbered(5), storage, maxLoaded: { tools: Number.POSITIVE_INFINITY } });
    await request(() => [load('t0')]);
    const [scope = ''] = storage.scopes();
    storage.add(scope, names(5_000, 0, 'gone'), { ttl: 0 });
    expect((await request()).at(-1)).toEqual(['t0']);
    expect(storage.get(scope)).toHaveLength(1_001);
    expect(storage.get(scope)).toContain('gone4999');
  });
});
