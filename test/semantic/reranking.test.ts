import { bm25Scorer, type ScorerFault, type ToolScorer, tieredScorer } from 'mastra-tool-search';
import {
  hybridScorer,
  type RerankFunction,
  type RerankingScorerOptions,
  rerankingScorer,
  semanticScorer,
} from 'mastra-tool-search/semantic';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { document } from '../fixtures/tools.ts';
import { Session } from '../meta-tools/session.ts';
import { describeParts } from '../scorers/change-contract.ts';
import { describeRefusals } from '../scorers/refusals.ts';
import { describeScorer, ask as found, namesOf, rated, search } from '../scorers/scorer-contract.ts';
import { documents, type IncrementalIndex, ranks, scores } from '../scorers/told.ts';
import { email, fillerTools, weather } from '../support/agent.ts';
import { bagOfWords } from './embeddings/embedders.ts';

/** Judges by the words that query and text share, which any model would see. */
const byWords: RerankFunction = (query, candidates) => {
  const words = query.toLowerCase().split(' ');
  return candidates.map(({ text }) => words.filter((word) => text.toLowerCase().includes(word)).length);
};
const meaning = () => semanticScorer({ embed: (texts) => Promise.resolve(texts.map(bagOfWords)), minSimilarity: 0 });

describeScorer('rerankingScorer', () => rerankingScorer(bm25Scorer(), { rerank: byWords }), {
  has: ['update', 'restrictedTo'],
  runs: 5,
});
describeParts('rerankingScorer of what needs no restrictedTo', () => rerankingScorer(meaning(), { rerank: byWords }));

/** Scores as it is told, by the name, and notes what it is asked. */
function judge(scoresOf: Readonly<Record<string, number>>) {
  const asked: { query: string; names: string }[] = [];
  const rerank: RerankFunction = async (query, candidates) => {
    asked.push({ query, names: candidates.map(({ name }) => name).join() });
    return candidates.map(({ name }) => scoresOf[name] ?? 0);
  };
  return { rerank, asked };
}

const rounded = async (scorer: ToolScorer, query = 'query') =>
  (await search(scorer, documents, query)).map(({ name, score }) => [name, Number(score.toFixed(4))]);

describe('the ranking', () => {
  it('is that of the reranker for the candidates, with the others behind them in their order', async () => {
    const { rerank, asked } = judge({ a: -4, b: 6, c: 99, d: 99 });
    const scorer = rerankingScorer(ranks('a', 'b', 'c', 'd'), { rerank, candidates: 2, weight: 1 });
    expect(Object.fromEntries(await rounded(scorer))).toEqual({ b: 1, a: 0.5, c: 0.3333, d: 0.1667 });
    expect(asked).toEqual([{ query: 'query', names: 'a,b' }]);
  });

  it('keeps a part of the first one below a weight of 1, by default the half', async () => {
    const { rerank } = judge({ a: 0, b: 1, c: 0.5 });
    const first = scores({ name: 'a', score: 10 }, { name: 'b', score: 0 });
    // A match is worth a hundredth in the first ranking.
    const ofB = (weight: number) => Number(((1 + weight + (1 - weight) * 0.01) / 2).toFixed(4));
    const quarter = await rounded(rerankingScorer(first, { rerank, weight: 0.25 }));
    expect(Object.fromEntries(quarter)).toEqual({ a: 0.875, b: ofB(0.25) });
    expect((await rounded(rerankingScorer(first, { rerank })))[0]).toEqual(['b', ofB(0.5)]);
  });

  it('puts the tool first whose name the query is, and asks with the words of the query', async () => {
    const { rerank, asked } = judge({ a: 0, b: 5, c: 9 });
    const scorer = rerankingScorer(ranks('c', 'b', 'a', 'd'), { rerank, candidates: 3, weight: 1 });
    expect(Object.fromEntries(await rounded(scorer, 'A'))).toEqual({ a: 1.5, c: 1, b: 0.7778, d: 0.25 });
    // Behind the candidates too.
    expect((await rounded(scorer, '+D'))[0]).toEqual(['d', 1.25]);
    expect(asked.map(({ query }) => query)).toEqual(['A', 'D']);
  });

  it('gives equal scores the order of their names', async () => {
    const scorer = rerankingScorer(ranks('c', 'b', 'a'), { rerank: judge({}).rerank, weight: 1 });
    expect(await rounded(scorer)).toEqual(['a', 'b', 'c'].map((name) => [name, 1]));
  });

  it('asks nobody where there is nothing to order', async () => {
    const { rerank, asked } = judge({});
    for (const names of [[], ['b']]) {
      expect(await namesOf(rerankingScorer(ranks(...names), { rerank }), documents, 'query')).toEqual(names);
    }
    expect(asked).toEqual([]);
  });

  it('shows the reranker 30 candidates, each with the text that is embedded', async () => {
    const many = Array.from({ length: 40 }, (_, n) => document(`send_mail_${n}`, 'Sends a mail.'));
    const rerank = vi.fn(byWords);
    expect((await namesOf(rerankingScorer(bm25Scorer(), { rerank }), many, 'send mail')).length).toBe(40);
    const seen = rerank.mock.calls[0]?.[1] ?? [];
    expect(seen.length).toBe(30);
    expect(seen[0]?.text).toMatch(/^send mail \d+\. Sends a mail\.$/);
  });
});

