import type { SearchToolsResult, ToolScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';
import { scripted } from '../support/scripted-scorer.ts';
import { Session } from './session.ts';

const tools = () => toolRecord(...[...'abcdef'].map((letter) => tool(letter)));
const sessionWith = (scorer: ToolScorer, search: object = {}, more: object = {}) =>
  new Session({ tools: tools(), search: { scorer, ...search }, ...more });
/** a: first, second */
const foundBy = ({ results }: SearchToolsResult): string[] =>
  results.map(({ name, queries }) => (queries ? `${name}: ${queries.join(', ')}` : name));
const FOUND = 'Use load_tool with an exact toolName or a toolNames array to make them available.';
const AVAILABLE = 'Call them now.';

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
  it.each([
    {
      query: ['sure', 'nothing'],
      found: ['a: sure', 'b: sure'],
      message: `Found 2 tool(s). ${FOUND} No tools found matching "nothing". Try different keywords.`,
      why: 'one finds nothing',
    },
    {
      query: ['nothing', 'none'],
      found: [],
      message: 'No tools found matching "nothing", "none". Try different keywords.',
      why: 'none finds anything',
    },
    {
      query: ['sure', 'weak'],
      found: ['a: sure', 'c: weak', 'b: sure'],
      message: `Found 3 tool(s). ${FOUND} No tool clearly matches "weak": read the descriptions before you use one that was found for it.`,
      why: 'one finds nothing that fits well',
    },
    {
      query: ['weak', 'faint'],
      found: ['c: weak', 'd: faint'],
      message: `Found 2 tool(s). ${FOUND} No tool clearly matches "weak", "faint": read the descriptions before you use one that was found for it.`,
      why: 'none finds anything that fits well',
    },
    {
      query: ['sure', 'broken'],
      found: ['a: sure', 'b: sure'],
      message: `Found 2 tool(s). ${FOUND} The search for "broken" failed for a technical reason; no tools could be looked up. Try once more, else go on without.`,
      why: 'one fails',
    },
    {
      query: ['broken', 'nothing', 'weak'],
      found: ['c: weak'],
      message: `Found 1 tool(s). ${FOUND} The search for "broken" failed for a technical reason; no tools could be looked up. Try once more, else go on without. No tools found matching "nothing". Try different keywords. No tool clearly matches "weak": read the descriptions before you use one that was found for it.`,
      why: 'each has a trouble of its own',
    },
  ])('says how each query went: $why', async ({ query, found, message }) => {
    const result = await sessionWith(scorer).search({ query });
    expect(foundBy(result)).toEqual(found);
    expect(result.message).toBe(message);
  });

  it('names each failed query, and each is an event', async () => {
    const session = sessionWith(scorer);
    const { results, message } = await session.search({ query: ['broken', 'failing'] });
    expect(results).toEqual([]);
    expect(message).toContain('The search for "broken" failed');
    expect(message).toContain('The search for "failing" failed');
    expect(message).not.toContain('no luck');
    expect(session.eventsOf('scorer-failed').map(({ error }) => error)).toEqual([
      new Error('no luck'),
      new Error('no luck either'),
    ]);
  });

  it('uses one index for all queries', async () => {
    let builds = 0;
    const counting: ToolScorer = {
      name: 'counting',
      index: async (...args) => {
        builds += 1;
        return scorer.index(...args);
      },
    };
    expect(foundBy(await sessionWith(counting).search({ query: ['sure', 'weak', 'faint'] }))).toHaveLength(4);
    expect(builds).toBe(1);
  });

  it('leaves out what is below minConfidence for its own query', async () => {
    const session = sessionWith(scorer, { minConfidence: 0.25 });
    expect(foundBy(await session.search({ query: ['sure', 'weak'] }))).toEqual(['a: sure', 'b: sure']);
  });

  it('names the closest tools when minConfidence leaves none', async () => {
    const session = sessionWith(scorer, { minConfidence: 0.5 });
    const { results, message } = await session.search({ query: ['weak', 'faint'] });
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
    expect(result.loaded).toEqual(['e', 'f']);
    expect(result.message).toBe(
      `Loaded 2 tool(s): e, f. ${AVAILABLE} Found 2 tool(s). ${FOUND} No tool clearly matches "faint": read the descriptions before you use one that was found for it.`,
    );
    expect(await session.sent()).toEqual(['e', 'f']);
    expect(session.eventsOf('search')).toMatchObject([{ results: ['e', 'f', 'a', 'd'], loaded: ['e', 'f'] }]);
  });

  it('may stand beside other select: alone', async () => {
    const session = sessionWith(scorer);
    const result = await session.search({ query: ['select:e', 'select:f,e'] });
    expect(foundBy(result)).toEqual(['e', 'f']);
    expect(result.loaded).toEqual(['e', 'f']);
    expect(result.message).toBe(
      'Loaded 1 tool(s): e. Call it now. Loaded 1 tool(s): f. Call it now. Already loaded: e.',
    );
  });

  it('shows a tool once that another query finds too', async () => {
    const result = await sessionWith(scorer).search({ query: ['select:a', 'sure', 'faint'] });
    expect(foundBy(result)).toEqual(['a', 'd: faint', 'b: sure']);
  });

  it('may have no names, or unknown ones, and the message says so', async () => {
    const result = await sessionWith(scorer).search({ query: ['select:', 'select:qqqq', 'sure'] });
    expect(foundBy(result)).toEqual(['a: sure', 'b: sure']);
    expect(result.message).toContain('"select:" needs exact tool names');
    expect(result.message).toContain('Not found: qqqq.');
    expect(result.message).toContain('Found 2 tool(s).');
    expect(result).not.toHaveProperty('loaded');
  });

  it('is longer than other queries may be', async () => {
    const names = Array.from({ length: 99 }, (_, n) => `a_tool_with_quite_a_long_name_${n}`);
    const many = { ...tools(), ...toolRecord(...names.map((name) => tool(name))) };
    const session = new Session({ tools: many, search: { scorer } });
    const result = await session.search({ query: ['sure', `select:${names}`] });
    expect(result.loaded).toEqual(names.slice(0, 20));
    expect(result.message).toContain('79 more were not loaded');
    expect(result.message).not.toContain('Not found');
  });
});

