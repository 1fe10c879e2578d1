import { standardSchemaToJSONSchema } from '@mastra/core/schema';
import fc from 'fast-check';
import {
  type MastraTool,
  type SearchToolsResult,
  type ToolMatch,
  type ToolScorer,
  ToolSearchProcessor,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { calls, rig, tool, toolRecord } from '../support/harness.ts';
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

describe('the JSON schema of a meta-tool', () => {
  /** What a provider receives for each. */
  async function received(version: 'v2' | 'v3' | 'v4'): Promise<Record<string, unknown>> {
    const { agent, model } = rig({ tools: office() }, { script: calls(), version });
    await agent.generate('Hello.');
    const sent = model.calls[0]?.tools ?? [];
    return Object.fromEntries(sent.map((entry) => [entry.name, entry.type === 'function' && entry.inputSchema]));
  }

  it.each(['v2', 'v3', 'v4'] as const)('reaches a model of version %s with its parameters', async (version) => {
    const text = { type: 'string', description: expect.any(String) };
    const texts = { type: 'array', items: { type: 'string' }, description: expect.any(String) };
    const common = { type: 'object', additionalProperties: false };
    const schemas = await received(version);
    expect(Object.keys(schemas)).toEqual(['search_tools', 'load_tool']);
    expect(schemas).toMatchObject({
      search_tools: { ...common, properties: { query: text }, required: ['query'] },
      load_tool: { ...common, properties: { toolName: text, toolNames: texts } },
    });
  });

  it('has nothing that strict providers refuse', async () => {
    const allowed = /^(type|properties|required|additionalProperties|items|description|\$schema)$/;
    const check = (schema: unknown, path: string): void => {
      const { properties = {}, ...fields } = schema as { properties?: object; items?: unknown; type?: unknown };
      for (const key of Object.keys(fields)) expect(key, path).toMatch(allowed);
      expect(typeof fields.type, path).toBe('string');
      for (const [name, inner] of Object.entries(properties)) check(inner, `${path}.${name}`);
      if ('items' in fields) check(fields.items, `${path}[]`);
    };
    const schemas = await received('v4');
    for (const [name, schema] of Object.entries(schemas)) check(schema, name);
    expect(JSON.parse(JSON.stringify(schemas))).toEqual(schemas);
  });

  it('is the same from step to step, so that a prompt cache holds', async () => {
    const processor = new ToolSearchProcessor({ tools: office() });
    const schemaOf = ({ inputSchema }: MastraTool) => standardSchemaToJSONSchema(inputSchema as never, { io: 'input' });
    const schemas = async () => {
      const { tools } = await new Session({ tools: office() }, { processor }).step();
      return JSON.stringify(Object.values(tools).map(schemaOf));
    };
    expect(await schemas()).toBe(await schemas());
  });
});

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
  it.each<[maxResults: unknown, count: number, why: string]>([
    [undefined, 5, 'topK when the model does not say'],
    [3, 3, 'what the model says'],
    [' 3 ', 3, 'a number in a text with spaces'],
    ['3.9', 3, 'whole results only'],
    [0, 5, 'models write 0 for "as you like"'],
    ['0', 5, 'in a text as well'],
    [-5, 5, 'no wish that could be met'],
    [0.2, 1, 'a search is for something'],
    [20, 20, 'the most'],
    [Number.POSITIVE_INFINITY, 20, 'never more than the most'],
    ...[Number.NaN, 'many', '', ' ', null, true, [3], { value: 3 }].map((value): [unknown, number, string] => [
      value,
      5,
      'no number',
    ]),
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

  it('is that of a plain filter and a slice: no forbidden tool takes a place', async () => {
    const numbers = fc.uniqueArray(fc.nat(39), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(numbers, fc.integer({ min: -2, max: 30 }), async (allowed, maxResults) => {
        const names = new Set(allowed.map((n) => `t${n}`));
        const tools = numbered(40);
        const filter = ({ toolName }: { toolName: string }) => names.has(toolName);
        const session = new Session({ tools, filter, search: { scorer: everything } });
        const expected = Object.keys(tools).filter((name) => names.has(name));
        const limit = maxResults < 1 ? 5 : Math.min(20, maxResults);
        expect(namesOf(await session.search({ query: 'x', maxResults }))).toEqual(expected.slice(0, limit));
      }),
      { numRuns: 40 },
    );
  });
});

describe('the option search.minScore', () => {
  const matches = Object.entries({ get_weather: 2, send_email: 1, create_issue: -1 });
  const scorer = finding(...matches.map(([name, score]) => ({ name, score })));

  it.each([
    { minScore: undefined, count: 2, why: '0 by default' },
    { minScore: 1, count: 1, why: 'a score has to be above it' },
    { minScore: 0.999, count: 2, why: 'no rounding first' },
    { minScore: 2, count: 0, why: 'nothing is above the best' },
    { minScore: -2, count: 3, why: 'scales may go below zero' },
    { minScore: Number.NEGATIVE_INFINITY, count: 3, why: 'off' },
  ])('leaves $count when it is $minScore: $why', async ({ minScore, count }) => {
    const search = { scorer, ...(minScore === undefined ? {} : { minScore }) };
    const found = await new Session({ tools: office(), search }).search({ query: 'x' });
    expect(namesOf(found)).toEqual(matches.slice(0, count).map(([name]) => name));
  });
});

describe('odd input of search_tools', () => {
  it.each<[why: string, input: unknown]>([
    ['no query', {}],
    ['an empty one', { query: '' }],
    ['white space', { query: ' \n\t ' }],
    ['punctuation only', { query: '+ , "" ...' }],
    ['null', { query: null }],
    ['an object', { query: { text: 'weather' } }],
    ['an empty list', { query: [] }],
    ['a list without texts', { query: [1, null, {}] }],
    ['another parameter', { keywords: 'weather' }],
    ['broken JSON', '{"query": "wea'],
    ['JSON that is nested too deep to be parsed', `{"query":${'['.repeat(200_000)}`],
    ['a bare text', 'weather'],
    ['a list where an object is wanted', [{ query: 'weather' }]],
    ['such a list as JSON', '["weather"]'],
    ['null', null],
    ['nothing', undefined],
    ['a number', 7],
  ])('is answered with what to do next: %s', async (_, input) => {
    const message = expect.stringMatching(/^The query is empty\. Call search_tools again/);
    expect(await new Session({ tools: office() }).search(input)).toEqual({ results: [], message });
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
    const session = new Session({ tools: office() });
    const { tools } = await session.step();
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
    await session.search({ query: `${'q'.repeat(1_999)}😀` });
    expect(asked.map((text) => text.length)).toEqual([2_000, 1_999]);
    expect(session.eventsOf('search').map(({ queries }) => queries[0]?.length)).toEqual([2_000, 1_999]);
  });
});

describe('the event search', () => {
  it('says what was asked and what was shown, and names no tool that the filter hides', async () => {
    const session = new Session({ tools: office(), filter: ({ toolName }) => toolName !== 'get_weather' });
    await session.search({ query: '  send email ', maxResults: 1 });
    await session.search({ query: 'weather' });
    await session.search({});
    expect(session.events).toEqual([
      { type: 'search', queries: ['send email'], results: ['send_email'], loaded: [] },
      { type: 'search', queries: ['weather'], results: ['get_forecast'], loaded: [] },
      { type: 'search', queries: [], results: [], loaded: [] },
    ]);
  });

  it('changes no answer when its handler throws', async () => {
    const onEvent = () => {
      throw new Error('handler');
    };
    const session = new Session({ tools: office(), onEvent });
    expect(namesOf(await session.search({ query: 'send email' }))[0]).toBe('send_email');
  });
});
