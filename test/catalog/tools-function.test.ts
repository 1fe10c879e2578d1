import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { ownTimers } from '../support/own-timers.ts';
import { catalogOf, nameless } from './catalogs.ts';

// The first search of a process imports its code, for which a clock that stands still does not wait.
beforeAll(() => catalogOf({ a: tool('a') }).names());

// biome-ignore lint/suspicious/noThenProperty: promises of other libraries look like this.
const thenable = (value: unknown): object => ({ then: (resolve: (value: unknown) => void) => resolve(value) });

describe('the function tools', () => {
  it.each([
    { how: 'at once', resolve: () => toolRecord(tool('a')), names: ['a'] },
    { how: 'later', resolve: async () => toolRecord(tool('a')), names: ['a'] },
    { how: 'by server', resolve: async () => ({ mail: { x: tool('a') }, files: {} }), names: ['a'] },
    { how: 'with another then than that of Promise', resolve: () => thenable({ a: tool('a') }), names: ['a'] },
    { how: 'as no tools at all', resolve: () => ({}), names: [], doubts: 1 },
    { how: 'as servers without tools', resolve: async () => ({ mail: {}, files: {} }), names: [], doubts: 1 },
  ])('returns the catalog $how', async ({ resolve, names, doubts = 0 }) => {
    const catalog = catalogOf(resolve);
    for (const _ of [1, 2]) expect(await catalog.names()).toEqual(names);
    expect(catalog.events).toMatchObject(Array(doubts).fill({ type: 'option-doubt', option: 'tools' }));
  });

  it('fails the search where it returns no record or rejects, which is an event, and is called again by the next', async () => {
    const noRecord = '"tools" must be a record of tools by name';
    const answers = [async () => null, () => [tool('a')], () => new Map(), () => Promise.reject(new Error('down'))];
    const { names, events } = catalogOf(() => (answers.shift() ?? (() => toolRecord(tool('a'))))());
    for (const message of [noRecord, 'got an array of 1', noRecord, 'down']) {
      await expect(names()).rejects.toThrow(message);
      const error = expect.objectContaining({ message: expect.stringContaining(message) });
      expect(events.splice(0)).toEqual([{ type: 'tools-failed', error }]);
    }
    expect(await names()).toEqual(['a']);
  });

  it('has tools left out that cannot be taken, each with its reason, once over all searches', async () => {
    const good = tool('good');
    const bad = { no: 5, promise: Promise.resolve(good), reserved: tool('load_tool'), again: tool('good') };
    const { names, problems, events } = catalogOf(() => ({ good, ...bad }));
    for (let run = 0; run < 3; run++) expect(await names()).toEqual(['good']);
    const left = ['no', 'promise', 'load_tool', 'good'].map((name) => `${name}: left-out`);
    expect(problems().toSorted()).toEqual(left.toSorted());
    const reason = 'Two tools are both called "good" (keys "good" and "again"). Give one of them another id.';
    const message = `Tool "good" is left out: ${reason}`;
    expect(events).toContainEqual(expect.objectContaining({ toolName: 'good', message }));
  });
});

describe('a function that is slow', () => {
  const timers = ownTimers();

  it('fails the search when the time is up, not before, and nobody hears of what comes later', async () => {
    const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 1_000));
    const { names, events } = catalogOf(late, { timeouts: { tools: 500 } });
    const done = vi.fn();
    void names().catch(done);
    await vi.advanceTimersByTimeAsync(499);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(events).toMatchObject([{ type: 'tools-failed', error: { message: 'it took longer than 500 ms' } }]);
    expect(timers()).toBe(0);
  });
});

it('a function is not late because this process was busy when its answer came, and is late where none comes', async () => {
  const server = createServer((other) => other.pipe(other)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const beBusy = (milliseconds: number): void => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  };
  const answered = catalogOf(
    async () => {
      const answer = once(socket, 'data');
      socket.write('hello');
      setImmediate(beBusy, 250);
      await answer;
      return toolRecord(tool('a'));
    },
    { timeouts: { tools: 150 } },
  );
  expect(await answered.names()).toEqual(['a']);
  const silent = () => {
    setImmediate(beBusy, 150);
    return new Promise(() => {});
  };
  await expect(catalogOf(silent, { timeouts: { tools: 50 } }).names()).rejects.toThrow('longer than 50 ms');
  socket.destroy();
  server.close();
});

describe('a run has its own tools, whatever those of the runs before it', () => {
  const [a, b, bare] = [tool('a'), tool('b'), nameless()];
  /** Of two users, and alike in all but who they are. */
  const [ada, grace] = [tool('mine', 'Equal.'), tool('mine', 'Equal.')];

  it.each<{ why: string; first: object; second: object }>([
    { why: 'the same in another record', first: { a, b }, second: { b, a } },
    { why: 'equal ones that are different objects', first: { a }, second: { a: tool('a') } },
    { why: 'another key', first: { one: bare }, second: { two: bare } },
    { why: 'another server', first: { x: { bare } }, second: { y: { bare } } },
    { why: 'the middle one of another user', first: { a, mine: ada, b }, second: { a, mine: grace, b } },
    { why: 'none at all', first: { a }, second: {} },
  ])('$why', async ({ first, second }) => {
    const runs = [first, second, first];
    const remaining = [...runs];
    const processor = new ToolSearchProcessor({ tools: () => remaining.shift() as never });
    for (const own of runs) {
      const session = new Session({}, { processor, thread: null });
      await session.load({ toolNames: ['a', 'b', 'mine', 'one', 'two', 'x_bare', 'y_bare'] });
      const { search_tools, load_tool, ...sent } = (await session.step()).tools;
      const expected = Object.entries(own).map(([key, value]): [string, MastraTool] =>
        key.length === 1 && value.bare ? [`${key}_bare`, value.bare] : [key, value],
      );
      expect(Object.keys(sent).sort()).toEqual(expected.map(([name]) => name).sort());
      for (const [name, value] of expected) if (value !== (bare as never)) expect(sent[name]).toBe(value);
    }
  });
});