describe('a forbidden tool among the matches of several queries', () => {
  const hiding = (phase: string, hidden: string) => ({
    filter: (asked: { toolName: string; phase: string }) => asked.phase !== phase || asked.toolName !== hidden,
  });

  it('neither appears nor takes a place', async () => {
    const session = sessionWith(scorer, {}, hiding('search', 'a'));
    const result = await session.search({ query: ['sure', 'faint'], maxResults: 2 });
    expect(foundBy(result)).toEqual(['b: sure', 'd: faint']);
    expect(JSON.stringify([result, session.events])).not.toContain('"a"');
  });

  it('makes its query look like one that finds nothing, when it is the only match', async () => {
    const session = sessionWith(scorer, {}, hiding('search', 'c'));
    expect((await session.search({ query: ['weak', 'sure'] })).message).toBe(
      `Found 2 tool(s). ${FOUND} No tools found matching "weak". Try different keywords.`,
    );
  });

  it('cannot be loaded with a select: beside other queries', async () => {
    for (const phase of ['search', 'load']) {
      const session = sessionWith(scorer, {}, hiding(phase, 'e'));
      const result = await session.search({ query: ['select:e', 'sure'] });
      expect(foundBy(result)).not.toContain('e');
      expect(result.message).toContain('Not found: e');
      expect(await session.sent()).toEqual([]);
    }
  });
});

describe('several queries with autoLoad', () => {
  it('load what is shown for all of them together', async () => {
    const session = sessionWith(scorer, { autoLoad: true });
    const result = await session.search({ query: ['sure', 'weak', 'nothing'], maxResults: 2 });
    expect(foundBy(result).slice(0, 2)).toEqual(['a: sure', 'c: weak']);
    expect(result.loaded).toEqual(result.results.map(({ name }) => name));
    expect(result.message).toContain(`Found and loaded ${result.results.length} tool(s): a, c`);
    expect(result.message).toContain('No tools found matching "nothing".');
    expect(result.message).toContain('No tool clearly matches "weak"');
    expect(result.message).not.toContain('load_tool');
    expect(await session.sent()).toEqual(result.loaded);
  });

  it('ask the load phase', async () => {
    const filter = ({ phase, toolName }: { phase: string; toolName: string }) => phase !== 'load' || toolName !== 'a';
    const session = sessionWith(scorer, { autoLoad: true }, { filter });
    const result = await session.search({ query: ['sure', 'faint'] });
    expect(result.loaded).toEqual(['b', 'd']);
    expect(foundBy(result).some((found) => found.startsWith('a'))).toBe(false);
    expect(await session.sent()).toEqual(['b', 'd']);
  });

  it('say of each query alone when nothing that matches may be loaded', async () => {
    const filter = ({ phase, toolName }: { phase: string; toolName: string }) => phase !== 'load' || toolName === 'f';
    const session = sessionWith(scorer, { autoLoad: true }, { filter });
    const result = await session.search({ query: ['sure', 'nothing', 'select:f'] });
    expect(foundBy(result)).toEqual(['f']);
    expect(result.message).toContain('No tools available to load matching "sure".');
    expect(result.message).toContain('No tools found matching "nothing".');
  });

  it('load the tools of a select: among them first', async () => {
    const session = sessionWith(scorer, { autoLoad: true });
    const result = await session.search({ query: ['sure', 'select:f'] });
    expect(foundBy(result)).toEqual(['f', 'a: sure', 'b: sure']);
    expect(result.loaded).toEqual(['f', 'a', 'b']);
  });
});
