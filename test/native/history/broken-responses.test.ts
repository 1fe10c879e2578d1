// Responses of OpenAI's models that are no longer whole.
import { openai } from '@ai-sdk/openai';
import { expect, it } from 'vitest';
import { fillerTools, tool, toolRecord } from '../../support/agent.ts';
import { inTurn, pairwise } from '../../support/breadth.ts';
import {
  fakeOpenAI,
  functionCall,
  hostedSearch,
  message,
  type OpenAIBody,
  type OpenAIItem,
  reasoning,
  toolSearchCall,
} from '../fakes/fake-provider.ts';
import { modelFrom, routed } from '../rig/package-runs.ts';
import { type GoalRig, goalRig, say } from '../rig/rig.ts';
import { recordingTool, world } from '../rig/world.ts';

/** What is not stored comes encrypted, to be sent again. */
const thought = (id: string, summary?: string): OpenAIItem => ({
  ...reasoning(id, summary),
  encrypted_content: `encrypted ${id}`,
});

type Answer = (body: OpenAIBody) => readonly OpenAIItem[];

const packages = ['openai 4', 'openai 3.0.46'] as const;

const webSearch: OpenAIItem = {
  type: 'web_search_call',
  id: 'ws_1',
  status: 'completed',
  ...{ action: { type: 'search', query: 'x', sources: [] } },
};

/** An agent whose model gives these answers, and a text from then on. */
function talk(
  answers: readonly Answer[],
  execution: 'client' | 'server' = 'server',
  version: (typeof packages)[number] = 'openai 4',
  more: object = {},
) {
  const greeting = (index: number) => [thought(`z${index}`), message(`z${index}`, 'Hello.')];
  const fake = fakeOpenAI(({ body, index }) => ({ content: answers[index]?.(body) ?? greeting(index) }));
  /** Tools that are not in the catalog, or denied, from now on. */
  const [gone, denied] = [new Set<string>(), new Set<string>()];
  const all = Object.entries(toolRecord(tool('get_weather'), tool('send_email'), tool('filler_1')));
  const pay = tool('pay_bill', 'Pays a bill.', { requireApproval: true });
  const rig: GoalRig = goalRig(
    { dialect: 'openai', execution },
    {
      service: { fake, views: () => [], bodies: () => fake.requests.map(({ body }) => body) },
      model: modelFrom(version, fake),
      processor: {
        tools: () => Object.fromEntries(all.filter(([name]) => !gone.has(name))),
        filter: ({ toolName }) => !denied.has(toolName),
      },
      agent: { tools: { ...toolRecord(tool('own_tool'), pay), web_search: openai.tools.webSearch({}) } as never },
      ...more,
    },
  );
  const wordFor = ({ type, role, id, name }: OpenAIItem): string => id ?? name ?? type ?? role ?? '';
  /** Ids, names or kinds of what each request held. */
  const sent = () =>
    fake.requests.map(({ body }) => {
      const words = body.input.map((item) => wordFor(item).replace(/_0+/, '_'));
      return words.filter((word) => word !== 'developer').join(' ');
    });
  /** Turns in one thread, after which nothing was refused. */
  const turns = async (...each: readonly object[]): Promise<void> => {
    for (const [at, options] of each.entries()) await say(rig.agent, 'stream', `turn ${at}`, options);
    expect(rig.refused()).toEqual([]);
  };
  return { ...rig, fake, gone, denied, sent, turns, model: (id: string) => modelFrom(version, fake, id) };
}
type Talk = ReturnType<typeof talk>;

const found =
  (id: string, ...names: readonly string[]): Answer =>
  (body) =>
    hostedSearch(id, body, names);
const answer =
  (...parts: readonly (OpenAIItem | Answer)[]): Answer =>
  (body) =>
    parts.flatMap((part) => (typeof part === 'function' ? part(body) : part));

const weather = found('s', 'get_weather');
const email = found('t', 'send_email');
const useEmail = functionCall('c', 'send_email', { text: 'x' });
const useWeather = functionCall('b', 'get_weather', { text: 'x' });
const useOwn = functionCall('d', 'own_tool', { text: 'x' });
const text = message('m', 'Let me see.');

/** Answers of a first turn, by what they hold in this order. */
const RESPONSES: Readonly<Record<string, readonly Answer[]>> = {
  'search, call': [answer(thought('a'), weather, useWeather)],
  'search, text': [answer(thought('a'), weather, text)],
  'text, search, call': [answer(thought('a'), text, weather, useWeather)],
  'search, text, search, call': [answer(thought('a'), weather, text, email, useEmail)],
  'search, reasoning, search, reasoning, call': [
    answer(thought('a'), weather, thought('b'), email, thought('c'), useEmail),
  ],
  'call, search, call': [answer(thought('a'), useOwn, weather, useWeather)],
  'two reasonings, search, call': [answer(thought('a', 'One.'), thought('b', 'Two.'), weather, useWeather)],
  'one search for two, call': [answer(thought('a'), found('s', 'get_weather', 'send_email'), useEmail)],
  'search without reasoning, call': [answer(weather, useWeather)],
  'search, call, then a step without reasoning': [answer(thought('a'), weather, useWeather), answer(useOwn)],
};

