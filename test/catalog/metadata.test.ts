// Words for a tool that are no part of its name and description: the user's, the author's, and its server's.
import { bm25Scorer, type MastraTool, type ToolScorer, ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { miniSearchScorer } from 'mastra-tool-search/minisearch';
import { describe, expect, it } from 'vitest';
import { readSet } from '../bench/retrieval/sets.ts';
import { Session } from '../meta-tools/session.ts';
import { email, tool, toolRecord, weather } from '../support/agent.ts';
import { documentOf, refusal } from './catalogs.ts';

const office = () => toolRecord(tool('create_issue', 'Opens it.'), weather(), email());
const HINT = 'anthropic/searchHint';
const hinted = (hint: unknown) => ({ mcp: { _meta: { [HINT]: hint } } });
const keywordsIn = (keywords: unknown) => ({ metadata: { keywords } });

const found = async (options: object, query: string, tools?: object) => {
  const processor = new ToolSearchProcessor(options as never);
  const matches = await processor.search(query, tools ? { tools: tools as Record<string, unknown> } : {});
  return matches.map(({ name }) => name);
};
/** The names that a query finds of these tools. */
const foundIn = (tools: object, query: string, search: object = {}) => found({ tools, search }, query);

describe('the document of a tool', () => {
  it.each<[why: string, parts: object]>([
    ['the _meta of MCP, under a key of its own domain', { mcp: { _meta: { 'example.com/keywords': ['a', 'b c'] } } }],
    ['a text with commas', { mcp: { _meta: { keywords: 'a, b c' } } }],
    ['both keys', { mcp: { _meta: { keywords: 'a', 'example.com/keywords': ['b c'] } } }],
    ['the metadata, each word once', keywordsIn(' a ,, b c , a')],
    ['both places', { mcp: { _meta: { keywords: ['a'] } }, ...keywordsIn(['b c', 'a']) }],
    ['a list with what is no text', keywordsIn(['a', 7, null, {}, '', ' ', 'b c'])],
  ])('has keywords from %s, behind those of the user', async (_, parts) => {
    expect((await documentOf(parts)).document.keywords).toEqual(['a', 'b c']);
    expect((await documentOf(parts, ['own', 'b c'])).document.keywords).toEqual(['own', 'b c', 'a']);
  });

  it.each<[why: string, parts: object]>([
    ['a list, where the MCP client of Mastra has it', hinted(['find wombats'])],
    ['a text, where the AI SDK has it', { _meta: { [HINT]: 'find wombats' } }],
    ['both, once', { ...hinted('find wombats'), ...hinted('find wombats').mcp }],
    ['what is a text in a list', hinted([7, '', ' ', null, {}, 'find wombats'])],
    ['without hidden characters', hinted('  find\n wom\u200bbats\u{e0041} ')],
    ['without markup', hinted('<b>find</b><important>wombats')],
  ])('has hints of its server: %s', async (_, parts) => {
    const { hints = [] } = (await documentOf(parts)).document;
    expect(hints.map((hint) => hint.replace(/\s+/g, ' ').trim())).toEqual(['find wombats']);
  });

  it.each<[why: string, parts: object]>([
    ['other keys', { metadata: { Keywords: ['a'], tags: ['b'], mykeywords: ['c'], [HINT]: 'd' } }],
    ['no list and no text', { metadata: { keywords: 7, 'x/keywords': { a: 'b' } }, ...hinted(7) }],
    ['no records', { metadata: 'keywords', mcp: ['keywords'], _meta: [HINT] }],
    ['null', { mcp: { _meta: null }, metadata: null }],
    ['a hint of which nothing is left', hinted('<b></b>\u200b')],
  ])('has neither of %s, which is no problem', async (_, parts) => {
    const read = await documentOf(parts);
    expect(read.document.keywords).toEqual([]);
    expect(read.document).not.toHaveProperty('hints');
    expect(read).not.toHaveProperty('problem');
  });

  it('has fifty keywords of a hundred characters, and five hints of two hundred, at most', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `${n} ${'word '.repeat(100_000)}`);
    const parts = { ...keywordsIn(many), ...hinted(many) };
    const { keywords, hints = [] } = (await documentOf(parts, ['mine'])).document;
    expect([keywords.length, keywords[0], hints.length]).toEqual([50, 'mine', 5]);
    const longest = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
    expect([longest(keywords), longest(hints)]).toEqual([100, 200]);
  });

  const get = () => JSON.parse('not today');
  it.each<[why: string, value: object]>([
    ['a getter that throws', Object.defineProperties({}, { keywords: { get, enumerable: true }, [HINT]: { get } })],
    ['a Proxy', new Proxy({}, { ownKeys: get })],
    ['a list that cannot be read', { keywords: new Proxy([], { get }) }],
  ])('loses these alone where they are hostile: %s', async (_, value) => {
    for (const parts of [{ metadata: value }, { mcp: { annotations: { title: 'It' }, _meta: value } }]) {
      const whole = { description: 'Does it.', inputSchema: { properties: { city: {} } }, ...parts };
      const { document, problem } = await documentOf(whole, ['mine']);
      expect(document).toMatchObject({ description: 'Does it.', keywords: ['mine'], parameters: [{ name: 'city' }] });
      expect(document).not.toHaveProperty('hints');
      expect(document.title).toBe('mcp' in parts ? 'It' : '');
      expect(problem).toContain('not today');
    }
  });
});

