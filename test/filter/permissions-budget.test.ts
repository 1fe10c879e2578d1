import type { ToolSearchFilter } from 'mastra-tool-search';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { essence } from '../support/events.ts';
import { HeldFilter, indexOf, namesOf, type PolicySubject, setup, subject, subjects } from './permissions-setup.ts';

describe('the time that the filter has in a search', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Takes so many milliseconds for each answer. */
  const slow =
    (milliseconds: number, isAllowed: (name: string) => boolean = () => false) =>
    ({ toolName }: { toolName: string }) =>
      new Promise((resolve) => setTimeout(resolve, milliseconds, isAllowed(toolName)));

  async function inTime<Result>(work: Promise<Result>): Promise<{ result: Result; took: number }> {
    const start = performance.now();
    const done = work.then((result) => ({ result, took: performance.now() - start }));
    await vi.advanceTimersByTimeAsync(20_000);
    return done;
  }

  it('ends after 1,000 ms: tools that are left count as denied, and an event says how many', async () => {
    const { permissions, events } = setup(slow(300, (name) => indexOf(name) === 20 || indexOf(name) > 400));
    const { result, took } = await inTime(permissions.choose(subjects(10_000), 5, 'search'));
    const asked = 5 + 16 + 32 + 64;
    expect(namesOf(result.permitted)).toEqual(['tool_20']);
    expect(result.left).toBe(10_000 - asked);
    expect(took).toBe(1_200);
    expect(events).toEqual([{ type: 'filter-budget', phase: 'search', asked, left: 10_000 - asked }]);
  });

  it('does not end a search with a quick filter: 10,000 denials at 2 ms take less than 100 ms', async () => {
    const { permissions, events } = setup(slow(2));
    const { result, took } = await inTime(permissions.choose(subjects(10_000), 5, 'search'));
    expect(result).toEqual({ permitted: [], left: 0 });
    expect(took).toBeLessThan(100);
    expect(events).toEqual([]);
  });

  it('ends also for a filter that answers at once but slowly', async () => {
    const { permissions, events } = setup(() => {
      vi.advanceTimersByTime(100);
      return false;
    });
    expect((await permissions.choose(subjects(50), 5, 'load')).left).toBe(40);
    expect(events).toEqual([{ type: 'filter-budget', phase: 'load', asked: 10, left: 40 }]);
  });

  it('leaves answers usable that another search got', async () => {
    const { permissions } = setup(slow(300, () => true));
    const behind = subjects(10_000).slice(-2);
    await inTime(permissions.allowed(behind, 'search'));
    const { result } = await inTime(permissions.choose(subjects(10_000), 9_000, 'search'));
    expect(result.left).toBe(10_000 - 4 * 256 - 2);
    expect(result.permitted.slice(-2)).toEqual(behind);
  });

  it('is reported with the questions of this search alone', async () => {
    const { permissions, events } = setup(slow(300, () => true));
    await inTime(permissions.allowed(subjects(3), 'search'));
    await inTime(permissions.choose(subjects(2_000), 1_900, 'search'));
    expect(events).toEqual([{ type: 'filter-budget', phase: 'search', asked: 4 * 256 - 3, left: 2_000 - 4 * 256 }]);
  });

  it('is reported with no answered question by a search that waits for those of another', async () => {
    const { permissions, events } = setup(new HeldFilter().filter);
    for (const _ of ['search', 'search']) await inTime(permissions.inSearch().choose(subjects(5), 5, 'search'));
    expect(events[0]).toEqual({ type: 'filter-budget', phase: 'search', asked: 0, left: 5 });
    expect(essence(events[1]!)).toEqual(essence(events[0]!));
  });

  it('begins anew with the next search, which goes on where the last one had to stop', async () => {
    const { permissions } = setup(slow(1_500, (name) => indexOf(name) >= 300));
    expect((await inTime(permissions.choose(subjects(400), 256, 'search'))).result.permitted).toHaveLength(0);
    expect((await inTime(permissions.choose(subjects(400), 256, 'search'))).result.permitted).toHaveLength(100);
  });

  it('does not run out before a first question is asked while other questions take up all room', async () => {
    const { permissions } = setup(slow(1_500, () => true));
    const others = permissions.allowed(subjects(256), 'search');
    const { result } = await inTime(permissions.allows(subject('a'), 'load'));
    expect([result, (await others).length]).toEqual([true, 256]);
  });

  it('ends a search without its open questions: their tools count as left, not as faults', async () => {
    const held = new HeldFilter();
    const filter: ToolSearchFilter = (args) => (args.toolName === 'tool_1' ? true : held.filter(args));
    const { permissions, events } = setup(filter, {}, 10_000);
    const { result, took } = await inTime(permissions.inSearch().choose(subjects(30), 5, 'search'));
    expect(namesOf(result.permitted)).toEqual(['tool_1']);
    expect([result.left, took]).toEqual([29, 1_000]);
    expect(events).toEqual([{ type: 'filter-budget', phase: 'search', asked: 1, left: 29 }]);
    expect(held.asked).toHaveLength(4);
  });

  it('leaves open questions to be answered later, for the next search', async () => {
    const { permissions, events } = setup(
      slow(1_500, () => true),
      {},
      10_000,
    );
    expect((await inTime(permissions.inSearch().choose(subjects(5), 5, 'search'))).result.permitted).toEqual([]);
    const { result, took } = await inTime(permissions.inSearch().choose(subjects(5), 5, 'search'));
    expect([result.permitted.length, result.left, took]).toEqual([5, 0, 0]);
    expect(events).toHaveLength(1);
  });

  it('is shared by all that one search asks in a phase, and each phase has its own', async () => {
    const { permissions } = setup(
      slow(600, () => true),
      {},
      10_000,
    );
    const search = permissions.inSearch();
    const [first, second] = subjects(2) as [PolicySubject, PolicySubject];
    expect((await inTime(search.allows(first, 'search'))).took).toBe(600);
    expect(await inTime(search.allows(second, 'search'))).toEqual({ result: false, took: 400 });
    expect(await inTime(search.allows(first, 'load'))).toEqual({ result: true, took: 600 });
  });

  it('counts a question that hangs over several searches against timeouts.filter', async () => {
    const held = new HeldFilter();
    const { permissions, events } = setup(held.filter, {}, 2_500);
    const took: number[] = [];
    for (let search = 0; search < 4; search++) {
      const start = performance.now();
      const work = permissions.inSearch().choose([subject('a')], 5, 'search');
      await vi.advanceTimersByTimeAsync(1_000);
      await work;
      took.push(performance.now() - start);
    }
    expect(took).toEqual([1_000, 1_000, 1_000, 1_000]);
    expect(events.map(({ type }) => type)).toEqual([
      ...['filter-budget', 'filter-budget', 'filter-failed'],
      'filter-budget',
    ]);
    expect(held.asked).toHaveLength(2);
  });

  it('does not let a question that hangs deny its tool once timeouts.filter is over: it is asked again', async () => {
    const held = new HeldFilter();
    const { permissions, events } = setup(held.filter, {}, 2_500);
    await inTime(permissions.inSearch().choose([subject('a')], 5, 'search'));
    const again = permissions.inSearch().choose([subject('a')], 5, 'search');
    held.answer('a', true);
    expect((await inTime(again)).result).toEqual({ permitted: [subject('a')], left: 0 });
    expect(events.map(({ type }) => type)).toEqual(['filter-budget', 'filter-failed']);
  });

  it('ends also for a search that waits for 256 other questions that hang', async () => {
    const held = new HeldFilter();
    const { permissions } = setup(held.filter, {}, 10_000);
    void permissions.allowed(subjects(256), 'load');
    const { result, took } = await inTime(permissions.inSearch().choose([subject('a')], 5, 'search'));
    expect([result.left, took]).toEqual([1, 1_000]);
    expect(held.asked).not.toContain('search a');
  });

  it('ends with the run that the search belongs to', async () => {
    const run = new AbortController();
    const { permissions, events } = setup(slow(5_000), { abortSignal: run.signal }, 10_000);
    setTimeout(() => run.abort(), 300);
    const { result, took } = await inTime(permissions.inSearch().choose(subjects(30), 5, 'search'));
    expect([result, took, events]).toEqual([{ permitted: [], left: 0 }, 300, []]);
  });

  it('has no end in the phase active, nor for a question about a single tool', async () => {
    const { permissions, events } = setup(slow(3_000, () => true));
    const { result, took } = await inTime(permissions.choose(subjects(600), Number.POSITIVE_INFINITY, 'active'));
    expect(result.permitted).toHaveLength(600);
    expect(took).toBe(9_000);
    expect((await inTime(permissions.allows(subject('a'), 'load'))).result).toBe(true);
    expect(events).toEqual([]);
  });
});
