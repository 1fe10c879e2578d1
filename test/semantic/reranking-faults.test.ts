import { type RerankFunction, rerankingScorer } from 'mastra-tool-search/semantic';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScorerFault, ToolIndex } from '../../src/scorers/scorer.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { documents, ranks } from '../scorers/told.ts';

describe('a reranker that fails', () => {
  const faults: ScorerFault[] = [];
  const context = { report: (fault: ScorerFault) => void faults.push(fault) };
  const ask = async (index: ToolIndex, query = 'query') =>
    (await index.search(parseQuery(query))).map(({ name }) => name).join();

  beforeEach(() => {
    faults.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each<{ why: string; rerank: unknown; message: string }>([
    {
      why: 'it throws',
      rerank: () => {
        throw new Error('429');
      },
      message: '429',
    },
    { why: 'it rejects', rerank: () => Promise.reject(new Error('429')), message: '429' },
    {
      why: 'no list',
      rerank: () => ({ 0: 1, 1: 2 }),
      message: 'one score for each candidate: no list of scores for 2',
    },
    { why: 'too few', rerank: () => [1], message: '1 scores for 2 candidates' },
    { why: 'no number', rerank: () => [1, Number.NaN], message: 'finite numbers; one is NaN' },
    { why: 'too far apart', rerank: () => [1.7e308, -1.7e308], message: 'the distance of two is beyond any number' },
    { why: 'a text', rerank: () => ['1', 2], message: 'finite numbers; one is 1' },
    { why: 'a hole', rerank: () => new Array(2), message: 'finite numbers; one is undefined' },
  ])('leaves the first ranking as it is: $why', async ({ rerank, message }) => {
    const index = await rerankingScorer(ranks('b', 'a'), { rerank: rerank as RerankFunction }).index(
      documents,
      context,
    );
    expect(await ask(index)).toBe('b,a');
    expect(faults).toEqual([
      { scorer: 'rerank', error: expect.objectContaining({ message: expect.stringContaining(message) }) },
    ]);
  });

  it('by taking too long is told so', async () => {
    let signal: AbortSignal | undefined;
    const rerank: RerankFunction = (_, __, options) => {
      signal = options.signal;
      return new Promise(() => {});
    };
    const index = await rerankingScorer(ranks('b', 'a'), { rerank, timeout: 50 }).index(documents, context);
    const answer = ask(index);
    await vi.advanceTimersByTimeAsync(49);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toBe('b,a');
    expect(signal?.aborted).toBe(true);
    expect(faults).toEqual([{ scorer: 'rerank', error: new Error('"rerank" takes longer than 50 ms') }]);
  });

  it('rests, the longer the more often it fails, and then is asked again', async () => {
    let isDown = true;
    let calls = 0;
    const rerank: RerankFunction = (_, candidates) => {
      calls++;
      if (isDown) throw new Error('down');
      return candidates.map(({ name }) => (name === 'a' ? 1 : 0));
    };
    const index = await rerankingScorer(ranks('b', 'a'), { rerank }).index(documents, context);
    for (const { after, expected } of [
      { after: 0, expected: 1 },
      { after: 999, expected: 1 },
      { after: 1, expected: 2 },
      { after: 1_999, expected: 2 },
      { after: 1, expected: 3 },
    ]) {
      vi.advanceTimersByTime(after);
      expect(await ask(index)).toBe('b,a');
      expect(calls).toBe(expected);
    }
    isDown = false;
    vi.advanceTimersByTime(4_000);
    expect(await ask(index)).toBe('a,b');
    expect(faults.length).toBe(3);
  });

  it('by one query rests for that query alone, by three in a row for all', async () => {
    const asked: string[] = [];
    const rerank: RerankFunction = (query, candidates) => {
      asked.push(query);
      if (query.startsWith('poison')) throw new Error('refused');
      return candidates.map(({ name }) => (name === 'a' ? 1 : 0));
    };
    const index = await rerankingScorer(ranks('b', 'a'), { rerank }).index(documents, context);
    const queries = ['poison', '+poison', 'other', 'poison 1', 'poison 2', 'poison 3', 'poison 4', 'another'];
    const answers = [];
    for (const query of queries) answers.push(await ask(index, query));
    expect(answers.filter((answer) => answer === 'a,b').length).toBe(1);
    expect(asked).toEqual(['poison', 'other', 'poison 1', 'poison 2', 'poison 3']);
    vi.advanceTimersByTime(1_000);
    expect(await ask(index, 'another')).toBe('a,b');
  });
});
