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
    { parts: hinted('find wombats'), why: 'a text, where the MCP client of Mastra has it' },
    { parts: hinted(['find wombats']), why: 'a list' },
    { parts: { _meta: { 'anthropic/searchHint': 'find wombats' } }, why: 'a text, where the AI SDK has it' },
    { parts: { ...hinted('find wombats'), _meta: { 'anthropic/searchHint': 'find wombats' } }, why: 'both, once' },
    { parts: hinted([7, '', ' ', null, {}, 'find wombats']), why: 'what is a text in a list' },
    { parts: hinted('  find\n wom\u200bbats\u{e0041} '.replace('\n ', '\n')), why: 'without hidden characters' },
    { parts: hinted('<b>find</b><important>wombats'), why: 'without markup' },
  ])('are read from $why', async ({ parts }) => {
    expect((await hintsOf(parts))!.map((hint) => hint.replace(/\s+/g, ' ').trim())).toEqual(['find wombats']);
  });

  it.each([
    { parts: {}, why: 'there are none' },
    { parts: hinted(7), why: 'one is no text' },
    { parts: hinted(''), why: 'one is empty' },
    { parts: hinted('<b></b>\u200b'), why: 'nothing is left of one' },
    { parts: { mcp: 'x', _meta: ['anthropic/searchHint'] }, why: 'there are no records' },
    { parts: { metadata: { 'anthropic/searchHint': 'wombats' } }, why: 'they stand elsewhere' },
  ])('are left out where $why', async ({ parts }) => {
    const read = await documentOf(parts);
    expect(read.document).not.toHaveProperty('hints');
    expect(read).not.toHaveProperty('problem');
  });

  it('are at most five, of two hundred characters each', async () => {
    const hints = await hintsOf(hinted(Array.from({ length: 300 }, (_, n) => `${n} ${'word '.repeat(500_000)}`)));
    expect(hints).toHaveLength(5);
    expect(Math.max(...hints!.map((hint) => hint.length))).toBe(200);
  });

  it('are left out alone where they cannot be read', async () => {
    const fail = (): never => {
      throw new Error('not today');
    };
    const _meta = Object.defineProperty({}, 'anthropic/searchHint', { get: fail, enumerable: true });
    const { document, problem } = await documentOf({ description: 'Does it.', _meta });
    expect(document).toMatchObject({ description: 'Does it.' });
    expect(document).not.toHaveProperty('hints');
    expect(problem).toContain('not today');
  });
});

describe('a tool with a hint of its server', () => {
  const scorers: readonly { name: string; scorer: () => ToolScorer }[] = [
    { name: 'bm25Scorer', scorer: bm25Scorer },
    { name: 'tieredScorer', scorer: tieredScorer },
    { name: 'miniSearchScorer', scorer: miniSearchScorer },
  ];
  const found = async (tools: object, query: string, search: object = {}) => {
    const processor = new ToolSearchProcessor({ tools: tools as never, search });
    return (await processor.search(query)).map(({ name }) => name);
  };

  it.each(scorers)('is found by it, with $name', async ({ scorer }) => {
    const tools = { ...toolRecord(weather(), email()), it: tool('it', 'It.', hinted('wombats')) };
    expect(await found(tools, 'wombats', { scorer: scorer() })).toEqual(['it']);
  });

  it.each(scorers.slice(0, 2))('comes after one that has the word in its name, with $name', async ({ scorer }) => {
    const tools = toolRecord(
      tool('a_tool', 'It.', hinted(['wombats', 'wombats wombats', 'a wombats', 'the wombats'])),
      tool('z_wombats_of_a_long_name', 'It.'),
    );
    expect(await found(tools, 'wombats', { scorer: scorer() })).toEqual(['z_wombats_of_a_long_name', 'a_tool']);
  });

  it("counts less than the user's keywords, and than a description", async () => {
    const tools = toolRecord(
      tool('a_tool', 'It.', hinted('wombats')),
      tool('b_tool', 'Finds wombats.'),
      tool('c_tool', 'It.'),
    );
    expect(await found(tools, 'wombats')).toEqual(['b_tool', 'a_tool']);
    // What scores a small part of the best one is not shown.
    expect((await found(tools, 'wombats', { keywords: { c_tool: ['wombats'] } }))[0]).toBe('c_tool');
  });

  it('shows nothing of it to the model', async () => {
    const session = new Session({ tools: toolRecord(tool('it', 'It.', hinted('wombats')), email()) });
    const { results, message } = await session.search({ query: 'wombats' });
    expect(results[0]).toMatchObject({ name: 'it', description: 'It.' });
    expect(JSON.stringify([results, message.replace('"wombats"', '')])).not.toContain('wombats');
  });

  it('is found by it as a tool of the AI SDK, and as one of a request', async () => {
    const plain = { description: 'It.', inputSchema: {}, execute: () => 'ran', _meta: hinted('wombats').mcp._meta };
    expect(await found({ plain, ...toolRecord(email()) }, 'wombats')).toEqual(['plain']);
    const processor = new ToolSearchProcessor({ tools: toolRecord(email()), includeResolvedTools: true });
    expect((await processor.search('wombats', { tools: { plain } })).map(({ name }) => name)).toEqual(['plain']);
  });
});

describe('a hostile server', () => {
  const set = readSet(new URL('../fixtures/mcp-dev', import.meta.url).pathname);
  const commonest = () => {
    const counts = new Map<string, number>();
    for (const { query } of set.queries)
      for (const word of query.toLowerCase().match(/[a-z]{3,}/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
    return [...counts].sort((one, other) => other[1] - one[1]).map(([word]) => word);
  };
  const ranked = async (hint: unknown) => {
    const tools = {
      ...toolRecord(...(set.tools as never[])),
      hostile_tool: tool('hostile_tool', 'Does things.', hinted(hint)),
    };
    const processor = new ToolSearchProcessor({
      tools,
      search: { scorer: { ...bm25Scorer(), keepsTail: true } },
      onEvent: () => {},
    });
    const rankings: string[][] = [];
    for (const { query } of set.queries)
      rankings.push((await processor.search(query, { limit: 500 })).map(({ name }) => name));
    return rankings;
  };

  it.each([
    { what: 'in one text', hintOf: (all: string[]) => all.join(' ') },
    {
      what: 'in a list',
      hintOf: (all: string[]) => Array.from({ length: 40 }, (_, n) => all.slice(n * 25, n * 25 + 25).join(' ')),
    },
    {
      what: 'again and again',
      hintOf: (all: string[]) => Array.from({ length: 1_000 }, () => all.slice(0, 25).join(' ')),
    },
  ])('does not lift its tool over the right one by a hint of a thousand words, $what', async ({ hintOf }) => {
    const vocabulary = commonest();
    expect(vocabulary.length).toBeGreaterThan(300);
    const [before, after] = [await ranked(''), await ranked(hintOf(vocabulary.slice(0, 1_000)))];
    let [found, others] = [0, 0];
    for (const [n, { relevant }] of set.queries.entries()) {
      const place = after[n]!.indexOf('hostile_tool');
      if (place >= 0) found += 1;
      if (after[n]![0] !== before[n]![0]) others += 1;
      expect(after[n]![0]).not.toBe('hostile_tool');
      const wasFirst = relevant.includes(before[n]![0]!);
      if (wasFirst && place >= 0) expect(place).toBeGreaterThan(0);
    }
    // One more document makes its words less rare: two other tools that are nearly equal may change places.
    expect(others).toBeLessThan(2);
    // It is searched by its hint, or nothing would be proven.
    expect(found).toBeGreaterThan(50);
  });
});
