import {
  bm25Scorer,
  type ToolDocument,
  type ToolScorer,
  ToolSearchError,
  type ToolSearchEvent,
  tieredScorer,
} from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseQuery } from '../../src/query/query.ts';
import type { ScorerFault, ToolIndex, ToolMatch } from '../../src/scorers/scorer.ts';
import { catalog, document } from '../fixtures/tools.ts';
import { Session } from '../meta-tools/session.ts';
import { email, fillerTools, weather } from '../support/harness.ts';
import { bagOfWords, modelEmbed } from './embeddings/embedders.ts';
import { describeScorer, namesOf, search } from './scorer-contract.ts';

const words = () => semanticScorer({ embed: (texts) => Promise.resolve(texts.map(bagOfWords)) });

describeScorer('hybridScorer', () => hybridScorer([bm25Scorer(), words()]), { has: ['update', 'restrictedTo'] });

const documents: readonly ToolDocument[] = ['a', 'b', 'c', 'd'].map((name) => document(name));

/** Ranks as it is told, whatever the query. */
function ranks(...names: string[]): ToolScorer {
  return scores(...names.map((name, position) => ({ name, score: names.length - position })));
}

function scores(...matches: ToolMatch[]): ToolScorer {
  return { name: 'told', index: () => ({ search: () => matches }) };
}

const rounded = (matches: readonly ToolMatch[]) => matches.map(({ name, score }) => [name, Number(score.toFixed(4))]);

describe('the fusion', () => {
  it('adds up weight / (k + rank), as a share of the first rank everywhere', async () => {
    const scorer = hybridScorer([ranks('a', 'b', 'c'), ranks('b', 'd')], { k: 10, weights: [2, 1] });
    const most = 3 / 11;
    expect(rounded(await search(scorer, documents, 'query'))).toEqual([
      ['b', Number(((2 / 12 + 1 / 11) / most).toFixed(4))],
      ['a', Number((2 / 11 / most).toFixed(4))],
      ['c', Number((2 / 13 / most).toFixed(4))],
      ['d', Number((1 / 12 / most).toFixed(4))],
    ]);
  });

  it('has k 60 and equal weights by default', async () => {
    const scorer = hybridScorer([ranks('c', 'a'), ranks('c', 'b')]);
    const second = Number((61 / 62 / 2).toFixed(4));
    expect(rounded(await search(scorer, documents, 'query'))).toEqual([
      ['c', 1],
      ['a', second],
      ['b', second],
    ]);
  });

  it('gives equal scores equal ranks', async () => {
    const tied = scores(
      { name: 'a', score: 2 },
      { name: 'b', score: 1 },
      { name: 'c', score: 1 },
      { name: 'd', score: 0.5 },
    );
    const scorer = hybridScorer([tied, ranks()], { k: 0 });
    expect(rounded(await search(scorer, documents, 'query'))).toEqual([
      ['a', 0.5],
      ['b', 0.25],
      ['c', 0.25],
      ['d', 0.125],
    ]);
  });

  it('lets a tool that is well ranked everywhere pass one that a single part has first', async () => {
    expect(await namesOf(hybridScorer([ranks('a', 'b'), ranks('c', 'b')]), documents, 'query')).toEqual([
      'b',
      'a',
      'c',
    ]);
  });

  it('but not past the tool whose name the query is', async () => {
    const scorer = hybridScorer([ranks('b', 'a'), ranks('b', 'c', 'd', 'a')]);
    expect((await search(scorer, documents, 'A'))[0]).toMatchObject({ name: 'a', score: expect.closeTo(1.96, 1) });
    // A name that no part matches stays out.
    expect(await namesOf(hybridScorer([ranks('b'), ranks('c')]), documents, 'a')).toEqual(['b', 'c']);
  });

  it('can take hybrids as parts', async () => {
    const inner = hybridScorer([ranks('b'), ranks('b', 'a')]);
    expect(await namesOf(hybridScorer([inner, tieredScorer()]), documents, 'a')).toEqual(['a', 'b']);
  });

  it('with a real model finds what shares no word with the query, and keeps exact hits first', async () => {
    const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed: modelEmbed })], { k: 10, weights: [2, 1] });
    const index = await scorer.index(catalog);
    const first = async (query: string) => (await index.search(parseQuery(query)))[0]?.name;
    expect((await namesOf(scorer, catalog, 'umbrella needed')).slice(0, 2)).toContain('get-weather-forecast');
    expect((await namesOf(scorer, catalog, 'make a ticket')).slice(0, 2)).toContain('jira_create_ticket');
    expect(await first('get weather alerts')).toBe('get-weather-alerts');
    expect(await first('slack reaction')).toBe('slack_add_reaction');
  });
});

