import fc from 'fast-check';
import { bm25Scorer, type ToolMatch, type ToolScorer, tieredScorer } from 'mastra-tool-search';
import { type HybridScorerOptions, hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { describeRefusals } from '../scorers/refusals.ts';
import { describeScorer, namesOf, search } from '../scorers/scorer-contract.ts';
import { documents, ranks, scores } from '../scorers/told.ts';
import { email, fillerTools, weather } from '../support/agent.ts';
import { bagOfWords } from './embeddings/embedders.ts';

const meaning = () => semanticScorer({ embed: (texts) => Promise.resolve(texts.map(bagOfWords)) });

describeScorer('hybridScorer', () => hybridScorer([bm25Scorer(), meaning()]), {
  has: ['update', 'restrictedTo'],
  runs: 3,
});

const rounded = (matches: readonly ToolMatch[]) => matches.map(({ name, score }) => [name, Number(score.toFixed(4))]);
const told = (scoresOf: Readonly<Record<string, number>>) =>
  scores(...Object.entries(scoresOf).map(([name, score]) => ({ name, score })));
const evenly = { weights: [1, 1] };

interface Fusion {
  readonly parts: readonly ToolScorer[];
  readonly options?: HybridScorerOptions;
  readonly expected: Readonly<Record<string, number>>;
}

const fusions: Readonly<Record<string, Fusion>> = {
  'scores as shares of the way from zero to the best, 85 % for the first part, a hundredth for the match itself': {
    parts: [told({ a: 40, b: 10 }), told({ b: 0.8, c: 0.6, d: 0.4 })],
    expected: { a: 0.85, b: 0.85 * (0.01 + 0.99 / 4) + 0.15, c: 0.15 * (0.01 + 0.99 / 2), d: 0.0015 },
  },
  'equal parts of the rest for the others': {
    parts: [ranks('a'), ranks('b'), ranks('c')],
    expected: { a: 0.85, b: 0.075, c: 0.075 },
  },
  'weights in proportion': {
    parts: [ranks('a'), ranks('b')],
    options: { weights: [3, 9] },
    expected: { b: 0.75, a: 0.25 },
  },
  'scores below zero, and such as are no numbers': {
    parts: [told({ a: -1, b: -2, c: -3 }), told({ d: Number.POSITIVE_INFINITY, c: Number.NaN })],
    options: evenly,
    expected: { a: 0.5, d: 0.5, b: 0.2525, c: 0.01 },
  },
};

describe('the fusion', () => {
  it.each(Object.entries(fusions))('takes %s', async (_, { parts, options, expected }) => {
    expect(rounded(await search(hybridScorer(parts, options), documents, 'query'))).toEqual(
      Object.entries(expected).map(([name, score]) => [name, Number(score.toFixed(4))]),
    );
  });

  it('counts the scores of further parts from rank 50', async () => {
    const many = Array.from({ length: 60 }, (_, position) => ({ name: `m${position + 10}`, score: 160 - position }));
    const fused = await search(hybridScorer([ranks('a'), scores(...many)], evenly), documents, 'query');
    const at = (name: string) => fused.find((match) => match.name === name)?.score;
    expect(at('m10')).toBe(0.5);
    expect(at('m34')).toBeCloseTo((0.01 + (0.99 * 25) / 49) / 2, 10);
    for (const name of ['m59', 'm60', 'm69']) expect(at(name)).toBe(0.005);
  });

  it('gives a score from 0 to 1 to every match, in the order of each part where the others agree', async () => {
    const match = fc.record({ name: fc.stringMatching(/^[a-h]$/), score: fc.double({ noNaN: true }) });
    const matches = fc
      .uniqueArray(match, { selector: ({ name }) => name })
      .map((list) => list.sort((one, other) => other.score - one.score));
    const property = fc.asyncProperty(matches, matches, async (one, other) => {
      const fused = await search(hybridScorer([scores(...one), scores(...other)]), documents, 'query');
      expect(new Set(fused.map(({ name }) => name))).toEqual(new Set([...one, ...other].map(({ name }) => name)));
      for (const { score } of fused) expect(score > 0 && score <= 1 + 1e-9).toBe(true);
      const alone = await search(hybridScorer([scores(...one), scores()]), documents, 'query');
      for (const [position, { score }] of alone.entries()) {
        expect(score).toBeLessThanOrEqual(alone[position - 1]?.score ?? 1);
      }
    });
    await fc.assert(property, { numRuns: 50 });
  });
});

describe('a hybrid', () => {
  it('ranks the tool first whose name the query is', async () => {
    const scorer = hybridScorer([ranks('b', 'a'), ranks('b', 'c', 'd', 'a')]);
    const [first, second] = await search(scorer, documents, 'A');
    expect(first?.name).toBe('a');
    expect(first?.score).toBeGreaterThan(1);
    expect(second).toEqual({ name: 'b', score: expect.closeTo(1, 10) });
    // A name that no part matches stays out.
    expect(await namesOf(hybridScorer([ranks('b'), ranks('c')]), documents, 'a')).toEqual(['b', 'c']);
  });

  it('can take hybrids as parts', async () => {
    const inner = hybridScorer([ranks('b'), ranks('b', 'a')]);
    expect(await namesOf(hybridScorer([inner, tieredScorer()]), documents, 'a')).toEqual(['a', 'b']);
  });
});

describe('in a processor', () => {
  const down = semanticScorer({ embed: () => Promise.reject(new Error('429 Too Many Requests')) });
  const cache = { get: () => Promise.reject(new Error('ECONNREFUSED')), set: () => {} };
  const uncached = semanticScorer({ embed: (texts) => texts.map(bagOfWords), model: 'words', cache });

  it.each([
    { what: 'embedder as a part is an event', scorer: hybridScorer([bm25Scorer(), down]), survived: true },
    { what: 'embedder alone is one, and the model is told', scorer: down },
    { what: 'cache is one', scorer: uncached, survived: true },
  ])('a failing $what', async ({ what: _, scorer, ...survived }) => {
    const tools = { ...fillerTools(3), get_weather: weather(), send_email: email() };
    const session = new Session({ tools, search: { scorer } });
    const { results, message } = await session.search({ query: 'weather' });
    expect(results.map(({ name }) => name)).toEqual('survived' in survived ? ['get_weather'] : []);
    if (results.length === 0) expect(message).not.toBe('');
    const error = expect.objectContaining({ message: expect.stringMatching(/429 Too Many|ECONNREFUSED/) });
    expect(session.eventsOf('scorer-failed')).toEqual([
      { type: 'scorer-failed', scorer: 'semantic', error, ...survived },
    ]);
  });
});

const two = [bm25Scorer(), tieredScorer()];
const refused: { parts?: unknown; options?: unknown; message: string }[] = [
  { parts: [bm25Scorer()], message: '"parts" must be an array of two scorers or more; got an array of 1.' },
  { parts: bm25Scorer(), message: '"parts" must be an array' },
  { parts: [bm25Scorer(), bm25Scorer], message: '"parts[1]" must be a ToolScorer, e.g. bm25Scorer(); got a function.' },
  { parts: [bm25Scorer(), null], message: '"parts[1]" must be a ToolScorer' },
  { options: { fusion: 'ranks' }, message: 'is no option of hybridScorer' },
  { options: { weights: [1] }, message: '"weights" must be an array with one number for each of the 2 parts; got an' },
  { options: { weights: { bm25: 1 } }, message: '"weights" must be' },
  { options: { weights: [1, 0] }, message: '"weights[1]" must be a number above 0; got 0.' },
  { options: { timeout: 0 }, message: '"timeout" must be milliseconds, above 0; Infinity waits; got 0.' },
  { options: null, message: '"options" must be an object; got null.' },
];

describeRefusals(refused, ({ parts = two, options }) => hybridScorer(parts as never, options as never));
