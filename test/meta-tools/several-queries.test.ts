import fc from 'fast-check';
import type { SearchToolsResult, ToolScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import { type Line, scripted } from '../support/scripted-scorer.ts';
import { denying, namesOf, Session } from './session.ts';

const LETTERS = [...'abcdefghij'];
const tools = () => toolRecord(...LETTERS.map((letter) => tool(letter)));
/** Each query finds the tools of these letters, all equally well. */
const finding = (found: Readonly<Record<string, string>>): ToolScorer =>
  scripted(
    Object.fromEntries(Object.entries(found).map(([text, names]) => [text, [...names].map((name): Line => [name, 1])])),
  );
const sessionWith = (scorer: ToolScorer, search: object = {}, more: object = {}) =>
  new Session({ tools: tools(), search: { scorer, ...search }, ...more });
/** a: first, second */
const foundBy = ({ results }: SearchToolsResult): string[] =>
  results.map(({ name, queries }) => (queries ? `${name}: ${queries.join(', ')}` : name));

describe('a search with several queries', () => {
  it('shows the best of each query first, which query found a tool, and its score by its best rank', async () => {
    const mail: Line[] = [
      ['a', 8, 0.9],
      ['b', 4, 0.5],
    ];
    const rain: Line[] = [['b', 6, 0.7]];
    const session = sessionWith(scripted({ mail, rain }));
    expect(await session.search({ query: ['mail', 'rain'], maxResults: 3 })).toEqual({
      results: [
        { name: 'a', description: 'Does a.', score: 8, confidence: 0.9, signature: '(text?)', queries: ['mail'] },
        { name: 'b', description: 'Does b.', score: 6, confidence: 0.7, queries: ['rain', 'mail'] },
      ],
      message: expect.stringMatching(/^Found 2 tool\(s\)\. Use load_tool/),
    });
    expect(await session.sent()).toEqual([]);
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
          const queriesOf = (name: string) => hits.filter((hit) => hit.name === name).map(({ text }) => text);
          expect(foundBy(result)).toEqual(expected.map((name) => `${name}: ${queriesOf(name).join(', ')}`));
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('a list of queries', () => {
  const scorer = () => finding({ mail: 'ab', Mail: 'c', '42': 'd' });

  it('is answered as the plain query where it has one text', async () => {
    const plain = await sessionWith(scorer()).search({ query: 'mail' });
    expect(foundBy(plain)).toEqual(['a', 'b']);
    for (const query of [['mail', 'mail', ' mail '], ['', ' \n', 'mail', 7, null, {}], '["mail", "mail"]'])
      expect(await sessionWith(scorer()).search({ query })).toEqual(plain);
    for (const query of [['...', '+'], [], ['', ' ']])
      expect((await sessionWith(scorer()).search({ query })).message).toContain('The query is empty.');
  });

  it.each([
    ['queries that differ in case alone', ['mail', 'Mail'], ['a: mail', 'c: Mail', 'b: mail']],
    ['such queries as JSON', '["mail","Mail"]', ['a: mail', 'c: Mail', 'b: mail']],
    ['queries without words', ['...', 'mail', '+'], ['a: mail', 'b: mail']],
    ['none, of a number', 42, ['d']],
  ])('says which query found a tool: %s', async (_, query, found) => {
    expect(foundBy(await sessionWith(scorer()).search({ query }))).toEqual(found);
  });

  it('is read up to eight queries, each once, and the message says how many were ignored', async () => {
    const queries = LETTERS.map((letter) => `find ${letter}`);
    const session = sessionWith(finding(Object.fromEntries(LETTERS.map((letter) => [`find ${letter}`, letter]))));
    const result = await session.search({ query: [...queries, ...queries], maxResults: 20 });
    expect(namesOf(result)).toEqual(LETTERS.slice(0, 8));
    expect(result.message).toMatch(/^Found 8 tool\(s\)\. .* 2 more queries were ignored/);
    expect(session.eventsOf('search').map((event) => event.queries)).toEqual([queries.slice(0, 8)]);
    const eight = queries.slice(0, 8);
    expect((await session.search({ query: [...eight, ...eight, ''] })).message).not.toContain('ignored');
  });

  it('is cut query by query, repeated in lines of bounded length, and makes one event', async () => {
    const long = `mail ${'x'.repeat(3_000)}`;
    const session = sessionWith(finding({ mail: 'a', [long.slice(0, 2_000)]: 'b' }));
    const { results } = await session.search({ query: [' mail', long, '...'] });
    expect(results[1]?.queries).toEqual([`${long.slice(0, 61)}...`]);
    expect(session.events).toEqual([
      { type: 'search', queries: ['mail', long.slice(0, 2_000), '...'], results: ['a', 'b'], loaded: [] },
    ]);
  });
});

const scorer = scripted({
  sure: [
    ['a', 5, 0.9],
    ['b', 4, 0.3],
  ],
  weak: [['c', 3, 0.1]],
  faint: [['d', 3, 0.2]],
  broken: new Error('no luck'),
  failing: new Error('no luck either'),
});

describe('the answer to several queries', () => {
  it('says how each query went: what was found, what failed, what found nothing, and what fits badly', async () => {
    const session = sessionWith(scorer);
    const told = async (...query: string[]) => {
      const answer = await session.search({ query });
      expect(answer.message).not.toContain('no luck');
      return `${foundBy(answer).join(', ')} | ${answer.message}`;
    };
    expect(await told('sure', 'weak', 'broken', 'nothing', 'none')).toMatch(
      /^a: sure, c: weak, b: sure \| Found 3 tool\(s\)\. Use load_tool.* The search for "broken" failed .* No tools found matching "nothing", "none"\. .*No tool clearly matches "weak":/,
    );
    expect(await told('weak', 'faint')).toMatch(/No tool clearly matches "weak", "faint"; closest: c, d?/);
    const fits = await told('sure', 'nothing');
    expect(fits).toMatch(/^a: sure, b: sure \| Found 2 .* No tools found matching "nothing"\./);
    expect(fits).not.toMatch(/clearly|failed/);
    const failed = await told('broken', 'failing');
    expect(failed).toMatch(/^ \| The search for "broken" failed .* The search for "failing" failed /);
    expect(failed).not.toMatch(/clearly|Found|No tools/);
    expect(session.eventsOf('scorer-failed')).toHaveLength(3);
  });

  it('leaves out what is below minConfidence for its own query, and names the closest where none is left', async () => {
    const low = await sessionWith(scorer, { minConfidence: 0.25 }).search({ query: ['sure', 'weak'] });
    expect(foundBy(low)).toEqual(['a: sure', 'b: sure']);
    const { results, message } = await sessionWith(scorer, { minConfidence: 0.5 }).search({ query: ['weak', 'faint'] });
    expect(results).toEqual([]);
    expect(message).not.toContain('No tools found');
    expect(message).toMatch(/\bc\b.*\bd\b/);
  });
});

describe('a select: among queries', () => {
  it('loads its tools at once, and they stand first and take no part in the limit', async () => {
    const session = sessionWith(scorer);
    const result = await session.search({ query: ['sure', 'select:e,f', 'faint'], maxResults: 2 });
    expect(foundBy(result)).toEqual(['e', 'f', 'a: sure', 'd: faint']);
    expect([result.loaded, await session.sent()]).toEqual([
      ['e', 'f'],
      ['e', 'f'],
    ]);
    expect(result.message).toMatch(
      /^Loaded 2 tool\(s\): e, f\. Call them now\. Found 2 tool\(s\)\. .* matches "faint":/,
    );
    expect(session.eventsOf('search')).toMatchObject([{ results: ['e', 'f', 'a', 'd'], loaded: ['e', 'f'] }]);
  });

  it.each([
    ['beside another alone', ['select:e', 'select:f,e'], ['e', 'f'], /: e\. .*: f\. .* Already loaded: e\.$/],
    ['with a tool that a query finds too', ['select:a', 'sure', 'faint'], ['a', 'd: faint', 'b: sure'], /^Loaded 1/],
    ['without names', ['select:', 'sure'], ['a: sure', 'b: sure'], /needs exact tool names.*Found 2 tool/],
    ['of an unknown name', ['select:qqqq', 'sure'], ['a: sure', 'b: sure'], /Not found: qqqq\..*Found 2 tool/],
  ])('may stand %s', async (_, query, found, message) => {
    const result = await sessionWith(scorer).search({ query });
    expect(foundBy(result)).toEqual(found);
    expect(result.message).toMatch(message);
  });
});

describe('several queries with autoLoad', () => {
  const autoLoad = { autoLoad: true };

  it('load what is shown for all of them together', async () => {
    const session = sessionWith(scorer, autoLoad);
    const result = await session.search({ query: ['sure', 'weak', 'nothing'], maxResults: 2 });
    expect(foundBy(result).slice(0, 2)).toEqual(['a: sure', 'c: weak']);
    expect(result.loaded).toEqual(namesOf(result));
    expect(result.message).toContain(`Found and loaded ${result.results.length} tool(s): a, c`);
    expect(result.message).toMatch(/No tools found matching "nothing"\..*No tool clearly matches "weak"/);
    expect(result.message).not.toContain('load_tool');
    expect(await session.sent()).toEqual(result.loaded);
    const selecting = await sessionWith(scorer, autoLoad).search({ query: ['sure', 'select:f'] });
    expect([foundBy(selecting), selecting.loaded]).toEqual([
      ['f', 'a: sure', 'b: sure'],
      ['f', 'a', 'b'],
    ]);
  });

  it('ask the load phase, and say of each query alone when nothing that matches may be loaded', async () => {
    const session = sessionWith(scorer, autoLoad, { filter: denying('load', 'a') });
    const result = await session.search({ query: ['sure', 'faint'] });
    expect([namesOf(result), result.loaded]).toEqual([
      ['b', 'd'],
      ['b', 'd'],
    ]);
    const only = sessionWith(scorer, autoLoad, { filter: denying('load', ...'abcde') });
    const answer = await only.search({ query: ['sure', 'nothing', 'select:f'] });
    expect(foundBy(answer)).toEqual(['f']);
    expect(answer.message).toContain('No tools available to load matching "sure".');
    expect(answer.message).toContain('No tools found matching "nothing".');
  });
});
