import fc from 'fast-check';
import type { SearchToolsResult, ToolMatch, ToolScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, tool, toolRecord, weather } from '../support/harness.ts';
import { Session } from './session.ts';

const office = () =>
  toolRecord(
    weather(),
    email(),
    tool('get_forecast', 'Get the weather forecast.'),
    tool('create_issue', 'Open a bug.'),
  );

/** Finds every tool, in the order of the catalog, the first one best. */
const everything: ToolScorer = {
  name: 'everything',
  index: (documents) => ({
    search: () => documents.map(({ name }, position) => ({ name, score: 1_000 - position })),
  }),
};

/** Finds what it is told to find. */
const finding = (...matches: ToolMatch[]): ToolScorer => ({
  name: 'finding',
  index: () => ({ search: () => matches }),
});

const numbered = (count: number) => toolRecord(...Array.from({ length: count }, (_, n) => tool(`t${n}`)));
const namesOf = ({ results }: SearchToolsResult): string[] => results.map(({ name }) => name);

describe('the answer to a search', () => {
  it('has name, description, score, signature and what to do next, and no more', async () => {
    const session = new Session({ tools: office(), search: { scorer: finding({ name: 'send_email', score: 2 }) } });
    expect(await session.search({ query: 'mail' })).toEqual({
      results: [{ name: 'send_email', description: 'Send an email message.', score: 2, signature: '(text?)' }],
      message: 'Found 1 tool(s). Use load_tool with an exact toolName or a toolNames array to make them available.',
    });
    expect(await session.sent()).toEqual([]);
  });

  it('says when nothing matches', async () => {
    expect(await new Session({ tools: office() }).search({ query: 'qqqq' })).toEqual({
      results: [],
      message: 'No tools found matching "qqqq". Try different keywords.',
    });
  });

  it('says when there are no tools at all', async () => {
    const { results, message } = await new Session({ tools: {} }).search({ query: 'weather' });
    expect(results).toEqual([]);
    expect(message).toContain('No other tools are available');
  });

  it.each([
    { score: 12.34567, shown: 12.35, why: 'four digits are plenty' },
    { score: 0.000123456, shown: 0.0001235, why: 'small scales keep their digits' },
    { score: 123456, shown: 123500, why: 'large ones lose theirs' },
    { score: 1, shown: 1, why: 'whole numbers stay' },
  ])('shows the score $score as $shown: $why', async ({ score, shown }) => {
    const session = new Session({ tools: office(), search: { scorer: finding({ name: 'send_email', score }) } });
    expect((await session.search({ query: 'x' })).results[0]?.score).toBe(shown);
  });

  it.each([
    { description: 'One\nline\tof\r\ntext.', shown: 'One line of text.', why: 'line breaks are one space' },
    { description: 'A\u0000\u001b[31mB\u0085C', shown: 'A [31mB C', why: 'control characters are none' },
    { description: 'A\u202eB\u2066C\u2028D', shown: 'ABC D', why: 'text does not run backwards' },
    { description: 'x'.repeat(150), shown: 'x'.repeat(150), why: '150 characters stay' },
    { description: 'x'.repeat(151), shown: `${'x'.repeat(147)}...`, why: '151 are cut, as in @mastra/core' },
    { description: `${'x'.repeat(146)}😀${'x'.repeat(9)}`, shown: `${'x'.repeat(146)}...`, why: 'no half character' },
    { description: `${'x'.repeat(145)}😀${'x'.repeat(9)}`, shown: `${'x'.repeat(145)}😀...`, why: 'whole ones stay' },
    { description: '', shown: '', why: 'a tool may have none' },
  ])('shows a description in one bounded line: $why', async ({ description, shown }) => {
    const scorer = finding({ name: 'odd', score: 1 });
    const session = new Session({ tools: { odd: tool('odd', description) }, search: { scorer } });
    expect((await session.search({ query: 'x' })).results[0]?.description).toBe(shown);
  });
});

