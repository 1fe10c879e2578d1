import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Reporter } from '../../src/events/reporter.ts';
import type { ToolSearchEvent, ToolSearchOccurrence } from '../../src/events/table.ts';

const logger = () => ({ warn: vi.fn<(message: string) => void>() });
const lines = ({ warn }: ReturnType<typeof logger>) => warn.mock.calls.map(([line]) => line);

/** A reporter with a logger, and what it was told. */
function logged(onEvent?: (event: ToolSearchEvent) => void) {
  const [reporter, log] = [new Reporter(onEvent), logger()];
  reporter.useLogger(log);
  return { reporter, log };
}

const failed = (error: unknown): ToolSearchOccurrence => ({ type: 'scope-failed', error });
const problem = (message: string): ToolSearchOccurrence => ({
  type: 'tool-problem',
  toolName: 'a',
  problem: 'missing-description',
  message,
});

const consoleWarn = vi.spyOn(console, 'warn');
beforeEach(() => {
  consoleWarn.mockImplementation(() => {});
});
afterEach(() => {
  consoleWarn.mockReset();
});

describe('the log of the reporter', () => {
  it.each<{ event: ToolSearchOccurrence; line: string }>([
    {
      event: { type: 'filter-failed', toolName: 'a', phase: 'load', error: new Error('down') },
      line: 'The filter failed for "a" in phase load, which counts as a denial: down',
    },
    {
      event: { type: 'filter-budget', phase: 'search', asked: 300, left: 9_700 },
      line: 'The filter is slow: of 10000 tools in phase search, there was time for 300; the others count as denied',
    },
    {
      event: { type: 'store-failed', operation: 'get', error: new TypeError('no array') },
      line: 'The store failed to get loaded tools; the run goes on without it: no array',
    },
    {
      event: { type: 'scope-failed', error: 'no team' },
      line: 'The scope function failed; this request keeps its loaded tools to itself: no team',
    },
    { event: { type: 'scorer-failed', scorer: 'bm25', error: undefined }, line: 'The scorer "bm25" failed: undefined' },
    { event: problem('Tool "a" has no description.'), line: 'Tool "a" has no description.' },
  ])('has a line for $event.type', ({ event, line }) => {
    const { reporter, log } = logged();
    reporter.report(event);
    expect(lines(log)).toEqual([`[tool-search] ${line}`]);
  });

  it.each<ToolSearchOccurrence>([
    { type: 'evict', toolNames: ['a'], cause: 'tools' },
    { type: 'load-on-miss', called: 'a', loaded: 'a' },
    { type: 'call-denied', toolName: 'a' },
  ])('has no line for $type, which is no fault of the setup', (event) => {
    const { reporter, log } = logged();
    reporter.report(event);
    expect(lines(log)).toEqual([]);
  });

  it('keeps warnings of the constructor until a logger is there, then writes them once, in order', () => {
    const reporter = new Reporter();
    reporter.report(problem('first'));
    reporter.report(problem('second'));
    const [log, later] = [logger(), logger()];
    reporter.useLogger(log);
    reporter.useLogger(later);
    expect(lines(log)).toEqual(['[tool-search] first', '[tool-search] second']);
    reporter.report(problem('third'));
    expect([lines(log).length, lines(later)]).toEqual([2, ['[tool-search] third']]);
    expect(consoleWarn).not.toHaveBeenCalled();
  });

  it('names the first 21 tools with a problem, not hundreds of them', () => {
    const onEvent = vi.fn();
    const { reporter, log } = logged(onEvent);
    for (let n = 0; n < 300; n++) reporter.report(problem(`tool ${n}`));
    expect(onEvent).toHaveBeenCalledTimes(300);
    expect(lines(log)).toHaveLength(21);
    expect(lines(log)[19]).toBe('[tool-search] tool 19');
    expect(lines(log)[20]).toBe('[tool-search] tool 20 (more tools with this problem go to onEvent only)');
  });

  it('goes to the console where no logger came by the first step', () => {
    const reporter = new Reporter();
    reporter.report(problem('first'));
    expect(consoleWarn).not.toHaveBeenCalled();
    reporter.useLogger(undefined);
    reporter.report(problem('second'));
    expect(consoleWarn.mock.calls).toEqual([['[tool-search] first'], ['[tool-search] second']]);
  });

  it('changes to a logger that comes after the first step, and keeps it when a later step brings none', () => {
    const reporter = new Reporter();
    const log = logger();
    reporter.useLogger(undefined);
    reporter.useLogger(log);
    reporter.report(problem('late'));
    reporter.useLogger(undefined);
    reporter.report(problem('still'));
    expect(lines(log)).toEqual(['[tool-search] late', '[tool-search] still']);
    expect(log.warn.mock.contexts).toEqual([log, log]);
    expect(consoleWarn).not.toHaveBeenCalled();
  });

  it('may throw without a change, and onEvent still gets the event', () => {
    const onEvent = vi.fn();
    const reporter = new Reporter(onEvent);
    reporter.useLogger({
      warn: () => {
        throw new Error('disk full');
      },
    });
    reporter.report(problem('x'));
    expect(onEvent).toHaveBeenCalledOnce();
  });
});

