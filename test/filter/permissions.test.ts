import fc from 'fast-check';
import type { ToolSearchFilter } from 'mastra-tool-search';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PolicySubject } from '../../src/filter/questions.ts';
import { counting, HeldFilter, namesOf, setup, subject, subjects } from './permissions-setup.ts';

const indexOf = (name: string): number => Number(name.slice('tool_'.length));

describe('firstAllowed', () => {
  it('keeps the order, however long each answer takes', async () => {
    const late: (() => void)[] = [];
    const filter: ToolSearchFilter = ({ toolName }) =>
      new Promise((resolve) => {
        late.push(() => resolve(toolName !== 'tool_1'));
        if (late.length === 4) for (const answer of late.reverse()) answer();
      });
    const found = await setup(filter).permissions.firstAllowed(subjects(4), 4, 'search');
    expect(namesOf(found)).toEqual(['tool_0', 'tool_2', 'tool_3']);
  });

  it('returns the subjects themselves', async () => {
    const entry = { ...subject('a'), score: 3 };
    expect((await setup(() => true).permissions.firstAllowed([entry], 1, 'search'))[0]).toBe(entry);
  });

  it.each([
    { allowed: 0, wanted: 5, asked: 5, why: 'those that are wanted are all allowed' },
    { allowed: 3, wanted: 5, asked: 5 + 16, why: 'then a window of 16' },
    { allowed: 30, wanted: 5, asked: 5 + 16 + 32, why: 'then twice as many each' },
    { allowed: 9_990, wanted: 10, asked: 10_000, why: 'up to all' },
    { allowed: 100, wanted: 100, asked: 100 + 200, why: 'many are wanted' },
  ])(
    'asks about $asked for $wanted, of which the first is number $allowed: $why',
    async ({ allowed, wanted, asked }) => {
      const count = counting((name) => indexOf(name) >= allowed);
      const found = await setup(count.filter).permissions.firstAllowed(subjects(10_000), wanted, 'search');
      expect(namesOf(found)).toEqual(namesOf(subjects(allowed + wanted).slice(allowed)));
      expect(count.asked).toHaveLength(asked);
    },
  );

  it('asks a filter that answers at once not once too often', async () => {
    const filter = vi.fn(({ toolName }: { toolName: string }) => indexOf(toolName) % 7 === 3);
    const found = await setup(filter).permissions.firstAllowed(subjects(10_000), 5, 'search');
    expect(namesOf(found)).toEqual(['tool_3', 'tool_10', 'tool_17', 'tool_24', 'tool_31']);
    expect(filter).toHaveBeenCalledTimes(32);
  });

  it('reads no further than it needs: ranking a match may cost something', async () => {
    let read = 0;
    function* endless(): Iterable<PolicySubject> {
      for (;;) yield subject(`tool_${read++}`);
    }
    for (const filter of [undefined, () => true, async () => true]) {
      read = 0;
      expect(await setup(filter).permissions.firstAllowed(endless(), 5, 'search')).toHaveLength(5);
      expect(read).toBeLessThanOrEqual(6);
    }
  });

  it('asks 256 at most at once, and a list of 10,000 in windows of as many', async () => {
    const { filter, asked, most } = counting(() => false);
    expect(await setup(filter).permissions.allowed(subjects(10_000), 'search')).toEqual([]);
    expect(asked).toEqual(namesOf(subjects(10_000)).map((name) => `search ${name}`));
    expect(most.atOnce).toBe(256);
  });

  it('asks 256 at most at once, however many searches of a request ask', async () => {
    const { filter, asked, most } = counting((name) => indexOf(name) % 2 === 0);
    const { permissions } = setup(filter);
    const all = subjects(4_000);
    const parts = [0, 1, 2, 3, 4].map((part) => all.slice(part * 800, part * 800 + 800));
    const found = await Promise.all(parts.map((part) => permissions.allowed(part, 'search')));
    expect(namesOf(found.flat())).toEqual(namesOf(all).filter((name) => indexOf(name) % 2 === 0));
    expect(asked).toHaveLength(4_000);
    expect(most.atOnce).toBe(256);
  });

  it.each([{ limit: 0 }, { limit: -1 }])('finds and asks nothing for a limit of $limit', async ({ limit }) => {
    const { filter, asked } = counting(() => true);
    expect(await setup(filter).permissions.firstAllowed(subjects(3), limit, 'search')).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('finds nothing among nothing', async () => {
    expect(await setup(() => true).permissions.allowed([], 'search')).toEqual([]);
  });
});

type Verdict = 'yes' | 'no' | 'yes, later' | 'no, later' | 'throws' | 'rejects';
const verdicts: readonly Verdict[] = ['yes', 'no', 'yes, later', 'no, later', 'throws', 'rejects'];

/** Answers as told, the later ones in an order of their own. */
function scripted(answers: readonly Verdict[], delays: readonly number[]) {
  const asked: string[] = [];
  const most = { open: 0 };
  let open = 0;
  const filter = ({ toolName, phase }: { toolName: string; phase: string }): unknown => {
    asked.push(`${phase} ${toolName}`);
    const at = indexOf(toolName);
    const verdict = answers[at];
    if (verdict === 'throws') throw new Error('down');
    if (verdict === 'yes' || verdict === 'no') return verdict === 'yes';
    most.open = Math.max(most.open, ++open);
    return later(delays[at % delays.length] ?? 0).then(() => {
      open--;
      if (verdict === 'rejects') throw new Error('down');
      return verdict === 'yes, later';
    });
  };
  return { filter, asked, most };
}

async function later(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
}

it('finds what asking one after the other would find, asks each once, and hardly more than needed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...verdicts), { maxLength: 700 }),
      fc.array(fc.nat(9), { minLength: 1, maxLength: 7 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
      async (answers, delays, limits) => {
        const all = answers.map((_, n) => subject(`tool_${n}`));
        const isYes = (_: unknown, n: number) => answers[n]?.startsWith('yes');
        const { filter, asked, most } = scripted(answers, delays);
        const { permissions } = setup(filter);
        // Parallel searches of one step, then one more.
        const found = await Promise.all(limits.map((limit) => permissions.firstAllowed(all, limit, 'search')));
        for (const [at, limit] of limits.entries()) expect(found[at]).toEqual(all.filter(isYes).slice(0, limit));
        const widest = Math.max(...limits);
        const lastNeeded = all.filter(isYes)[widest - 1];
        const needed = lastNeeded ? all.indexOf(lastNeeded) + 1 : all.length;
        const faulty = (name: string) => ['throws', 'rejects'].includes(answers[indexOf(name)] ?? '');
        const remembered = asked.filter((question) => !faulty(question.replace('search ', '')));
        expect(new Set(remembered).size).toBe(remembered.length);
        expect(new Set(asked).size).toBeLessThanOrEqual(needed + Math.max(256, widest));
        expect(most.open).toBeLessThanOrEqual(256);

        const before = asked.length;
        expect(await permissions.firstAllowed(all, widest, 'search')).toEqual(all.filter(isYes).slice(0, widest));
        for (const question of asked.slice(before)) expect(faulty(question.replace('search ', ''))).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

describe('the time for a search', () => {
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

  it('is 1,000 ms, after which no more are asked; those that are left count as denied, and that is reported', async () => {
    const { permissions, events } = setup(slow(300, (name) => indexOf(name) === 20 || indexOf(name) > 400));
    const { result, took } = await inTime(permissions.choose(subjects(10_000), 5, 'search'));
    const asked = 5 + 16 + 32 + 64;
    expect(namesOf(result.permitted)).toEqual(['tool_20']);
    expect(result.left).toBe(10_000 - asked);
    expect(took).toBe(1_200);
    expect(events).toEqual([{ type: 'filter-budget', phase: 'search', asked, left: 10_000 - asked }]);
  });

  it('is no matter where the filter is quick: 10,000 denials at 2 ms take less than 100 ms', async () => {
    const { permissions, events } = setup(slow(2));
    const { result, took } = await inTime(permissions.choose(subjects(10_000), 5, 'search'));
    expect(result).toEqual({ permitted: [], left: 0 });
    expect(took).toBeLessThan(100);
    expect(events).toEqual([]);
  });

  it('holds for a filter that answers at once but slowly', async () => {
    const { permissions, events } = setup(() => {
      vi.advanceTimersByTime(100);
      return false;
    });
    expect((await permissions.choose(subjects(50), 5, 'load')).left).toBe(40);
    expect(events).toEqual([{ type: 'filter-budget', phase: 'load', asked: 10, left: 40 }]);
  });

  it('leaves what another search has asked: it is known', async () => {
    const { permissions } = setup(slow(300, () => true));
    const behind = subjects(10_000).slice(-2);
    await inTime(permissions.allowed(behind, 'search'));
    const { result } = await inTime(permissions.choose(subjects(10_000), 9_000, 'search'));
    expect(result.left).toBe(10_000 - 4 * 256 - 2);
    expect(result.permitted.slice(-2)).toEqual(behind);
  });

  it('is reported with what this search asked alone, not with what was known', async () => {
    const { permissions, events } = setup(slow(300, () => true));
    await inTime(permissions.allowed(subjects(3), 'search'));
    await inTime(permissions.choose(subjects(2_000), 1_900, 'search'));
    expect(events).toEqual([{ type: 'filter-budget', phase: 'search', asked: 4 * 256 - 3, left: 2_000 - 4 * 256 }]);
  });

  it('begins anew with the next search, which goes on where the last one had to stop', async () => {
    const { permissions } = setup(slow(1_500, (name) => indexOf(name) >= 300));
    expect((await inTime(permissions.choose(subjects(400), 256, 'search'))).result.permitted).toHaveLength(0);
    expect((await inTime(permissions.choose(subjects(400), 256, 'search'))).result.permitted).toHaveLength(100);
  });

  it('does not run out before anything is asked, where others take up the room', async () => {
    const { permissions } = setup(slow(1_500, () => true));
    const others = permissions.allowed(subjects(256), 'search');
    const { result } = await inTime(permissions.allows(subject('a'), 'load'));
    expect([result, (await others).length]).toEqual([true, 256]);
  });

  it('ends in a search with what is answered: what is not counts as left, not as a fault', async () => {
    const held = new HeldFilter();
    const filter: ToolSearchFilter = (args) => (args.toolName === 'tool_1' ? true : held.filter(args));
    const { permissions, events } = setup(filter, {}, 10_000);
    const { result, took } = await inTime(permissions.inSearch().choose(subjects(30), 5, 'search'));
    expect(namesOf(result.permitted)).toEqual(['tool_1']);
    expect([result.left, took]).toEqual([29, 1_000]);
    expect(events).toEqual([{ type: 'filter-budget', phase: 'search', asked: 1, left: 29 }]);
    expect(held.asked).toHaveLength(4);
  });

  it('leaves open in a search what may be answered later, for the next one', async () => {
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

  it('is shared by what one search asks in a phase, and each phase has its own', async () => {
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

  it('counts a question that hangs against timeouts.filter over several searches', async () => {
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

  it('holds in a search where 256 others that hang take up the room', async () => {
    const held = new HeldFilter();
    const { permissions } = setup(held.filter, {}, 10_000);
    void permissions.allowed(subjects(256), 'load');
    const { result, took } = await inTime(permissions.inSearch().choose([subject('a')], 5, 'search'));
    expect([result.left, took]).toEqual([1, 1_000]);
    expect(held.asked).not.toContain('search a');
  });

  it('ends with the run in a search, too', async () => {
    const run = new AbortController();
    const { permissions, events } = setup(slow(5_000), { abortSignal: run.signal }, 10_000);
    setTimeout(() => run.abort(), 300);
    const { result, took } = await inTime(permissions.inSearch().choose(subjects(30), 5, 'search'));
    expect([result, took, events]).toEqual([{ permitted: [], left: 0 }, 300, []]);
  });

  it('is not bounded for the phase active, and one tool is always asked about', async () => {
    const { permissions, events } = setup(slow(3_000, () => true));
    const { result, took } = await inTime(permissions.choose(subjects(600), Number.POSITIVE_INFINITY, 'active'));
    expect(result.permitted).toHaveLength(600);
    expect(took).toBe(9_000);
    expect((await inTime(permissions.allows(subject('a'), 'load'))).result).toBe(true);
    expect(events).toEqual([]);
  });
});
