import { Agent } from '@mastra/core/agent';
import { describe, expect, it } from 'vitest';
import { part } from '../support/breadth.ts';
import { searchesIn } from './rig/goals.ts';
import { EXECUTIONS } from './rig/rig.ts';
import type { Kind } from './rig/services.ts';
import { loadedByEvents, type World, world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai', 'chat'];
const pairs = kinds.flatMap((first) =>
  kinds.filter((second) => second !== first).map((second) => ({ first, second }) as const),
);
const combined = <Item extends object>(items: readonly Item[]) =>
  part(
    EXECUTIONS.flatMap((execution) => items.map((item) => ({ execution, ...item }))),
    'pairs',
  );

/** What no model may be sent, whoever chose it. */
function expectFit(there: World): void {
  expect(there.refused()).toEqual([]);
  const foreign = there.sent.flatMap((sent) => sent.foreign);
  expect(foreign).toEqual([]);
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

describe('another model, taken by prepareStep', () => {
  it.each(combined(pairs.flatMap((pair) => [1, 2].map((at) => ({ ...pair, at })))))(
    'goes on with the search that it knows: $first, then $second from step $at on, $execution',
    async ({ first, second, at, execution }) => {
      const there = world({ execution });
      const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
        stepNumber >= at ? { model: there.models[second] } : undefined;
      const answer = await there.say('use get_weather send_email', first, { prepareStep });
      expectFit(there);
      expect(answer).toBe('done');
      expect(there.ran).toEqual(['get_weather', 'send_email']);
      expect(there.sent.map(({ kind }) => kind).slice(0, at)).toEqual(Array(at).fill(first));
      expect(new Set(there.sent.slice(at).map(({ kind }) => kind))).toEqual(new Set([second]));
    },
  );

  it.each(
    combined(pairs.flatMap((pair) => ([true, 'names'] as const).map((injectCatalog) => ({ ...pair, injectCatalog })))),
  )(
    'reads of the search tool that it has, with injectCatalog $injectCatalog: $first, then $second, $execution',
    async ({ first, second, execution, injectCatalog }) => {
      const there = world({ execution, options: { injectCatalog } });
      const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
        stepNumber >= 1 ? { model: there.models[second] } : undefined;
      await there.say('use get_weather send_email', first, { prepareStep });
      expectFit(there);
      for (const { system } of there.sent) expect(system).toContain('book_flight');
    },
  );

  const switched = combined(pairs.flatMap((pair) => [1, 2].map((at) => ({ ...pair, at }))));
  const useInLaterTurns = async ({ first, second, at, execution }: (typeof switched)[number]): Promise<void> => {
    const there = world({ execution });
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber >= at ? { model: there.models[second] } : undefined;
    await there.say('use get_weather send_email', first, { prepareStep });
    const { length: before } = there.sent;
    await there.say('use get_weather send_email', second);
    await there.say('use get_weather send_email', first);
    expectFit(there);
    expect(there.ran).toHaveLength(6);
    expect(searchesIn(there.sent.slice(before))).toEqual([]);
  };

  it.each(switched)(
    'leaves later turns without need to search: $first, then $second from step $at on, $execution',
    useInLaterTurns,
  );

  it.each(combined(pairs))(
    'may alternate with the first: $first and $second, $execution',
    async ({ first, second, execution }) => {
      const there = world({ execution });
      const prepareStep = ({ stepNumber }: { stepNumber: number }) => ({
        model: there.models[stepNumber % 2 === 0 ? first : second],
      });
      const answer = await there.stream('use get_weather send_email', first, { prepareStep });
      expectFit(there);
      expect(answer).toBe('done');
    },
  );
});

describe('another model, taken by an input processor', () => {
  it.each(combined(pairs.flatMap((pair) => (['before', 'after'] as const).map((place) => ({ ...pair, place })))))(
    'goes on with the search that it knows: $first, then $second, $place this one, $execution',
    async ({ first, second, place, execution }) => {
      let there: World | undefined;
      const chooser = {
        id: 'chooser',
        processInputStep: ({ stepNumber }: { stepNumber: number }) =>
          stepNumber >= 1 ? { model: there?.models[second] } : {},
      };
      there = world({ execution });
      const { processor } = there;
      const inputProcessors = place === 'before' ? [chooser, processor] : [processor, chooser];
      const agent = new Agent({
        id: 'chosen',
        name: 'Chosen',
        instructions: 'Help.',
        model: there.models[first] as never,
        tools: {},
        inputProcessors: inputProcessors as never,
      });
      const { text } = await agent.generate('use get_weather send_email', { maxSteps: 12 });
      expectFit(there);
      expect(text).toBe('done');
      expect(there.ran).toEqual(['get_weather', 'send_email']);
      expect(there.sent.at(-1)?.kind).toBe(second);
      const changed = there.events.filter((event) => event.type === 'native-off' && event.reason === 'model-changed');
      // Told the model in time, there is no change afterwards.
      if (place === 'before') expect(changed).toEqual([]);
      else if (first !== 'chat') expect(changed.length).toBeGreaterThan(0);
    },
  );
});

describe('the next model of a list', () => {
  it.each(combined(pairs.flatMap((pair) => [500, 400].map((status) => ({ ...pair, status })))))(
    'takes over where the first fails with $status: $first, then $second, $execution',
    async ({ first, second, status, execution }) => {
      const there = world({
        execution,
        fail: (kind) => (kind === first ? status : undefined),
      });
      const list = [first, second].map((kind) => ({ model: there.models[kind], maxRetries: 0 }));
      const agent = agentWith(there, list);
      const { text } = await agent.generate('use get_weather send_email', { maxSteps: 12 });
      expectFit(there);
      expect(text).toBe('done');
      expect(there.ran).toEqual(['get_weather', 'send_email']);
      expect(new Set(there.sent.map(({ kind }) => kind))).toEqual(new Set([second]));
    },
  );

  it.each(combined(pairs))(
    'takes over in the middle of a run: $first, then another, $execution',
    async ({ first, second, execution }) => {
      let calls = 0;
      const there = world({
        execution,
        fail: (kind) => {
          if (kind !== first) return undefined;
          calls += 1;
          return calls === 2 ? 503 : undefined;
        },
      });
      const list = [first, second].map((kind) => ({ model: there.models[kind], maxRetries: 0 }));
      const output = await agentWith(there, list).stream('use get_weather send_email', { maxSteps: 12 });
      await output.consumeStream();
      expectFit(there);
      expect(await output.text).toBe('done');
      expect(there.ran).toEqual(['get_weather', 'send_email']);
      expect(there.sent.map(({ kind }) => kind)).toContain(second);
    },
  );
});

describe('the third model of a list', () => {
  const orders = pairs.flatMap(({ first, second }) =>
    kinds.filter((kind) => kind !== first && kind !== second).map((third) => ({ first, second, third })),
  );

  it.each(combined(orders))(
    'takes over where two fail: $first, $second, then $third, $execution',
    async ({ first, second, third, execution }) => {
      const there = world({ execution, fail: (kind) => (kind === first ? 500 : kind === second ? 400 : undefined) });
      const list = [first, second, third].map((kind) => ({ model: there.models[kind], maxRetries: 0 }));
      const { text } = await agentWith(there, list).generate('use get_weather send_email', { maxSteps: 12 });
      expectFit(there);
      expect(text).toBe('done');
      expect(there.ran).toEqual(['get_weather', 'send_email']);
    },
  );
});

function agentWith({ processor }: World, list: readonly object[]): Agent {
  return new Agent({
    id: 'several',
    name: 'Several',
    instructions: 'Help.',
    model: list as never,
    tools: {},
    inputProcessors: [processor],
  });
}
