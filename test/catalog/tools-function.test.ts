import { RequestContext } from '@mastra/core/request-context';
import type { MastraTool, ToolSearchEvent, ToolsFunction } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { FunctionCatalogs } from '../../src/catalog/build-catalog.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { Reporter } from '../../src/events/reporter.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { ownTimers } from '../support/own-timers.ts';
import { nameless, RESERVED } from './build.ts';

function sourceOf(resolve: unknown, timeout = 10_000) {
  const events: ToolSearchEvent[] = [];
  const reporter = new Reporter((event) => events.push(event));
  const settings = { reservedNames: RESERVED, keywords: new Map([['mine', ['own']]]), timeout };
  const source = new FunctionCatalogs(resolve as ToolsFunction, settings, reporter);
  const problems = () =>
    events.flatMap((event) => (event.type === 'tool-problem' ? [`${event.toolName}: ${event.problem}`] : []));
  return { source, events, problems };
}

const namesOf = (catalog: Catalog): string[] => [...catalog.names];

describe('the tools that the function returns', () => {
  it.each([
    { how: 'at once', resolve: () => toolRecord(tool('a')) },
    { how: 'later', resolve: async () => toolRecord(tool('a')) },
    { how: 'by server', resolve: async () => ({ mail: { x: tool('a') }, files: {} }) },
    { how: 'with another then than that of Promise', resolve: () => thenable({ a: tool('a') }) },
  ])('are the catalog, returned $how', async ({ resolve }) => {
    const { source, events } = sourceOf(resolve);
    expect(namesOf(await source.catalog(undefined))).toEqual(['a']);
    expect(events).toEqual([]);
  });

  it.each([
    { how: 'no tools at all', resolve: () => ({}) },
    { how: 'servers without tools', resolve: async () => ({ mail: {}, files: {} }) },
  ])('may be $how', async ({ resolve }) => {
    const { source, events } = sourceOf(resolve);
    expect((await source.catalog(undefined)).size).toBe(0);
    expect(events).toEqual([]);
  });

  it('may depend on the request context, which is absent where there is none', async () => {
    const resolve = vi.fn((_args: object) => ({}));
    const { source } = sourceOf(resolve);
    const requestContext = new RequestContext();
    await source.catalog(requestContext);
    await source.catalog(undefined);
    expect(resolve.mock.calls).toEqual([[{ requestContext }], [{}]]);
  });
});

describe('a function that fails', () => {
  it.each([
    {
      how: 'throws',
      resolve: () => {
        throw new Error('no access');
      },
      message: 'no access',
    },
    { how: 'rejects', resolve: () => Promise.reject(new Error('no access')), message: 'no access' },
    { how: 'returns nothing', resolve: () => undefined, message: '"tools" must be a record of tools by name' },
    { how: 'returns null', resolve: async () => null, message: '"tools" must be a record of tools by name' },
    { how: 'returns a list', resolve: () => [tool('a')], message: 'got an array of 1' },
    { how: 'returns a Map', resolve: () => new Map(), message: '"tools" must be a record of tools by name' },
  ])('leaves the run without its tools, and makes an event: it $how', async ({ resolve, message }) => {
    const { source, events } = sourceOf(resolve);
    expect((await source.catalog(undefined)).size).toBe(0);
    expect(events).toEqual([
      { type: 'tools-failed', error: expect.objectContaining({ message: expect.stringContaining(message) }) },
    ]);
  });

  it('is called again by the next run', async () => {
    let isDown = true;
    const { source, events } = sourceOf(() => (isDown ? Promise.reject(new Error('down')) : toolRecord(tool('a'))));
    expect((await source.catalog(undefined)).size).toBe(0);
    isDown = false;
    expect(namesOf(await source.catalog(undefined))).toEqual(['a']);
    expect(events).toHaveLength(1);
  });
});

describe('a function that is slow', () => {
  const timers = ownTimers();

  it('leaves the run without its tools when the time is up, not before', async () => {
    const { source, events } = sourceOf(() => new Promise(() => {}), 500);
    const done = vi.fn();
    void source.catalog(undefined).then(done);
    await vi.advanceTimersByTimeAsync(499);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done.mock.calls[0]?.[0].size).toBe(0);
    expect(events).toMatchObject([{ type: 'tools-failed', error: { message: 'it took longer than 500 ms' } }]);
  });

  it('may fail afterwards, and nobody hears of it', async () => {
    const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 1_000));
    const { source, events } = sourceOf(late, 500);
    void source.catalog(undefined);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(events).toHaveLength(1);
    expect(timers()).toBe(0);
  });

  it('has all the time it needs when timeouts.tools is Infinity', async () => {
    const { source, events } = sourceOf(
      () => new Promise((resolve) => setTimeout(() => resolve({ a: tool('a') }), 10_000_000)),
      Number.POSITIVE_INFINITY,
    );
    const catalog = source.catalog(undefined);
    await vi.advanceTimersByTimeAsync(10_000_000);
    expect(namesOf(await catalog)).toEqual(['a']);
    expect(events).toEqual([]);
  });

  it('leaves no timer behind when it is quick', async () => {
    await sourceOf(() => ({})).source.catalog(undefined);
    expect(timers()).toBe(0);
  });
});

