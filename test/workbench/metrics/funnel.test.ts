import fc from 'fast-check';
import type { ToolSearchEvent } from 'mastra-tool-search';
import { type Funnel, funnel, parseEvents } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { tool, toolRecord } from '../../support/agent.ts';

type Part = { type: ToolSearchEvent['type'] } & Record<string, unknown>;

let time = 1_000;
/** An event as a log has it: with the fields that it is given, and a run. */
const of = (runId: string, part: Part): ToolSearchEvent => ({ time: time++, runId, ...part }) as never;
const funnelOf = (...parts: readonly Part[]): Funnel => funnel(parts.map((part) => of('run', part)));
const searched = (results: readonly string[], more: object = {}): Part => ({
  ...{ type: 'search', queries: ['weather'], results, loaded: [], verdict: results.length > 0 ? 'fits' : 'nothing' },
  ...more,
});
const loaded = (...names: readonly string[]): Part => {
  return { type: 'load', loaded: names, alreadyLoaded: [], notFound: [] };
};
const called = (toolName: string, ok = true): Part => ({ type: 'call', toolName, ok, ms: 1 });
const counts = ({ stages }: Funnel): number[] => stages.map(({ count }) => count);
const stagesOf = (...numbers: number[]) =>
  ['searches', 'found', 'loaded', 'called'].map((name, at) => ({ name, count: numbers[at] }));
const step = (sent: readonly string[], preselected: readonly string[]): Part => {
  return { type: 'step', sent, deferred: 8, preselected, tokensSent: 50, tokensSaved: 950, ms: 1 };
};
const ab = ['a', 'b'];

