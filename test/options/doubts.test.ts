import { type ToolSearchEvent, type ToolSearchFilter, ToolSearchProcessor } from 'mastra-tool-search';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { fillerTools, rig, searchLoadCall, tool, toolRecord } from '../support/harness.ts';

const consoleWarn = vi.spyOn(console, 'warn');
beforeEach(() => {
  consoleWarn.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  consoleWarn.mockReset();
});

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
    { options: { filter: () => {} }, option: 'filter', says: 'Is there a "return" missing?' },
    { options: { filter: async () => {} }, option: 'filter', says: 'Is there a "return" missing?' },
  ])('$option: $says', async ({ options, option, says }) => {
    const { options: doubted, lines } = await told(options);
    expect(doubted).toEqual([option]);
    expect(lines).toEqual([expect.stringContaining(says)]);
  });

  it.each([
    { ttl: 0 },
    { ttl: 1_000 },
    { ttl: Number.POSITIVE_INFINITY },
    { search: { minScore: 25 } },
    { search: { minScore: Number.NEGATIVE_INFINITY } },
    { filter: () => false },
    { filter: async () => null },
  ])('nothing with %j', async (options) => {
    expect(await told(options)).toEqual({ options: [], lines: [] });
  });
});

describe('a filter that returns undefined', () => {
  const sessionWith = (filter: ToolSearchFilter) => new Session({ tools: fillerTools(40), filter });

  it('for some tools only means what it says', async () => {
    const rights = new Map([['filler_1', true]]);
    const session = sessionWith(({ toolName }) => rights.get(toolName) as boolean);
    await session.search({ query: 'padding', maxResults: 20 });
    expect(doubtsIn(session.events)).toEqual([]);
  });

  it('is told of once over all requests, however long they last', async () => {
    const filter = (() => undefined) as never;
    const first = sessionWith(filter);
    await first.search({ query: 'padding' });
    await first.search({ query: 'number' });
    const next = new Session({ tools: {} }, { processor: first.processor });
    await next.search({ query: 'padding' });
    expect(doubtsIn(first.events)).toEqual(['filter']);
  });

  it('after it has answered otherwise says nothing', async () => {
    let isFirst = true;
    const session = sessionWith((() => {
      const answer = isFirst ? false : undefined;
      isFirst = false;
      return answer;
    }) as never);
    await session.search({ query: 'padding' });
    expect(doubtsIn(session.events)).toEqual([]);
  });
});

it('a doubt is told in the constructor already, where the options show it', () => {
  const onEvent = vi.fn();
  new ToolSearchProcessor({ tools: {}, ttl: 60, search: { minScore: 100 }, onEvent });
  expect(onEvent.mock.calls.map(([{ type, option }]) => `${type} ${option}`)).toEqual([
    'option-doubt ttl',
    'option-doubt search.minScore',
  ]);
});
