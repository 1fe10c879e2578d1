import fc from 'fast-check';
import { bm25Scorer, type ToolSearchEvent, tieredScorer } from 'mastra-tool-search';
import { type HybridScorerOptions, hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import type { ToolMatch } from '../../src/scorers/scorer.ts';
import { bestFirst } from '../../src/scorers/scorer.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { catalog } from '../fixtures/tools.ts';
import { Session } from '../meta-tools/session.ts';
import { describeRefusals } from '../scorers/refusals.ts';
import { describeScorer, namesOf, search } from '../scorers/scorer-contract.ts';
import { documents, ranks, scores } from '../scorers/told.ts';
import { email, fillerTools, weather } from '../support/harness.ts';
import { bagOfWords, modelEmbed } from './embeddings/embedders.ts';

const words = () => semanticScorer({ embed: (texts) => Promise.resolve(texts.map(bagOfWords)) });

describeScorer('hybridScorer', () => hybridScorer([bm25Scorer(), words()]), { has: ['update', 'restrictedTo'] });
describeScorer('hybridScorer of ranks', () => hybridScorer([bm25Scorer(), words()], { fusion: 'ranks' }), {
  has: ['update', 'restrictedTo'],
});

const rounded = (matches: readonly ToolMatch[]) => matches.map(({ name, score }) => [name, Number(score.toFixed(4))]);

const evenly = { weights: [1, 1] };

describe('the fusion of scores', () => {
  it('adds up shares of the way from zero to the best, 85 % of it for the first part', async () => {
    const words = scores({ name: 'a', score: 40 }, { name: 'b', score: 10 });
    const meaning = scores({ name: 'b', score: 0.8 }, { name: 'c', score: 0.6 }, { name: 'd', score: 0.4 });
    expect(rounded(await search(hybridScorer([words, meaning]), documents, 'query'))).toEqual([
      ['a', 0.85],
      // A hundredth is for the match itself.
      ['b', Number((0.85 * (0.01 + 0.99 / 4) + 0.15).toFixed(4))],
      ['c', Number((0.15 * (0.01 + 0.99 / 2)).toFixed(4))],
      ['d', 0.0015],
    ]);
  });

  it('counts the scores of further parts from rank 50', async () => {
    const many = Array.from({ length: 60 }, (_, position) => ({ name: `m${position + 10}`, score: 160 - position }));
    const fused = await search(hybridScorer([ranks('a'), scores(...many)], evenly), documents, 'query');
    const at = (name: string) => fused.find((match) => match.name === name)?.score;
    expect(at('m10')).toBe(0.5);
    expect(at('m34')).toBeCloseTo((0.01 + (0.99 * 25) / 49) / 2, 10);
    for (const name of ['m59', 'm60', 'm69']) expect(at(name)).toBe(0.005);
  });

  it('gives the others equal parts of the rest', async () => {
    const scorer = hybridScorer([ranks('a'), ranks('b'), ranks('c')]);
    expect(rounded(await search(scorer, documents, 'query'))).toEqual([
      ['a', 0.85],
      ['b', 0.075],
      ['c', 0.075],
    ]);
  });

  it('weighs the parts in proportion', async () => {
    const scorer = hybridScorer([ranks('a'), ranks('b')], { weights: [3, 9] });
    expect(rounded(await search(scorer, documents, 'query'))).toEqual([
      ['b', 0.75],
      ['a', 0.25],
    ]);
  });

  it('takes scores below zero, and such as are no numbers', async () => {
    const below = scores({ name: 'a', score: -1 }, { name: 'b', score: -2 }, { name: 'c', score: -3 });
    const broken = scores({ name: 'd', score: Number.POSITIVE_INFINITY }, { name: 'c', score: Number.NaN });
    const fused = await search(hybridScorer([below, broken], evenly), documents, 'query');
    expect(rounded(fused)).toEqual([
      ['a', 0.5],
      ['d', 0.5],
      ['b', 0.2525],
      ['c', 0.01],
    ]);
  });

  it('gives a score from 0 to 1 to every match, in the order of each part where the others agree', async () => {
    const matches = fc
      .uniqueArray(fc.record({ name: fc.stringMatching(/^[a-h]$/), score: fc.double({ noNaN: true }) }), {
        selector: ({ name }) => name,
      })
      .map(bestFirst);
    await fc.assert(
      fc.asyncProperty(matches, matches, async (one, other) => {
        const fused = await search(hybridScorer([scores(...one), scores(...other)]), documents, 'query');
        expect(fused.map(({ name }) => name).sort()).toEqual(
          [...new Set([...one, ...other].map(({ name }) => name))].sort(),
        );
        for (const { score } of fused) expect(score > 0 && score <= 1 + 1e-9).toBe(true);
        const alone = await search(hybridScorer([scores(...one), scores()]), documents, 'query');
        for (const [position, { score }] of alone.entries()) {
          expect(score).toBeLessThanOrEqual(alone[position - 1]?.score ?? 1);
        }
      }),
    );
  });
});

describe('the fusion of ranks', () => {
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

  it('has k 5 by default, and 75 % for the first part', async () => {
    const scorer = hybridScorer([ranks('c', 'a'), ranks('c', 'b')], { fusion: 'ranks' });
    expect(rounded(await search(scorer, documents, 'query'))).toEqual([
      ['c', 1],
      ['a', Number(((6 / 7) * 0.75).toFixed(4))],
      ['b', Number(((6 / 7) * 0.25).toFixed(4))],
    ]);
  });

  it('is meant by a k', async () => {
    const parts = [ranks('a', 'b', 'c'), ranks('b', 'd')];
    const ask = (options: HybridScorerOptions) => search(hybridScorer(parts, options), documents, 'query');
    expect(await ask({ k: 60 })).toEqual(await ask({ k: 60, fusion: 'ranks' }));
  });

  it('gives equal scores equal ranks', async () => {
    const tied = scores(
      { name: 'a', score: 2 },
      { name: 'b', score: 1 },
      { name: 'c', score: 1 },
      { name: 'd', score: 0.5 },
    );
    const scorer = hybridScorer([tied, ranks()], { k: 0, ...evenly });
    expect(rounded(await search(scorer, documents, 'query'))).toEqual([
      ['a', 0.5],
      ['b', 0.25],
      ['c', 0.25],
      ['d', 0.125],
    ]);
  });

  it('lets a tool that is well ranked everywhere pass one that a single part has first', async () => {
    const scorer = hybridScorer([ranks('a', 'b'), ranks('c', 'b')], { k: 60, ...evenly });
    expect(await namesOf(scorer, documents, 'query')).toEqual(['b', 'a', 'c']);
  });
});

describe('a hybrid', () => {
  it.each([{ fusion: 'scores' }, { fusion: 'ranks' }] as const)(
    'ranks the tool first whose name the query is: $fusion',
    async (options) => {
      const scorer = hybridScorer([ranks('b', 'a'), ranks('b', 'c', 'd', 'a')], options);
      const [first, second] = await search(scorer, documents, 'A');
      expect(first?.name).toBe('a');
      expect(first?.score).toBeGreaterThan(1);
      expect(second).toEqual({ name: 'b', score: expect.closeTo(1, 10) });
      // A name that no part matches stays out.
      expect(await namesOf(hybridScorer([ranks('b'), ranks('c')]), documents, 'a')).toEqual(['b', 'c']);
    },
  );

  it('can take hybrids as parts', async () => {
    const inner = hybridScorer([ranks('b'), ranks('b', 'a')]);
    expect(await namesOf(hybridScorer([inner, tieredScorer()]), documents, 'a')).toEqual(['a', 'b']);
  });

  it('with a real model finds what shares no word with the query, and keeps exact hits first', async () => {
    const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed: modelEmbed })]);
    const index = await scorer.index(catalog);
    const first = async (query: string) => (await index.search(parseQuery(query)))[0]?.name;
    expect((await namesOf(scorer, catalog, 'umbrella needed')).slice(0, 2)).toContain('get-weather-forecast');
    expect((await namesOf(scorer, catalog, 'make a ticket')).slice(0, 2)).toContain('jira_create_ticket');
    expect(await first('get weather alerts')).toBe('get-weather-alerts');
    expect(await first('slack reaction')).toBe('slack_add_reaction');
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
  { parts: two, options: { fusion: 'rrf' }, message: `"fusion" must be 'scores' or 'ranks'; got "rrf".` },
  { parts: two, options: { fusion: 'scores', k: 5 }, message: `"k" must be left out with fusion 'scores'; got 5.` },
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

describeRefusals(refused, ({ parts, options }) => hybridScorer(parts as never, options as never));
