import { APICallError } from 'ai';
import { type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { fillerTools, rig, searchLoadCall, tool, toolRecord } from '../support/agent.ts';

const consoleWarn = vi.spyOn(console, 'warn');
beforeEach(() => {
  consoleWarn.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  consoleWarn.mockReset();
});

const refusal = { url: 'http://localhost', requestBodyValues: {}, statusCode: 400, isRetryable: false };

const doubtsIn = (events: readonly ToolSearchEvent[]) =>
  events.flatMap((event) => (event.type === 'option-doubt' ? [event.option] : []));

/** What an agent's processor with these options tells over two runs, as events and as lines in the log. */
async function told(options: object): Promise<{ options: string[]; lines: string[] }> {
  const events: ToolSearchEvent[] = [];
  const { agent } = rig(
    {
      tools: { ...toolRecord(tool('get_weather', 'Get the weather.')), ...fillerTools(10) },
      onEvent: (event) => events.push(event),
      ...options,
    },
    { script: searchLoadCall('weather padding') },
  );
  await agent.generate('go');
  await agent.generate('go');
  const lines = consoleWarn.mock.calls.map(([line]) => String(line)).filter((line) => !line.includes('has no desc'));
  return { options: doubtsIn(events), lines };
}

describe('an agent is told once, as an event and in the log, of', () => {
  it.each([
    { options: { ttl: 60 }, option: 'ttl', says: 'For 60 seconds write 60000.' },
    { options: { ttl: 999 }, option: 'ttl', says: '"ttl" is 999' },
    { options: { search: { minScore: 26 } }, option: 'search.minScore', says: '"search.minScore" is 26' },
    { options: { search: { minScore: Infinity } }, option: 'search.minScore', says: 'is Infinity' },
    { options: { timeouts: { tools: 30 } }, option: 'timeouts', says: 'For 30 seconds write 30000.' },
    { options: { timeouts: { filter: 5 } }, option: 'timeouts', says: '"timeouts.filter" is 5' },
    { options: { tools: {} }, option: 'tools', says: '"tools" has no tool' },
    { options: { tools: async () => ({}) }, option: 'tools', says: 'The function "tools" has returned no tool' },
    { options: { filter: () => {} }, option: 'filter', says: 'Is there a "return" missing?' },
    { options: { filter: async () => {} }, option: 'filter', says: 'Is there a "return" missing?' },
  ])('$option: $says', async ({ options, option, says }) => {
    const { options: doubted, lines } = await told(options);
    expect(doubted).toEqual([option]);
    expect(lines).toEqual([expect.stringContaining(says)]);
  });

  it('nothing where the value may be meant', async () => {
    const { POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;
    const times = [0, 1_000, POSITIVE_INFINITY].map((ttl) => ({ ttl }));
    const scores = [25, NEGATIVE_INFINITY].map((minScore) => ({ search: { minScore } }));
    const limits = [100, POSITIVE_INFINITY].map((tools) => ({ timeouts: { tools } }));
    const included = [{}, () => ({})].map((tools) => ({ tools, includeResolvedTools: true }));
    for (const options of [
      ...times,
      ...scores,
      ...limits,
      ...included,
      { filter: () => false },
      { filter: async () => null },
    ])
      expect(await told(options)).toEqual({ options: [], lines: [] });
  });
});

it('a filter that returns undefined is told of once over all requests, and not where it answered otherwise, now or ever', async () => {
  const first = new Session({ tools: fillerTools(40), filter: (() => undefined) as never });
  await first.search({ query: 'padding' });
  const next = new Session({ tools: {} }, { processor: first.processor });
  await next.search({ query: 'padding' });
  expect(doubtsIn(first.events)).toEqual(['filter']);
  for (const answered of [1, 20]) {
    let count = 0;
    const filter = (() => (++count === answered ? false : undefined)) as never;
    const session = new Session({ tools: fillerTools(40), filter });
    await session.search({ query: 'padding' });
    expect([count, doubtsIn(session.events)]).toEqual([40, []]);
  }
});

it.each([2, 3, 19, 20, 40])('a filter that returns undefined over %i tools is told of, once', async (count) => {
  for (const filter of [() => undefined, async () => undefined]) {
    const session = new Session({ tools: fillerTools(count), filter: filter as never });
    await session.search({ query: 'padding' });
    await session.search({ query: 'number' });
    await session.load({ toolName: 'filler_0' });
    expect(doubtsIn(session.events)).toEqual(['filter']);
  }
  const denying = new Session({ tools: fillerTools(count), filter: () => false });
  await denying.search({ query: 'padding' });
  expect(doubtsIn(denying.events)).toEqual([]);
});

it('a function that has returned a tool once may return none to others', async () => {
  const events: ToolSearchEvent[] = [];
  let isFirst = true;
  const tools = () => {
    const all = isFirst ? fillerTools(3) : {};
    isFirst = false;
    return all;
  };
  const processor = new ToolSearchProcessor({ tools, onEvent: (event) => events.push(event) });
  for (const _ of [1, 2]) await processor.search('padding');
  expect(doubtsIn(events)).toEqual([]);
});

it.each([
  { lists: { outputProcessors: true }, says: 'stands in "outputProcessors" and not in "inputProcessors"' },
  { lists: { errorProcessors: true }, says: 'stands in "errorProcessors"' },
  { lists: { inputProcessors: true, outputProcessors: true, errorProcessors: true } },
])('a processor in $lists is told of where it gives no tools', async ({ lists, says }) => {
  const events: ToolSearchEvent[] = [];
  const processor = new ToolSearchProcessor({ tools: fillerTools(3), onEvent: (event) => events.push(event) });
  const placed = Object.fromEntries(Object.keys(lists).map((list) => [list, [processor]]));
  const script = () => {
    if ('errorProcessors' in lists) throw new APICallError({ ...refusal, message: 'refused' });
    return { text: 'done' };
  };
  const { agent } = rig(
    { tools: {}, includeResolvedTools: true },
    { script, agent: { inputProcessors: [], ...placed } as never },
  );
  for (const _ of [1, 2]) await agent.generate('go').catch(() => {});
  expect(doubtsIn(events)).toEqual(says ? ['processors'] : []);
  const lines = consoleWarn.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('inputProcessors'));
  expect(lines).toEqual(says ? [expect.stringContaining(says)] : []);
});

it('a doubt is told in the constructor already, where the options show it', () => {
  const onEvent = vi.fn();
  new ToolSearchProcessor({ tools: {}, ttl: 60, search: { minScore: 100 }, onEvent });
  expect(onEvent.mock.calls.map(([{ type, option }]) => `${type} ${option}`)).toEqual([
    'option-doubt ttl',
    'option-doubt search.minScore',
    'option-doubt tools',
  ]);
});
