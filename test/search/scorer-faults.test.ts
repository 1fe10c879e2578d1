import { type SearchToolsResult, type ToolMatch, type ToolScorer, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { email, toolRecord, weather } from '../support/agent.ts';

const office = () => toolRecord(weather(), email());
const good: ToolMatch = { name: 'get_weather', score: 1 };

/** A scorer that breaks its contract, whatever the types say. */
const answering = (search: () => unknown, more: object = {}) =>
  ({ name: 'broken', index: () => ({ search, ...more }) }) as unknown as ToolScorer;
const sessionWith = (scorer: unknown, more: object = {}) =>
  new Session({ tools: office(), search: { scorer: scorer as ToolScorer, minScore: -10 }, ...more });
const found = async (session: Session) => (await session.search({ query: 'weather' })).results.map(({ name }) => name);

const outOfOrder: SearchToolsResult = {
  results: [],
  message:
    'The search for "weather" failed for a technical reason; no tools could be looked up. Try once more, else go on without.',
};

function fail(): never {
  throw new Error('no luck');
}

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

  it.each<[what: string, scorer: unknown]>([
    ['no index', { name: 'broken', index: () => undefined }],
    ['an index without search', { name: 'broken', index: () => ({}) }],
    ['a promise of nothing', { name: 'broken', index: async () => null }],
    ['no matches', answering(() => undefined)],
    ['null for matches', answering(() => null)],
    ['no list of matches', answering(() => good)],
    ['a text', answering(() => 'get_weather')],
  ])('may also be one that answers with %s', async (_, scorer) => {
    const session = sessionWith(scorer);
    expect(await session.search({ query: 'weather' })).toEqual(outOfOrder);
    expect(session.eventsOf('scorer-failed')).toHaveLength(1);
  });

  it.each([{}, { filter: () => true }])('in the middle of its ranking shows its first matches: %j', async (more) => {
    function* ranked(): Iterable<ToolMatch> {
      yield good;
      fail();
    }
    const session = sessionWith(
      answering(() => [...ranked()], { ranked }),
      more,
    );
    expect(await found(session)).toEqual(['get_weather']);
    expect(session.eventsOf('scorer-failed')).toEqual([
      { type: 'scorer-failed', scorer: 'broken', error: new Error('no luck'), survived: true },
    ]);
  });

  it('builds its index again for the next search, which is kept once it works', async () => {
    let builds = 0;
    const index: ToolScorer['index'] = async (documents) => {
      if (++builds === 1) fail();
      return { search: () => documents.map(({ name }) => ({ name, score: 1 })) };
    };
    const session = sessionWith({ name: 'slow starter', index });
    expect(await session.search({ query: 'weather' })).toEqual(outOfOrder);
    for (let time = 0; time < 2; time++) expect(await found(session)).toEqual(['get_weather', 'send_email']);
    expect(builds).toBe(2);
  });

  it('may report a fault that it survived: the search is answered, and there is an event', async () => {
    const error = new Error('no cache');
    const index: ToolScorer['index'] = (_, context) => ({
      search() {
        context?.report({ scorer: 'cache', error });
        return [good];
      },
    });
    const session = sessionWith({ name: 'hardy', index });
    expect(await found(session)).toEqual(['get_weather']);
    expect(session.eventsOf('scorer-failed')).toEqual([
      { type: 'scorer-failed', scorer: 'cache', error, survived: true },
    ]);
  });
});

