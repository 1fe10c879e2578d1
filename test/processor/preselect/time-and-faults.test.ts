import { setImmediate as nextTurn } from 'node:timers/promises';
import { RequestContext } from '@mastra/core/request-context';
import { bm25Scorer, type MastraTool, type ToolScorer } from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { call, calls, tool } from '../../support/agent.ts';
import { memorySource } from '../../support/memory-source.ts';
import { lastToolResult } from '../../support/scripted-model.ts';
import { scripted } from '../../support/scripted-scorer.ts';
import { ASKS_FOR_EMAIL, ASKS_FOR_WEATHER, CHATS, gate, type Mode, type Office, office, officeWith } from './office.ts';

const consoleWarn = vi.spyOn(console, 'warn');
beforeEach(() => {
  consoleWarn.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  consoleWarn.mockReset();
});

const fail = (): never => {
  throw new Error('no luck');
};
const never = (): Promise<never> => new Promise(() => {});
const WEATHER = { tools: ['get_weather'] };
const without = (reason: string) => ({ tools: [], reason });
const typesIn = ({ events }: Office, type: string) => events.filter((event) => event.type === type);

describe('a clock that goes on by hand', () => {
  // Frozen times would hold up what else sets timers.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldAdvanceTime: true });
  });

  /** The default scorer, with an index that is built when it is told to. */
  function slow() {
    const { passed, open } = gate();
    const index = vi.fn<ToolScorer['index']>(async (documents) => passed.then(() => bm25Scorer().index(documents)));
    return { scorer: { name: 'slow', index }, index, open };
  }

  /** A run whose first step waits for so long, and then has what it waits for. */
  async function sayWaiting({ say, processor }: Office, milliseconds: number, open = (): void => {}, mode?: Mode) {
    const step = vi.spyOn(processor, 'processInputStep');
    const saying = say(ASKS_FOR_WEATHER, {}, mode);
    await expect.poll(() => step.mock.calls.length).toBeGreaterThan(0);
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    await vi.advanceTimersByTimeAsync(milliseconds);
    open();
    return saying;
  }

  const anew = { tools: async () => office() };
  it.each<[what: string, options: object, mode?: Mode, agent?: object]>([
    ['a record', {}, 'generate'],
    ['a function', anew, 'stream'],
    ['a function', anew, 'a DurableAgent'],
    ['an async filter', { filter: async ({ toolName }: { toolName: string }) => toolName !== 'translate_document' }],
    ['the tools of the agent', { tools: {}, includeResolvedTools: true }, 'generate', { tools: office() }],
    ['call mode', { mode: 'call' }],
  ])(
    'does not count the building of an index, with %s, and the next run has it',
    async (...[, options, mode, agent]) => {
      const { scorer, index, open } = slow();
      const timeouts = { preselect: 10_000, index: 60_000 };
      const made = officeWith({ search: { scorer }, timeouts, ...options }, undefined, agent);
      await sayWaiting(made, 20_000, open, mode);
      await made.say(ASKS_FOR_EMAIL, {}, mode);
      expect(made.decisions()).toEqual([WEATHER, { tools: ['send_email'] }]);
      expect(index).toHaveBeenCalledTimes(1);
    },
  );

  it('does not count that of a hybrid, whose part by meaning embeds the catalog first', async () => {
    const { passed, open } = gate();
    const embed = async (texts: string[]): Promise<number[][]> => {
      if (texts.length > 1) await passed;
      return texts.map((text) => (text.includes('weather') ? [1, 0] : [0, 1]));
    };
    const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed })]);
    const made = officeWith({ ...anew, search: { scorer }, timeouts: { preselect: 10_000, index: 60_000 } });
    await sayWaiting(made, 20_000, open);
    expect(made.decisions()).toEqual([WEATHER]);
  });

  it('lets the run go on without a slow index, which the next run finds', async () => {
    const { scorer, open } = slow();
    const made = officeWith({ search: { scorer }, timeouts: { preselect: 5_000, index: 5_000 } });
    expect(await sayWaiting(made, 6_000)).toEqual([[]]);
    open();
    expect(await made.say(ASKS_FOR_WEATHER)).toEqual([['get_weather']]);
    expect(made.decisions()).toEqual([without('index-timeout'), WEATHER]);
  });
});

