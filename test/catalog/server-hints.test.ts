import { bm25Scorer, type ToolScorer, ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { miniSearchScorer } from 'mastra-tool-search/minisearch';
import { describe, expect, it } from 'vitest';
import { readSet } from '../bench/retrieval/sets.ts';
import { Session } from '../meta-tools/session.ts';
import { email, tool, toolRecord, weather } from '../support/harness.ts';
import { documentOf } from './catalogs.ts';

const hinted = (hint: unknown) => ({ mcp: { _meta: { 'anthropic/searchHint': hint } } });
const hintsOf = async (parts: object) => (await documentOf(parts)).document.hints;

describe("the hints of a tool's server", () => {
  it.each([
    { parts: hinted(['find wombats']), why: 'a list, where the MCP client of Mastra has it' },
    { parts: { _meta: { 'anthropic/searchHint': 'find wombats' } }, why: 'a text, where the AI SDK has it' },
    { parts: { ...hinted('find wombats'), ...hinted('find wombats').mcp }, why: 'both, once' },
    { parts: hinted([7, '', ' ', null, {}, 'find wombats']), why: 'what is a text in a list' },
    { parts: hinted('  find\n wom\u200bbats\u{e0041} '), why: 'without hidden characters' },
    { parts: hinted('<b>find</b><important>wombats'), why: 'without markup' },
  ])('are read from $why', async ({ parts }) => {
    expect((await hintsOf(parts))!.map((hint) => hint.replace(/\s+/g, ' ').trim())).toEqual(['find wombats']);
  });

  it.each([
    { parts: hinted(7), why: 'one is no text' },
    { parts: hinted('<b></b>\u200b'), why: 'nothing is left of one' },
    { parts: { mcp: 'x', _meta: ['anthropic/searchHint'] }, why: 'there are no records' },
    { parts: { metadata: { 'anthropic/searchHint': 'wombats' } }, why: 'they stand elsewhere' },
  ])('are left out where $why', async ({ parts }) => {
    const read = await documentOf(parts);
    expect(read.document).not.toHaveProperty('hints');
    expect(read).not.toHaveProperty('problem');
  });

  it('are at most five, of two hundred characters each, and left out alone where they cannot be read', async () => {
    const hints = await hintsOf(hinted(Array.from({ length: 300 }, (_, n) => `${n} ${'word '.repeat(500_000)}`)));
    expect(hints).toHaveLength(5);
    expect(Math.max(...hints!.map((hint) => hint.length))).toBe(200);
    const get = () => JSON.parse('not today');
    const _meta = Object.defineProperty({}, 'anthropic/searchHint', { get, enumerable: true });
    const { document, problem } = await documentOf({ description: 'Does it.', _meta });
    expect(document).toMatchObject({ description: 'Does it.' });
    expect(document).not.toHaveProperty('hints');
    expect(problem).toContain('not today');
  });
});

describe('a tool with a hint of its server', () => {
  const found = async (tools: object, query: string, search: object = {}) => {
    const processor = new ToolSearchProcessor({ tools: tools as never, search });
    return (await processor.search(query)).map(({ name }) => name);
  };

  it.each<[name: string, scorer: () => ToolScorer]>([
    ['bm25Scorer', bm25Scorer],
    ['tieredScorer', tieredScorer],
    ['miniSearchScorer', miniSearchScorer],
  ])('is found by it, behind one that has the word in its name, with %s', async (name, scorer) => {
    const tools = { ...toolRecord(weather(), email()), it: tool('it', 'It.', hinted('wombats')) };
    expect(await found(tools, 'wombats', { scorer: scorer() })).toEqual(['it']);
    if (name === 'miniSearchScorer') return;
    const [hint, inName] = [['wombats', 'wombats wombats', 'a wombats', 'the wombats'], 'z_wombats_of_a_long_name'];
    const two = toolRecord(tool('a_tool', 'It.', hinted(hint)), tool(inName, 'It.'));
    expect(await found(two, 'wombats', { scorer: scorer() })).toEqual([inName, 'a_tool']);
  });

  it("counts less than the user's keywords, and than a description", async () => {
    const described = [tool('b_tool', 'Finds wombats.'), tool('c_tool', 'It.')];
    const tools = toolRecord(tool('a_tool', 'It.', hinted('wombats')), ...described);
    expect(await found(tools, 'wombats')).toEqual(['b_tool', 'a_tool']);
    // What scores a small part of the best one is not shown.
    expect((await found(tools, 'wombats', { keywords: { c_tool: ['wombats'] } }))[0]).toBe('c_tool');
  });

  it('shows nothing of it to the model, and may be one of the AI SDK, or of a request', async () => {
    const session = new Session({ tools: toolRecord(tool('it', 'It.', hinted('wombats')), email()) });
    const { results, message } = await session.search({ query: 'wombats' });
    expect(results[0]).toMatchObject({ name: 'it', description: 'It.' });
    expect(JSON.stringify([results, message.replace('"wombats"', '')])).not.toContain('wombats');
    const plain = { description: 'It.', inputSchema: {}, execute: () => 'ran', ...hinted('wombats').mcp };
    expect(await found({ plain, ...toolRecord(email()) }, 'wombats')).toEqual(['plain']);
    const processor = new ToolSearchProcessor({ tools: toolRecord(email()), includeResolvedTools: true });
    expect((await processor.search('wombats', { tools: { plain } })).map(({ name }) => name)).toEqual(['plain']);
  });
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