describe('matches that break the contract of scorers', () => {
  it.each<[why: string, match: unknown]>([
    ['a name no tool has', { name: 'gone', score: 9 }],
    ['the name of a meta-tool', { name: 'search_tools', score: 9 }],
    ['a name out of JavaScript', { name: 'constructor', score: 9 }],
    ['a record key instead of a name', { name: 'mail', score: 9 }],
    ['a name that is no text', { name: 7, score: 9 }],
    ['a score that is NaN', { name: 'send_email', score: Number.NaN }],
    ['no score', { name: 'send_email' }],
    ['null', null],
    ['a score that is a text', { name: 'send_email', score: '5' }],
    ['a score of minus infinity', { name: 'send_email', score: Number.NEGATIVE_INFINITY }],
    ['a score that is the least', { name: 'send_email', score: -10 }],
    ['a tool once more', { ...good }],
  ])('are left out: %s', async (_, match) => {
    for (const matches of [
      [match, good],
      [good, match],
    ]) {
      const session = sessionWith(
        answering(() => matches),
        { tools: { wx: weather(), mail: email() } },
      );
      expect((await session.search({ query: 'weather' })).results).toMatchObject([{ name: 'get_weather', score: 1 }]);
    }
  });

  it.each<[why: string, matches: unknown, shown: RegExp]>([
    [
      'scores that are NaN',
      [
        { name: 'send_email', score: Number.NaN },
        { name: 'get_weather', score: Number.NaN },
      ],
      /2 match.*NaN/,
    ],
    ['plain texts', ['send_email', 'get_weather'], /first 'send_email'/],
    ['other words for the fields', [{ id: 'send_email', value: 9 }], /first \{ name: undefined/],
    ['null', [null], /first null/],
  ])('are a fault with one event, and not nothing that fits, where all of them do: %s', async (_, matches, shown) => {
    for (const more of [{}, { filter: () => true }]) {
      const session = sessionWith(
        answering(() => matches),
        more,
      );
      expect(await session.search({ query: 'weather' })).toEqual(outOfOrder);
      const [event, ...others] = session.eventsOf('scorer-failed');
      expect(others).toEqual([]);
      expect(event).not.toHaveProperty('survived');
      expect(event).toMatchObject({ error: { message: expect.stringMatching(shown) } });
      await expect(session.processor.search('weather')).rejects.toMatchObject({ code: 'search-failed' });
    }
  });

  it.each([
    ['a part of them does', [good, 'send_email'], ['get_weather'], /first 'send_email'/],
    // As for tools that the request may not see: the model must not tell them from those that nobody has.
    ['nobody has their names', [{ name: 'gone', score: 9 }], [], /first \{ name: 'gone', score: 9 \}/],
  ])('have one event beside the answer where %s', async (_, matches, names, shown) => {
    const session = sessionWith(answering(() => matches));
    expect(await found(session)).toEqual(names);
    const events = session.eventsOf('scorer-failed');
    expect(events).toMatchObject([{ survived: true, error: { message: expect.stringMatching(shown) } }]);
  });

  it('are none where the request may not see their tools, or they are below minScore', async () => {
    const all = answering(() => ['get_weather', 'send_email'].map((name) => ({ name, score: 1 })));
    for (const more of [{ filter: () => false }, { filter: ({ toolName }: never) => toolName === 'get_weather' }]) {
      const session = sessionWith(all, more);
      await session.search({ query: 'weather' });
      expect(session.eventsOf('scorer-failed')).toEqual([]);
    }
    const low = sessionWith(all, { search: { scorer: all, minScore: 5 } });
    expect(await found(low)).toEqual([]);
    expect(low.eventsOf('scorer-failed')).toEqual([]);
  });

  it('keep the order of the scorer, even if their scores do not fall, and have scores that JSON can hold', async () => {
    const session = sessionWith(answering(() => [good, { name: 'send_email', score: Number.POSITIVE_INFINITY }]));
    const { results } = await session.search({ query: 'weather' });
    expect(results.map(({ name }) => name)).toEqual(['get_weather', 'send_email']);
    for (const { score } of results) expect(score).toEqual(expect.any(Number));
  });

  it('without end are read for so long alone', async () => {
    function* endless() {
      yield good;
      for (let n = 0; ; n++) yield { name: `unknown_${n}`, score: 1 };
    }
    const processor = new ToolSearchProcessor({ tools: office(), search: { scorer: answering(endless) } });
    expect((await processor.search('weather')).map(({ name }) => name)).toEqual(['get_weather']);
  });
});
