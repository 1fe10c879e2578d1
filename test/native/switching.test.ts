// One conversation with several models.
import { Agent } from '@mastra/core/agent';
import { createAnthropic as createAnthropic3 } from 'anthropic-v3';
import { createOpenAI as createOpenAI3First } from 'openai-v3-first';
import { describe, expect, it } from 'vitest';
import { pairwise } from '../support/breadth.ts';
import { withRouter } from './fakes/fake-provider.ts';
import { searchesIn } from './rig/goals.ts';
import { EXECUTIONS, KINDS } from './rig/rig.ts';
import type { Kind } from './rig/services.ts';
import { loadedByEvents, type World, type WorldOptions, world } from './rig/world.ts';

const NATIVE: readonly Kind[] = ['anthropic', 'openai'];

/** All orders of three kinds, the first one again at the end, and there and back. */
function sequences(kinds: readonly Kind[]): Kind[][] {
  const pairs = kinds.flatMap((first) => kinds.flatMap((second) => (second === first ? [] : [[first, second]])));
  return pairs.flatMap(([first, second]) => {
    const third = kinds.find((kind) => kind !== first && kind !== second)!;
    return [[first, second, first] as Kind[], [first, second, third, first] as Kind[]];
  });
}

/** Each turn uses what was loaded before, and one more tool as long as there are some. */
const TURNS = [
  { text: 'use get_weather', searched: ['get_weather'] },
  { text: 'use get_weather send_email', searched: ['send_email'] },
  { text: 'use send_email get_weather book_flight', searched: ['book_flight'] },
  { text: 'use book_flight get_weather send_email', searched: [] },
];

async function converse(order: readonly Kind[], setup: WorldOptions, mode: 'say' | 'stream'): Promise<void> {
  const there = world(setup);
  const isBridged = setup.native?.fallback === 'call';
  const foundNatively = new Set<string>();
  for (const [turn, kind] of order.entries()) {
    const { text, searched: lacking } = TURNS[turn]!;
    const goals = text.split(' ').slice(1);
    // In call mode nothing is loaded: a model with a tool search may have to find what was called there.
    const isFindingAgain = isBridged && NATIVE.includes(kind);
    const searched = isFindingAgain ? goals.filter((name) => !foundNatively.has(name)) : lacking;
    if (isFindingAgain) for (const name of goals) foundNatively.add(name);
    const { length: before } = there.sent;
    const { length: ranBefore } = there.ran;
    const answer = await there[mode](text, kind);
    const about = `turn ${turn + 1} of ${order.join(', ')}`;
    // Before 3.0.68, the package of OpenAI loses namespaces, which only the service tells: once.
    const lost = there.refused().filter(({ rule }) => rule === 'missing-namespace');
    expect(lost.length, about).toBeLessThanOrEqual(setup.openai === createOpenAI3First ? 1 : 0);
    expect(there.refused(), about).toEqual(lost);
    const sent = there.sent.slice(before);
    expect(new Set(sent.map((one) => one.kind)), about).toEqual(new Set([kind]));
    expect(
      sent.flatMap(({ foreign }) => foreign),
      about,
    ).toEqual([]);
    expect(answer, about).toBe('done');
    const made = searchesIn(sent);
    expect(made, about).toEqual(isFindingAgain ? searched.filter((name) => made.includes(name)) : searched);
    expect(there.ran.slice(ranBefore), about).toEqual(goals);
    if (NATIVE.includes(kind)) continue;
    const loaded = isBridged ? ['call_tool'] : ['load_tool', ...loadedByEvents(there.events)];
    const allowed = new Set(['own_tool', 'search_tools', ...loaded]);
    const others = sent.flatMap(({ eager }) => eager).filter((name) => !allowed.has(name));
    expect(others, about).toEqual([]);
  }
}

