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

  it('finds a tool by its name, whatever its key, or by its repaired name, with any scorer by words', async () => {
    for (const scorer of [bm25Scorer({ synonyms: [] }), tieredScorer()]) {
      expect(await found({ tools: office(), search: { scorer, keywords } }, 'wombats')).toEqual(['create_issue']);
      expect(await found({ tools: office(), search: { scorer } }, 'wombats')).toEqual([]);
    }
    const plain = { ...weather(), id: undefined } as never;
    const tools = { issues: tool('create_issue', 'Opens it.'), plain, odd: tool('o.dd') };
    const search = { keywords: { create_issue: ['wombats'], plain: ['sunshine'], o_dd: ['oddities'] } };
    const names = await Promise.all(['wombats', 'sunshine', 'oddities'].map((word) => found({ tools, search }, word)));
    expect(names).toEqual([['create_issue'], ['plain'], ['o_dd']]);
    expect(refusal(tools, { search: { keywords: { 'o.dd': ['x'] } } }).message).toContain('"o_dd"');
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
    const all = { ...keywords, later: ['wombats'] };
    const options = { tools: office(), includeResolvedTools: true, search: { keywords: all } };
    expect((await found(options, 'wombats', { later: tool('other') })).sort()).toEqual(['create_issue', 'other']);
    expect((await found(options, 'wombats', { key: tool('later') })).sort()).toEqual(['create_issue', 'later']);
    const replaced = { create_issue: tool('create_issue', 'Another one.') };
    expect(await found(options, 'wombats', replaced)).toEqual(['create_issue']);
  });

  it.each([
    { name: 'create_isue', hint: 'Did you mean "create_issue"?' },
    { name: 'createIssue', hint: 'Did you mean "create_issue"?' },
    { name: 'issues', hint: 'Did you mean "create_issue"?' },
    { name: 'qqqq', hint: 'none of "tools".' },
    { name: 'constructor', hint: 'none of "tools"' },
    { name: 'search_tools', hint: 'none of "tools"' },
    { name: '__proto__', hint: 'none of "tools"' },
  ])('is refused for "$name": $hint', ({ name, hint }) => {
    const tools = { issues: tool('create_issue'), mail: email() };
    const unknown = Object.fromEntries([
      ['create_issue', ['x']],
      [name, ['y']],
    ]);
    const { code, message } = refusal(tools, { search: { keywords: unknown } });
    expect(code).toBe('invalid-option');
    for (const part of ['"search.keywords"', `"${name}"`, hint]) expect(message).toContain(part);
  });

  it('may be empty, and frozen', async () => {
    const frozen = Object.freeze({ create_issue: Object.freeze([]), get_weather: Object.freeze(['wombats']) });
    expect(await found({ tools: office(), search: { keywords: frozen } }, 'wombats')).toEqual(['get_weather']);
    expect(await found({ tools: office(), search: { keywords: {} } }, 'weather')).toEqual(['get_weather']);
  });
});

describe('the keywords that a tool brings itself', () => {
  it.each([
    { parts: { mcp: { _meta: { 'example.com/keywords': ['a', 'b c'] } } }, why: 'the _meta of MCP, of its own domain' },
    { parts: { mcp: { _meta: { keywords: 'a, b c' } } }, why: 'a text with commas' },
    { parts: { mcp: { _meta: { keywords: 'a', 'example.com/keywords': ['b c'] } } }, why: 'both keys' },
    { parts: { metadata: { keywords: ' a ,, b c , a' } }, why: 'the metadata, each word once' },
    { parts: { mcp: { _meta: { keywords: ['a'] } }, metadata: { keywords: ['b c', 'a'] } }, why: 'both places' },
    { parts: { metadata: { keywords: ['a', 7, null, {}, '', ' ', 'b c'] } }, why: 'a list with what is no text' },
  ])('are read from $why, behind those of the user', async ({ parts }) => {
    expect(await keywordsOf(parts)).toEqual(['a', 'b c']);
    expect(await keywordsOf(parts, ['own', 'b c'])).toEqual(['own', 'b c', 'a']);
  });

  it.each([
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
    expect([keywords.length, keywords[0]]).toEqual([50, 'mine']);
    expect(Math.max(...keywords.map((keyword) => keyword.length))).toBe(100);
  });

  const fail = () => JSON.parse('not today');
  it.each([
    { why: 'a getter that throws', value: Object.defineProperty({}, 'keywords', { get: fail, enumerable: true }) },
    { why: 'a Proxy', value: new Proxy({}, { ownKeys: fail }) },
    { why: 'a list that cannot be read', value: { keywords: new Proxy([], { get: fail }) } },
  ])('are left out alone where they are hostile: $why', async ({ value }) => {
    for (const parts of [{ metadata: value }, { mcp: { annotations: { title: 'It' }, _meta: value } }]) {
      const whole = { description: 'Does it.', inputSchema: { properties: { city: {} } }, ...parts };
      const { document, problem } = await documentOf(whole, ['mine']);
      expect(document).toMatchObject({ description: 'Does it.', keywords: ['mine'], parameters: [{ name: 'city' }] });
      expect(document.title).toBe('mcp' in parts ? 'It' : '');
      expect(problem).toContain('not today');
    }
  });

  it('make any tool easier to find, also one of the AI SDK, and of a request', async () => {
    const metadata = { keywords: ['wombats'] };
    const plain = { description: 'It.', inputSchema: {}, metadata, execute: () => 'ran' };
    const ofServer = tool('it', 'It.', { mcp: { _meta: { keywords: 'wombats' } } });
    for (const it of [ofServer, withFields(tool('it', 'It.'), { metadata }), plain]) {
      for (const scorer of [bm25Scorer(), tieredScorer()])
        expect(await found({ tools: { it, ...office() }, search: { scorer } }, 'wombats')).toEqual(['it']);
      expect(await found({ tools: office(), includeResolvedTools: true }, 'wombats', { it })).toEqual(['it']);
    }
  });
});