describe('the index of a run', () => {
  it('is begun before the first step of the run', async () => {
    const index = vi.fn<ToolScorer['index']>((documents) => bm25Scorer().index(documents));
    const { say, processor } = officeWith({
      tools: async () => office(),
      search: { scorer: { name: 'counted', index } },
    });
    const request = { requestContext: new RequestContext(), tools: {} };
    expect(Object.keys(await processor.getLoadedToolsForRequestContext(request))).toHaveLength(5);
    await expect.poll(() => index.mock.calls.length).toBe(1);
    await say(ASKS_FOR_WEATHER);
    expect(index).toHaveBeenCalledTimes(1);
  });

  it('is not waited for without words, over a source, or by a run that is aborted', async () => {
    const scorer: ToolScorer = { name: 'never', index: never };
    const options = { search: { scorer }, timeouts: { index: 100_000 } };
    const chatting = officeWith(options);
    await chatting.say(CHATS);
    expect(chatting.decisions()).toEqual([without('no-text')]);
    const sourced = officeWith({ tools: await memorySource(office()) });
    await sourced.say(ASKS_FOR_WEATHER);
    expect(sourced.decisions()).toEqual([WEATHER]);
    for (const isAtOnce of [true, false]) {
      const { agent, model, decisions } = officeWith(options);
      const abort = new AbortController();
      if (isAtOnce) abort.abort();
      const running = agent.generate(ASKS_FOR_WEATHER, { abortSignal: abort.signal }).catch(() => {});
      await nextTurn();
      abort.abort();
      await running;
      expect(model.calls).toEqual([]);
      expect(decisions().flatMap((decision) => (decision as { tools: string[] }).tools)).toEqual([]);
    }
  });

  it('is built once for a run where that fails, and tried again by the next', async () => {
    const index = vi.fn(async () => fail());
    const made = officeWith({ search: { scorer: { name: 'broken', index } } });
    await made.say(ASKS_FOR_WEATHER);
    expect(made.decisions()).toEqual([without('failed')]);
    expect(typesIn(made, 'scorer-failed')).toHaveLength(1);
    const before = index.mock.calls.length;
    await made.say(ASKS_FOR_WEATHER);
    expect(index.mock.calls.length).toBe(before + 1);
  });
});

describe('a run goes on without', () => {
  const query = (ask: unknown, timeouts = {}) => ({ preselect: { query: ask }, ...timeouts });
  const late = { timeouts: { preselect: 30 } };
  const failed = { ...without('failed'), error: new Error('no luck') };
  const scorer = scripted({ [ASKS_FOR_WEATHER]: new Error('no search') });
  const real = tool('get_weather', 'Get the current weather of a city.');
  const stub = (resolve: () => Promise<MastraTool>) => ({
    tools: { ...office(), get_weather: { id: real.id, description: real.description, resolve } },
  });

  it.each<[what: string, options: object, decision: object]>([
    ['a scorer that cannot build an index', { search: { scorer: { name: 'broken', index: fail } } }, without('failed')],
    ['a scorer that cannot search', { search: { scorer } }, without('failed')],
    [
      'a search that never ends',
      { search: { scorer: { name: 'slow', index: () => ({ search: never }) } }, ...late },
      without('timeout'),
    ],
    ['a query function that throws', query(fail), failed],
    ['a query function that rejects', query(async () => fail()), failed],
    ['a query function that returns nothing', query(() => undefined), without('no-text')],
    ['a query function that returns a number', query(() => 7), without('no-text')],
    ['a query function that returns an empty text', query(() => ''), without('no-text')],
    ['a query function that never returns', query(never, late), without('timeout')],
    ['a filter that throws', { filter: fail }, without('no-match')],
    ['a filter that rejects', { filter: async () => fail() }, without('no-match')],
    ['a filter that takes its time', { filter: never, ...late }, without('timeout')],
    ['a stub that does not come in time', { ...stub(never), timeouts: { preselect: 200 } }, without('timeout')],
    ['a stub that fails', stub(async () => fail()), without('failed')],
  ])('%s', async (what, options, decision) => {
    const made = officeWith(options);
    expect(await made.say(ASKS_FOR_WEATHER)).toEqual([[]]);
    expect(made.decisions()).toEqual([decision]);
    expect(typesIn(made, 'scorer-failed')).toHaveLength(what.startsWith('a scorer') ? 1 : 0);
    if (decision === failed) expect(consoleWarn).toHaveBeenCalledWith(expect.stringContaining('no luck'));
  });

  it('a scorer that gives no confidence, which is told once', async () => {
    const plain = { name: 'plain', index: () => ({ search: () => [{ name: 'get_weather', score: 1 }] }) };
    const made = officeWith({ search: { scorer: plain } });
    for (let run = 0; run < 2; run++) expect(await made.say(ASKS_FOR_WEATHER)).toEqual([[]]);
    expect(made.decisions()).toEqual(Array(2).fill(without('below-confidence')));
    expect(typesIn(made, 'option-doubt')).toHaveLength(1);
  });

  it('but with a stub that resolves, once', async () => {
    const resolve = vi.fn(async () => real);
    const { say, model } = officeWith(stub(resolve), calls(call('get_weather')));
    expect(await say(ASKS_FOR_WEATHER)).toEqual([['get_weather'], ['get_weather']]);
    expect(JSON.stringify(model.calls[0]!.tools)).toContain('"text"');
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ isError: false });
    expect(resolve).toHaveBeenCalledTimes(1);
  });
});
