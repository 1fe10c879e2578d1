import fc from 'fast-check';
import type { ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { counting, indexOf, namesOf, type PolicySubject, setup, subject, subjects } from './permissions-setup.ts';

describe('Permissions.allowed()', () => {
  it('returns the allowed tools in the order given, however long each answer takes', async () => {
    const late: (() => void)[] = [];
    const filter: ToolSearchFilter = ({ toolName }) =>
      new Promise((resolve) => {
        late.push(() => resolve(toolName !== 'tool_1'));
        if (late.length === 4) for (const answer of late.reverse()) answer();
      });
    const found = await setup(filter).permissions.allowed(subjects(4), 'search', 4);
    expect(namesOf(found)).toEqual(['tool_0', 'tool_2', 'tool_3']);
  });

  it('returns the very subjects that it was given', async () => {
    const entry = { ...subject('a'), score: 3 };
    expect((await setup(() => true).permissions.allowed([entry], 'search', 1))[0]).toBe(entry);
  });

  it.each([
    { allowed: 0, wanted: 5, asked: 5, why: 'those that are wanted are all allowed' },
    { allowed: 3, wanted: 5, asked: 5 + 16, why: 'then a window of 16' },
    { allowed: 30, wanted: 5, asked: 5 + 16 + 32, why: 'then twice as many each' },
    { allowed: 9_990, wanted: 10, asked: 10_000, why: 'up to all' },
    { allowed: 100, wanted: 100, asked: 100 + 200, why: 'many are wanted' },
  ])(
    'asks about $asked tools when $wanted are wanted and number $allowed is the first allowed one: $why',
    async ({ allowed, wanted, asked }) => {
      const count = counting((name) => indexOf(name) >= allowed);
      const found = await setup(count.filter).permissions.allowed(subjects(10_000), 'search', wanted);
      expect(namesOf(found)).toEqual(namesOf(subjects(allowed + wanted).slice(allowed)));
      expect(count.asked).toHaveLength(asked);
    },
  );

  it('asks a filter that answers at once about no tool behind the last one wanted', async () => {
    const filter = vi.fn(({ toolName }: { toolName: string }) => indexOf(toolName) % 7 === 3);
    const found = await setup(filter).permissions.allowed(subjects(10_000), 'search', 5);
    expect(namesOf(found)).toEqual(['tool_3', 'tool_10', 'tool_17', 'tool_24', 'tool_31']);
    expect(filter).toHaveBeenCalledTimes(32);
  });

  it('reads the ranking no further than it needs, as ranking may cost something', async () => {
    let read = 0;
    function* endless(): Iterable<PolicySubject> {
      for (;;) yield subject(`tool_${read++}`);
    }
    for (const filter of [undefined, () => true, async () => true]) {
      read = 0;
      expect(await setup(filter).permissions.allowed(endless(), 'search', 5)).toHaveLength(5);
      expect(read).toBeLessThanOrEqual(6);
    }
  });

  it('keeps 256 questions open at most while it asks about a list of 10,000 tools', async () => {
    const { filter, asked, most } = counting(() => false);
    expect(await setup(filter).permissions.allowed(subjects(10_000), 'search')).toEqual([]);
    expect(asked).toEqual(namesOf(subjects(10_000)).map((name) => `search ${name}`));
    expect(most.atOnce).toBe(256);
  });

  it('keeps 256 questions open at most, however many searches of a request ask', async () => {
    const { filter, asked, most } = counting((name) => indexOf(name) % 2 === 0);
    const { permissions } = setup(filter);
    const all = subjects(4_000);
    const parts = [0, 1, 2, 3, 4].map((part) => all.slice(part * 800, part * 800 + 800));
    const found = await Promise.all(parts.map((part) => permissions.allowed(part, 'search')));
    expect(namesOf(found.flat())).toEqual(namesOf(all).filter((name) => indexOf(name) % 2 === 0));
    expect(asked).toHaveLength(4_000);
    expect(most.atOnce).toBe(256);
  });

  it.each([{ limit: 0 }, { limit: -1 }])(
    'returns nothing and asks nothing for a limit of $limit',
    async ({ limit }) => {
      const { filter, asked } = counting(() => true);
      expect(await setup(filter).permissions.allowed(subjects(3), 'search', limit)).toEqual([]);
      expect(asked).toEqual([]);
    },
  );

  it('returns nothing for an empty list', async () => {
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

it('finds what asking one tool after the other would find, asks about each once, and about hardly more than needed', async () => {
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
        const found = await Promise.all(limits.map((limit) => permissions.allowed(all, 'search', limit)));
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
        expect(await permissions.allowed(all, 'search', widest)).toEqual(all.filter(isYes).slice(0, widest));
        for (const question of asked.slice(before)) expect(faulty(question.replace('search ', ''))).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});
