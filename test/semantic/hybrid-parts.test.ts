import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ScorerFault, ToolDocument, ToolIndex, ToolScorer } from 'mastra-tool-search';
import { type HybridScorerOptions, hybridScorer } from 'mastra-tool-search/semantic';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { document } from '../fixtures/tools.ts';
import { ask as found, namesOf } from '../scorers/scorer-contract.ts';
import { documents, type IncrementalIndex, ranks } from '../scorers/told.ts';

const faults: ScorerFault[] = [];
const context = { report: (fault: ScorerFault): void => void faults.push(fault) };
const hybrid = async (parts: readonly ToolScorer[], options?: HybridScorerOptions): Promise<IncrementalIndex> =>
  hybridScorer(parts, options).index(documents, context);
const ask = async (index: ToolIndex | undefined, text = 'query') => (await found(index, text)).join();

beforeEach(() => {
  faults.length = 0;
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => void vi.useRealTimers());

const DOWN = new Error('the embedder is down');

/** A scorer with switches: each part of it can fail or hang. It finds `b`. */
function flaky() {
  const state = { index: 'works', search: 'works', builds: 0, searches: 0, release: () => {} };
  const does = (how: string): Promise<void> => {
    if (how === 'fails') return Promise.reject(DOWN);
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
  it('the contract spoils nothing', async () => {
    const answering = (answer: unknown) => ({ name: 'broken', index: () => ({ search: () => answer as never }) });
    expect(await ask(await hybrid([ranks('a'), answering([null, {}, { name: 'b', score: Number.NaN }])]))).toBe('a,b');
    expect(faults).toEqual([]);
    expect(await ask(await hybrid([ranks('a'), answering(undefined)]))).toBe('a');
    expect(faults).toHaveLength(1);
  });

  it('while it builds its index is left out and reported, and built again later', async () => {
    const { scorer, state } = flaky();
    state.index = 'fails';
    const index = await hybrid([ranks('a'), scorer]);
    expect(await ask(index)).toBe('a');
    expect(faults).toEqual([{ scorer: 'flaky', error: DOWN }]);
    state.index = 'works';
    vi.advanceTimersByTime(1_000);
    expect([await ask(index), state.builds]).toEqual(['a,b', 2]);
  });

  it('in a search is left out and reported, and rests for 1 s, then 2 s, up to a minute, until it works', async () => {
    const { scorer, state } = flaky();
    state.search = 'fails';
    const index = await hybrid([ranks('a'), scorer]);
    const attempts: number[] = [];
    const start = Date.now();
    for (let second = 0; second <= 200; second++) {
      const before = state.searches;
      // Searches at once have failed once.
      expect(await Promise.all([ask(index), ask(index)])).toEqual(['a', 'a']);
      if (state.searches > before) attempts.push((Date.now() - start) / 1_000);
      vi.advanceTimersByTime(1_000);
    }
    expect(attempts).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    expect(faults[0]).toEqual({ scorer: 'flaky', error: DOWN });
    state.search = 'works';
    vi.advanceTimersByTime(60_000);
    expect(await ask(index)).toBe('a,b');
    state.search = 'fails';
    expect(await ask(index)).toBe('a');
    vi.advanceTimersByTime(1_000);
    state.search = 'works';
    expect(await ask(index)).toBe('a,b');
  });

  it('by one query rests for that query alone, by three in a row for all', async () => {
    const asked: string[] = [];
    const isPoison = (text: string) => text.startsWith('poison');
    const search: ToolIndex['search'] = ({ text }) => {
      asked.push(text);
      if (isPoison(text)) throw new Error('refused');
      return [{ name: 'b', score: 1 }];
    };
    const index = await hybrid([ranks('a'), { name: 'picky', index: () => ({ search }) }]);
    for (const text of ['poison', 'poison', 'other', 'poison 1', 'poison 2', 'other', 'poison 3']) {
      expect(await ask(index, text)).toBe(isPoison(text) ? 'a' : 'a,b');
    }
    expect(asked).toEqual(['poison', 'other', 'poison 1', 'poison 2', 'other', 'poison 3']);
    for (const text of ['poison 4', 'poison 5', 'other']) expect(await ask(index, text)).toBe('a');
    vi.advanceTimersByTime(1_000);
    expect(await ask(index, 'other')).toBe('a,b');
  });

  it('with all others ends the search, or the build, with every reason, and is asked at once the next time', async () => {
    const { scorer, state } = flaky();
    const reasons = 'No part could answer. flaky: the embedder is down; flaky: the embedder is down';
    state.index = 'fails';
    await expect(hybrid([scorer, scorer])).rejects.toThrow(reasons);
    Object.assign(state, { index: 'works', search: 'fails' });
    const index = await hybrid([scorer, scorer]);
    await expect(ask(index)).rejects.toThrow(reasons);
    expect(faults).toEqual([]);
    state.search = 'works';
    expect(await ask(index)).toBe('b');
  });

  it('to answer in time is left out, and waited for with an infinite timeout', async () => {
    const { scorer, state } = flaky();
    state.search = 'hangs';
    const answer = ask(await hybrid([ranks('a'), scorer], { timeout: 500 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(await answer).toBe('a');
    expect(String(faults[0]?.error)).toBe('Error: its search takes longer than 500 ms');
    const waiting = ask(await hybrid([ranks('a'), scorer], { timeout: Number.POSITIVE_INFINITY }));
    await vi.advanceTimersByTimeAsync(3_600_000);
    state.release();
    expect(await waiting).toBe('a,b');
  });

  it.each([
    { outcome: 'has one', expected: 'a,b', reported: 1 },
    { outcome: 'fails, which is reported, and tried again', expected: 'a', reported: 2 },
  ])('to build its index in time is left out until it $outcome', async ({ expected, reported }) => {
    const { scorer, state } = flaky();
    const late: ToolScorer = {
      name: 'late',
      async index(list, given) {
        const index = await scorer.index(list, given);
        if (reported > 1 && state.builds === 1) throw DOWN;
        return index;
      },
    };
    state.index = 'hangs';
    const building = hybrid([ranks('a'), late], { timeout: 500 });
    await vi.advanceTimersByTimeAsync(500);
    const index = await building;
    expect(String(faults[0]?.error)).toBe('Error: building its index takes longer than 500 ms');
    vi.advanceTimersByTime(120_000);
    expect(await ask(index)).toBe('a');
    state.index = 'works';
    state.release();
    await vi.advanceTimersByTimeAsync(0);
    expect([await ask(index), state.builds, faults.length]).toEqual([expected, 1, reported]);
    vi.advanceTimersByTime(1_000);
    expect(await ask(index)).toBe('a,b');
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

describe('an update of a hybrid', () => {
  let log: string[] = [];
  const namesIn = (list: readonly ToolDocument[]): string => list.map(({ name }) => name).join();
  /** One tool is replaced, one goes, one comes. */
  const change = (index: IncrementalIndex | undefined) =>
    index?.update?.([document('e'), document('b', 'New.')], ['b', 'c', 'd']);

  type Update = IncrementalIndex['update'];
  const updated: Update = (added, removed) => {
    log.push(`update +${namesIn(added)} -${removed.join()}`);
    return indexOf([documents[0]!, ...added]);
  };

  /** Finds each of its documents, the last first. */
  function indexOf(list: readonly ToolDocument[], update?: Update): IncrementalIndex {
    const matches = list.map(({ name }, position) => ({ name, score: position + 1 })).reverse();
    return { search: () => matches, ...(update ? { update } : {}) };
  }

  /** Notes what it is asked to make, and fails at some of its builds, counted from 1. */
  function part(update?: Update, ...bad: number[]): ToolScorer {
    let builds = 0;
    return {
      name: 'part',
      index(list) {
        if (bad.includes(++builds)) throw DOWN;
        log.push(`index ${namesIn(list)}`);
        return indexOf(list, update);
      },
    };
  }

  it.each<[what: string, other: ToolScorer, logged: readonly string[], reported: number]>([
    ['updates a part that can be', part(updated), ['update +e,b -b,c,d'], 0],
    ['builds one that cannot', part(), ['index a,e,b'], 0],
    ['builds one that says so', part(() => undefined), ['index a,e,b'], 0],
    ['builds one whose update fails, which is reported', part(() => Promise.reject(DOWN)), ['index a,e,b'], 1],
    ['builds one that had no index', part(undefined, 1), ['index a,e,b'], 1],
    ['leaves out one that fails, which is reported', part(undefined, 2), [], 1],
  ])('%s, and knows the names that there are now', async (_, other, logged, reported) => {
    const index = await hybrid([part(updated), other]);
    log = [];
    const changed = await change(index);
    expect([...log].sort()).toEqual([...logged, 'update +e,b -b,c,d'].sort());
    expect(faults.map(({ error }) => error)).toEqual(Array.from({ length: reported }, () => DOWN));
    // A query that is a name has that tool first, if there is one.
    expect([await ask(index, 'c'), await ask(index, 'e')]).toEqual(['c,d,b,a', 'd,c,b,a']);
    expect([await ask(changed, 'e'), await ask(changed, 'c')]).toEqual(['e,b,a', 'b,e,a']);
  });

  it('fails when no part can be made, and the index before stays', async () => {
    const index = await hybrid([part(undefined, 2), part(undefined, 2)]);
    await expect((async () => change(index))()).rejects.toThrow('No part could answer');
    expect(await ask(index)).toBe('d,c,b,a');
  });

  it('lets go of the indexes before', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const made: WeakRef<object>[] = [];
    const noted: ToolScorer = {
      name: 'noted',
      index(list) {
        const index = indexOf(list);
        made.push(new WeakRef(index));
        return index;
      },
    };
    let index: IncrementalIndex | undefined = await hybrid([part(), noted]);
    for (let n = 0; n < 3; n++) index = await index?.update?.([document(`new_${n}`)], []);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(await ask(index)).toContain('new_2');
    expect(made.map((reference) => reference.deref() !== undefined)).toEqual([false, false, false, true]);
  });
});