const ofFirstWord = ({ id = '' }): string | undefined => (id === 'get_weather' ? undefined : `of ${id.split('_')[0]}`);
const SETUPS: Readonly<Record<string, WorldOptions>> = {
  'current packages': {},
  'the first package of OpenAI': { openai: createOpenAI3First as never },
  'the first packages of both': { openai: createOpenAI3First as never, anthropic: createAnthropic3 as never },
  namespaces: { native: { namespace: ofFirstWord } },
  "fallback 'call'": { native: { fallback: 'call' } },
};
// One that knows no provider comes through no HTTP.
const orders: readonly (readonly Kind[])[] = [
  ...sequences(['anthropic', 'openai', 'chat']),
  ...NATIVE.map((kind): Kind[] => [kind, 'scripted', kind]),
];
const conversations = pairwise({
  ...{ execution: EXECUTIONS, order: orders.map((order) => order.join(' → ')) },
  ...{ setup: Object.keys(SETUPS), mode: ['say', 'stream'] },
});

it.each(conversations)(
  'a conversation goes on with each model: $setup, $order, $execution, $mode',
  async ({ setup, order, execution, mode }) => {
    await converse(order.split(' → ') as Kind[], { execution, ...SETUPS[setup] }, mode);
  },
);

it.each(
  EXECUTIONS.flatMap((execution) => [
    { execution, packaged: 'anthropic', router: 'anthropic/claude-sonnet-4-5' } as const,
    { execution, packaged: 'openai', router: 'openai/gpt-5.4' } as const,
  ]),
)("a conversation goes from $router of Mastra's router to the package and back, $execution", async (one) => {
  const there = world({ execution: one.execution });
  await withRouter({ anthropic: there.anthropic, openai: there.openai }, async () => {
    for (const [turn, model] of [one.router, undefined, one.router, undefined].entries()) {
      expect(await there.say(TURNS[turn]!.text, one.packaged, model ? { model } : {})).toBe('done');
    }
  });
  expect(there.refused()).toEqual([]);
  expect(there.events.filter(({ type }) => type === 'native-off')).toEqual([]);
  expect(searchesIn(there.sent)).toEqual(['get_weather', 'send_email', 'book_flight']);
});

const kinds: readonly Kind[] = ['anthropic', 'openai', 'chat'];
const pairs = kinds.flatMap((first) =>
  kinds.filter((second) => second !== first).map((second) => ({ first, second }) as const),
);
const combined = <Item extends object>(items: readonly Item[]) =>
  pairwise({ execution: EXECUTIONS, pair: pairs, item: items }).map(({ pair, item, ...one }) => ({
    ...{ ...one, ...pair, ...item },
  }));

/** What no model may be sent, whoever chose it. */
function expectFit(there: World): void {
  expect(there.refused()).toEqual([]);
  expect(there.sent.flatMap((sent) => sent.foreign)).toEqual([]);
  const allowed = new Set(['own_tool', 'search_tools', 'load_tool', ...loadedByEvents(there.events)]);
  for (const { kind, eager, system } of there.sent) {
    if (kind === 'chat' || kind === 'scripted') expect(eager.filter((name) => !allowed.has(name))).toEqual([]);
    const searches = eager.filter((name) => name.startsWith('tool_search') || name === 'search_tools');
    expect(searches, `search tools for ${kind}`).toHaveLength(1);
    for (const name of ['search_tools', 'tool_search', 'tool_search_tool_bm25', 'load_tool']) {
      if (new RegExp(`\\b${name}\\b`).test(system)) expect(eager, `what ${kind} is told to call`).toContain(name);
    }
  }
}
const USE = 'use get_weather send_email';