describe('the funnel', () => {
  it.each<[what: string, parts: readonly Part[], expected: object]>([
    [
      'a search to the call of a tool that it returned',
      [searched(ab), loaded('a'), called('a'), called('a')],
      {
        stages: stagesOf(1, 1, 1, 1),
        calls: { total: 2, failed: 0, denied: 0 },
        loads: { total: 1, neverCalled: 0, notFound: 0, denied: 0, evicted: 0 },
        tools: [
          { name: 'a', found: 1, loaded: 1, called: 2, neverCalled: 0 },
          { name: 'b', found: 1, loaded: 0, called: 0, neverCalled: 0 },
        ],
        turnsSaved: { total: 0 },
      },
    ],
    [
      'searches that led on nowhere, asked again or had no confident match',
      [
        ...[searched([]), searched(['a'], { verdict: 'weak', queries: ['rain'] })],
        ...[searched(['b']), loaded('b'), searched(['c'])],
      ],
      {
        stages: stagesOf(4, 3, 1, 0),
        searches: { total: 4, unmatched: 2, askedAgain: 2 },
        unmatched: [
          { query: 'rain', count: 1 },
          { query: 'weather', count: 1 },
        ],
        loads: { total: 1, neverCalled: 1 },
      },
    ],
    [
      'older searches, without a verdict, by whether they returned something',
      [searched(['a'], { verdict: undefined }), searched([], { verdict: undefined })],
      { searches: { unmatched: 1 } },
    ],
    [
      'what was denied, not found and evicted',
      [
        { ...loaded('a'), notFound: ['x', 'y'], denied: ['z'] },
        { type: 'evict', toolNames: ['a'], cause: 'tools' },
        { type: 'call-denied', toolName: 'a' },
      ],
      { loads: { notFound: 2, denied: 1, evicted: 1 }, calls: { denied: 1 } },
    ],
    [
      'missed calls',
      [
        ...[called('a'), searched(['b']), called('b', false)],
        { type: 'load-on-miss', called: 'C', loaded: 'c' },
        { type: 'miss', called: 'd', cause: 'unknown' },
      ],
      {
        misses: { total: 2, loaded: 1, lost: 1 },
        turnsSaved: { total: 1, preselect: 0, direct: 1 },
        calls: { total: 2, failed: 1, denied: 0 },
      },
    ],
    ...(
      [
        ['load', ['a', 'b', 'search_tools'], 2],
        ['call', ['search_tools', 'call_tool'], 1],
      ] as const
    ).map(([mode, sent, saves]): [string, Part[], object] => [
      `what preselect saved in ${mode} mode: for each tool that is called, once`,
      [{ type: 'preselect', tools: ab }, step(sent, ab), called('a'), called('a'), step(sent, ab)],
      {
        turnsSaved: { total: saves, preselect: saves, direct: 0 },
        tokens: { steps: 2, sent: 100, all: 2_000, saved: 1_900 },
      },
    ]),
    [
      'the load that call mode, or a search that loads, saved',
      [searched(ab), called('a'), called('a'), searched(['c'], { loaded: ['c'] }), called('c')],
      { turnsSaved: { total: 2, direct: 2 }, stages: stagesOf(2, 2, 2, 2), searches: { askedAgain: 0 } },
    ],
  ])('counts %s', (_, parts, expected) => {
    expect(funnelOf(...parts)).toMatchObject(expected);
  });

  it('follows a tool over the runs of its thread', () => {
    const part = (runId: string, one: Part) => of(runId, { ...one, threadId: 't', resourceId: 'r' });
    const turns = [
      part('1', searched(['a'])),
      part('1', loaded('a')),
      part('2', searched(['b'])),
      part('2', called('a')),
    ];
    expect(funnel(turns)).toMatchObject({ loads: { total: 1, neverCalled: 0 }, searches: { askedAgain: 0 } });
  });

  it('is empty for no events, and for what is none', () => {
    const none = funnel([]);
    expect([counts(none), 'from' in none]).toEqual([[0, 0, 0, 0], false]);
    const odd = [null, 5, [], {}, { type: 'search' }, { type: 'load', loaded: 'a' }, { type: 'step' }];
    expect(() => funnel(odd as never)).not.toThrow();
    const unknown = ['later', 'constructor', '__proto__'].map((type) => ({ type, time: 1 }));
    expect(funnel(unknown as never)).toEqual(none);
  });

  it('of a random story is counted as a list and from a log alike, however its runs are mixed', () => {
    const name = fc.constantFrom('a', 'b', 'c', '__proto__');
    const names = fc.uniqueArray(name);
    const verdict = fc.constantFrom('fits', 'weak', 'nothing', undefined);
    const tokens = { tokensSent: fc.nat(99), tokensSaved: fc.integer({ min: -9, max: 99 }) };
    const part: fc.Arbitrary<Part> = fc.oneof(
      fc.record({ results: names, loads: names, verdict }).map(({ results, loads, ...more }) => {
        return searched(results, { ...more, loaded: loads.filter((one) => results.includes(one)) });
      }),
      names.map((all) => loaded(...all)),
      fc.tuple(name, fc.boolean()).map(([one, ok]) => called(one, ok)),
      name.map((one): Part => ({ type: 'load-on-miss', called: one, loaded: one })),
      names.map((all): Part => ({ type: 'preselect', tools: all })),
      fc.record({ sent: names, preselected: names, ...tokens }).map((fields) => ({ ...step([], []), ...fields })),
    );
    const runs = fc.array(fc.array(part, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(runs, fc.array(fc.nat(3)), (parts, order) => {
        const told = parts.map((list, run) => list.map((each) => of(`run-${run}`, each)));
        const left = told.map((list) => [...list]);
        const mixed = order.flatMap((run) => left[run]?.shift() ?? []).concat(left.flat());
        const expected = funnel(told.flat());
        // Which queries are the last is told by the order in which events come.
        const mixedUp = { ...funnel(mixed), recent: expected.recent };
        expect(mixedUp).toEqual(expected);
        const log = mixed.map((event) => JSON.stringify(event)).join('\n');
        expect(funnel(parseEvents(log).events)).toEqual(funnel(mixed));
        expect(counts(expected)).toEqual(counts(expected).toSorted((one, other) => other - one));
        const { neverCalled, total } = expected.loads;
        expect([neverCalled >= 0, neverCalled <= total]).toEqual([true, true]);
      }),
    );
  });

  it('has the last queries, each with what became of its last search', () => {
    const asked = (query: string, results: readonly string[]) => searched(results, { queries: [query] });
    const { recent } = funnelOf(
      asked('mail', ab),
      called('a'),
      asked('time', []),
      asked('map', ['c']),
      loaded('c'),
      asked('mail', ab),
    );
    expect(recent).toMatchObject([
      { query: 'mail', count: 2, found: 2, first: 'a' },
      { query: 'map', count: 1, found: 1, loaded: 'c', verdict: 'fits' },
      { query: 'time', count: 1, found: 0, verdict: 'nothing' },
    ]);
    expect(recent[0]).not.toHaveProperty('called');
    const many = funnelOf(...Array.from({ length: 150 }, (_, at) => asked(`q${at}`, [])));
    expect([many.recent.length, many.recent[0]?.query]).toEqual([100, 'q149']);
  });

  it('of a live processor is that of its events, with a bounded memory', async () => {
    const events: ToolSearchEvent[] = [];
    const tools = toolRecord(tool('get_weather', 'Get the weather.'));
    const session = new Session({ tools, onEvent: (event) => void events.push(event) });
    await session.processor.stats();
    await session.search({ query: 'weather' });
    await session.search({ query: 'zzz' });
    // It counts from its beginning on.
    expect(await session.processor.stats()).toEqual({ ...funnel(events), from: expect.any(Number) });
    const queries = Array.from({ length: 1_005 }, (_, n) => `zzz${n}`);
    for (const query of [...queries, 'zzz', 'late', 'late']) await session.search({ query });
    const { unmatched, searches } = await session.processor.stats();
    expect([unmatched[0], searches.total]).toEqual([{ query: 'zzz', count: 2 }, 1_010]);
    expect(unmatched.map(({ query }) => query)).not.toContain('late');
  });
});

it('is read from a log: an event a line, of later versions too; the lines that are none are counted', () => {
  const text = '\uFEFF{"type":"miss","called":"a"}\r\n\n  \n{"type":"later"}\nnull\n5\n[]\n{"type":5}\n{"time":1,"ty';
  const { events, broken } = parseEvents(text);
  expect(events).toEqual([{ type: 'miss', called: 'a' }, { type: 'later' }]);
  expect(broken).toBe(5);
  expect(funnel(events).misses.lost).toBe(1);
  expect(parseEvents('')).toEqual({ events: [], broken: 0 });
});
