import fc from 'fast-check';
import type { ToolSearchEvent } from 'mastra-tool-search';
import { type Funnel, funnel, parseEvents } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { FunnelCounter, MANY } from '../../../src/workbench/usage.ts';

type Part = { type: ToolSearchEvent['type'] } & Record<string, unknown>;

let time = 1_000;
/** An event as a log has it: with the fields that it is given, and a run. */
const of = (runId: string, part: Part): ToolSearchEvent => ({ time: time++, runId, ...part }) as never;
const events = (...parts: readonly Part[]): ToolSearchEvent[] => parts.map((part) => of('run', part));
const searched = (results: readonly string[], more: object = {}): Part => ({
  ...{ type: 'search', queries: ['weather'], results, loaded: [], verdict: results.length > 0 ? 'fits' : 'nothing' },
  ...more,
});
const loaded = (...names: readonly string[]): Part => ({
  type: 'load',
  loaded: names,
  alreadyLoaded: [],
  notFound: [],
});
const called = (toolName: string, ok = true): Part => ({ type: 'call', toolName, ok, ms: 1 });
const counts = ({ stages }: Funnel): number[] => stages.map(({ count }) => count);

describe('the funnel', () => {
  it('follows a search to the call of a tool that it returned', () => {
    const found = funnel(events(searched(['a', 'b']), loaded('a'), called('a'), called('a')));
    expect(found.stages.map(({ name }) => name)).toEqual(['searches', 'found', 'loaded', 'called']);
    expect(counts(found)).toEqual([1, 1, 1, 1]);
    expect(found.calls).toEqual({ total: 2, failed: 0, denied: 0 });
    expect(found.loads).toEqual({ total: 1, neverCalled: 0, notFound: 0, denied: 0, evicted: 0 });
    expect(found.tools).toEqual([
      { name: 'a', found: 1, loaded: 1, called: 2, neverCalled: 0 },
      { name: 'b', found: 1, loaded: 0, called: 0, neverCalled: 0 },
    ]);
    expect(found.turnsSaved.total).toBe(0);
  });

  it('counts searches that led on nowhere, asked again or had no confident match', () => {
    const weak = searched(['a'], { verdict: 'weak', queries: ['rain'] });
    const found = funnel(events(searched([]), weak, searched(['b']), loaded('b'), searched(['c'])));
    expect(counts(found)).toEqual([4, 3, 1, 0]);
    expect(found.searches).toEqual({ total: 4, unmatched: 2, askedAgain: 2 });
    expect(found.unmatched).toEqual([
      { query: 'rain', count: 1 },
      { query: 'weather', count: 1 },
    ]);
    expect(found.loads).toMatchObject({ total: 1, neverCalled: 1 });
  });

  it('takes an older search, without a verdict, for matched where it returned something', () => {
    const old = { verdict: undefined };
    expect(funnel(events(searched(['a'], old), searched([], old))).searches.unmatched).toBe(1);
  });

  it('tells what was denied, not found and evicted', () => {
    const load = { ...loaded('a'), notFound: ['x', 'y'], denied: ['z'] };
    const found = funnel(
      events(load, { type: 'evict', toolNames: ['a'], cause: 'tools' }, { type: 'call-denied', toolName: 'a' }),
    );
    expect(found.loads).toMatchObject({ notFound: 2, denied: 1, evicted: 1 });
    expect(found.calls.denied).toBe(1);
  });

  it('tells what became of missed calls, and what that saved', () => {
    const found = funnel(
      events(
        { type: 'run-on-miss', called: 'a', toolName: 'a' },
        called('a'),
        searched(['b']),
        { type: 'run-on-miss', called: 'b', toolName: 'b' },
        called('b', false),
        { type: 'load-on-miss', called: 'C', loaded: 'c' },
        { type: 'miss', called: 'd', cause: 'unknown' },
      ),
    );
    expect(found.misses).toEqual({ total: 4, ran: 2, loaded: 1, lost: 1 });
    expect(found.turnsSaved).toEqual({ total: 3, preselect: 0, runOnMiss: 3, direct: 0 });
    expect(found.calls).toEqual({ total: 2, failed: 1, denied: 0 });
  });

  it.each([
    { mode: 'load', sent: ['a', 'b', 'search_tools'], saves: 2 },
    { mode: 'call', sent: ['search_tools', 'call_tool'], saves: 1 },
  ])('counts what preselect saved in $mode mode: for each tool that is called, once', ({ sent, saves }) => {
    const step = {
      type: 'step',
      sent,
      deferred: 8,
      preselected: ['a', 'b'],
      tokensSent: 50,
      tokensSaved: 950,
      ms: 1,
    } as const;
    const found = funnel(events({ type: 'preselect', tools: ['a', 'b'] }, step, called('a'), called('a'), step));
    expect(found.turnsSaved).toEqual({ total: saves, preselect: saves, runOnMiss: 0, direct: 0 });
    expect(found.tokens).toEqual({ steps: 2, sent: 100, all: 2_000, saved: 1_900 });
  });

  it('counts the load that call mode, or a search that loads, saved', () => {
    const found = funnel(
      events(searched(['a', 'b']), called('a'), called('a'), searched(['c'], { loaded: ['c'] }), called('c')),
    );
    expect(found.turnsSaved).toMatchObject({ total: 2, direct: 2 });
    expect(counts(found)).toEqual([2, 2, 2, 2]);
    expect(found.searches.askedAgain).toBe(0);
  });

  it('follows a tool over the runs of its thread', () => {
    const thread = { threadId: 't', resourceId: 'r' };
    const run = (runId: string, part: Part): ToolSearchEvent => of(runId, { ...part, ...thread });
    const found = funnel([
      run('1', searched(['a'])),
      run('1', loaded('a')),
      run('2', searched(['b'])),
      run('2', called('a')),
    ]);
    expect(found.loads).toMatchObject({ total: 1, neverCalled: 0 });
    expect(found.searches.askedAgain).toBe(0);
  });

  it('is empty for no events, and for what is none', () => {
    const none = funnel([]);
    expect(counts(none)).toEqual([0, 0, 0, 0]);
    expect('from' in none).toBe(false);
    const odd = [
      null,
      5,
      [],
      {},
      { type: 'later' },
      { type: 'search' },
      { type: 'load', loaded: 'a' },
      { type: 'step' },
    ];
    expect(() => funnel(odd as never)).not.toThrow();
    expect(funnel([{ type: 'later', time: 1 }] as never)).toEqual(none);
    expect(funnel([{ type: 'constructor' }, { type: '__proto__' }] as never)).toEqual(none);
  });
});

