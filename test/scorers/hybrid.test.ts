import {
  bm25Scorer,
  type ToolDocument,
  type ToolScorer,
  ToolSearchError,
  type ToolSearchEvent,
  tieredScorer,
} from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/query/query.ts';
import type { ToolMatch } from '../../src/scorers/scorer.ts';
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