/** A scorer with switches: each part of it can fail or hang. */
function flaky() {
  const state = { index: 'works', search: 'works', builds: 0, searches: 0, release: () => {} };
  const does = (how: string): Promise<void> => {
    if (how === 'fails') return Promise.reject(new Error('the embedder is down'));
    return how === 'hangs' ? new Promise((resolve) => (state.release = resolve)) : Promise.resolve();
  };
  const scorer: ToolScorer = {
    name: 'flaky',
    async index(): Promise<ToolIndex> {
      state.builds++;
      await does(state.index);
      return {
        async search() {
          state.searches++;
          await does(state.search);
          return [{ name: 'b', score: 1 }];
        },
      };
    },
  };
  return { scorer, state };
}

describe('a part that fails', () => {
  const faults: ScorerFault[] = [];
  const context = { report: (fault: ScorerFault) => void faults.push(fault) };
  const query = parseQuery('query');
  const ask = async (index: ToolIndex) => (await index.search(query)).map(({ name }) => name);

  beforeEach(() => {
    faults.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('in a search is left out and reported', async () => {
    const { scorer, state } = flaky();
    state.search = 'fails';
    const index = await hybridScorer([ranks('a'), scorer]).index(documents, context);
    expect(await ask(index)).toEqual(['a']);
    expect(faults).toEqual([{ scorer: 'flaky', error: new Error('the embedder is down') }]);
  });

  it.each([
    { why: 'no list', answer: undefined, expected: ['a'], count: 1 },
    {
      why: 'a list with what is no match',
      answer: [null, {}, { name: 'b', score: Number.NaN }],
      expected: ['a', 'b'],
      count: 0,
    },
  ])('the contract spoils nothing: $why', async ({ answer, expected, count }) => {
    const broken: ToolScorer = { name: 'broken', index: () => ({ search: () => answer as never }) };
    const index = await hybridScorer([ranks('a'), broken]).index(documents, context);
    expect(await ask(index)).toEqual(expected);
    expect(faults.length).toBe(count);
  });

  it('while it builds its index is left out and reported, and built again later', async () => {
    const { scorer, state } = flaky();
    state.index = 'fails';
    const index = await hybridScorer([ranks('a'), scorer]).index(documents, context);
    expect(await ask(index)).toEqual(['a']);
    expect(faults.map((fault) => fault.scorer)).toEqual(['flaky']);
    state.index = 'works';
    vi.advanceTimersByTime(1_000);
    expect(await ask(index)).toEqual(['a', 'b']);
    expect(state.builds).toBe(2);
  });

  it('rests for 1 s, then 2 s, up to a minute, and not at all after it has worked', async () => {
    const { scorer, state } = flaky();
    state.search = 'fails';
    const index = await hybridScorer([ranks('a'), scorer]).index(documents, context);
    const attempts: number[] = [];
    const start = Date.now();
    for (let second = 0; second <= 200; second++) {
      const before = state.searches;
      expect(await ask(index)).toEqual(['a']);
      if (state.searches > before) attempts.push((Date.now() - start) / 1_000);
      vi.advanceTimersByTime(1_000);
    }
    expect(attempts).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    expect(faults.length).toBe(attempts.length);
    state.search = 'works';
    vi.advanceTimersByTime(60_000);
    expect(await ask(index)).toEqual(['a', 'b']);
    state.search = 'fails';
    expect(await ask(index)).toEqual(['a']);
    vi.advanceTimersByTime(1_000);
    state.search = 'works';
    expect(await ask(index)).toEqual(['a', 'b']);
  });

  it('counts searches that fail together as one failure', async () => {
    const { scorer, state } = flaky();
    state.search = 'fails';
    const index = await hybridScorer([ranks('a'), scorer]).index(documents, context);
    await Promise.all([ask(index), ask(index), ask(index)]);
    state.search = 'works';
    vi.advanceTimersByTime(1_000);
    expect(await ask(index)).toEqual(['a', 'b']);
  });

  it('with all others ends the search, with every reason', async () => {
    const { scorer, state } = flaky();
    state.search = 'fails';
    const index = await hybridScorer([scorer, scorer]).index(documents, context);
    await expect(index.search(query)).rejects.toThrow(
      'No part could answer. flaky: the embedder is down; flaky: the embedder is down',
    );
    expect(faults).toEqual([]);
    // Resting helps nobody then: the next search tries at once.
    state.search = 'works';
    expect(await ask(index)).toEqual(['b']);
  });

  it('with all others while indexes are built ends the build', async () => {
    const { scorer, state } = flaky();
    state.index = 'fails';
    await expect((async () => hybridScorer([scorer, scorer]).index(documents, context))()).rejects.toThrow(
      'No part could answer',
    );
  });

  it('to answer in time is left out', async () => {
    const { scorer, state } = flaky();
    state.search = 'hangs';
    const index = await hybridScorer([ranks('a'), scorer], { timeout: 500 }).index(documents, context);
    const answer = ask(index);
    await vi.advanceTimersByTimeAsync(500);
    expect(await answer).toEqual(['a']);
    expect(String(faults[0]?.error)).toBe('Error: its search takes longer than 500 ms');
  });

  it('to build its index in time is left out until it has one', async () => {
    const { scorer, state } = flaky();
    state.index = 'hangs';
    const building = (async () => hybridScorer([ranks('a'), scorer], { timeout: 500 }).index(documents, context))();
    await vi.advanceTimersByTimeAsync(500);
    const index = await building;
    expect(String(faults[0]?.error)).toBe('Error: building its index takes longer than 500 ms');
    vi.advanceTimersByTime(120_000);
    expect(await ask(index)).toEqual(['a']);
    state.release();
    await vi.advanceTimersByTimeAsync(0);
    expect(await ask(index)).toEqual(['a', 'b']);
    expect([state.builds, faults.length]).toEqual([1, 1]);
  });

  it('is waited for with an infinite timeout', async () => {
    const { scorer, state } = flaky();
    state.search = 'hangs';
    const index = await hybridScorer([ranks('a'), scorer], { timeout: Number.POSITIVE_INFINITY }).index(
      documents,
      context,
    );
    const answer = ask(index);
    await vi.advanceTimersByTimeAsync(3_600_000);
    state.release();
    expect(await answer).toEqual(['a', 'b']);
  });

  it('is written to the console where no processor listens', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { scorer, state } = flaky();
    state.search = 'fails';
    expect(await namesOf(hybridScorer([ranks('a'), scorer]), documents, 'query')).toEqual(['a']);
    expect(warn.mock.calls).toEqual([['[tool-search] The scorer "flaky": the embedder is down']]);
    warn.mockRestore();
  });
});

describe('in a processor', () => {
  const down = () => semanticScorer({ embed: () => Promise.reject(new Error('429 Too Many Requests')) });
  const tools = () => ({ ...fillerTools(3), get_weather: weather(), send_email: email() });
  const failures = (events: readonly ToolSearchEvent[]) =>
    events.flatMap((event) => (event.type === 'scorer-failed' ? [event] : []));

  it('a failing embedder is an event, and the words still answer', async () => {
    const session = new Session({ tools: tools(), search: { scorer: hybridScorer([bm25Scorer(), down()]) } });
    const { results } = await session.search({ query: 'weather' });
    expect(results.map(({ name }) => name)).toEqual(['get_weather']);
    expect(failures(session.events)).toEqual([
      { type: 'scorer-failed', scorer: 'semantic', error: new Error('429 Too Many Requests'), survived: true },
    ]);
  });

  it('a failing embedder alone is an event, and the model is told', async () => {
    const session = new Session({ tools: tools(), search: { scorer: down() } });
    const { results, message } = await session.search({ query: 'weather' });
    expect(results).toEqual([]);
    expect(message).not.toBe('');
    expect(failures(session.events)).toEqual([
      { type: 'scorer-failed', scorer: 'semantic', error: new Error('429 Too Many Requests') },
    ]);
  });

  it('a failing cache is an event', async () => {
    const scorer = semanticScorer({
      embed: (texts) => texts.map(bagOfWords),
      model: 'words',
      cache: { get: () => Promise.reject(new Error('ECONNREFUSED')), set: () => {} },
    });
    const session = new Session({ tools: tools(), search: { scorer } });
    expect((await session.search({ query: 'weather' })).results.map(({ name }) => name)).toEqual(['get_weather']);
    expect(failures(session.events)).toMatchObject([{ scorer: 'semantic', survived: true }]);
  });
});

describe('options', () => {
  const two = [bm25Scorer(), tieredScorer()];
  const refused: { parts: unknown; options?: unknown; message: string }[] = [
    { parts: [bm25Scorer()], message: '"parts" must be an array of two scorers or more; got an array of 1.' },
    { parts: bm25Scorer(), message: '"parts" must be an array' },
    {
      parts: [bm25Scorer(), bm25Scorer],
      message: '"parts[1]" must be a ToolScorer, e.g. bm25Scorer(); got a function.',
    },
    { parts: [bm25Scorer(), null], message: '"parts[1]" must be a ToolScorer' },
    { parts: two, options: { k: -1 }, message: '"k" must be a number of at least 0; got -1.' },
    { parts: two, options: { k: Number.NaN }, message: '"k" must be' },
    {
      parts: two,
      options: { weights: [1] },
      message: '"weights" must be an array with one number for each of the 2 parts; got an array of 1.',
    },
    { parts: two, options: { weights: [1, 0] }, message: '"weights[1]" must be a number above 0; got 0.' },
    { parts: two, options: { weights: { bm25: 1 } }, message: '"weights" must be' },
    { parts: two, options: { timeout: 0 }, message: '"timeout" must be milliseconds, above 0; Infinity waits; got 0.' },
    { parts: two, options: null, message: '"options" must be an object; got null.' },
  ];

  it.each(refused)('are refused: $message', ({ parts, options, message }) => {
    let error: unknown;
    try {
      hybridScorer(parts as never, options as never);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ToolSearchError);
    expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringContaining(message) });
  });
});
