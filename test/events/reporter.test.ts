import { type ToolSearchEvent, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';

const logger = () => ({ warn: vi.fn<(message: string) => void>() });
const lines = ({ warn }: { warn: { mock: { calls: string[][] } } }) => warn.mock.calls.map(([line]) => line);
const register = (processor: ToolSearchProcessor, its: object | undefined) =>
  processor.__registerMastra({ getLogger: () => its } as never);
/** As many tools without a description. */
const flawed = (count: number) => toolRecord(...Array.from({ length: count }, (_, n) => tool(`t${n}`, '')));
const flaw = (n: number) =>
  `[tool-search] Tool "t${n}" has no description, so it can only be found by its name and parameters. Describe it.`;

const consoleWarn = vi.spyOn(console, 'warn');
beforeEach(() => {
  consoleWarn.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  consoleWarn.mockReset();
});

const fail = (message: string) => () => {
  throw new Error(message);
};
const broken = { get: fail('down'), add: fail('down'), clear() {} };

describe('the log', () => {
  it.each<[line: string, options: Partial<ToolSearchProcessorOptions>]>([
    ['The filter failed for "t0" in phase search, which counts as a denial: down', { filter: fail('down') }],
    ['The store failed to get loaded tools; the run goes on without it: down', { storage: broken }],
    ['The scope function failed; this request keeps its loaded tools to itself: no team', { scope: fail('no team') }],
    ['The scorer "odd" failed: no', { search: { scorer: { name: 'odd', index: fail('no') } } }],
  ])('says of a fault: %s', async (line, options) => {
    const session = new Session({ tools: toolRecord(tool('t0')), ...options });
    const log = logger();
    register(session.processor, log);
    await session.search({ query: 't0' });
    expect([...new Set(lines(log))]).toEqual([`[tool-search] ${line}`]);
  });

  it('keeps warnings of the constructor until a logger is there, then writes them once, to it or a later one', async () => {
    const session = new Session({ tools: flawed(2), scope: fail('no team') });
    const [log, later] = [logger(), logger()];
    register(session.processor, log);
    register(session.processor, later);
    expect(lines(log)).toEqual([flaw(0), flaw(1)]);
    register(session.processor, undefined);
    await session.step();
    expect([lines(log).length, lines(later).length]).toEqual([2, 1]);
    expect(later.warn.mock.contexts).toEqual([later]);
    expect(consoleWarn).not.toHaveBeenCalled();
  });

  it('names the first 21 tools with a problem, not hundreds of them', () => {
    const onEvent = vi.fn();
    const log = logger();
    register(new ToolSearchProcessor({ tools: flawed(300), onEvent }), log);
    expect(onEvent).toHaveBeenCalledTimes(300);
    const more = ' (more tools with this problem go to onEvent only)';
    expect(lines(log)).toEqual([...Array.from({ length: 20 }, (_, n) => flaw(n)), `${flaw(20)}${more}`]);
  });

  it('says five times in ten seconds of a fault that comes again and again, and then that there are more', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { processor } = new Session({ tools: toolRecord(tool('t0')), scope: fail('no team') });
    const log = logger();
    register(processor, log);
    for (const [wait, requests, count] of [
      [0, 8, 6],
      [9_999, 1, 6],
      [1, 1, 7],
    ] as const) {
      vi.setSystemTime(Date.now() + wait);
      for (let n = 0; n < requests; n++) await new Session({}, { processor }).step();
      expect(lines(log)).toHaveLength(count);
    }
    expect(lines(log)[5]).toMatch(/no team \(more of this kind go to onEvent only, for 10 s\)$/);
  });

  it('goes to the console where no logger came by the first step, and may throw without a change', async () => {
    const session = new Session({ tools: flawed(1), scope: fail('no team') });
    expect(consoleWarn).not.toHaveBeenCalled();
    await session.step();
    expect(lines({ warn: consoleWarn as never })).toEqual([flaw(0), expect.stringContaining('no team')]);
    const throwing = new Session({ tools: flawed(1) });
    register(throwing.processor, { warn: fail('disk full') });
    expect(throwing.events).toHaveLength(1);
  });
});

describe('onEvent', () => {
  it('gets every event, with the original error, an id of each kind that is known, and the time', async () => {
    const error = Object.assign(new Error('down', { cause: 'network' }), { self: {} });
    error.self = error;
    const filter = () => {
      throw error;
    };
    const session = new Session({ tools: toolRecord(tool('a')), filter }, { resource: 'r' });
    const before = Date.now();
    await session.step({ runId: 'run' });
    await session.search({ query: 'a' });
    const [event] = session.eventsOf('filter-failed');
    expect(event?.error).toBe(error);
    expect(event?.time).toBeGreaterThanOrEqual(before);
    expect(Object.keys(event ?? {}).slice(0, 3)).toEqual(['time', 'runId', 'step']);
    expect(event).toMatchObject({ runId: 'run', step: 2, threadId: 'thread-1', resourceId: 'r' });
    expect(event).not.toHaveProperty('agentId');
  });

  it.each<[how: string, onEvent: (event: ToolSearchEvent) => unknown]>([
    ['throws', fail('metrics down')],
    ['rejects', async () => fail('metrics down')()],
    ['returns anything', () => [{}]],
    ['never ends', () => new Promise(() => {})],
  ])('changes nothing where it %s', async (_, react) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const onEvent = vi.fn(react);
    const session = new Session({ tools: flawed(2), onEvent: onEvent as never });
    const log = logger();
    register(session.processor, log);
    expect([onEvent.mock.calls.length, lines(log).length]).toEqual([2, 2]);
    expect(await session.load({ toolName: 't0' })).toMatchObject({ success: true });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
