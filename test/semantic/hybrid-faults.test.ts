import type { ToolScorer } from 'mastra-tool-search';
import { hybridScorer } from 'mastra-tool-search/semantic';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScorerFault, ToolIndex } from '../../src/scorers/scorer.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { namesOf } from '../scorers/scorer-contract.ts';
import { documents, ranks } from '../scorers/told.ts';

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
  const ask = async (index: ToolIndex, text = 'query') =>
    (await index.search(parseQuery(text))).map(({ name }) => name);

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

  it('by one query rests for that query alone, by three in a row for all', async () => {
    const asked: string[] = [];
    const isPoison = (text: string) => text.startsWith('poison');
    const picky: ToolScorer = {
      name: 'picky',
      index: () => ({
        search({ text }) {
          asked.push(text);
          if (isPoison(text)) throw new Error('refused');
          return [{ name: 'b', score: 1 }];
        },
      }),
    };
    const index = await hybridScorer([ranks('a'), picky]).index(documents, context);
    for (const text of ['poison', 'poison', 'other', 'poison 1', 'poison 2', 'other', 'poison 3']) {
      expect(await ask(index, text)).toEqual(isPoison(text) ? ['a'] : ['a', 'b']);
    }
    expect(asked).toEqual(['poison', 'other', 'poison 1', 'poison 2', 'other', 'poison 3']);
    for (const text of ['poison 4', 'poison 5', 'other']) expect(await ask(index, text)).toEqual(['a']);
    vi.advanceTimersByTime(1_000);
    expect(await ask(index, 'other')).toEqual(['a', 'b']);
  });

  it('is not flooded by queries that come again and again', async () => {
    const { scorer, state } = flaky();
    state.search = 'fails';
    const index = await hybridScorer([ranks('a'), scorer]).index(documents, context);
    for (let second = 0; second < 600; second++) {
      for (let n = 0; n < 50; n++) await ask(index, `query number${n}`);
      vi.advanceTimersByTime(1_000);
    }
    expect(state.searches).toBeGreaterThan(3);
    expect(state.searches).toBeLessThan(40);
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
    await expect(ask(index)).rejects.toThrow(
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
