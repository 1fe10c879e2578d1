import fc from 'fast-check';
import { bm25Scorer, type SearchToolsResult, ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { callIn, Session } from '../meta-tools/session.ts';
import { essence } from '../support/events.ts';
import { email, tool, toolRecord, weather } from '../support/harness.ts';
import { type Line, scripted } from '../support/scripted-scorer.ts';

const LETTERS = [...'abcdefghij'];
const toolsOf = (names: readonly string[]) => toolRecord(...names.map((name) => tool(name)));
const namesOf = ({ results }: SearchToolsResult): string[] => results.map(({ name }) => name);

describe('minConfidence', () => {
  const lines: readonly Line[] = [
    ['a', 5, 0.9],
    ['b', 4, 0.5],
    ['c', 3, 0.2],
    ['d', 2, 0.1],
  ];
  const sessionWith = (minConfidence: number, more: object = {}, search: object = {}) =>
    new Session({
      tools: toolsOf(LETTERS),
      search: { scorer: scripted({ x: lines }), minConfidence, ...search },
      ...more,
    });

  it.each([
    { minConfidence: 0, names: ['a', 'b', 'c', 'd'], why: 'off' },
    { minConfidence: 0.2, names: ['a', 'b', 'c'], why: 'at least so much' },
    { minConfidence: 0.501, names: ['a'], why: 'no rounding first' },
    { minConfidence: 1, names: [], why: 'nothing is certain' },
  ])('$minConfidence leaves $names: $why', async ({ minConfidence, names }) => {
    expect(namesOf(await sessionWith(minConfidence).search({ query: 'x' }))).toEqual(names);
  });

  it('tells the model of the closest tools when none reaches it, and they can be loaded', async () => {
    const session = sessionWith(0.95);
    expect(await session.search({ query: 'x' })).toEqual({
      results: [],
      message:
        'No tool clearly matches "x"; closest: a, b, c. Use load_tool only for one that really fits; else search with other words, or go on without.',
    });
    expect(session.eventsOf('search')).toEqual([{ type: 'search', queries: ['x'], results: [], loaded: [] }]);
    expect(await session.load({ toolName: 'b' })).toMatchObject({ success: true });
    expect(await session.sent()).toEqual(['b']);
  });

  it('keeps dropped matches from being loaded by autoLoad', async () => {
    const session = sessionWith(0.5, {}, { autoLoad: true });
    expect((await session.search({ query: 'x' })).loaded).toEqual(['a', 'b']);
    expect(await session.sent()).toEqual(['a', 'b']);
  });

  it('leads to no mention of load_tool where there is none', async () => {
    const session = sessionWith(0.95, {}, { autoLoad: true });
    expect(Object.keys((await session.step()).tools)).toEqual(['search_tools']);
    expect((await session.search({ query: 'x' })).message).not.toContain('load_tool');
  });

  it('drops nothing where the scorer has no confidence, which is reported once', async () => {
    const { name, index } = tieredScorer();
    const search = { scorer: { name, index }, minConfidence: 1 };
    const session = new Session({ tools: toolRecord(weather(), email()), search });
    for (const query of ['city', 'email']) expect(namesOf(await session.search({ query }))).toHaveLength(1);
    expect(session.eventsOf('option-doubt')).toMatchObject([{ option: 'search.minConfidence' }]);
  });

  it('is refused with a scorer that is known to have no confidence', () => {
    const embed = (texts: string[]) => texts.map(() => [1, 0]);
    for (const scorer of [tieredScorer(), semanticScorer({ embed }), hybridScorer([tieredScorer(), bm25Scorer()])]) {
      const make = () => new ToolSearchProcessor({ tools: {}, search: { scorer, minConfidence: 0.05 } });
      expect(make).toThrow(`"search.minConfidence" must be left out with the scorer "${scorer.name}"`);
      expect(() => new ToolSearchProcessor({ tools: {}, search: { scorer, minConfidence: 0 } })).not.toThrow();
    }
  });

  it('does not hold for select:', async () => {
    expect(namesOf(await sessionWith(1).search({ query: 'select:d' }))).toEqual(['d']);
  });
});

describe('the default scorer', () => {
  const office = () =>
    toolRecord(
      weather(),
      email(),
      tool('create_issue', 'Open a bug.'),
      tool('list_issues', 'Show all bugs.'),
      tool('close_issue', 'Set a bug to done.'),
    );
  const office500 = () => ({ ...office(), ...toolsOf(Array.from({ length: 500 }, (_, n) => `filler_${n}`)) });

  it('is confident of a name, and of words that only one tool has', async () => {
    const session = new Session({ tools: office500() });
    expect((await session.search({ query: 'create_issue' })).results[0]).toMatchObject({ confidence: 0.99 });
    const { results, message } = await session.search({ query: 'current weather of a city' });
    expect(results[0]?.confidence).toBeGreaterThan(0.8);
    expect(message).toContain('Found');
  });

  it('calls an answer weak when nothing fits', async () => {
    const { message } = await new Session({ tools: office500() }).search({
      query: 'fly a message to another city with a pigeon',
    });
    expect(message).toContain('No tool clearly matches');
  });

  it('is as confident with a filter that allows everything as without one', async () => {
    for (const maxResults of [1, 2, 5]) {
      const [plain, open] = await Promise.all(
        [{}, { filter: () => true }].map((more) =>
          new Session({ tools: office500(), ...more }).search({ query: 'issue bug tracker', maxResults }),
        ),
      );
      expect(open).toEqual(plain);
    }
  });
});

describe('a hidden tool', () => {
  const line = fc.tuple(
    fc.constantFrom(...LETTERS),
    fc.double({ min: 0.01, max: 10, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  const lists = fc
    .uniqueArray(line, { selector: ([name]) => name, minLength: 1, maxLength: 10 })
    .map((list): readonly Line[] => list.sort((first, second) => second[1] - first[1]));
  const searches = fc.record({
    minConfidence: fc.constantFrom(0, 0, 0.3, 0.8),
    topK: fc.constantFrom(1, 3, 5),
    autoLoad: fc.boolean(),
  });
  const queries = fc.constantFrom<unknown>('x', 'y', ['x', 'y'], ['x', 'select:a,b'], ['y', 'nothing']);

  it('changes no result, confidence, tail, message or load, as if it were not there', async () => {
    await fc.assert(
      fc.asyncProperty(lists, lists, fc.subarray(LETTERS), searches, queries, async (x, y, hidden, search, query) => {
        const scorer = scripted({ x, y });
        const answer = async (names: readonly string[]): Promise<unknown> => {
          // The names that exist are those that may be seen, so both filters let through the same.
          const filter = ({ toolName }: { toolName: string }) => !hidden.includes(toolName);
          const session = new Session({ tools: toolsOf(names), filter, search: { scorer, ...search } });
          const { tools } = await session.step();
          const result = await callIn(tools, 'search_tools', { query });
          return {
            result,
            events: session.events.filter(({ type }) => type !== 'step').map((event) => essence(event)),
            sent: await session.sent(),
          };
        };
        const [all, visible] = [await answer(LETTERS), await answer(LETTERS.filter((name) => !hidden.includes(name)))];
        expect(all).toEqual(visible);
      }),
      { numRuns: 150 },
    );
  });

  it('appears in nothing that the model reads, also with the default scorer', async () => {
    const tools = () =>
      toolRecord(
        tool('read_secret_ledger', 'Reads the ledger.'),
        tool('read_book', 'Reads a book.'),
        tool('write_book', 'Writes a book.'),
      );
    const filter = ({ toolName }: { toolName: string }) => toolName !== 'read_secret_ledger';
    for (const minConfidence of [0, 0.99]) {
      const search = { scorer: bm25Scorer(), minConfidence };
      for (const query of [
        'ledger',
        'read secret ledger',
        'read_secret_ledger',
        ['ledger', 'book'],
        'select:read_secret_ledger',
      ]) {
        const result = await new Session({ tools: tools(), filter, search }).search({ query });
        expect(namesOf(result)).not.toContain('read_secret_ledger');
        // Beside the query itself.
        expect(result.message.replace(/matching .*|matches "[^"]*"(, "[^"]*")*|Not found: .*/, '')).not.toMatch(
          /ledger/,
        );
      }
    }
  });
});
