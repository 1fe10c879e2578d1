import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchFilterArgs } from 'mastra-tool-search';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tool } from '../support/harness.ts';
import { ownTimers } from '../support/own-timers.ts';
import { counting, HeldFilter, namesOf, RunMemory, setup, subject, subjects } from './permissions-setup.ts';

const unhandled = vi.fn();
beforeEach(() => {
  process.on('unhandledRejection', unhandled);
});
afterEach(async () => {
  vi.useRealTimers();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

describe('an answer of the filter', () => {
  it('holds for all steps of a request in the phases search and load, and for one step in the phase active', async () => {
    const { filter, asked } = counting(() => true);
    const { policy } = setup(filter);
    const state = { run: new RunMemory() };
    for (const _ of ['step', 'step']) {
      const permissions = policy.permissionsOfStep(state, {});
      for (const phase of ['search', 'load', 'active'] as const) {
        expect(await permissions.allows(subject('a'), phase)).toBe(true);
        expect(await permissions.until(new AbortController().signal).allows(subject('a'), phase)).toBe(true);
      }
    }
    expect(asked).toEqual(['search a', 'load a', 'active a', 'active a']);
  });

  it('is awaited by all searches that ask for it while it is on its way', async () => {
    const held = new HeldFilter();
    const { permissions } = setup(held.filter);
    const searches = [1, 2, 3].map(() => permissions.allowed(subjects(3), 'search', 3));
    held.answer('tool_0', true);
    held.answer('tool_1', false);
    held.answer('tool_2', true);
    for (const found of await Promise.all(searches)) expect(namesOf(found)).toEqual(['tool_0', 'tool_2']);
    expect(held.asked).toEqual(['search tool_0', 'search tool_1', 'search tool_2']);
  });

  it('holds for one tool under one name, not for another tool of that name', async () => {
    const { filter, asked } = counting(() => true);
    const { permissions } = setup(filter);
    const [first, second] = [tool('x'), tool('x')];
    for (const each of [first, second, second, first]) await permissions.allows({ name: 'a', tool: each }, 'search');
    await permissions.allows({ name: 'b', tool: first }, 'search');
    expect(asked).toEqual(['search a', 'search a', 'search a', 'search b']);
  });

  it('is not shared between requests that share their request context', async () => {
    const { filter, asked } = counting(() => true);
    const { policy } = setup(filter);
    const requestContext = new RequestContext();
    for (const state of [{ run: new RunMemory() }, { run: new RunMemory() }]) {
      await policy.permissionsOfStep(state, { requestContext }).allows(subject('a'), 'search');
    }
    expect(asked).toEqual(['search a', 'search a']);
  });

  it('ends with the run: a run that goes on under the same state with another signal asks again', async () => {
    const { filter, asked } = counting(() => true);
    const { policy } = setup(filter);
    const state = { run: new RunMemory() };
    const [first, second] = [new AbortController(), new AbortController()];
    for (const { signal } of [first, first, second]) {
      await policy.permissionsOfStep(state, { abortSignal: signal }).allows(subject('a'), 'load');
    }
    expect(asked).toEqual(['load a', 'load a']);
  });

  it('is asked for again by the next search after a fault', async () => {
    for (const fault of [() => Promise.reject(new Error('down')), () => JSON.parse('{')]) {
      let isDown = true;
      const { permissions, events } = setup(() => (isDown ? fault() : true));
      expect(await permissions.allowed(subjects(2), 'search')).toEqual([]);
      isDown = false;
      expect(await permissions.allowed(subjects(2), 'search')).toHaveLength(2);
      expect(events.map(({ type }) => type)).toEqual(['filter-failed', 'filter-failed']);
    }
  });
});

describe('timeouts.filter', () => {
  const timers = ownTimers();

  it('denies a tool whose answer takes longer, and reports it', async () => {
    const held = new HeldFilter();
    const { permissions, events } = setup(held.filter, {}, 50);
    const found = permissions.allowed(subjects(3), 'search');
    held.answer('tool_1', true);
    await vi.advanceTimersByTimeAsync(50);
    expect(namesOf(await found)).toEqual(['tool_1']);
    expect(events).toEqual(
      ['tool_0', 'tool_2'].map((toolName) => ({
        type: 'filter-failed',
        toolName,
        phase: 'search',
        error: new Error('it took longer than 50 ms'),
      })),
    );
  });

  it.each([
    { how: 'is no longer heard', settle: (held: HeldFilter) => held.answer('a', true) },
    { how: 'fails in silence', settle: (held: HeldFilter) => held.fail('a', new Error('too late')) },
  ])(
    'makes sure that an answer that comes later $how, also for a search that joined the question',
    async ({ settle }) => {
      const held = new HeldFilter();
      const { permissions, events } = setup(held.filter, {}, 50);
      const first = permissions.allows(subject('a'), 'search');
      await vi.advanceTimersByTimeAsync(30);
      const joined = permissions.allows(subject('a'), 'search');
      await vi.advanceTimersByTimeAsync(20);
      expect(await first).toBe(false);
      settle(held);
      expect(await joined).toBe(false);
      expect([held.asked.length, events.length]).toEqual([1, 1]);
    },
  );

  it('makes the next search ask again, whatever the late answer is', async () => {
    let fail = (_: Error): void => {};
    const late = new Promise((_, reject) => {
      fail = reject;
    });
    const filter = vi.fn().mockReturnValueOnce(late).mockReturnValueOnce(true);
    const { permissions } = setup(filter, {}, 50);
    const first = permissions.allows(subject('a'), 'search');
    await vi.advanceTimersByTimeAsync(50);
    expect(await first).toBe(false);
    expect(await permissions.allows(subject('a'), 'search')).toBe(true);
    fail(new Error('too late'));
    await vi.advanceTimersByTimeAsync(0);
    expect(await permissions.allows(subject('a'), 'search')).toBe(true);
    expect(filter).toHaveBeenCalledTimes(2);
  });

  it('reports a question once, however many wait for it', async () => {
    const { permissions, events } = setup(() => new Promise(() => {}), {}, 50);
    const both = Promise.all([permissions.allows(subject('a'), 'load'), permissions.allows(subject('a'), 'load')]);
    await vi.advanceTimersByTimeAsync(50);
    expect(await both).toEqual([false, false]);
    expect(events).toHaveLength(1);
  });

  it('leaves each question its whole time, also where another one in the same search began earlier', async () => {
    const held = new HeldFilter();
    const { permissions } = setup(held.filter, {}, 50);
    const first = permissions.allows(subject('a'), 'search');
    await vi.advanceTimersByTimeAsync(30);
    const both = permissions.allowed([subject('a'), subject('b')], 'search');
    await vi.advanceTimersByTimeAsync(40);
    held.answer('b', true);
    expect(await first).toBe(false);
    expect(namesOf(await both)).toEqual(['b']);
  });

  it('leaves no timer behind, and starts none for answers that come at once', async () => {
    const { permissions } = setup(async () => true, {}, 50);
    await permissions.allowed(subjects(600), 'search');
    expect(timers()).toBe(0);
    await setup(() => expect(timers()).toBe(0), {}, 50).permissions.allowed(subjects(3), 'search');
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31])('waits as long as it takes with %d ms', async (timeout) => {
    const held = new HeldFilter();
    const { permissions } = setup(held.filter, {}, timeout);
    const allowed = permissions.allows(subject('a'), 'load');
    await vi.advanceTimersByTimeAsync(10_000_000);
    held.answer('a', true);
    expect(await allowed).toBe(true);
  });

  it('frees the room of questions that it gave up, so that others are asked', async () => {
    const asked: string[] = [];
    const filter = ({ toolName }: ToolSearchFilterArgs) => {
      asked.push(toolName);
      return new Promise(() => {});
    };
    const { permissions } = setup(filter, {}, 100);
    const both = Promise.all([
      permissions.allowed(subjects(256), 'search'),
      permissions.allowed([subject('a')], 'search'),
    ]);
    expect(asked).toHaveLength(256);
    await vi.advanceTimersByTimeAsync(200);
    expect(await both).toEqual([[], []]);
    expect(asked.at(-1)).toBe('a');
  });
});

describe('the permissions of an aborted run', () => {
  const aborting = (filter: unknown, timeout?: number) => {
    const abort = new AbortController();
    return { abort, ...setup(filter, { abortSignal: abort.signal }, timeout) };
  };

  it('deny without asking the filter', async () => {
    const { filter, asked } = counting(() => true);
    const { abort, permissions, events } = aborting(filter);
    abort.abort();
    expect(await permissions.allowed(subjects(3), 'search')).toEqual([]);
    expect(await permissions.allows(subject('a'), 'active')).toBe(false);
    expect([asked, events]).toEqual([[], []]);
  });

  it('deny at once while questions are open, and report nothing that comes later', async () => {
    const held = new HeldFilter();
    const { abort, permissions, events } = aborting(held.filter);
    const found = permissions.choose(subjects(1_000), 100, 'search');
    held.answer('tool_0', true);
    await Promise.resolve();
    abort.abort();
    expect(await found).toEqual({ permitted: [], left: 0 });
    held.fail('tool_1', new Error('aborted'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(held.asked).toHaveLength(100);
    expect(events).toEqual([]);
  });

  it('deny when the filter itself aborts the run and throws', async () => {
    const inside: { abort?: AbortController } = {};
    const throwing = aborting(() => {
      inside.abort?.abort();
      throw new Error('aborted');
    });
    inside.abort = throwing.abort;
    expect(await throwing.permissions.allowed(subjects(3), 'search')).toEqual([]);
    expect(throwing.events).toEqual([]);
  });

  it('leave a question open for a call that is not aborted, which asks again', async () => {
    const held = new HeldFilter();
    const { permissions, events } = setup(held.filter);
    const call = new AbortController();
    const cut = permissions.until(call.signal).allows(subject('a'), 'load');
    call.abort();
    expect(await cut).toBe(false);
    const second = permissions.allows(subject('a'), 'load');
    held.answer('a', true);
    expect(await second).toBe(true);
    expect(held.asked).toEqual(['load a', 'load a']);
    expect(events).toEqual([]);
  });

  it('leave another call waiting for the same answer', async () => {
    const held = new HeldFilter();
    const { permissions } = setup(held.filter);
    const call = new AbortController();
    const cut = permissions.until(call.signal).allows(subject('a'), 'load');
    const other = permissions.allows(subject('a'), 'load');
    call.abort();
    expect(await cut).toBe(false);
    held.answer('a', true);
    expect(await other).toBe(true);
  });

  describe('that were asked', () => {
    const timers = ownTimers();

    it('leave no timer and no listener behind', async () => {
      const { abort, permissions } = aborting(() => new Promise(() => {}), 50);
      const add = vi.spyOn(abort.signal, 'addEventListener');
      const remove = vi.spyOn(abort.signal, 'removeEventListener');
      const found = permissions.allowed(subjects(300), 'search');
      abort.abort();
      expect(await found).toEqual([]);
      expect(timers()).toBe(0);
      expect(remove.mock.calls).toEqual(add.mock.calls);
      expect(add).toHaveBeenCalledTimes(1);
    });
  });

  it('allow everything where there is no filter', async () => {
    const { abort, permissions } = aborting(undefined);
    abort.abort();
    expect(await permissions.allowed(subjects(2), 'active')).toHaveLength(2);
  });
});
