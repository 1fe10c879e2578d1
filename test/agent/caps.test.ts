import { InMemoryStore } from '@mastra/core/storage';
import {
  type LoadedToolStore,
  type MemoryStore,
  memoryStore,
  type ToolSearchEvent,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import {
  approve,
  askingTool,
  call,
  inMastra,
  inThread,
  load,
  newMemory,
  type Rig,
  rig,
  runDurable,
  tool,
  toolRecord,
} from '../support/agent.ts';
import { type ModelReply, toolNames } from '../support/scripted-model.ts';
import { type Calls, callsOf } from './written-calls.ts';

type Options = Partial<ToolSearchProcessorOptions>;
const loadAll = (...toolNames: string[]) => call('load_tool', { toolNames });

/** A store of one's own, from before there was `remove`. */
const withoutRemove = ({ get, add, clear }: LoadedToolStore = memoryStore()): LoadedToolStore => ({ get, add, clear });
const stores: readonly { name: string; make: (seen?: MemoryStore) => LoadedToolStore | 'context' }[] = [
  { name: 'memoryStore', make: (seen = memoryStore()) => seen },
  { name: 'a store without remove', make: withoutRemove },
  { name: 'context', make: () => 'context' },
];

/** A thread with the agents that serve it. A request is a list of steps: what the model calls, or a function that returns it. */
function thread(options: Options) {
  const events: ToolSearchEvent[] = [];
  const [memory, storage] = [newMemory(), new InMemoryStore()];
  let steps: readonly (string | (() => Calls))[] = [];
  const made = (changes: Options = {}): Rig => {
    const setup = { onEvent: (event: ToolSearchEvent) => void events.push(event), ...options, ...changes };
    const script = ({ step }: { step: number }): ModelReply => {
      const next = steps[step];
      if (next === undefined) return { text: 'done' };
      return { toolCalls: typeof next === 'string' ? callsOf(next) : next() };
    };
    const one = rig(setup, { script, agent: { memory } });
    inMastra(one.agent, storage);
    return one;
  };
  const first = made();
  /** Runs a request and says which tools each of its steps was sent. */
  const request = async (next: typeof steps, { by = first, turn = inThread as object, run = generate } = {}) => {
    steps = next;
    const before = by.model.calls.length;
    const output = await run(by.agent, 'go', { ...turn, maxSteps: 30 });
    return { output, sent: by.model.calls.slice(before).map((step) => toolNames(step).slice(2)) };
  };
  const evicted = () => events.flatMap((event) => (event.type === 'evict' ? [event.toolNames.join()] : []));
  return { ...first, made, request, evicted };
}
const stepsIn = (request: string) => request.split('; ').filter(Boolean);
/** What each step was sent, as the rules write it. */
const lines = (sent: string[][]) => sent.map((step) => step.toSorted().join('') || '-').join('; ');
type Run = (agent: Rig['agent'], text: string, options: object) => Promise<unknown>;
const generate: Run = (agent, text, options) => agent.generate(text, options);

const letters = (extra: Record<string, object> = {}) =>
  toolRecord(...['a', 'b', 'c', 'd', 'e'].map((id) => tool(id, `Tool ${id}.`, extra[id] ?? {})));
/** The tool e has about 250 tokens of description. */
const tools = letters({ e: { description: 'word '.repeat(250) } });

/** Requests, each with its steps; what each step was sent; what went; the last result. */
type Rule = [rule: string, options: Options, asked: string, sent: string, evicted: string[], result?: object];
const tokens = (count: number) => ({ maxLoaded: { tokens: count } });
const two = { maxLoaded: { tools: 2 } };
const one = { maxLoaded: { tools: 1 } };
const says = (message: string, more: object = {}) => ({ message: expect.stringContaining(message), ...more });
const unloadsB = says('Unloaded to make room: b.', { success: true, loaded: ['c'], unloaded: ['b'] });
const noRoomForC = says('No room for: c.', { success: false, loaded: ['a', 'b'], unloaded: ['e'] });
const rules: readonly Rule[] = [
  ['the least recently used goes, and only when it has to', two, '+a; +b; a; +c', '-; a; ab; ab; ac', ['b'], unloadsB],
  ['what is asked for together with a new one stays', two, '+a; +b; +a,c', '-; a; ab; ac', ['b']],
  ['what is selected together with a new one stays', two, '+a; +b; ?a,c', '-; a; ab; ac', ['b']],
  ['uses and loads of earlier requests count', two, '+a; +b | a | +c | ', '-; a; ab | ab; ab | ab; ac | ac', ['b']],
  ['what went can be loaded again', one, '+a; +b; +a | ', '-; a; b; a | a', ['a', 'b']],
  ['what does not fit beside the others is left out', two, '+e; +a,b,c', '-; e; ab', ['e'], noRoomForC],
  ['nothing goes in the step that calls it', one, '+a; a +b', '-; a; a', [], says('No room for: b.')],
  ['what was loaded in the same step counts as used', two, '+a; +b +c', '-; a; bc', ['a']],
  ['as many go as take the tokens', tokens(350), '+a; +b; +c; +e; +a', '-; a; ab; abc; ce; ae', ['a,b', 'c']],
  ['nothing goes for what alone costs more', tokens(200), '+a; +e', '-; a; a', [], says('No room for: e.')],
  ['what is always sent takes no room', { ...one, alwaysLoaded: ['a', 'b'] }, '+c; a', 'ab; abc; abc', []],
];

describe.each(stores)('maxLoaded with $name', ({ name, make }) => {
  it.each(rules)('%s', async (_, options, asked, sent, evicted, result) => {
    const there = thread({ tools, storage: make(), ...options });
    const seen: string[] = [];
    for (const request of asked.split(' | ')) seen.push(lines((await there.request(stepsIn(request))).sent));
    expect(seen.join(' | ')).toBe(sent);
    expect(there.evicted()).toEqual(evicted);
    if (result) expect(there.model.result()).toMatchObject(result);
  });

  it('is kept from the first step of the next request on when it becomes lower', async () => {
    const { request, made, evicted } = thread({ tools, storage: make() });
    await request(['+a', '+b', '+c', 'a']);
    const by = made({ maxLoaded: { tools: 2 } });
    expect(lines((await request(['a'], { by })).sent)).toBe('ac; ac');
    expect(lines((await request([], { by })).sent)).toBe('ac');
    // The conversation still shows what has no room, and nothing else remembers.
    expect(evicted()).toEqual(name === 'context' ? ['b', 'b'] : ['b']);
  });
});

it.each([
  { why: 'an approval', waits: tool('a', 'Tool a.', { requireApproval: true }), storage: 'context' as const },
  { why: 'an answer', waits: askingTool('a'), storage: withoutRemove() },
])('a tool that waits for $why never goes', async ({ why, waits, storage }) => {
  const { request, agent, evicted, model } = thread({
    tools: { ...tools, a: waits },
    storage,
    maxLoaded: { tools: 2 },
  });
  const { output } = await request(['+a', '+b', 'b', 'a']);
  expect((await request(['+c', '+d'])).sent.map(String)).toEqual(['a,b', 'a,c', 'a,d']);
  expect(evicted()).toEqual(['b', 'c']);
  if (why === 'an answer')
    await agent.resumeGenerate({ answer: 'yes' }, { runId: (output as { runId: string }).runId });
  else await approve(agent, output as never);
  expect(model.result(-1, 'a')).toMatchObject(why === 'an answer' ? { answer: 'yes' } : { ran: 'a' });
  expect(model.sent()).toContain('a');
});

it.each<[of: string, options: Options, run: { turn?: object; run?: Run }]>([
  ['a request without a thread', {}, { turn: {} }],
  ['a request without a thread, for its messages', { storage: 'context' }, { turn: {} }],
  ['a run of a DurableAgent', {}, { run: runDurable }],
])('the caps of %s hold', async (_, options, run) => {
  const there = thread({ tools, ...two, ...options });
  expect(lines((await there.request(stepsIn('+a; +b; a; +c; c'), run)).sent)).toBe('-; a; ab; ab; ac; ac');
  expect(there.evicted()).toEqual(['b']);
});

it('a search with autoLoad and select: load within the cap, and say what found no room', async () => {
  const search = call('search_tools', { query: 'tool' });
  const two = thread({ tools, maxLoaded: { tools: 2 }, search: { autoLoad: true } });
  await two.request([() => [search], '?d,e']);
  const sent = two.model.calls.map((step) => toolNames(step).slice(1));
  expect([sent[1]?.length, sent[2]]).toEqual([2, ['d', 'e']]);
  expect(two.evicted().join().split(',').sort()).toEqual(sent[1]?.filter((name) => !['d', 'e'].includes(name)).sort());

  const none = thread({ tools, maxLoaded: { tokens: 1 }, search: { autoLoad: true } });
  await none.request([() => [search]]);
  const { message } = none.model.result() as { message: string };
  expect(message).toContain('No room for: ');
  expect(message).not.toContain('available to load');
});

const names = (count: number, from = 0, prefix = 't') =>
  Array.from({ length: count }, (_, n) => `${prefix}${from + n}`);
const numbered = (...given: Parameters<typeof names>) => toolRecord(...names(...given).map((name) => tool(name)));

it.each([
  { maxLoaded: {}, counts: [0, 40, 64, 64, 64] },
  { maxLoaded: { tools: 100 }, counts: [0, 40, 80, 100, 100] },
  { maxLoaded: { tools: Number.POSITIVE_INFINITY }, counts: [0, 40, 80, 120, 140] },
])('an agent over 800 tools that loads however many is sent so many with $maxLoaded', async ({ maxLoaded, counts }) => {
  const { request, evicted } = thread({ tools: numbered(800), maxLoaded });
  const twice = (at: number) => () => [loadAll(...names(20, 40 * at)), loadAll(...names(20, 40 * at + 20))];
  const { sent } = await request([twice(0), twice(1), twice(2), () => [loadAll(...names(20, 200))]]);
  expect(sent.map(({ length }) => length)).toEqual(counts);
  expect(evicted().length > 0).toBe(counts.at(-1) !== 140);
});

it('two replicas that load for one thread at once are both within the cap from the next step on', async () => {
  const storage = memoryStore();
  const replica = () => thread({ tools: numbered(200), storage, maxLoaded: { tools: 10 } });
  const [left, right] = [replica(), replica()];
  const { sent } = await left.request([() => [loadAll(...names(8))], '+t8', '+t9']);
  expect(sent.at(-1)).toHaveLength(10);
  const nested = await right.request([() => [loadAll(...names(8, 100))]]);
  expect(nested.sent.map(({ length }) => length)).toEqual([10, 10]);

  // What another replica adds in the middle of a run, past this one's rules.
  const [scope = ''] = storage.scopes();
  const during = await left.request([
    () => {
      storage.add(scope, names(10, 150), { ttl: 0 });
      return [load('t20')];
    },
    () => [],
  ]);
  for (const step of during.sent) expect(step.length).toBeLessThanOrEqual(10);
  expect(during.sent.at(-1)).toContain('t20');
  expect(storage.get(scope).length).toBeLessThanOrEqual(10);
});

describe('loaded names that left the catalog', () => {
  it.each(stores.slice(0, 2))('do not pile up in $name, and come back as long as there is room', async ({ make }) => {
    const seen = memoryStore();
    let given = numbered(5);
    const { request, evicted } = thread({ tools: () => given, storage: make(seen), maxLoaded: { tools: 12 } });
    for (let release = 0; release < 8; release++) {
      const now = names(5, 0, `v${release}_`);
      given = toolRecord(...now.map((name) => tool(name)));
      expect((await request([() => [loadAll(...now)]])).sent).toEqual([[], now]);
    }
    const [scope = ''] = seen.scopes();
    expect(seen.get(scope).length).toBeLessThanOrEqual(12 + 5);
    expect(evicted().join()).not.toContain('v7_0');

    // A server that is down: its tools come back, the newest of them, beside what was loaded meanwhile.
    const others = numbered(20, 0, 'other');
    const all = { ...numbered(6), ...others };
    seen.clear(scope);
    const before = evicted().length;
    given = all;
    await request([() => [loadAll(...names(6))]]);
    given = others;
    expect((await request([() => [loadAll(...names(6, 0, 'other'))]])).sent.at(-1)).toEqual(names(6, 0, 'other'));
    given = all;
    expect((await request([])).sent[0]).toHaveLength(12);
    given = others;
    await request(['+other6,other7']);
    given = all;
    await request([]);
    expect(evicted().slice(before)).toEqual(['t0,t1']);
  });

  it('are 1,000 at most where nothing is capped', async () => {
    const storage = memoryStore();
    const { request } = thread({ tools: numbered(5), storage, maxLoaded: { tools: Number.POSITIVE_INFINITY } });
    await request(['+t0']);
    const [scope = ''] = storage.scopes();
    storage.add(scope, names(5_000, 0, 'gone'), { ttl: 0 });
    expect((await request([])).sent).toEqual([['t0']]);
    expect(storage.get(scope)).toHaveLength(1_001);
    expect(storage.get(scope)).toContain('gone4999');
  });
});
