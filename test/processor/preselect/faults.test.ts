import type { MastraTool, ToolIndex, ToolScorer, ToolSearchEvent } from 'mastra-tool-search';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tool } from '../../support/harness.ts';
import { lastToolResult } from '../../support/scripted-model.ts';
import { scripted } from '../../support/scripted-scorer.ts';
import { ASKS_FOR_WEATHER, CHATS, gate, office, officeWith } from './office.ts';

const consoleWarn = vi.spyOn(console, 'warn');
beforeEach(() => {
  consoleWarn.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  consoleWarn.mockReset();
});

const of = (events: readonly ToolSearchEvent[], ...types: string[]): string[] =>
  events.map(({ type }) => type).filter((type) => types.includes(type));

/** A scorer whose index is built, or asked, only when somebody says so. */
function slowScorer(slow: 'index' | 'search'): { scorer: ToolScorer; finish: () => void } {
  const { passed, open: finish } = gate();
  const index: ToolIndex = {
    search: async () => {
      if (slow === 'search') await passed;
      return [{ name: 'get_weather', score: 1 }];
    },
    confidence: () => [0.9],
  };
  const scorer = { name: 'slow', index: async () => (slow === 'index' ? passed.then(() => index) : index) };
  return { scorer, finish };
}

describe.each(['index', 'search'] as const)('a scorer with a slow %s', (slow) => {
  it('lets the run go on without, and finds the tool for the next run when it is done', async () => {
    const { scorer, finish } = slowScorer(slow);
    const { say, decisions } = officeWith({ search: { scorer }, timeouts: { preselect: 2_000, index: 2_000 } });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([[]]);
    finish();
    expect(await say(ASKS_FOR_WEATHER)).toEqual([['get_weather']]);
    const reason = slow === 'index' ? 'index-timeout' : 'timeout';
    expect(decisions()).toEqual([{ tools: [], reason }, { tools: ['get_weather'] }]);
  });
});

describe('a run goes on without', () => {
  const fail = (): never => {
    throw new Error('no luck');
  };

  it.each<[what: string, scorer: ToolScorer]>([
    ['a scorer that cannot build an index', { name: 'broken', index: fail }],
    ['a scorer that cannot search', scripted({ [ASKS_FOR_WEATHER]: new Error('no search') })],
  ])('%s', async (_, scorer) => {
    const { say, decisions, events } = officeWith({ search: { scorer } });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([[]]);
    expect(decisions()).toEqual([{ tools: [], reason: 'failed' }]);
    expect(of(events, 'scorer-failed')).toEqual(['scorer-failed']);
  });

  const failed = { reason: 'failed', error: new Error('no luck') };
  it.each<[what: string, query: () => never, outcome: object]>([
    ['throws, which is reported', fail, failed],
    ['rejects, which is reported', (async () => fail()) as never, failed],
    ['returns nothing', (() => undefined) as never, { reason: 'no-text' }],
    ['returns a number', (() => 7) as never, { reason: 'no-text' }],
    ['returns an empty text', (() => '') as never, { reason: 'no-text' }],
    ['never returns', (() => new Promise(() => {})) as never, { reason: 'timeout' }],
  ])('a query function that %s', async (what, query, outcome) => {
    const timeouts = { preselect: what === 'never returns' ? 30 : 10_000 };
    const { say, decisions } = officeWith({ preselect: { query }, timeouts });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([[]]);
    expect(decisions()).toEqual([{ tools: [], ...outcome }]);
    const told = expect.stringContaining('no luck');
    if (outcome === failed) expect(consoleWarn).toHaveBeenCalledWith(told);
  });
});

it('tells once of a scorer that gives no confidence', async () => {
  const scorer: ToolScorer = { name: 'plain', index: () => ({ search: () => [{ name: 'get_weather', score: 1 }] }) };
  const { say, events, decisions } = officeWith({ search: { scorer } });
  expect([...(await say(ASKS_FOR_WEATHER)), ...(await say(ASKS_FOR_WEATHER))]).toEqual([[], []]);
  expect(decisions()).toEqual(Array(2).fill({ tools: [], reason: 'below-confidence' }));
  expect(of(events, 'option-doubt')).toEqual(['option-doubt']);
});

it('neither waits nor searches where the run is aborted', async () => {
  const { agent, model, decisions } = officeWith({ filter: () => true });
  const abort = new AbortController();
  abort.abort();
  await agent.generate(CHATS, { abortSignal: abort.signal }).catch(() => {});
  expect(model.calls).toEqual([]);
  expect(decisions().flatMap((decision) => (decision as { tools: string[] }).tools)).toEqual([]);
});

describe('a stub', () => {
  const real = tool('get_weather', 'Get the current weather of a city.');
  const officeOf = (resolve: () => Promise<MastraTool>) => ({
    ...office(),
    get_weather: { id: real.id, description: real.description, resolve },
  });

  it('is sent with its definition, resolved once', async () => {
    const resolve = vi.fn(async () => real);
    const { say, model } = officeWith({ tools: officeOf(resolve) as never }, ['get_weather']);
    expect(await say(ASKS_FOR_WEATHER)).toEqual([['get_weather'], ['get_weather']]);
    expect(JSON.stringify(model.calls[0]!.tools)).toContain('"text"');
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ isError: false });
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it.each([
    { why: 'does not come in time', resolve: () => new Promise<MastraTool>(() => {}), reason: 'timeout' },
    { why: 'fails', resolve: () => Promise.reject(new Error('no server')), reason: 'failed' },
  ])('whose definition $why lets the run go on without', async ({ resolve, reason }) => {
    const { say, decisions } = officeWith({ tools: officeOf(resolve) as never, timeouts: { preselect: 500 } });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([[]]);
    expect(decisions()).toEqual([{ tools: [], reason }]);
  });
});