describe('a random story', () => {
  const tool = fc.constantFrom('a', 'b', 'c', '__proto__');
  const tools = fc.uniqueArray(tool);
  const part: fc.Arbitrary<Part> = fc.oneof(
    fc
      .record({ results: tools, loaded: tools, verdict: fc.constantFrom('fits', 'weak', 'nothing', undefined) })
      .map(({ results, ...more }) =>
        searched(results, { ...more, loaded: more.loaded.filter((name) => results.includes(name)) }),
      ),
    tools.map((names) => loaded(...names)),
    fc.tuple(tool, fc.boolean()).map(([name, ok]) => called(name, ok)),
    tool.map((name): Part => ({ type: 'run-on-miss', called: name, toolName: name })),
    tool.map((name): Part => ({ type: 'load-on-miss', called: name, loaded: name })),
    tools.map((names): Part => ({ type: 'preselect', tools: names })),
    fc
      .record({
        sent: tools,
        preselected: tools,
        tokensSent: fc.nat(99),
        tokensSaved: fc.integer({ min: -9, max: 99 }),
      })
      .map((fields): Part => ({ type: 'step', deferred: 0, ms: 0, ...fields })),
  );
  const runs = fc.array(fc.array(part, { maxLength: 12 }), { minLength: 1, maxLength: 4 });

  it('is counted one by one, as a list, and from a log alike, however its runs are mixed', () => {
    fc.assert(
      fc.property(runs, fc.array(fc.nat(3)), (parts, order) => {
        const told = parts.map((list, run) => list.map((each) => of(`run-${run}`, each)));
        const inTurn = told.flat();
        const left = told.map((list) => [...list]);
        const mixed = order.flatMap((run) => left[run]?.shift() ?? []).concat(left.flat());
        const counter = new FunnelCounter(MANY);
        for (const event of mixed) counter.add(event);
        const expected = funnel(inTurn);
        expect(counter.funnel()).toEqual(expected);
        expect(funnel(mixed)).toEqual(expected);
        const log = mixed.map((event) => JSON.stringify(event)).join('\n');
        expect(funnel(parseEvents(log).events)).toEqual(expected);
        const [all = 0, found = 0, loads = 0, calls = 0] = counts(expected);
        expect([all, found, loads, calls]).toEqual([all, found, loads, calls].toSorted((one, other) => other - one));
        expect(expected.loads.neverCalled).toBeGreaterThanOrEqual(0);
        expect(expected.loads.neverCalled).toBeLessThanOrEqual(expected.loads.total);
      }),
    );
  });

  it('is counted with a bounded memory', () => {
    const counter = new FunnelCounter(3);
    for (let n = 0; n < 500; n++) counter.add(of(`run-${n}`, searched([], { queries: [`query ${n}`] })));
    for (let n = 0; n < 500; n++) counter.add(of(`run-${n}`, called(`tool_${n}`)));
    const { tools: used, unmatched, searches, calls } = counter.funnel();
    expect([used.length, unmatched.length, searches.total, calls.total]).toEqual([3, 3, 500, 500]);
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
