import fc from 'fast-check';
import { bm25Scorer, type SearchToolsResult, type ToolMatch, type ToolScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { toolDocument } from '../../src/catalog/document.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { calls, rig, tool, toolRecord } from '../support/agent.ts';
import { anyText } from '../support/any-text.ts';
import { namesOf, numbered, office as plainOffice, Session } from './session.ts';

const office = () => ({ ...plainOffice(), ...toolRecord(tool('get_forecast', 'Get the weather forecast.')) });

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

it.each(['v2', 'v3', 'v4'] as const)(
  'the JSON schema of a meta-tool reaches a model of version %s, with nothing that strict providers refuse',
  async (version) => {
    const { agent, model } = rig({ tools: office() }, { script: calls(), version });
    await agent.generate('Hello.');
    const text = { type: 'string', description: expect.any(String) };
    const texts = { type: 'array', items: { type: 'string' }, description: expect.any(String) };
    const common = { type: 'object', additionalProperties: false };
    expect(model.calls[0]?.tools.map((each) => each.type === 'function' && [each.name, each.inputSchema])).toEqual([
      ['search_tools', { ...common, properties: { query: text }, required: ['query'] }],
      ['load_tool', { ...common, properties: { toolName: text, toolNames: texts }, required: [] }],
    ]);
  },
);

describe('the answer to a search', () => {
  it('has name, description, score, signature and what to do next, and no more', async () => {
    const session = new Session({ tools: office(), search: { scorer: finding({ name: 'send_email', score: 2 }) } });
    expect(await session.search({ query: 'mail' })).toEqual({
      results: [{ name: 'send_email', description: 'Send an email message.', score: 2, signature: '(text?)' }],
      message: 'Found 1 tool(s). Use load_tool with an exact toolName or a toolNames array to make them available.',
    });
    expect(await session.sent()).toEqual([]);
  });

  it('says when nothing matches, with the query in one bounded line, and when there are no tools at all', async () => {
    const query = `qq\n\u0000${'q'.repeat(500)}`;
    const message = `No tools found matching "qq ${'q'.repeat(58)}...". Try different keywords.`;
    expect(await new Session({ tools: office() }).search({ query })).toEqual({ results: [], message });
    const none = await new Session({ tools: {} }).search({ query: 'weather' });
    expect(none).toEqual({ results: [], message: expect.stringContaining('No other tools are available') });
  });

  it('shows four digits of a score', async () => {
    for (const [score, shown] of Object.entries({ 12.34567: 12.35, 0.000123456: 0.0001235, 123456: 123500, 1: 1 })) {
      const scorer = finding({ name: 'send_email', score: Number(score) });
      const { results } = await new Session({ tools: office(), search: { scorer } }).search({ query: 'x' });
      expect(results[0]?.score).toBe(shown);
    }
  });

  it.each([
    { text: '  a\n\nb\t', line: 'a b', why: 'one space for a run of control characters' },
    { text: 'a \n b', line: 'a   b', why: 'spaces stay as they are' },
    { text: 'A\u0000\u001b[31mB\u0085C\u2028D', line: 'A [31mB C D', why: 'control characters are none' },
    { text: 'a\u{e0001}\u{e0068}\u{e0069}\u{e007f}b', line: 'ab', why: 'no tag characters' },
    { text: 'a\u{e0100}\u{e01ef}\ufe0fb', line: 'ab', why: 'no variation selectors, which can carry text' },
    { text: 'a\ud83d\u200b\ude00b', line: 'ab', why: 'no halves that meet afterwards' },
    { text: 'a\u200b\n\u200b\nb', line: 'a b', why: 'one space for breaks with nothing between them' },
    { text: 'naïve e\u0301te\u0301 שלום', line: 'naïve e\u0301te\u0301 שלום', why: 'accents, and all scripts' },
    { text: '👍🏽 🇫🇷 👩‍💻', line: '👍🏽 🇫🇷 👩💻', why: 'joined emoji in their parts' },
    { text: 'x'.repeat(150), line: 'x'.repeat(150), why: '150 characters stay' },
    { text: 'x'.repeat(151), line: `${'x'.repeat(147)}...`, why: '151 are cut, as in @mastra/core' },
    { text: `${'x'.repeat(146)}😀${'x'.repeat(9)}`, line: `${'x'.repeat(146)}...`, why: 'no half character' },
    { text: `${'x'.repeat(145)}😀${'x'.repeat(9)}`, line: `${'x'.repeat(145)}😀...`, why: 'whole ones stay' },
    { text: `a${'\n'.repeat(158)}😀`, line: 'a 😀', why: 'cut behind breaks, never within a character' },
  ])('shows a description in one bounded line: $why', async ({ text, line }) => {
    const scorer = finding({ name: 'odd', score: 1 });
    const session = new Session({ tools: { odd: tool('odd', text) }, search: { scorer } });
    expect((await session.search({ query: 'x' })).results[0]?.description).toBe(line);
  });

  it('shows any description in one clean and bounded line, which stays as it is in another', async () => {
    const scorer = finding({ name: 'odd', score: 1 });
    const shown = async (text: string) => {
      const session = new Session({ tools: { odd: tool('odd', text) }, search: { scorer }, onEvent: () => {} });
      return (await session.search({ query: 'x' })).results[0]?.description ?? '';
    };
    await fc.assert(
      fc.asyncProperty(anyText(), async (text) => {
        const line = await shown(text);
        expect(line.length).toBeLessThanOrEqual(150);
        expect(line).not.toMatch(/[\p{Control}\u2028\u2029\ufff9-\ufffb\p{Surrogate}]/u);
        expect(line).not.toMatch(/[\u200b-\u200f\u061c\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u);
        expect([line.trim(), await shown(line)]).toEqual([line, line]);
      }),
    );
  });
});

describe('the number of results of a search', () => {
  it.each<[maxResults: unknown, count: number, why: string]>([
    [undefined, 5, 'topK when the model does not say'],
    [' 3.9 ', 3, 'a number in a text with spaces, and whole results only'],
    [0, 5, 'models write 0 for "as you like"'],
    [0.2, 1, 'a search is for something'],
    [Number.POSITIVE_INFINITY, 20, 'never more than the most'],
    ...[Number.NaN, 'many', ' ', null, true, [3]].map((value): [unknown, number, string] => [value, 5, 'no number']),
  ])('is, with maxResults %j, %d: %s', async (maxResults, count) => {
    const session = new Session({ tools: numbered(30), search: { scorer: everything } });
    const result = await session.search({ query: 'x', maxResults });
    expect(namesOf(result)).toEqual(Object.keys(numbered(count)));
    expect(result.message).toContain(`Found ${count} tool(s).`);
  });

  it('is topK, even where a model may not ask for so many', async () => {
    const session = new Session({ tools: numbered(30), search: { scorer: everything, topK: 25 } });
    expect((await session.search({ query: 'x' })).results).toHaveLength(25);
    expect((await session.search({ query: 'x', maxResults: 25 })).results).toHaveLength(20);
  });

  it.each([
    { minScore: undefined, count: 2, why: '0 by default' },
    { minScore: 1, count: 1, why: 'a score has to be above it' },
    { minScore: 0.999, count: 2, why: 'no rounding first' },
    { minScore: Number.NEGATIVE_INFINITY, count: 3, why: 'scales may go below zero' },
  ])('is $count when minScore is $minScore: $why', async ({ minScore, count }) => {
    const scores = Object.entries({ get_weather: 2, send_email: 1, create_issue: -1 });
    const scorer = finding(...scores.map(([name, score]) => ({ name, score })));
    const search = { scorer, ...(minScore === undefined ? {} : { minScore }) };
    const found = await new Session({ tools: office(), search }).search({ query: 'x' });
    expect(namesOf(found)).toEqual(scores.slice(0, count).map(([name]) => name));
  });
});

describe('odd input of search_tools', () => {
  it('is answered with what to do next where it has no query', async () => {
    const session = new Session({ tools: office() });
    const message = expect.stringMatching(/^The query is empty\. Call search_tools again/);
    const none = ['', ' \n\t ', '+ , "" ...', null, { text: 'weather' }, [], [1, null, {}]].map((query) => ({ query }));
    const tooDeep = `{"query":${'['.repeat(200_000)}`;
    const odd = [
      {},
      { keywords: 'weather' },
      '{"query": "wea',
      tooDeep,
      'weather',
      [{ query: 'weather' }],
      '["weather"]',
    ];
    for (const input of [...none, ...odd, null, undefined, 7])
      expect(await session.search(input)).toEqual({ results: [], message });
  });

  it.each([
    ['unknown fields', { query: 'email', limit: 3, reason: 'curious' }],
    ['a list of words', { query: ['send', 'email'] }],
    ['a list as JSON', { query: ' ["send", "email"]' }],
    ['the whole input as JSON', '{"query": "send email"}'],
    ['no prototype', Object.assign(Object.create(null), { query: 'send email' })],
    ['another spelling', { query: '  Send-EMAIL  ' }],
    ['brackets that are no JSON', { query: '[send] email' }],
  ])('is read as far as possible: %s', async (_, input) => {
    expect(namesOf(await new Session({ tools: office() }).search(input))[0]).toBe('send_email');
  });

  it('never throws, is never changed, and always gets results and a message', async () => {
    const { tools } = await new Session({ tools: office() }).step();
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
    const fields = fc.record({ query: anything, maxResults: anything, toolName: anything, toolNames: anything });
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, fc.json(), fields), async (input) => {
        if (typeof input === 'object' && input !== null && !ArrayBuffer.isView(input)) Object.freeze(input);
        const run = (name: string) => tools[name]?.execute?.(input as never, {} as never);
        const result = (await run('search_tools')) as SearchToolsResult;
        expect(Array.isArray(result.results)).toBe(true);
        expect(result.message).not.toBe('');
        expect(await run('load_tool')).toMatchObject({ success: false, message: expect.stringMatching(/./) });
      }),
    );
  });
});

