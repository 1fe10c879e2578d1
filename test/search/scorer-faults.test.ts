import fc from 'fast-check';
import {
  type SearchToolsResult,
  type ToolIndex,
  type ToolMatch,
  type ToolScorer,
  ToolSearchProcessor,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { email, toolRecord, weather } from '../support/harness.ts';

const office = () => toolRecord(weather(), email());
const namesOf = ({ results }: SearchToolsResult): string[] => results.map(({ name }) => name);

/** A scorer that breaks its contract, whatever the types say. */
const answering = (search: () => unknown): ToolScorer => ({
  name: 'broken',
  index: () => ({ search: search as ToolIndex['search'] }),
});
const sessionWith = (scorer: unknown) =>
  new Session({ tools: office(), search: { scorer: scorer as ToolScorer, minScore: -10 } });

const outOfOrder: SearchToolsResult = {
  results: [],
  message:
    'The search for "weather" failed for a technical reason; no tools could be looked up. Try once more, else go on without.',
};

function fail(): never {
  throw new Error('no luck');
}

describe('a scorer that fails in the middle of its ranking', () => {
  it('shows its first matches, and is reported once', async () => {
    function* ranked(): Iterable<ToolMatch> {
      yield { name: 'get_weather', score: 2 };
      throw new Error('no luck');
    }
    const session = sessionWith({ name: 'broken', index: () => ({ search: () => [...ranked()], ranked }) });
    expect(namesOf(await session.search({ query: 'weather' }))).toEqual(['get_weather']);
    expect(session.eventsOf('scorer-failed')).toEqual([
      { type: 'scorer-failed', scorer: 'broken', error: new Error('no luck'), survived: true },
    ]);
  });

  it('shows them under a filter too, which is asked about the whole catalog', async () => {
    function* ranked(): Iterable<ToolMatch> {
      yield { name: 'get_weather', score: 2 };
      throw new Error('no luck');
    }
    const scorer: ToolScorer = { name: 'broken', index: () => ({ search: () => [...ranked()], ranked }) };
    const session = new Session({ tools: office(), filter: () => true, search: { scorer } });
    expect(namesOf(await session.search({ query: 'weather' }))).toEqual(['get_weather']);
    expect(session.eventsOf('scorer-failed')).toHaveLength(1);
  });
});

describe('a scorer that fails', () => {
  it.each([
    { why: 'throws in search', scorer: answering(fail) },
    { why: 'rejects in search', scorer: answering(async () => fail()) },
    { why: 'throws in index', scorer: { name: 'broken', index: fail } },
    { why: 'rejects in index', scorer: { name: 'broken', index: async () => fail() } },
  ])('leads to a message and an event, and to no error: it $why', async ({ scorer }) => {
    const session = sessionWith(scorer);
    expect(await session.search({ query: 'weather' })).toEqual(outOfOrder);
    expect(session.events).toEqual([
      { type: 'scorer-failed', scorer: 'broken', error: new Error('no luck') },
      { type: 'search', queries: ['weather'], results: [], loaded: [] },
    ]);
    expect(await session.load({ toolName: 'get_weather' })).toMatchObject({ success: true });
  });

  it.each([
    { why: 'no index', index: () => undefined },
    { why: 'an index without search', index: () => ({}) },
    { why: 'a promise of nothing', index: async () => null },
  ])('does the same when it has built $why', async ({ index }) => {
    const session = sessionWith({ name: 'broken', index });
    expect(await session.search({ query: 'weather' })).toEqual(outOfOrder);
    expect(session.eventsOf('scorer-failed')).toHaveLength(1);
  });

  it('builds its index again for the next search, which is kept once it works', async () => {
    let builds = 0;
    const scorer: ToolScorer = {
      name: 'slow starter',
      index: async (documents) => {
        builds += 1;
        if (builds === 1) fail();
        return { search: () => documents.map(({ name }) => ({ name, score: 1 })) };
      },
    };
    const session = sessionWith(scorer);
    expect(await session.search({ query: 'weather' })).toEqual(outOfOrder);
    expect(namesOf(await session.search({ query: 'weather' }))).toEqual(['get_weather', 'send_email']);
    expect(namesOf(await session.search({ query: 'weather' }))).toEqual(['get_weather', 'send_email']);
    expect(builds).toBe(2);
  });

  it('may report a fault that it survived: the search is answered, and there is an event', async () => {
    const error = new Error('no cache');
    const scorer: ToolScorer = {
      name: 'hardy',
      index: (documents, context) => ({
        search() {
          context?.report({ scorer: 'cache', error });
          return documents.map(({ name }) => ({ name, score: 1 }));
        },
      }),
    };
    const session = sessionWith(scorer);
    expect(namesOf(await session.search({ query: 'weather' }))).toEqual(['get_weather', 'send_email']);
    expect(session.eventsOf('scorer-failed')).toEqual([
      { type: 'scorer-failed', scorer: 'cache', error, survived: true },
    ]);
  });
});

describe('matches that break the contract of scorers', () => {
  const good: ToolMatch = { name: 'get_weather', score: 1 };

  it.each([
    { why: 'a name no tool has', match: { name: 'gone', score: 9 } },
    { why: 'the name of a meta-tool', match: { name: 'search_tools', score: 9 } },
    { why: 'a name out of JavaScript', match: { name: 'constructor', score: 9 } },
    { why: 'a name that is no text', match: { name: 7, score: 9 } },
    { why: 'a score that is NaN', match: { name: 'send_email', score: Number.NaN } },
    { why: 'no score', match: { name: 'send_email' } },
    { why: 'no name', match: { score: 9 } },
    { why: 'null', match: null },
    { why: 'a score that is a text', match: { name: 'send_email', score: '5' } },
    { why: 'a score that is a big integer', match: { name: 'send_email', score: 5n } },
    { why: 'a score of minus infinity', match: { name: 'send_email', score: Number.NEGATIVE_INFINITY } },
  ])('are left out: $why', async ({ match }) => {
    const session = sessionWith(answering(() => [match, good]));
    expect(await session.search({ query: 'weather' })).toMatchObject({
      results: [{ name: 'get_weather', score: 1 }],
      message: expect.stringContaining('Found 1 tool(s).'),
    });
  });

  it('are left out when they name a record key instead of a name', async () => {
    const { get_weather } = office();
    const scorer = answering(() => [{ name: 'wx', score: 1 }]);
    const session = new Session({ tools: { wx: get_weather as never }, search: { scorer } });
    expect((await session.search({ query: 'weather' })).results).toEqual([]);
  });

  it('keep the order of the scorer, even if their scores do not fall', async () => {
    const session = sessionWith(answering(() => [good, { name: 'send_email', score: 5 }]));
    expect(namesOf(await session.search({ query: 'weather' }))).toEqual(['get_weather', 'send_email']);
  });

  it.each([
    { why: 'nothing', answer: undefined },
    { why: 'null', answer: null },
    { why: 'no list', answer: { name: 'get_weather', score: 1 } },
  ])('count as a failure of the scorer when they are no list: $why', async ({ answer }) => {
    const session = sessionWith(answering(() => answer));
    expect(await session.search({ query: 'weather' })).toEqual(outOfOrder);
    expect(session.eventsOf('scorer-failed')).toHaveLength(1);
  });

  it('get a score that JSON can hold', async () => {
    const session = sessionWith(answering(() => [{ name: 'send_email', score: Number.POSITIVE_INFINITY }, good]));
    const result = await session.search({ query: 'weather' });
    for (const { score } of result.results) expect(score).toEqual(expect.any(Number));
    expect(namesOf(result)).toContain('get_weather');
  });

  it('bring a tool only once', async () => {
    const session = sessionWith(answering(() => [good, good, { name: 'send_email', score: 1 }]));
    expect(namesOf(await session.search({ query: 'weather' }))).toEqual(['get_weather', 'send_email']);
  });

  it('never bring in a tool that is not in the catalog', async () => {
    // Near enough to each other, so that no tail is cut.
    const score = fc.oneof(fc.double({ noNaN: true, min: 1, max: 5 }), fc.constant(Number.NaN));
    const name = fc.oneof(fc.constantFrom('get_weather', 'send_email'), fc.string());
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.record({ name, score }), { selector: (match) => match.name }),
        async (matches) => {
          const result = await sessionWith(answering(() => matches)).search({ query: 'weather' });
          const expected = matches.filter((match) => Object.hasOwn(office(), match.name) && match.score > -10);
          expect(namesOf(result)).toEqual(expected.map((match) => match.name));
        },
      ),
      { numRuns: 50 },
    );
  });
});

it('a scorer that names other tools without end is read for so long alone', async () => {
  function* endless() {
    yield { name: 'get_weather', score: 2 };
    for (let n = 0; ; n++) yield { name: `unknown_${n}`, score: 1 };
  }
  const processor = new ToolSearchProcessor({ tools: office(), search: { scorer: answering(endless) } });
  expect((await processor.search('weather')).map(({ name }) => name)).toEqual(['get_weather']);
});