describe('onEvent', () => {
  it('gets every event at once, with the original error, before there is a logger too', () => {
    const onEvent = vi.fn();
    const error = new Error('down', { cause: 'network' });
    const reporter = new Reporter(onEvent);
    reporter.report({ type: 'call-denied', toolName: 'a' });
    reporter.report(failed(error));
    expect(onEvent.mock.calls).toEqual([[{ type: 'call-denied', toolName: 'a' }], [{ type: 'scope-failed', error }]]);
    expect(onEvent.mock.calls[1]?.[0].error).toBe(error);
  });

  it('may throw: the next event comes as well, and the log is written', () => {
    const onEvent = vi.fn(() => {
      throw new Error('metrics down');
    });
    const { reporter, log } = logged(onEvent);
    reporter.report(problem('one'));
    reporter.report(problem('two'));
    expect(onEvent).toHaveBeenCalledTimes(2);
    expect(lines(log)).toHaveLength(2);
  });

  it('may reject without an unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      const reporter = new Reporter((() => Promise.reject(new Error('metrics down'))) as never);
      reporter.report(problem('one'));
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  it('may return anything, and may be absent', () => {
    for (const value of [null, 5, 'text', {}, []]) {
      expect(() => new Reporter((() => value) as never).report(problem('x'))).not.toThrow();
    }
    expect(() => new Reporter().report(failed(new Error('x')))).not.toThrow();
  });
});

describe('an event', () => {
  it('says when and where it happened, and leaves out what is not known', () => {
    const onEvent = vi.fn();
    const reporter = new Reporter(onEvent);
    const before = Date.now();
    const origin = { runId: 'run', step: 2, threadId: 'thread', secret: 'no id' };
    reporter.report({ type: 'call-denied', toolName: 'a' }, origin);
    const [event] = onEvent.mock.calls[0] ?? [];
    expect(Object.keys(event)).toEqual(['time', 'runId', 'step', 'threadId', 'type', 'toolName']);
    expect(event).toMatchObject({ runId: 'run', step: 2, threadId: 'thread', type: 'call-denied', toolName: 'a' });
    expect(event.time).toBeGreaterThanOrEqual(before);
  });

  it('is a copy of its own for each listener, and one that throws keeps it from nobody', () => {
    const reporter = new Reporter((event) => {
      Object.assign(event, { type: 'changed', runId: 'changed' });
      if ('toolNames' in event) (event.toolNames as string[]).push('changed');
      throw new Error('metrics down');
    });
    const seen = vi.fn();
    reporter.listen(seen);
    const origin = Object.freeze({ runId: 'run' });
    const event = Object.freeze({ type: 'unload', toolNames: Object.freeze(['a']), by: 'model' } as const);
    reporter.report(event, origin);
    expect(event).toEqual({ type: 'unload', toolNames: ['a'], by: 'model' });
    expect(seen.mock.calls[0]?.[0]).toMatchObject({ type: 'unload', runId: 'run', toolNames: ['a'] });
    expect(seen.mock.calls[0]?.[1]).toBe(origin);
  });

  it('has one time, however long a listener takes', () => {
    const times: number[] = [];
    const reporter = new Reporter((event) => {
      times.push(event.time);
      while (Date.now() <= event.time);
    });
    reporter.listen((event) => times.push(event.time));
    reporter.report({ type: 'call-denied', toolName: 'a' });
    expect(new Set(times).size).toBe(1);
    expect(times).toHaveLength(2);
  });

  it('may hold an error that is a plain object with itself in it', () => {
    const onEvent = vi.fn();
    const error: Record<string, unknown> = { code: 1 };
    error['self'] = error;
    new Reporter(onEvent).report(failed(error));
    expect(onEvent.mock.calls[0]?.[0].error).toBe(error);
  });

  it('waits for no async listener', async () => {
    let isDone = false;
    const reporter = new Reporter((async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      isDone = true;
    }) as never);
    reporter.report(failed('x'));
    expect(isDone).toBe(false);
    await expect.poll(() => isDone).toBe(true);
  });
});

it('nobody listens to a reporter until somebody does', () => {
  const reporter = new Reporter();
  expect(reporter.isHeard).toBe(false);
  reporter.listen(() => {});
  expect(reporter.isHeard).toBe(true);
});