it('the confidence is that of the first ranking by place, so that the best has the highest, where that has one', async () => {
  const tools = [
    document('get_weather', 'Get the weather of a city.'),
    document('get_forecast', 'Get the forecast of the weather.'),
    document('send_email', 'Send an email about the weather.'),
  ];
  const first = await rated(await bm25Scorer().index(tools), 'weather of a city');
  const { rerank } = judge({ send_email: 3, get_forecast: 2 });
  const anew = await rated(
    await rerankingScorer(bm25Scorer(), { rerank, weight: 1 }).index(tools),
    'weather of a city',
  );
  expect(anew.names).toEqual(['send_email', 'get_forecast', 'get_weather']);
  expect(anew.confidences).toEqual(first.confidences.toSorted((one, other) => other - one));
  const tiered = rerankingScorer(tieredScorer(), { rerank });
  expect([tiered.givesConfidence, (await tiered.index(tools)).confidence]).toEqual([false, undefined]);
});

describe('a reranker that fails', () => {
  const faults: ScorerFault[] = [];
  const context = { report: (fault: ScorerFault) => void faults.push(fault) };
  const indexOf = (rerank: RerankFunction, timeout = 50) =>
    rerankingScorer(ranks('b', 'a'), { rerank, timeout }).index(documents, context);
  const ask = async (index: IncrementalIndex, query = 'query') => (await found(index, query)).join();

  beforeEach(() => {
    faults.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  const thrown = () => {
    throw new Error('429');
  };
  it.each<[why: string, rerank: unknown, message: string]>([
    ['it throws', thrown, '429'],
    ['it rejects', () => Promise.reject(new Error('429')), '429'],
    ['no list', () => ({ 0: 1, 1: 2 }), 'score for each candidate: no list of scores for 2'],
    ['too few', () => [1], '1 scores for 2 candidates'],
    ['no number', () => [1, Number.NaN], 'finite numbers; one is NaN'],
    ['too far apart', () => [1.7e308, -1.7e308], 'the distance of two is beyond any number'],
    ['a text', () => ['1', 2], 'finite numbers; one is 1'],
    ['a hole', () => new Array(2), 'finite numbers; one is undefined'],
  ])('leaves the first ranking as it is: %s', async (_, rerank, message) => {
    expect(await ask(await indexOf(rerank as RerankFunction))).toBe('b,a');
    const error = expect.objectContaining({ message: expect.stringContaining(message) });
    expect(faults).toEqual([{ scorer: 'rerank', error }]);
  });

  it('by taking too long is told so', async () => {
    let signal: AbortSignal | undefined;
    const index = await indexOf((_, __, options) => {
      signal = options.signal;
      return new Promise(() => {});
    });
    const answer = ask(index);
    await vi.advanceTimersByTimeAsync(49);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toBe('b,a');
    expect(signal?.aborted).toBe(true);
    expect(faults).toEqual([{ scorer: 'rerank', error: new Error('"rerank" takes longer than 50 ms') }]);
  });

  it('by one query rests for that query alone, by three in a row for all', async () => {
    const asked: string[] = [];
    const index = await indexOf((query, candidates) => {
      asked.push(query);
      if (query.startsWith('poison')) throw new Error('refused');
      return candidates.map(({ name }) => (name === 'a' ? 1 : 0));
    });
    const queries = ['poison', '+poison', 'other', 'poison 1', 'poison 2', 'poison 3', 'poison 4', 'another'];
    const answers = [];
    for (const query of queries) answers.push(await ask(index, query));
    expect(answers.filter((answer) => answer === 'a,b').length).toBe(1);
    expect(asked).toEqual(['poison', 'other', 'poison 1', 'poison 2', 'poison 3']);
    vi.advanceTimersByTime(1_000);
    expect(await ask(index, 'another')).toBe('a,b');
  });
});

describe('in a processor', () => {
  const tools = () => ({ ...fillerTools(3), get_weather: weather(), send_email: email() });

  it('a failing reranker is an event, and the first ranking stands', async () => {
    const error = new Error('429 Too Many Requests');
    const scorer = rerankingScorer(bm25Scorer(), { rerank: () => Promise.reject(error) });
    const session = new Session({ tools: tools(), search: { scorer } });
    expect((await session.search({ query: 'weather in a city, by email' })).results[0]?.name).toBe('get_weather');
    expect(session.eventsOf('scorer-failed')).toEqual([
      { type: 'scorer-failed', scorer: 'rerank', error, survived: true },
    ]);
  });

  it('is shown each candidate once, and none that the request may not see', async () => {
    for (const filter of [undefined, () => true, ({ toolName }: { toolName: string }) => toolName !== 'send_email']) {
      const { rerank, asked } = judge({ get_weather: 1 });
      const scorer = rerankingScorer(bm25Scorer(), { rerank });
      const session = new Session({ tools: tools(), search: { scorer }, ...(filter ? { filter } : {}) });
      const { results } = await session.search({ query: 'get the weather of a city or send an email with filler' });
      expect(results.length).toBeGreaterThan(1);
      expect(asked.length).toBe(1);
      expect(asked[0]?.names.includes('send_email')).toBe(filter === undefined || filter({ toolName: 'send_email' }));
    }
  });
});

it('inside another scorer it is refused, as it would be shown what a request may not see', () => {
  const inner = rerankingScorer(bm25Scorer(), { rerank: byWords });
  expect(() => hybridScorer([inner, bm25Scorer()])).toThrow('have it rerank the hybrid');
  expect(() => rerankingScorer(inner, { rerank: byWords })).toThrow('one that does not rerank itself');
  expect(rerankingScorer(hybridScorer([bm25Scorer(), meaning()]), { rerank: byWords }).name).toBe('reranking');
});

const rerank = byWords;
const refused: { scorer?: unknown; options: unknown; message: string }[] = [
  { scorer: bm25Scorer, options: { rerank }, message: '"scorer" must be a ToolScorer, e.g. bm25Scorer(); got a funct' },
  { options: undefined, message: '"options" must be an object' },
  { options: {}, message: '"rerank" must be a function from a query and tools to scores' },
  { options: { rerank, candidates: 1 }, message: '"candidates" must be a whole number of at least 2; got 1.' },
  { options: { rerank, candidates: 2.5 }, message: '"candidates" must be' },
  { options: { rerank, timeout: 0 }, message: '"timeout" must be milliseconds, above 0; Infinity waits; got 0.' },
  { options: { rerank, weight: 0 }, message: '"weight" must be a number above 0, up to 1; got 0.' },
  { options: { rerank, weight: 1.1 }, message: '"weight" must be' },
  { options: { rerank, candidate: 5 }, message: 'Did you mean "candidates"?' },
];

describeRefusals(refused, ({ scorer = bm25Scorer(), options }) =>
  rerankingScorer(scorer as ToolScorer, options as RerankingScorerOptions),
);