describe('the number of results of a search', () => {
  it.each([
    { maxResults: undefined, count: 5, why: 'topK when the model does not say' },
    { maxResults: 3, count: 3, why: 'what the model says' },
    { maxResults: '3', count: 3, why: 'a number in a text' },
    { maxResults: ' 3 ', count: 3, why: 'a number in a text with spaces' },
    { maxResults: 3.9, count: 3, why: 'whole results only' },
    { maxResults: '3.9', count: 3, why: 'whole results only' },
    { maxResults: 0, count: 5, why: 'models write 0 for "as you like"' },
    { maxResults: '0', count: 5, why: 'in a text as well' },
    { maxResults: -5, count: 5, why: 'no wish that could be met' },
    { maxResults: Number.NEGATIVE_INFINITY, count: 5, why: 'no wish that could be met' },
    { maxResults: 0.2, count: 1, why: 'a search is for something' },
    { maxResults: 20, count: 20, why: 'the most' },
    { maxResults: 1000, count: 20, why: 'never more than the most' },
    { maxResults: Number.POSITIVE_INFINITY, count: 20, why: 'never more than the most' },
    { maxResults: Number.NaN, count: 5, why: 'no number' },
    { maxResults: 'many', count: 5, why: 'no number' },
    { maxResults: '', count: 5, why: 'no number' },
    { maxResults: null, count: 5, why: 'no number' },
    { maxResults: true, count: 5, why: 'no number' },
    { maxResults: [3], count: 5, why: 'no number' },
    { maxResults: { value: 3 }, count: 5, why: 'no number' },
  ])('is $count when maxResults is $maxResults: $why', async ({ maxResults, count }) => {
    const session = new Session({ tools: numbered(30), search: { scorer: everything } });
    const result = await session.search({ query: 'x', maxResults });
    expect(namesOf(result)).toEqual(Array.from({ length: count }, (_, n) => `t${n}`));
    expect(result.message).toContain(`Found ${count} tool(s).`);
  });

  it('is topK, even where a model may not ask for so many', async () => {
    const session = new Session({ tools: numbered(30), search: { scorer: everything, topK: 25 } });
    expect((await session.search({ query: 'x' })).results).toHaveLength(25);
    expect((await session.search({ query: 'x', maxResults: 25 })).results).toHaveLength(20);
  });

  it('counts permitted tools alone: no forbidden tool takes a place', async () => {
    const filter = ({ toolName, phase }: { toolName: string; phase: string }) =>
      phase !== 'search' || Number(toolName.slice(1)) % 7 === 6;
    const session = new Session({ tools: numbered(30), filter, search: { scorer: everything, topK: 3 } });
    expect(namesOf(await session.search({ query: 'x' }))).toEqual(['t6', 't13', 't20']);
  });

  it('is that of a plain filter and a slice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(39), { maxLength: 40 }),
        fc.integer({ min: -2, max: 30 }),
        async (allowed, maxResults) => {
          const names = new Set(allowed.map((n) => `t${n}`));
          const tools = numbered(40);
          const filter = ({ toolName }: { toolName: string }) => names.has(toolName);
          const session = new Session({ tools, filter, search: { scorer: everything } });
          const expected = Object.keys(tools).filter((name) => names.has(name));
          const limit = maxResults < 1 ? 5 : Math.min(20, maxResults);
          expect(namesOf(await session.search({ query: 'x', maxResults }))).toEqual(expected.slice(0, limit));
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('the option search.minScore', () => {
  const scorer = finding(
    { name: 'get_weather', score: 2 },
    { name: 'send_email', score: 1 },
    { name: 'create_issue', score: -1 },
  );

  it.each([
    { minScore: undefined, names: ['get_weather', 'send_email'], why: '0 by default' },
    { minScore: 1, names: ['get_weather'], why: 'a score has to be above it' },
    { minScore: 0.999, names: ['get_weather', 'send_email'], why: 'no rounding first' },
    { minScore: 2, names: [], why: 'nothing is above the best' },
    { minScore: -2, names: ['get_weather', 'send_email', 'create_issue'], why: 'scales may go below zero' },
    { minScore: Number.NEGATIVE_INFINITY, names: ['get_weather', 'send_email', 'create_issue'], why: 'off' },
  ])('leaves $names when it is $minScore: $why', async ({ minScore, names }) => {
    const search = { scorer, ...(minScore === undefined ? {} : { minScore }) };
    expect(namesOf(await new Session({ tools: office(), search }).search({ query: 'x' }))).toEqual(names);
  });
});

describe('odd input of search_tools', () => {
  const empty = 'The query is empty. Call search_tools again with words for what you need.';

  it.each([
    { input: {}, why: 'no query' },
    { input: { query: '' }, why: 'an empty one' },
    { input: { query: ' \n\t ' }, why: 'white space' },
    { input: { query: '+ , "" ...' }, why: 'punctuation only' },
    { input: { query: null }, why: 'null' },
    { input: { query: { text: 'weather' } }, why: 'an object' },
    { input: { query: [] }, why: 'an empty list' },
    { input: { query: [1, null, {}] }, why: 'a list without texts' },
    { input: { keywords: 'weather' }, why: 'another parameter' },
    { input: '{"query": "wea', why: 'broken JSON' },
    { input: 'weather', why: 'a bare text' },
    { input: '["weather"]', why: 'a list where an object is wanted' },
    { input: [{ query: 'weather' }], why: 'a list where an object is wanted' },
    { input: null, why: 'null' },
    { input: undefined, why: 'nothing' },
    { input: 7, why: 'a number' },
  ])('is answered with what to do next: $why', async ({ input }) => {
    expect(await new Session({ tools: office() }).search(input)).toEqual({ results: [], message: empty });
  });

  it.each([
    { input: { query: 'email', limit: 3, reason: 'curious' }, why: 'unknown fields' },
    { input: { query: ['send', 'email'] }, why: 'a list of words' },
    { input: { query: '["send", "email"]' }, why: 'a list as JSON' },
    { input: '{"query": "send email"}', why: 'the whole input as JSON' },
    { input: { query: '  Send-EMAIL  ' }, why: 'another spelling' },
    { input: { query: '[send] email' }, why: 'brackets that are no JSON' },
  ])('is read as far as possible: $why', async ({ input }) => {
    expect(namesOf(await new Session({ tools: office() }).search(input))[0]).toBe('send_email');
  });

  it('never throws, and always gets results and a message', async () => {
    const session = new Session({ tools: office() });
    const { tools } = await session.step();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.anything(), fc.record({ query: fc.anything(), maxResults: fc.anything() })),
        async (input) => {
          const result = (await tools['search_tools']?.execute?.(input as never, {} as never)) as SearchToolsResult;
          expect(Array.isArray(result.results)).toBe(true);
          expect(result.message).not.toBe('');
        },
      ),
    );
  });
});

describe('a query', () => {
  it('with +word finds only tools that the word matches', async () => {
    const session = new Session({ tools: office() });
    expect(namesOf(await session.search({ query: 'weather forecast' }))).toEqual(['get_forecast', 'get_weather']);
    expect(namesOf(await session.search({ query: 'weather +forecast' }))).toEqual(['get_forecast']);
    expect(await session.search({ query: 'weather +qqqq' })).toEqual({
      results: [],
      message: 'No tools found matching "weather +qqqq". Try different keywords.',
    });
  });

  it('is repeated as one bounded line', async () => {
    const { message } = await new Session({ tools: office() }).search({ query: `qq\n\u0000${'q'.repeat(500)}` });
    expect(message).toBe(`No tools found matching "qq ${'q'.repeat(58)}...". Try different keywords.`);
  });

  it('is cut where it is very long', async () => {
    const asked: string[] = [];
    const scorer: ToolScorer = {
      name: 'listening',
      index: () => ({
        search: ({ text }) => {
          asked.push(text);
          return [];
        },
      }),
    };
    const session = new Session({ tools: office(), search: { scorer } });
    await session.search({ query: 'ab '.repeat(100_000) });
    expect(asked.map((text) => text.length)).toEqual([2_000]);
    expect(session.eventsOf('search')[0]?.queries[0]).toHaveLength(2_000);
  });

  it('is never cut within a character', async () => {
    const session = new Session({ tools: office() });
    await session.search({ query: `${'q'.repeat(1_999)}😀` });
    expect(session.eventsOf('search')[0]?.queries[0]).not.toMatch(/\p{Surrogate}/u);
  });
});

describe('the event search', () => {
  it('says what was asked and what was shown', async () => {
    const session = new Session({ tools: office() });
    await session.search({ query: '  send email ', maxResults: 1 });
    await session.search({ query: 'qqqq' });
    await session.search({});
    expect(session.events).toEqual([
      { type: 'search', queries: ['send email'], results: ['send_email'], loaded: [] },
      { type: 'search', queries: ['qqqq'], results: [], loaded: [] },
      { type: 'search', queries: [], results: [], loaded: [] },
    ]);
  });

  it('never names a tool that the filter hides', async () => {
    const filter = ({ toolName }: { toolName: string }) => toolName !== 'get_weather';
    const session = new Session({ tools: office(), filter });
    await session.search({ query: 'weather' });
    expect(session.eventsOf('search')[0]?.results).toEqual(['get_forecast']);
  });

  it('changes no answer when its handler throws', async () => {
    const onEvent = () => {
      throw new Error('handler');
    };
    const session = new Session({ tools: office(), onEvent });
    expect(namesOf(await session.search({ query: 'send email' }))[0]).toBe('send_email');
  });
});
