import fc from 'fast-check';
import type { SearchToolsResult, ToolScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';
import { type Line, scripted } from '../support/scripted-scorer.ts';
import { Session } from './session.ts';

const LETTERS = [...'abcdefghij'];
const tools = () => toolRecord(...LETTERS.map((letter) => tool(letter)));
/** Each query finds the tools of these letters, all equally well. */
const finding = (found: Readonly<Record<string, string>>): ToolScorer =>
  scripted(Object.fromEntries(Object.entries(found).map(([text, names]) => [text, linesOf(names)])));
const linesOf = (names: string): Line[] => [...names].map((name) => [name, 1]);
const sessionWith = (scorer: ToolScorer, search: object = {}, more: object = {}) =>
  new Session({ tools: tools(), search: { scorer, ...search }, ...more });

const namesOf = ({ results }: SearchToolsResult): string[] => results.map(({ name }) => name);
/** a: first, second */
const foundBy = ({ results }: SearchToolsResult): string[] =>
  results.map(({ name, queries }) => `${name}: ${queries?.join(', ')}`);
const FOUND = 'Use load_tool with an exact toolName or a toolNames array to make them available.';

describe('a search with several queries', () => {
  it('shows the best of each query first, then the second, and says which query found a tool', async () => {
    const session = sessionWith(finding({ mail: 'abc', 'the weather': 'def' }));
    expect(await session.search({ query: ['mail', 'the weather'], maxResults: 3 })).toEqual({
      results: [
        { name: 'a', description: 'Does a.', score: 1, signature: '(text?)', queries: ['mail'] },
        { name: 'd', description: 'Does d.', score: 1, queries: ['the weather'] },
        { name: 'b', description: 'Does b.', score: 1, queries: ['mail'] },
      ],
      message: `Found 3 tool(s). ${FOUND}`,
    });
    expect(await session.sent()).toEqual([]);
  });

  it('shows a tool once that several queries found, at its best rank, with all of them', async () => {
    const session = sessionWith(finding({ one: 'abc', two: 'cab', three: 'b' }));
    expect(foundBy(await session.search({ query: ['one', 'two', 'three'] }))).toEqual([
      'a: one, two',
      'c: two, one',
      'b: three, one, two',
    ]);
  });

  it('shows such a tool with the score and confidence of its best rank', async () => {
    const session = sessionWith(
      scripted({
        one: [
          ['a', 8, 0.9],
          ['b', 4, 0.5],
        ],
        two: [['b', 6, 0.7]],
      }),
    );
    const { results } = await session.search({ query: ['one', 'two'] });
    expect(results.map(({ name, score, confidence }) => [name, score, confidence])).toEqual([
      ['a', 8, 0.9],
      ['b', 6, 0.7],
    ]);
  });

  it.each([
    { limit: 1, found: { x: 'abc', y: 'def' }, names: 'ad', why: 'each query has at least one' },
    { limit: 2, found: { x: 'abc', y: 'def' }, names: 'ad', why: 'one each' },
    { limit: 5, found: { x: 'abc', y: 'def' }, names: 'adbec', why: 'the first has the odd one' },
    { limit: 4, found: { x: 'a', y: 'defg' }, names: 'adef', why: 'what one leaves the other has' },
    { limit: 3, found: { x: 'ab', y: 'ab' }, names: 'ab', why: 'there is no more' },
    { limit: 2, found: { x: 'ab', y: 'ac', z: 'ad' }, names: 'abc', why: 'a shared best leaves room for seconds' },
    { limit: 20, found: { x: 'abcde', y: 'fghij' }, names: 'afbgchdiej', why: 'all of them' },
    { limit: undefined, found: { x: 'abcde', y: 'fghij' }, names: 'afbgc', why: 'topK for all together' },
  ])('shares a limit of $limit fairly: $why', async ({ limit, found, names }) => {
    const result = await sessionWith(finding(found as never)).search({ query: Object.keys(found), maxResults: limit });
    expect(namesOf(result).join('')).toBe(names);
    expect(result.message).toContain(`Found ${names.length} tool(s).`);
  });

  it('gives no place of the limit to queries that find nothing', async () => {
    const session = sessionWith(finding({ x: 'abc', y: 'def' }));
    expect(namesOf(await session.search({ query: ['x', 'y', 'nothing', 'none'], maxResults: 2 }))).toEqual(['a', 'd']);
  });

  it('merges results exactly as a naive reading of these rules', async () => {
    const list = fc.uniqueArray(fc.constantFrom(...LETTERS), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(list, { minLength: 2, maxLength: 8 }),
        fc.integer({ min: 1, max: 20 }),
        async (lists, limit) => {
          const texts = lists.map((_, at) => `query${at}`);
          const found = Object.fromEntries(lists.map((names, at) => [texts[at], names.join('')]));
          const hits = lists.flatMap((names, at) =>
            names.slice(0, limit).map((name, turn) => ({ name, turn, at, text: texts[at] })),
          );
          hits.sort((first, second) => first.turn - second.turn || first.at - second.at);
          const expected = [...new Set(hits.map(({ name }) => name))].slice(0, Math.max(limit, lists.length));
          const result = await sessionWith(finding(found)).search({ query: texts, maxResults: limit });
          expect(foundBy(result)).toEqual(
            expected.map((name) => {
              const queries = hits.filter((hit) => hit.name === name).map(({ text }) => text);
              return `${name}: ${queries.join(', ')}`;
            }),
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a list of queries', () => {
  const scorer = () => finding({ mail: 'ab', Mail: 'c', '42': 'd' });

  it.each([
    { query: ['mail'], why: 'one' },
    { query: ['mail', 'mail', ' mail '], why: 'the same one again' },
    { query: ['', ' \n', 'mail'], why: 'others without text' },
    { query: ['mail', 7, null, {}], why: 'others that are no text' },
    { query: '["mail"]', why: 'one as JSON' },
    { query: '["mail", "mail"]', why: 'the same one again as JSON' },
  ])('is answered as the plain query for $query: $why', async ({ query }) => {
    const plain = await sessionWith(scorer()).search({ query: 'mail' });
    expect(plain.results.every((result) => !('queries' in result))).toBe(true);
    expect(await sessionWith(scorer()).search({ query })).toEqual(plain);
  });

  it('may come as JSON', async () => {
    const list = ['mail', 'Mail'];
    expect(await sessionWith(scorer()).search({ query: JSON.stringify(list) })).toEqual(
      await sessionWith(scorer()).search({ query: list }),
    );
  });

  it('keeps queries apart that differ in case alone', async () => {
    expect(foundBy(await sessionWith(scorer()).search({ query: ['mail', 'Mail'] }))).toEqual([
      'a: mail',
      'c: Mail',
      'b: mail',
    ]);
  });

  it('skips queries without words, and still says which query found a tool', async () => {
    expect(foundBy(await sessionWith(scorer()).search({ query: ['...', 'mail', '+'] }))).toEqual([
      'a: mail',
      'b: mail',
    ]);
  });

  it.each([
    { query: ['...', '+'], why: 'punctuation' },
    { query: [], why: 'no query' },
    { query: ['', ' '], why: 'white space' },
  ])('is answered as an empty query: $why', async ({ query }) => {
    expect(await sessionWith(scorer()).search({ query })).toEqual({
      results: [],
      message: 'The query is empty. Call search_tools again with words for what you need.',
    });
  });

  it('is read up to eight queries, and the message says how many were ignored', async () => {
    const queries = LETTERS.map((letter) => `find ${letter}`);
    const session = sessionWith(finding(Object.fromEntries(LETTERS.map((letter) => [`find ${letter}`, letter]))));
    const result = await session.search({ query: [...queries, ...queries], maxResults: 20 });
    expect(namesOf(result)).toEqual(LETTERS.slice(0, 8));
    expect(result.message).toBe(`Found 8 tool(s). ${FOUND} 2 more queries were ignored; ask fewer at a time.`);
    expect(session.eventsOf('search').map((event) => event.queries)).toEqual([queries.slice(0, 8)]);
  });

  it('may repeat its eight queries', async () => {
    const queries = LETTERS.slice(0, 8);
    const session = sessionWith(finding(Object.fromEntries(queries.map((letter) => [letter, letter]))));
    expect((await session.search({ query: [...queries, ...queries, ''] })).message).toBe(`Found 8 tool(s). ${FOUND}`);
  });

  it('is cut query by query, and repeated in lines of bounded length', async () => {
    const long = `mail ${'x'.repeat(3_000)}`;
    const session = sessionWith(finding({ mail: 'a', [long.slice(0, 2_000)]: 'b' }));
    const { results } = await session.search({ query: ['mail', long] });
    expect(results[1]?.queries).toEqual([`${long.slice(0, 61)}...`]);
    expect(session.eventsOf('search')[0]?.queries[1]).toHaveLength(2_000);
  });

  it('makes one event, with its queries and the names that were shown', async () => {
    const session = sessionWith(finding({ x: 'ab', y: 'bc' }));
    await session.search({ query: [' x ', 'y', '...'], maxResults: 2 });
    expect(session.events).toEqual([{ type: 'search', queries: ['x', 'y', '...'], results: ['a', 'b'], loaded: [] }]);
  });
});