describe('another model, taken by prepareStep', () => {
  const ways = [
    { at: 0 },
    { at: 1 },
    { at: 2 },
    { at: 1, injectCatalog: true },
    { at: 1, injectCatalog: 'names' },
  ] as const;

  it.each(combined(ways.flatMap((way) => KINDS.map((registered) => ({ way, registered })))))(
    'goes on with the search that it knows, and later turns need none: $registered, $first, then $second, $way, $execution',
    async ({ first, second, registered, way: { at, ...options }, execution }) => {
      const there = world({ execution, options, registered });
      const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
        stepNumber >= at ? { model: there.models[second] } : undefined;
      expect(await there.say(USE, first, { prepareStep })).toBe('done');
      expect(there.sent.map(({ kind }) => kind)).toEqual(there.sent.map((_, step) => (step < at ? first : second)));
      const { length: before } = there.sent;
      for (const kind of [second, first]) await there.say(USE, kind);
      expectFit(there);
      if ('injectCatalog' in options) for (const { system } of there.sent) expect(system).toContain('book_flight');
      expect(there.ran).toEqual(Array(3).fill(['get_weather', 'send_email']).flat());
      // Mastra forgets what a provider found for a DurableAgent.
      if (registered === 'Agent' || execution !== 'server') expect(searchesIn(there.sent.slice(before))).toEqual([]);
    },
  );

  it.each(combined([{}]))('may alternate with the first: $first and $second, $execution', async (one) => {
    const there = world({ execution: one.execution });
    const prepareStep = ({ stepNumber }: { stepNumber: number }) => ({
      model: there.models[stepNumber % 2 === 0 ? one.first : one.second],
    });
    expect(await there.stream(USE, one.first, { prepareStep })).toBe('done');
    expectFit(there);
  });
});

function agentWith({ processor }: World, model: unknown, around = [processor] as readonly unknown[]): Agent {
  const inputProcessors = around as never;
  return new Agent({ id: 's', name: 'S', instructions: 'Help.', model: model as never, tools: {}, inputProcessors });
}

describe('another model, taken by an input processor', () => {
  it.each(combined([{ place: 'before' }, { place: 'after' }]))(
    'goes on with the search that it knows: $first, then $second, $place this one, $execution',
    async ({ first, second, place, execution }) => {
      const there = world({ execution });
      const processInputStep = ({ stepNumber }: { stepNumber: number }) =>
        stepNumber >= 1 ? { model: there.models[second] } : {};
      const chooser = { id: 'chooser', processInputStep };
      const { processor } = there;
      const around = place === 'before' ? [chooser, processor] : [processor, chooser];
      const { text } = await agentWith(there, there.models[first], around).generate(USE, { maxSteps: 12 });
      expectFit(there);
      expect([text, there.ran]).toEqual(['done', ['get_weather', 'send_email']]);
      expect(there.sent.at(-1)?.kind).toBe(second);
      const changed = there.events.filter((event) => event.type === 'native-off' && event.reason === 'model-changed');
      // Told the model in time, there is no change afterwards.
      if (place === 'before') expect(changed).toEqual([]);
      else if (first !== 'chat') expect(changed.length).toBeGreaterThan(0);
    },
  );
});

describe('the next model of a list', () => {
  it.each(combined([{ failures: [400] }, { failures: [500] }, { failures: [500, 400] }, { failures: [503], at: 2 }]))(
    'takes over: $first fails with $failures, then $second, $execution',
    async ({ first, second, failures, execution, ...more }) => {
      const third = kinds.find((kind) => kind !== first && kind !== second)!;
      const order = failures.length > 1 ? [first, second, third] : [first, second];
      let calls = 0;
      const fail = (kind: Kind): number | undefined => {
        if (kind === first) calls += 1;
        // In the middle of a run, or from its beginning.
        return 'at' in more && calls !== more.at ? undefined : failures[order.indexOf(kind)];
      };
      const there = world({ execution, fail });
      const list = order.map((kind) => ({ model: there.models[kind], maxRetries: 0 }));
      const output = await agentWith(there, list).stream(USE, { maxSteps: 12 });
      await output.consumeStream();
      expectFit(there);
      expect([await output.text, there.ran]).toEqual(['done', ['get_weather', 'send_email']]);
      if (!('at' in more)) expect(there.sent.at(-1)?.kind).toBe(order.at(-1));
    },
  );
});