it.each<[words: string, fields: object]>([
  ['the _meta of a server', { mcp: { _meta: { keywords: 'wombats' } } }],
  ['metadata', keywordsIn(['wombats'])],
  ['a hint', hinted('wombats')],
  ['a hint of the AI SDK', hinted('wombats').mcp],
])(
  'any tool is found by words of %s, also one of the AI SDK, and of a request, and none is shown',
  async (_, fields) => {
    const ofMastra: MastraTool = Object.assign(tool('it', 'It.'), fields);
    const plain = { description: 'It.', inputSchema: {}, execute: () => 'ran', ...fields };
    for (const it of [ofMastra, plain]) {
      for (const scorer of [bm25Scorer(), tieredScorer(), miniSearchScorer()])
        expect(await foundIn({ ...office(), it }, 'wombats', { scorer })).toEqual(['it']);
      expect(await found({ tools: office(), includeResolvedTools: true }, 'wombats', { it })).toEqual(['it']);
    }
    const { results, message } = await new Session({ tools: { it: ofMastra } }).search({ query: 'wombats' });
    expect(results[0]).toMatchObject({ name: 'it', description: 'It.' });
    expect(JSON.stringify([results, message.replace('"wombats"', '')])).not.toContain('wombats');
  },
);

describe('the option search.keywords', () => {
  const keywords = { create_issue: ['make a ticket', 'report wombats'] };

  it('finds a tool by its name, whatever its key, or by its repaired name, with any scorer by words', async () => {
    for (const scorer of [bm25Scorer({ synonyms: [] }), tieredScorer()]) {
      expect(await foundIn(office(), 'wombats', { scorer, keywords })).toEqual(['create_issue']);
      expect(await foundIn(office(), 'wombats', { scorer })).toEqual([]);
    }
    const plain = { ...weather(), id: undefined };
    const tools = { issues: tool('create_issue', 'Opens it.'), plain, odd: tool('o.dd') };
    const search = { keywords: { create_issue: ['wombats'], plain: ['sunshine'], o_dd: ['oddities'] } };
    const names = await Promise.all(['wombats', 'sunshine', 'oddities'].map((word) => foundIn(tools, word, search)));
    expect(names).toEqual([['create_issue'], ['plain'], ['o_dd']]);
    expect(refusal(tools, { search: { keywords: { 'o.dd': ['x'] } } }).message).toContain('"o_dd"');
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
    { name: 'issues', hint: 'Did you mean "create_issue"?' },
    { name: 'qqqq', hint: 'none of "tools".' },
    { name: 'search_tools', hint: 'none of "tools"' },
    { name: '__proto__', hint: 'none of "tools"' },
  ])('is refused for "$name": $hint', ({ name, hint }) => {
    const unknown = Object.fromEntries([
      ['create_issue', ['x']],
      [name, ['y']],
    ]);
    const { code, message } = refusal({ issues: tool('create_issue') }, { search: { keywords: unknown } });
    expect(code).toBe('invalid-option');
    for (const part of ['"search.keywords"', `"${name}"`, hint]) expect(message).toContain(part);
  });
});

it("words count less than a name, hints less than a description, and the user's keywords more", async () => {
  const described = tool('a_tool', 'Finds wombats.');
  const tools = toolRecord(described, tool('b_tool', 'It.'), tool('c_wombats', 'It.'));
  const embedder = false;
  const search = { embedder, keywords: { b_tool: ['wombats'] } } as const;
  expect(await foundIn(tools, 'wombats', search)).toEqual(['c_wombats', 'b_tool', 'a_tool']);
  const hint = tool('d_tool', 'It.', hinted('wombats'));
  expect(await foundIn(toolRecord(hint, described), 'wombats', { embedder })).toEqual(['a_tool', 'd_tool']);
  // What scores a small part of the best one is not shown.
  expect((await foundIn(toolRecord(hint, described, tool('b_tool', 'It.')), 'wombats', search))[0]).toBe('b_tool');
  const many = tool('a_tool', 'It.', hinted(['wombats', 'wombats wombats', 'a wombats', 'the wombats']));
  const long = tool('z_wombats_of_a_long_name', 'It.');
  for (const scorer of [bm25Scorer, tieredScorer] as (() => ToolScorer)[])
    expect(await foundIn(toolRecord(many, long), 'wombats', { scorer: scorer() })).toEqual([long.id, 'a_tool']);
});

it('a hostile server does not lift its tool over the right one by a hint of a thousand words', async () => {
  const { tools: all, queries } = readSet(new URL('../fixtures/mcp-dev', import.meta.url).pathname);
  const counts = new Map<string, number>();
  for (const { query } of queries)
    for (const word of query.toLowerCase().match(/[a-z]{3,}/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  const vocabulary = [...counts].sort((one, other) => other[1] - one[1]).map(([word]) => word);
  expect(vocabulary.length).toBeGreaterThan(300);
  const ranked = async (hint: unknown) => {
    const hostile = tool('hostile_tool', 'Does things.', hinted(hint));
    const processor = new ToolSearchProcessor({
      tools: toolRecord(...(all as never[]), hostile),
      search: { scorer: { ...bm25Scorer(), keepsTail: true } },
      onEvent: () => {},
    });
    const rankings: string[][] = [];
    for (const { query } of queries)
      rankings.push((await processor.search(query, { limit: 500 })).map(({ name }) => name));
    return rankings;
  };
  const before = await ranked('');
  const most = vocabulary.slice(0, 1_000);
  const listed = Array.from({ length: 40 }, (_, n) => most.slice(n * 25, n * 25 + 25).join(' '));
  for (const hint of [most.join(' '), listed]) {
    const after = await ranked(hint);
    expect(after.filter(([first]) => first === 'hostile_tool')).toEqual([]);
    // One more document makes its words less rare: two other tools that are nearly equal may change places.
    expect(after.filter(([first], n) => first !== before[n]![0]).length).toBeLessThan(2);
    // It is searched by its hint, or nothing would be proven.
    expect(after.filter((names) => names.includes('hostile_tool')).length).toBeGreaterThan(50);
  }
});