describe('tools that cannot be taken', () => {
  it.each([
    { why: 'no tool', tools: { bad: 5, good: tool('good') }, problem: 'bad: left-out' },
    { why: 'a promise', tools: { bad: Promise.resolve(tool('bad')), good: tool('good') }, problem: 'bad: left-out' },
    {
      why: "a meta-tool's name",
      tools: { bad: tool('load_tool'), good: tool('good') },
      problem: 'load_tool: left-out',
    },
    { why: 'a name twice', tools: { good: tool('good'), again: tool('good') }, problem: 'good: left-out' },
  ])('are left out, and the rest works: $why', async ({ tools, problem }) => {
    const { source, problems } = sourceOf(() => tools);
    const catalog = await source.catalog(undefined);
    expect(namesOf(catalog)).toEqual(['good']);
    expect(catalog.get('good')?.tool).toBe(tools.good);
    expect(problems()).toEqual([problem]);
  });

  it('are reported with the reason, once over all runs', async () => {
    const { source, events } = sourceOf(() => ({ a: tool('same'), b: tool('same') }));
    for (let run = 0; run < 3; run++) await source.catalog(undefined);
    expect(events).toEqual([
      {
        type: 'tool-problem',
        toolName: 'same',
        problem: 'left-out',
        message:
          'Tool "same" is left out: Two tools are both called "same" (keys "a" and "b"). Give one of them another id.',
      },
    ]);
  });
});

function thenable(value: unknown): object {
  return Object.fromEntries([['then', (resolve: (value: unknown) => void) => resolve(value)]]);
}

/** The catalogs of runs for which the function returns these, one after the other. */
async function catalogsOf(...results: object[]): Promise<Catalog[]> {
  const remaining = [...results];
  const settings = { reservedNames: [], keywords: new Map(), timeout: 1_000 };
  const source = new FunctionCatalogs(() => remaining.shift() as Record<string, MastraTool>, settings, new Reporter());
  const catalogs: Catalog[] = [];
  for (const _ of results) catalogs.push(await source.catalog(undefined));
  return catalogs;
}

const { a, b, c } = { a: tool('a'), b: tool('b'), c: tool('c') };
const bare = nameless();
const shared = tool('shared');
/** Of two users, and alike in all but who they are. */
const [ada, grace] = [tool('mine', 'Equal.'), tool('mine', 'Equal.')];

describe('two runs share a catalog', () => {
  it.each([
    { why: 'the same tools in another record', first: { a, b }, second: { a, b } },
    { why: 'the same tools by server', first: { x: { a, b } }, second: { x: { a, b } } },
    { why: 'a tool that is wrapped', first: { bare }, second: { bare } },
  ])('for $why', async ({ first, second }) => {
    const [before, after] = await catalogsOf(first, second);
    expect(after).toBe(before);
  });

  it('for one user, also when another user came between, whichever tools the two share', async () => {
    for (const of of [(mine: MastraTool) => ({ shared, mine }), (mine: MastraTool) => ({ mine, shared })]) {
      const [first, other, again] = await catalogsOf(of(ada), of(grace), of(ada));
      expect(again).toBe(first);
      expect(first?.get('mine')?.tool).toBe(ada);
      expect(other?.get('mine')?.tool).toBe(grace);
    }
  });
});

describe('two runs have a catalog each', () => {
  it.each([
    { why: 'equal tools that are different objects', first: toolRecord(tool('a')), second: toolRecord(tool('a')) },
    { why: 'one tool more', first: { a, b }, second: { a, b, c } },
    { why: 'one tool less', first: { a, b }, second: { a } },
    { why: 'another order', first: { a, b }, second: { b, a } },
    { why: 'another key', first: { one: bare }, second: { two: bare } },
    { why: 'another server', first: { x: { bare } }, second: { y: { bare } } },
    { why: 'the first tool of another user', first: { mine: ada, shared }, second: { mine: grace, shared } },
    { why: 'the last tool of another user', first: { shared, mine: ada }, second: { shared, mine: grace } },
    { why: 'one tool of another user in the middle', first: { a, mine: ada, b }, second: { a, mine: grace, b } },
    { why: 'no tools at all', first: {}, second: {} },
  ])('for $why', async ({ first, second }) => {
    const [before, after] = await catalogsOf(first, second);
    expect(after).not.toBe(before);
  });
});
