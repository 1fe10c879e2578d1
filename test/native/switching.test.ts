// One conversation with several models.
import { expect, it } from 'vitest';
import { inTurn, pairwise } from '../support/breadth.ts';
import { withRouter } from './fakes/fake-provider.ts';
import { searchesIn } from './rig/goals.ts';
import { DIALECTS, EXECUTIONS } from './rig/rig.ts';
import type { Kind } from './rig/services.ts';
import { loadedByEvents, type World, world } from './rig/world.ts';

/** Each turn uses what was loaded before, and one more tool as long as there are some. */
const TURNS = [
  { text: 'use get_weather', searched: ['get_weather'] },
  { text: 'use get_weather send_email', searched: ['send_email'] },
  { text: 'use send_email get_weather book_flight', searched: ['book_flight'] },
  { text: 'use book_flight get_weather send_email', searched: [] },
];

/** Every change of two kinds, and there and back. One that knows no provider comes through no HTTP. */
const ORDERS = [
  'anthropic openai chat anthropic',
  'anthropic chat openai anthropic',
  'anthropic openai anthropic',
  'openai anthropic openai',
  'anthropic scripted anthropic',
  'openai scripted openai',
];

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

// For other packages and namespaces, see test/modes/random-conversations.test.ts.
const conversations = ORDERS.flatMap((order, at) =>
  EXECUTIONS.filter((_, place) => at === 0 || place === at % 3).map((execution) => ({ order, execution })),
);
it.each(conversations)(
  'a conversation goes on with each model, which searches for nothing again: $order, $execution',
  async ({ order, execution }) => {
    const there = world({ execution });
    for (const [turn, kind] of (order.split(' ') as Kind[]).entries()) {
      const { text, searched } = TURNS[turn]!;
      const [before, ranBefore] = [there.sent.length, there.ran.length];
      expect(await there[turn % 2 === 0 ? 'say' : 'stream'](text, kind)).toBe('done');
      const sent = there.sent.slice(before);
      expect(new Set(sent.map((one) => one.kind))).toEqual(new Set([kind]));
      expect([searchesIn(sent), there.ran.slice(ranBefore)]).toEqual([searched, text.split(' ').slice(1)]);
      expectFit(there);
    }
  },
);

it.each(pairwise({ dialect: DIALECTS, execution: ['client', 'server'] }))(
  "a conversation goes from Mastra's router to the package and back: $dialect $execution",
  async ({ dialect, execution }) => {
    const there = world({ execution });
    const model = { anthropic: 'anthropic/claude-sonnet-4-5', openai: 'openai/gpt-5.4' }[dialect];
    await withRouter({ 'api.anthropic.com': there.anthropic, 'api.openai.com': there.openai }, async () => {
      for (const [turn, { text }] of TURNS.entries()) {
        expect(await there.say(text, dialect, turn % 2 === 0 ? { model } : {})).toBe('done');
      }
    });
    expect([there.refused(), there.events.filter(({ type }) => type === 'native-off')]).toEqual([[], []]);
    expect(searchesIn(there.sent)).toEqual(['get_weather', 'send_email', 'book_flight']);
  },
);

const USE = 'use get_weather send_email';
const kinds: readonly Kind[] = ['anthropic', 'openai', 'chat'];
const pairs = kinds.flatMap((first) => kinds.flatMap((second) => (first === second ? [] : [`${first} ${second}`])));
const kindsOf = (pair: string) => pair.split(' ') as [Kind, Kind];
const CHOSEN = [
  { by: 'prepareStep', registered: 'Agent' },
  { by: 'an input processor', registered: 'Agent' },
  { by: 'prepareStep', registered: 'DurableAgent' },
  { by: 'an input processor', registered: 'Agent' },
] as const;
const taken = inTurn({
  ...{ pair: [...pairs, ...pairs], execution: EXECUTIONS, chosen: CHOSEN },
  ...{ at: [0, 2, 'every second step', 0, 2], injectCatalog: [false, true, 'names', false, false, true, 'names'] },
}).map(({ chosen, ...more }) => ({ ...chosen, ...more }));

it.each(taken)(
  'another model that is taken in a run goes on with the search that it knows, and later turns need none: $pair by $by at $at, $execution, $registered, $injectCatalog',
  async ({ pair, execution, by, registered, at, injectCatalog }) => {
    const [first, second] = kindsOf(pair);
    const kindAt = (step: number): Kind => ((typeof at === 'number' ? step >= at : step % 2 === 1) ? second : first);
    let isChoosing = by !== 'prepareStep';
    const choose = ({ stepNumber }: { stepNumber: number }) =>
      kindAt(stepNumber) === second ? { model: there.models[second] } : {};
    const chooser = { id: 'chooser', processInputStep: (step: never) => (isChoosing ? choose(step) : {}) };
    const there: World = world({
      ...{ execution, registered, options: { injectCatalog } },
      ...(isChoosing && { inputProcessors: (own: unknown) => [own, chooser] }),
    });
    expect(await there.stream(USE, first, by === 'prepareStep' ? { prepareStep: choose } : {})).toBe('done');
    expect(there.sent.map(({ kind }) => kind)).toEqual(there.sent.map((_, step) => kindAt(step)));
    isChoosing = false;
    const { length: before } = there.sent;
    for (const kind of [second, first]) await there.say(USE, kind);
    expectFit(there);
    if (injectCatalog) for (const { system } of there.sent) expect(system).toContain('book_flight');
    expect(there.ran).toEqual(Array(3).fill(['get_weather', 'send_email']).flat());
    // Mastra forgets what a provider found for a DurableAgent.
    if (registered === 'Agent' || execution !== 'server') expect(searchesIn(there.sent.slice(before))).toEqual([]);
  },
);

it.each(inTurn({ pair: pairs, execution: EXECUTIONS, failures: [[500, 400], [503], [400], [400], [503]] }))(
  'the next model of a list takes over: $pair after $failures, $execution',
  async ({ pair, failures, execution }) => {
    const [first, second] = kindsOf(pair);
    const third = kinds.find((kind) => kind !== first && kind !== second)!;
    const order = failures.length > 1 ? [first, second, third] : [first, second];
    // In the middle of a run, or from its beginning.
    const isLate = failures[0] === 503;
    let calls = 0;
    const fail = (kind: Kind): number | undefined => {
      if (kind === first) calls += 1;
      return isLate && calls !== 2 ? undefined : failures[order.indexOf(kind)];
    };
    const there: World = world({ execution, fail, agent: { model: () => order.map(toModel) as never } });
    const toModel = (kind: Kind) => ({ model: there.models[kind] as never, maxRetries: 0 });
    expect([await there.stream(USE), there.ran]).toEqual(['done', ['get_weather', 'send_email']]);
    expectFit(there);
    if (!isLate) expect(there.sent.at(-1)?.kind).toBe(order.at(-1));
  },
);
