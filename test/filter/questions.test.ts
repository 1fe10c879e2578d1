import { RequestContext } from '@mastra/core/request-context';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tool } from '../support/agent.ts';
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
  it('holds for the steps of a run in the phases search and load, for one step in the phase active, and for no other run', async () => {
    const { filter, asked } = counting(() => true);
    const { policy } = setup(filter);
    const requestContext = new RequestContext();
    const [state, other] = [{ run: new RunMemory() }, { run: new RunMemory() }];
    const step = async (of: { run: RunMemory }, abortSignal?: AbortSignal): Promise<string[]> => {
      const permissions = policy.permissionsOfStep(of, { requestContext, abortSignal });
      for (const phase of ['search', 'load', 'active'] as const) {
        expect(await permissions.allows(subject('a'), phase)).toBe(true);
        expect(await permissions.until(new AbortController().signal).allows(subject('a'), phase)).toBe(true);
      }
      return asked.splice(0);
    };
    const all = ['search a', 'load a', 'active a'];
    expect([await step(state), await step(state)]).toEqual([all, ['active a']]);
    expect(await step(other)).toEqual(all);
    // A run that goes on under the same state with another signal.
    const { signal } = new AbortController();
    expect([await step(state, signal), await step(state, signal)]).toEqual([all, ['active a']]);
  });

  it('is awaited by all searches that ask for it while it is on its way', async () => {
    const held = new HeldFilter();
    const { permissions } = setup(held.filter);
    const searches = [1, 2, 3].map(() => permissions.allowed(subjects(3), 'search', 3));
    for (const [name, answer] of Object.entries({ tool_2: true, tool_0: true, tool_1: false }))
      held.answer(name, answer);
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
});

describe('timeouts.filter', () => {
  const timers = ownTimers();

  it('denies a tool whose answer takes longer, and reports it once, however many wait for it', async () => {
    const held = new HeldFilter();
    const { permissions, events } = setup(held.filter, {}, 50);
    const found = [1, 2].map(() => permissions.allowed(subjects(3), 'search'));
    held.answer('tool_1', true);
    await vi.advanceTimersByTimeAsync(50);
    for (const each of await Promise.all(found)) expect(namesOf(each)).toEqual(['tool_1']);
    const failed = { type: 'filter-failed', phase: 'search', error: new Error('it took longer than 50 ms') };
    expect(events).toEqual(['tool_0', 'tool_2'].map((toolName) => ({ ...failed, toolName })));
  });

  it.each([
    { how: 'is no longer heard', settle: (held: HeldFilter) => held.answer('a', true) },
    { how: 'fails in silence', settle: (held: HeldFilter) => held.fail('a', new Error('too late')) },
  ])('makes sure that an answer that comes later $how, and the next search asks again', async ({ settle }) => {
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
    const again = permissions.allows(subject('a'), 'search');
    held.answer('a', true);
    expect([await again, await permissions.allows(subject('a'), 'search'), held.asked.length]).toEqual([true, true, 2]);
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
    await setup(async () => true, {}, 50).permissions.allowed(subjects(600), 'search');
    expect(timers()).toBe(0);
    await setup(() => expect(timers()).toBe(0), {}, 50).permissions.allowed(subjects(3), 'search');
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31])('waits as long as it takes with %d ms', async (timeout) => {
    const held = new HeldFilter();
    const allowed = setup(held.filter, {}, timeout).permissions.allows(subject('a'), 'load');
    await vi.advanceTimersByTimeAsync(10_000_000);
    held.answer('a', true);
    expect(await allowed).toBe(true);
  });

  it('frees the room of questions that it gave up, so that others are asked', async () => {
    const held = new HeldFilter();
    const { permissions } = setup(held.filter, {}, 100);
    const both = Promise.all([
      permissions.allowed(subjects(256), 'search'),
      permissions.allowed([subject('a')], 'search'),
    ]);
    expect(held.asked).toHaveLength(256);
    await vi.advanceTimersByTimeAsync(200);
    expect(await both).toEqual([[], []]);
    expect(held.asked.at(-1)).toBe('search a');
  });
});

describe('the permissions of an aborted run', () => {
  const timers = ownTimers();
  const aborting = (filter: unknown, timeout?: number) => {
    const abort = new AbortController();
    return { abort, ...setup(filter, { abortSignal: abort.signal }, timeout) };
  };

  it('deny without asking the filter, and allow everything where there is none', async () => {
    const { filter, asked } = counting(() => true);
    const { abort, permissions, events } = aborting(filter);
    abort.abort();
    expect(await permissions.allowed(subjects(3), 'search')).toEqual([]);
    expect(await permissions.allows(subject('a'), 'active')).toBe(false);
    expect([asked, events]).toEqual([[], []]);
    const open = aborting(undefined);
    open.abort.abort();
    expect(await open.permissions.allowed(subjects(2), 'active')).toHaveLength(2);
  });

  it('deny at once while questions are open, report nothing that comes later, and leave no timer and no listener', async () => {
    const held = new HeldFilter();
    const { abort, permissions, events } = aborting(held.filter, 50);
    const [add, remove] = (['addEventListener', 'removeEventListener'] as const).map((on) =>
      vi.spyOn(abort.signal, on),
    );
    const found = permissions.choose(subjects(1_000), 100, 'search');
    held.answer('tool_0', true);
    await Promise.resolve();
    abort.abort();
    expect(await found).toEqual({ permitted: [], left: 0 });
    held.fail('tool_1', new Error('aborted'));
    await vi.advanceTimersByTimeAsync(100);
    expect([held.asked.length, events, timers()]).toEqual([100, [], 0]);
    expect(add).toHaveBeenCalledTimes(1);
    expect(remove?.mock.calls).toEqual(add?.mock.calls);
  });

  it('deny when the filter itself aborts the run and throws', async () => {
    const { abort, permissions, events } = aborting(() => {
      abort.abort();
      throw new Error('aborted');
    });
    expect(await permissions.allowed(subjects(3), 'search')).toEqual([]);
    expect(events).toEqual([]);
  });

  it('leave another call waiting for the same answer, and a question open for a later call, which asks again', async () => {
    const held = new HeldFilter();
    const { permissions, events } = setup(held.filter);
    const cutOff = async (name: string, other?: () => Promise<boolean>) => {
      const call = new AbortController();
      const cut = permissions.until(call.signal).allows(subject(name), 'load');
      const waiting = other?.();
      call.abort();
      expect(await cut).toBe(false);
      const allowed = waiting ?? permissions.allows(subject(name), 'load');
      held.answer(name, true);
      expect(await allowed).toBe(true);
    };
    await cutOff('a', () => permissions.allows(subject('a'), 'load'));
    await cutOff('b');
    expect(held.asked.slice(-2)).toEqual(['load b', 'load b']);
    expect(events).toEqual([]);
  });
});
