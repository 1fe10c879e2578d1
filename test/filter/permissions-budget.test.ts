import type { ToolSearchFilter } from 'mastra-tool-search';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { namesIn } from '../../src/catalog/catalog.ts';
import { catalogOf, counting, HeldFilter, indexOf, namesOf, setup, subject, subjects } from './permissions-setup.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Takes so many milliseconds for each answer. */
const slow =
  (milliseconds: number, isAllowed: (name: string) => boolean = () => true) =>
  ({ toolName }: { toolName: string }) =>
    new Promise((resolve) => setTimeout(resolve, milliseconds, isAllowed(toolName)));

async function inTime<Result>(work: Promise<Result>): Promise<{ result: Result; took: number }> {
  const start = performance.now();
  const done = work.then((result) => ({ result, took: performance.now() - start }));
  await vi.advanceTimersByTimeAsync(20_000);
  return done;
}

describe('the time that the filter has in a search', () => {
  it('ends after 1,000 ms: tools that are left count as denied, and an event says how many', async () => {
    const { permissions, events } = setup(slow(300, (name) => indexOf(name) === 20 || indexOf(name) > 400));
    const { result, took } = await inTime(permissions.choose(subjects(10_000), 5, 'search'));
    const asked = 5 + 16 + 32 + 64;
    expect([namesOf(result.permitted), result.left, took]).toEqual([['tool_20'], 10_000 - asked, 1_200]);
    expect(events).toEqual([{ type: 'filter-budget', phase: 'search', asked, left: 10_000 - asked }]);
  });

  it('ends also for a filter that answers at once but slowly', async () => {
    const { permissions, events } = setup(() => {
      vi.advanceTimersByTime(100);
      return false;
    });
    expect((await permissions.choose(subjects(50), 5, 'load')).left).toBe(40);
    expect(events).toEqual([{ type: 'filter-budget', phase: 'load', asked: 10, left: 40 }]);
  });

  it('leaves answers usable that another search got, and is reported without its questions', async () => {
    const { permissions, events } = setup(slow(300));
    const behind = subjects(10_000).slice(-2);
    await inTime(permissions.allowed(behind, 'search'));
    const { result } = await inTime(permissions.choose(subjects(10_000), 9_000, 'search'));
    expect([result.left, result.permitted.slice(-2)]).toEqual([10_000 - 4 * 256 - 2, behind]);
    expect(events).toEqual([{ type: 'filter-budget', phase: 'search', asked: 4 * 256, left: 10_000 - 4 * 256 - 2 }]);
  });

  it('does not run out before a first question is asked while other questions take up all room', async () => {
    const { permissions } = setup(slow(1_500));
    const others = permissions.allowed(subjects(256), 'search');
    const { result } = await inTime(permissions.allows(subject('a'), 'load'));
    expect([result, (await others).length]).toEqual([true, 256]);
  });

  it('ends a search without its open questions: their tools are left, and answered later, for the next search', async () => {
    const held = new HeldFilter();
    const filter: ToolSearchFilter = (args) => (args.toolName === 'tool_1' ? true : held.filter(args));
    const { permissions, events } = setup(filter, {}, 100_000);
    for (const asked of [1, 0]) {
      const { result, took } = await inTime(permissions.inSearch().choose(subjects(5), 5, 'search'));
      expect([namesOf(result.permitted), result.left, took]).toEqual([['tool_1'], 4, 1_000]);
      expect(events.splice(0)).toEqual([{ type: 'filter-budget', phase: 'search', asked, left: 4 }]);
    }
    held.answerAll(true);
    const { result, took } = await inTime(permissions.inSearch().choose(subjects(5), 5, 'search'));
    expect([result.permitted.length, result.left, took]).toEqual([5, 0, 0]);
    expect([events, held.asked.length]).toEqual([[], 4]);
  });

  it('is shared by all that one search asks in a phase, and each phase has its own', async () => {
    const search = setup(slow(600), {}, 10_000).permissions.inSearch();
    expect((await inTime(search.allows(subject('a'), 'search'))).took).toBe(600);
    expect(await inTime(search.allows(subject('b'), 'search'))).toEqual({ result: false, took: 400 });
    expect(await inTime(search.allows(subject('a'), 'load'))).toEqual({ result: true, took: 600 });
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
    const { permissions, events } = setup(slow(3_000));
    const { result, took } = await inTime(permissions.choose(subjects(600), Number.POSITIVE_INFINITY, 'active'));
    expect([result.permitted.length, took]).toEqual([600, 9_000]);
    expect((await inTime(permissions.allows(subject('a'), 'load'))).result).toBe(true);
    expect(events).toEqual([]);
  });
});

describe('the visible catalog of a request', () => {
  it('has the tools that the filter allows in catalog order, asked about once each, best match first, faults again', async () => {
    let isDown = true;
    const { filter, asked } = counting(
      (name) => name !== 'tool_1' && (!isDown || name !== 'tool_2' || JSON.parse('{')),
    );
    const { permissions } = setup(filter);
    const catalog = catalogOf(4);
    const cut = await permissions.until(AbortSignal.abort()).visible(catalog, () => []);
    expect(namesIn(cut.catalog)).toEqual([]);
    const best = () => ['tool_3', 'unknown', 'tool_1'];
    const first = await permissions.visible(catalog, best);
    expect(namesIn(first.catalog)).toEqual(['tool_0', 'tool_3']);
    expect(asked).toEqual(['tool_3', 'tool_1', 'tool_0', 'tool_2'].map((name) => `search ${name}`));
    isDown = false;
    // Nothing but the next search asks again.
    expect(await permissions.visible(catalog)).toBe(first);
    const visible = await permissions.visible(catalog, best);
    expect(namesIn(visible.catalog)).toEqual(['tool_0', 'tool_2', 'tool_3']);
    expect(await permissions.visible(catalog, () => Promise.reject(new Error('not asked')))).toBe(visible);
  });

  it('is found by two searches at once with the same questions, which take turns with other work', async () => {
    vi.useRealTimers();
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    let asked = 0;
    // Long to ask, so that the searches take turns: by a clock that no busy machine hurries.
    const { permissions, events } = setup(
      () => {
        asked += 1;
        now += 0.2;
        return Promise.resolve(true);
      },
      {},
      60_000,
    );
    const catalog = catalogOf(200);
    let turns = 0;
    let isFound = false;
    const other = (): void => {
      turns += 1;
      if (!isFound) setImmediate(other);
    };
    setImmediate(other);
    const searches = [permissions.visible(catalog, () => []), permissions.visible(catalog, () => [])];
    const found = await Promise.all(searches).finally(() => clock.mockRestore());
    isFound = true;
    expect(found.map(({ catalog: visible }) => visible)).toEqual([catalog, catalog]);
    expect([asked, events]).toEqual([200, []]);
    expect(turns).toBeGreaterThan(1);
  });

  it('has the tools that were answered within a second, and the next search asks about the rest', async () => {
    const { permissions, events } = setup(slow(400));
    const catalog = catalogOf(600);
    const search = () => inTime(permissions.inSearch().visible(catalog, () => ['tool_599']));
    const { result: first } = await search();
    expect([first.catalog.size, first.left, first.isFinal]).toEqual([512, 88, false]);
    expect(first.catalog.get('tool_599')).toBeDefined();
    expect(events).toEqual([{ type: 'filter-budget', phase: 'search', asked: 512, left: 88 }]);
    const { result: second } = await search();
    expect([second.catalog, second.isFinal]).toEqual([catalog, true]);
  });
});