describe('a query', () => {
  it('with +word finds only tools that the word matches', async () => {
    const session = new Session({ tools: office() });
    expect(namesOf(await session.search({ query: 'weather forecast' }))).toEqual(['get_forecast', 'get_weather']);
    expect(namesOf(await session.search({ query: 'weather +forecast' }))).toEqual(['get_forecast']);
    expect((await session.search({ query: 'weather +qqqq' })).message).toContain('matching "weather +qqqq"');
  });

  it('is cut where it is very long, and never within a character', async () => {
    const asked: string[] = [];
    const search = ({ text }: { text: string }) => {
      asked.push(text);
      return [];
    };
    const session = new Session({ tools: office(), search: { scorer: { name: 'a', index: () => ({ search }) } } });
    await session.search({ query: 'ab '.repeat(100_000) });
    await session.search({ query: `${'q'.repeat(1_999)}😀` });
    expect(asked.map((text) => text.length)).toEqual([2_000, 1_999]);
    expect(session.eventsOf('search').map(({ queries }) => queries[0]?.length)).toEqual([2_000, 1_999]);
  });
});

it('the event search says what was asked and what was shown, and changes no answer when its handler throws', async () => {
  const onEvent = () => {
    throw new Error('handler');
  };
  const session = new Session({ tools: office(), filter: ({ toolName }) => toolName !== 'get_weather', onEvent });
  expect(namesOf(await session.search({ query: '  send email ', maxResults: 1 }))).toEqual(['send_email']);
  await session.search({ query: 'weather' });
  await session.search({});
  expect(session.events).toEqual([
    { type: 'search', queries: ['send email'], results: ['send_email'], loaded: [] },
    { type: 'search', queries: ['weather'], results: ['get_forecast'], loaded: [] },
    { type: 'search', queries: [], results: [], loaded: [] },
  ]);
});

