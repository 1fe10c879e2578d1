import { RequestContext } from '@mastra/core/request-context';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { ownTimers } from '../support/own-timers.ts';
import { catalogOf, nameless } from './catalogs.ts';

// The first search of a process imports its code, for which a clock that stands still does not wait.
beforeAll(() => catalogOf({ a: tool('a') }).names());

describe('the tools that the function returns', () => {
  it.each([
    { how: 'at once', resolve: () => toolRecord(tool('a')), names: ['a'] },
    { how: 'later', resolve: async () => toolRecord(tool('a')), names: ['a'] },
    { how: 'by server', resolve: async () => ({ mail: { x: tool('a') }, files: {} }), names: ['a'] },
    { how: 'with another then than that of Promise', resolve: () => thenable({ a: tool('a') }), names: ['a'] },
    { how: 'as no tools at all', resolve: () => ({}), names: [] },
    { how: 'as servers without tools', resolve: async () => ({ mail: {}, files: {} }), names: [] },
  ])('are the catalog, returned $how', async ({ resolve, names }) => {
    const catalog = catalogOf(resolve);
    expect(await catalog.names()).toEqual(names);
    expect(catalog.events).toEqual([]);
  });

  it('may depend on the request context, which is absent where there is none', async () => {
    const resolve = vi.fn((_args: object) => ({}));
    const { names } = catalogOf(resolve);
    const requestContext = new RequestContext();
    await names({ requestContext });
    await names();
    expect(resolve.mock.calls).toEqual([[{ requestContext }], [{}]]);
  });
});

describe('a function that fails', () => {
  const noRecord = '"tools" must be a record of tools by name';

  it.each([
    { how: 'returns null', resolve: async () => null, message: noRecord },
    { how: 'returns a list', resolve: () => [tool('a')], message: 'got an array of 1' },
    { how: 'returns a Map', resolve: () => new Map(), message: noRecord },
  ])('fails the search, and makes an event: it $how', async ({ resolve, message }) => {
    const { names, events } = catalogOf(resolve);
    await expect(names()).rejects.toThrow(message);
    expect(events).toEqual([
      { type: 'tools-failed', error: expect.objectContaining({ message: expect.stringContaining(message) }) },
    ]);
  });

  it('is called again by the next search', async () => {
    let isDown = true;
    const { names, events } = catalogOf(() => (isDown ? Promise.reject(new Error('down')) : toolRecord(tool('a'))));
    await expect(names()).rejects.toThrow('The function "tools" failed: down');
    isDown = false;
    expect(await names()).toEqual(['a']);
    expect(events).toHaveLength(1);
  });
});

describe('a function that is slow', () => {
  const timers = ownTimers();

  it('fails the search when the time is up, not before', async () => {
    const { names, events } = catalogOf(() => new Promise(() => {}), { timeouts: { tools: 500 } });
    const done = vi.fn();
    void names().catch(done);
    await vi.advanceTimersByTimeAsync(499);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledTimes(1);
    expect(events).toMatchObject([{ type: 'tools-failed', error: { message: 'it took longer than 500 ms' } }]);
  });

  it('may fail afterwards, and nobody hears of it', async () => {
    const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 1_000));
    const { names, events } = catalogOf(late, { timeouts: { tools: 500 } });
    void names().catch(() => {});
    await vi.advanceTimersByTimeAsync(2_000);
    expect(events).toHaveLength(1);
    expect(timers()).toBe(0);
  });

  it('has all the time it needs when timeouts.tools is Infinity', async () => {
    const resolve = () => new Promise((done) => setTimeout(() => done({ a: tool('a') }), 10_000_000));
    const { names, events } = catalogOf(resolve, { timeouts: { tools: Number.POSITIVE_INFINITY } });
    const found = names();
    await vi.advanceTimersByTimeAsync(10_000_000);
    expect(await found).toEqual(['a']);
    expect(events).toEqual([]);
  });
});

describe('tools that cannot be taken', () => {
  const good = tool('good');

  it.each([
    { why: 'no tool', bad: { bad: 5 }, problem: 'bad: left-out' },
    { why: 'a promise', bad: { bad: Promise.resolve(tool('bad')) }, problem: 'bad: left-out' },
    { why: "a meta-tool's name", bad: { bad: tool('load_tool') }, problem: 'load_tool: left-out' },
    { why: 'a name twice', bad: { again: tool('good') }, problem: 'good: left-out' },
  ])('are left out, and the rest works: $why', async ({ bad, problem }) => {
    const { names, problems } = catalogOf(() => ({ good, ...bad }));
    expect(await names()).toEqual(['good']);
    expect(problems()).toEqual([problem]);
  });

  it('are reported with the reason, once over all searches', async () => {
    const { names, events } = catalogOf(() => ({ a: tool('same'), b: tool('same') }));
    for (let run = 0; run < 3; run++) await names();
    const reason = 'Two tools are both called "same" (keys "a" and "b"). Give one of them another id.';
    expect(events).toEqual([
      { type: 'tool-problem', toolName: 'same', problem: 'left-out', message: `Tool "same" is left out: ${reason}` },
    ]);
  });
});

function thenable(value: unknown): object {
  return Object.fromEntries([['then', (resolve: (value: unknown) => void) => resolve(value)]]);
}

describe('a run has its own tools, whatever those of the runs before it', () => {
  const [a, b, shared, bare] = [tool('a'), tool('b'), tool('shared'), nameless()];
  /** Of two users, and alike in all but who they are. */
  const [ada, grace] = [tool('mine', 'Equal.'), tool('mine', 'Equal.')];

  it.each<{ why: string; first: object; second: object }>([
    { why: 'the same in another record', first: { a, b }, second: { b, a } },
    { why: 'equal ones that are different objects', first: { a }, second: { a: tool('a') } },
    { why: 'one more', first: { a }, second: { a, b } },
    { why: 'another key', first: { one: bare }, second: { two: bare } },
    { why: 'another server', first: { x: { bare } }, second: { y: { bare } } },
    { why: 'the first of another user', first: { mine: ada, shared }, second: { mine: grace, shared } },
    { why: 'the last of another user', first: { shared, mine: ada }, second: { shared, mine: grace } },
    { why: 'the middle one of another user', first: { a, mine: ada, b }, second: { a, mine: grace, b } },
    { why: 'none at all', first: { a }, second: {} },
  ])('$why', async ({ first, second }) => {
    const runs = [first, second, first];
    const remaining = [...runs];
    const processor = new ToolSearchProcessor({ tools: () => remaining.shift() as never });
    for (const own of runs) {
      const session = new Session({}, { processor, thread: null });
      await session.load({ toolNames: ['a', 'b', 'shared', 'mine', 'one', 'two', 'x_bare', 'y_bare'] });
      const { search_tools, load_tool, ...sent } = (await session.step()).tools;
      const expected = Object.entries(own).map(([key, value]): [string, MastraTool] =>
        key.length === 1 && value.bare ? [`${key}_bare`, value.bare] : [key, value],
      );
      expect(Object.keys(sent).sort()).toEqual(expected.map(([name]) => name).sort());
      for (const [name, value] of expected) if (value !== (bare as never)) expect(sent[name]).toBe(value);
    }
  });
});