const CHANGES: Readonly<Record<string, (there: Talk) => object | undefined>> = {
  'nothing changes': () => ({}),
  'a tool vanished': ({ gone }) => void gone.add('get_weather'),
  'no tool may be called': () => ({ toolChoice: 'none' }),
  'no tool is sent': () => ({ prepareStep: () => ({ tools: {} }) }),
  'another model': ({ model }) => ({ model: model('gpt-4.1') }),
  'another model in the run': ({ model }) => ({ prepareStep: () => ({ model: model('gpt-4.1') }) }),
};

it.each(
  inTurn({
    ...{ held: [...Object.keys(RESPONSES), ...Object.keys(RESPONSES)], version: packages },
    change: pairwise({ store: [true, false], what: Object.keys(CHANGES) }),
  }),
)(
  'a response of $version is sent whole, or without ids: $held; $change',
  async ({ version, held, change: { store, what: change } }) => {
    const there = talk(RESPONSES[held] ?? [], 'server', version);
    const options = { providerOptions: { openai: { store } } };
    for (const turn of [0, 1, 2]) {
      const more = turn === 1 ? CHANGES[change]?.(there) : {};
      // Behind one that is refused, there would be no more.
      await say(there.agent, 'stream', `turn ${turn}`, { ...options, ...more }).catch(() => {});
    }
    // What is not stored is sent whole, and the first version loses namespaces, which only the service tells: once.
    const lost = there.refused().filter(({ rule }) => rule === 'missing-namespace');
    expect(lost.length).toBeLessThanOrEqual(version === 'openai 3.0.46' && !store ? 1 : 0);
    const inputs = there.sent();
    expect(there.refused(), inputs.join('\n')).toEqual(lost);
    expect(inputs.length).toBeGreaterThan(2);
    if (change !== 'nothing changes') return;
    for (const [at, input] of inputs.entries()) expect(input.startsWith(inputs[at - 1] ?? '')).toBe(true);
  },
);

const search = toolSearchCall({ id: 's', callId: 's', args: { query: 'select:get_weather' } });

it.each(packages)(
  'a web search goes with the search of the client beside it, one before and one behind: package %s',
  async (version) => {
    const before = talk([answer(thought('a'), webSearch, search)], 'client', version);
    const model = 'openai/gpt-5.4';
    await routed(before.fake, () => before.turns({ model }, {}, {}));
    expect(before.sent().at(-1)).toMatch(/^user search_tools function_call_output /);
    const { tools = [] } = before.service.bodies().at(-1) as OpenAIBody;
    expect(tools.map(({ name }) => name)).toContain('get_weather');
    const behind = talk([answer(thought('a'), search, webSearch)], 'client', version);
    await behind.turns({}, { toolChoice: 'none' });
    expect(behind.sent().at(-1)).toMatch(/^user search_tools function_call_output /);
  },
);

it('a response is whole where a DurableAgent forgot what two searches found, and one of the tools is denied', async () => {
  const answers = [answer(thought('a'), weather, thought('b'), email, useEmail)];
  const there = talk(answers, 'server', 'openai 4', { kind: 'DurableAgent' });
  await there.turns({});
  there.denied.add('send_email');
  await there.turns({});
  expect(there.sent().at(-1)).toMatch(/^user rs_a tsc_s tso_s send_email function_call_output /);
});

it('a response is whole where the catalog is sent whole, and Mastra left out a search of another provider’s', async () => {
  const few = toolRecord(recordingTool([], 'get_weather'), recordingTool([], 'send_email'));
  let tools = { ...few, ...fillerTools(6) };
  const there = world({ execution: 'server', options: { tools: () => tools, passthroughBelow: 5 } });
  await routed(there.openai, () => there.say('use get_weather', 'openai', { model: 'openai/gpt-5.4' }));
  tools = few as typeof tools;
  expect(await there.say('use get_weather', 'openai')).toBe('done');
  expect(there.refused()).toEqual([]);
});

const waits = functionCall('p', 'pay_bill', { text: 'x' });

it.each([
  ['a later step lacks a call', [answer(thought('a'), useOwn), answer(waits)], 'rs_a own_tool'],
  ['a later call of its own is left out', [answer(thought('a'), webSearch, waits)], 'rs_a ws_1'],
  [
    'a search found nothing, and something is called that is no tool',
    [answer(thought('a'), found('s'), functionCall('b', 'do_magic'))],
    'rs_a tsc_s tso_s do_magic function_call_output',
  ],
] as const)('a response stays as it is where %s', async (_, answers, kept) => {
  const there = talk(answers);
  await there.turns({}, {});
  expect(there.sent().at(-1)).toContain(kept);
});

it('a search that found nothing names no tool that was called before', async () => {
  const there = world({ execution: 'server' });
  await there.say('use get_weather', 'chat');
  await there.say('use no_such_thing', 'openai');
  const { length: before } = there.sent;
  expect(await there.say('use get_weather', 'openai')).toBe('done');
  expect(there.sent[before]?.eager).toContain('get_weather');
});
