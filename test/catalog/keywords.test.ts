import { bm25Scorer, type MastraTool, ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { email, tool, toolRecord, weather } from '../support/harness.ts';
import { documentOf, refusal } from './catalogs.ts';

const office = () => toolRecord(tool('create_issue', 'Opens it.'), weather(), email());
const keywordsOf = async (parts: object, given: readonly string[] = []) =>
  (await documentOf(parts, given)).document.keywords;
const withFields = (entry: MastraTool, fields: object): MastraTool => Object.assign(entry, fields);

const found = async (options: ConstructorParameters<typeof ToolSearchProcessor>[0], query: string, tools?: object) => {
  const processor = new ToolSearchProcessor(options);
  const matches = await processor.search(query, tools ? { tools: tools as Record<string, unknown> } : {});
  return matches.map(({ name }) => name);
};

describe('the option search.keywords', () => {
  const keywords = { create_issue: ['make a ticket', 'report wombats'] };

  it.each([
    { why: 'the default scorer', scorer: undefined },
    { why: 'bm25Scorer', scorer: bm25Scorer({ synonyms: [] }) },
    { why: 'tieredScorer', scorer: tieredScorer() },
  ])('finds a tool by $why', async ({ scorer }) => {
    const search = scorer ? { scorer } : {};
    expect(await found({ tools: office(), search: { ...search, keywords } }, 'wombats')).toEqual(['create_issue']);
    expect(await found({ tools: office(), search }, 'wombats')).toEqual([]);
  });

  it('names a tool by its name, whatever its record key', async () => {
    const tools = { issues: tool('create_issue', 'Opens it.'), plain: { ...weather(), id: undefined } as never };
    const search = { keywords: { create_issue: ['wombats'], plain: ['sunshine'] } };
    expect(await found({ tools, search }, 'wombats')).toEqual(['create_issue']);
    expect(await found({ tools, search }, 'sunshine')).toEqual(['plain']);
  });

  it('may name a tool by its repaired name, where providers refuse its id', async () => {
    const tools = { wx: tool('weather.get') };
    expect(await found({ tools, search: { keywords: { weather_get: ['wombats'] } } }, 'wombats')).toEqual([
      'weather_get',
    ]);
    expect(refusal(tools, { search: { keywords: { 'weather.get': ['x'] } } }).message).toContain('"weather_get"');
  });

  it('is never shown, and changes no description', async () => {
    const session = new Session({ tools: office(), search: { keywords } });
    const { results, message } = await session.search({ query: 'report wombats' });
    expect(results[0]).toMatchObject({ name: 'create_issue', description: 'Opens it.' });
    expect(JSON.stringify([results, message])).not.toContain('wombats');
  });

  it('counts less than a name and more than a description', async () => {
    const tools = toolRecord(tool('a_tool', 'Finds wombats.'), tool('b_tool', 'It.'), tool('c_wombats', 'It.'));
    const search = { keywords: { b_tool: ['wombats'] } };
    expect(await found({ tools, search }, 'wombats')).toEqual(['c_wombats', 'b_tool', 'a_tool']);
  });

  it('applies to the tools of a request too, with includeResolvedTools', async () => {
    const options = { tools: office(), includeResolvedTools: true, search: { keywords: { later: ['wombats'] } } };
    expect(await found(options, 'wombats')).toEqual([]);
    expect(await found(options, 'wombats', { later: tool('other') })).toEqual(['other']);
    expect(await found(options, 'wombats', { key: tool('later') })).toEqual(['later']);
  });

  it('applies to the tool of a request that takes the name of a constructor tool', async () => {
    const options = { tools: office(), includeResolvedTools: true, search: { keywords } };
    expect(await found(options, 'wombats', { create_issue: tool('create_issue', 'Another one.') })).toEqual([
      'create_issue',
    ]);
  });

  it.each([
    { name: 'create_isue', hint: 'Did you mean "create_issue"?', why: 'a letter is missing' },
    { name: 'createIssue', hint: 'Did you mean "create_issue"?', why: 'another spelling' },
    { name: 'issues', hint: 'Did you mean "create_issue"?', why: 'the record key' },
    { name: 'qqqq', hint: 'none of "tools".', why: 'nothing like it' },
    { name: 'constructor', hint: 'none of "tools"', why: 'a name out of JavaScript' },
    { name: 'search_tools', hint: 'none of "tools"', why: 'a meta-tool' },
  ])('is refused for "$name": $why', ({ name, hint }) => {
    const tools = { issues: tool('create_issue'), mail: email() };
    const { code, message } = refusal(tools, { search: { keywords: { create_issue: ['x'], [name]: ['y'] } } });
    expect(code).toBe('invalid-option');
    expect(message).toContain('"search.keywords"');
    expect(message).toContain(`"${name}"`);
    expect(message).toContain(hint);
  });

  it('is refused for __proto__, as for any unknown name', () => {
    const unknown = JSON.parse('{"__proto__": ["x"]}') as Record<string, string[]>;
    expect(refusal(office(), { search: { keywords: unknown } }).message).toContain('"__proto__"');
  });

  it('may be empty, and frozen', async () => {
    const frozen = Object.freeze({ create_issue: Object.freeze([]), get_weather: Object.freeze(['wombats']) });
    expect(await found({ tools: office(), search: { keywords: frozen } }, 'wombats')).toEqual(['get_weather']);
    expect(await found({ tools: office(), search: { keywords: {} } }, 'weather')).toEqual(['get_weather']);
  });
});

describe('the keywords that a tool brings itself', () => {
  it.each([
    { parts: { mcp: { _meta: { keywords: ['a', 'b c'] } } }, why: 'the _meta of MCP' },
    { parts: { mcp: { _meta: { 'example.com/keywords': ['a', 'b c'] } } }, why: 'a key of its own domain' },
    { parts: { mcp: { _meta: { keywords: 'a, b c' } } }, why: 'a text with commas' },
    { parts: { mcp: { _meta: { keywords: 'a', 'example.com/keywords': ['b c'] } } }, why: 'both keys' },
    { parts: { metadata: { keywords: ['a', 'b c'] } }, why: 'the metadata' },
    { parts: { metadata: { keywords: ' a ,, b c , a' } }, why: 'a text, each word once' },
    { parts: { metadata: { 'example.com/keywords': 'a,b c' } }, why: 'a key with a prefix' },
    { parts: { mcp: { _meta: { keywords: ['a'] } }, metadata: { keywords: ['b c', 'a'] } }, why: 'both places' },
    { parts: { metadata: { keywords: ['a', 7, null, {}, '', ' ', 'b c'] } }, why: 'a list with what is no text' },
  ])('are read from $why', async ({ parts }) => {
    expect(await keywordsOf(parts)).toEqual(['a', 'b c']);
  });

  it('come after those of the user', async () => {
    expect(await keywordsOf({ metadata: { keywords: 'b, own' } }, ['own', 'a'])).toEqual(['own', 'a', 'b']);
  });

  it.each([
    { parts: {}, why: 'there are none' },
    { parts: { metadata: { Keywords: ['a'], tags: ['b'], mykeywords: ['c'] } }, why: 'other keys' },
    { parts: { metadata: { keywords: 7, 'x/keywords': { a: 'b' } } }, why: 'no list and no text' },
    { parts: { metadata: 'keywords', mcp: ['keywords'] }, why: 'no records' },
    { parts: { mcp: { _meta: null }, metadata: null }, why: 'null' },
    { parts: { _meta: { keywords: ['a'] } }, why: 'the wrong place' },
  ])('are ignored where $why', async ({ parts }) => {
    const read = await documentOf(parts);
    expect(read.document.keywords).toEqual([]);
    expect(read).not.toHaveProperty('problem');
  });

  it('are at most fifty, of a hundred characters each', async () => {
    const many = Array.from({ length: 200 }, (_, n) => `${n}`.padEnd(500, 'x'));
    const keywords = await keywordsOf({ metadata: { keywords: many } }, ['mine']);
    expect(keywords).toHaveLength(50);
    expect(keywords[0]).toBe('mine');
    expect(Math.max(...keywords.map((keyword) => keyword.length))).toBe(100);
  });

  const fail = (): never => {
    throw new Error('not today');
  };
  const hostile: readonly { why: string; value: unknown }[] = [
    { why: 'a getter that throws', value: Object.defineProperty({}, 'keywords', { get: fail, enumerable: true }) },
    { why: 'a Proxy', value: new Proxy({}, { ownKeys: fail }) },
    { why: 'a list that cannot be read', value: { keywords: new Proxy([], { get: fail }) } },
  ];

  it.each(hostile)('are left out alone where they are hostile: $why', async ({ value }) => {
    for (const parts of [{ metadata: value }, { mcp: { annotations: { title: 'It' }, _meta: value } }]) {
      const whole = { description: 'Does it.', inputSchema: { properties: { city: {} } }, ...parts };
      const { document, problem } = await documentOf(whole);
      expect(document).toMatchObject({ description: 'Does it.', keywords: [], parameters: [{ name: 'city' }] });
      expect(document.title).toBe('mcp' in parts ? 'It' : '');
      expect(problem).toContain('not today');
    }
  });

  it.each(hostile)('leave those of the user in place where they are hostile: $why', async ({ value }) => {
    expect(await keywordsOf({ metadata: value }, ['mine'])).toEqual(['mine']);
  });

  it.each([
    {
      why: 'the _meta of a tool of the constructor',
      entry: tool('it', 'It.', { mcp: { _meta: { keywords: 'wombats' } } }),
    },
    { why: 'the metadata of one', entry: withFields(tool('it', 'It.'), { metadata: { keywords: ['wombats'] } }) },
  ])('make a tool easier to find: $why', async ({ entry }) => {
    for (const scorer of [bm25Scorer(), tieredScorer()]) {
      expect(await found({ tools: { it: entry, ...office() }, search: { scorer } }, 'wombats')).toEqual(['it']);
    }
  });

  it('make a tool of a request easier to find', async () => {
    const own = { own: withFields(tool('own', 'It.'), { metadata: { keywords: 'wombats' } }) };
    expect(await found({ tools: office(), includeResolvedTools: true }, 'wombats', own)).toEqual(['own']);
  });

  it('make an AI SDK tool easier to find', async () => {
    const plain = { description: 'It.', inputSchema: {}, metadata: { keywords: ['wombats'] }, execute: () => 'ran' };
    expect(await found({ tools: { plain, ...office() } }, 'wombats')).toEqual(['plain']);
  });
});