describe('an app that no tool mentions', () => {
  const tools = toolRecord(
    tool('github_create_pull_request', 'Open a pull request in a repository.'),
    tool('github_list_pull_requests', 'List pull requests of a repository.'),
    tool('gitlab_list_merge_requests', 'List merge requests of a GitLab project.'),
    tool('chart_pie', 'Draw a pie chart.'),
  );
  const said = async (query: string | string[], options = {}) =>
    (await new Session({ tools, ...options }).search({ query } as never)).message;

  it.each<[query: string | string[], app: string]>([
    ['create a pull request in Bitbucket', '"Bitbucket"'],
    ['pull requests of bitbucket', '"bitbucket"'],
    ['draw the burndown chart of the Linear project', '"Linear"'],
    ['open a pull request on Azure DevOps', '"Azure"'],
    [['pull request in Bitbucket', 'pie chart for Trello', 'list pull requests'], '"Bitbucket", "Trello"'],
  ])('is named to the model: %j', async (query, app) => {
    expect(await said(query)).toContain(`No tool mentions ${app}.`);
  });

  it.each([
    'merge requests of GitLab',
    'linear pie chart',
    'List pull requests',
    'pull requests of gitlab',
    'my gh pull requests',
  ])('is none where a tool has its name, or the query means a word: %s', async (query) =>
    expect(await said(query)).not.toContain('No tool mentions'),
  );

  it('is what the request may see: a hidden tool mentions nothing', async () => {
    const filter = ({ toolName }: { toolName: string }) => !toolName.startsWith('gitlab');
    expect(await said('pull requests of GitLab', { filter })).toContain('No tool mentions "GitLab".');
    expect(await said('pull requests of GitLab', { filter: () => true })).not.toContain('No tool mentions');
  });

  it('is told with an answer that fits, with a weak one and with none', async () => {
    // By meaning, it is close to what other hosts of code do.
    expect(await said('Bitbucket')).toMatch(/^No tool clearly matches .* No tool mentions "Bitbucket"\.$/);
    expect(await said('draw a pie chart')).toMatch(/^Found/);
  });

  it('makes every result less likely', async () => {
    const documents = Object.entries(tools).map(([name, each]) => toolDocument(name, each).document);
    const index = await bm25Scorer().index(documents);
    const likeliest = async (text: string) => {
      const query = parseQuery(text);
      const names = (await index.search(query)).map(({ name }) => name);
      return (await index.confidence?.(query, names))?.[0] ?? 1;
    };
    expect(await likeliest('list pull requests of Bitbucket')).toBeLessThan(
      await likeliest('list pull requests of Bittenbergs'),
    );
  });
});
