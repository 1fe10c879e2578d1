import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import type { ToolSearchFilterArgs } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import {
  counting,
  indexOf,
  namesOf,
  type PolicySubject,
  setup,
  shared,
  subject,
  subjects,
} from './permissions-setup.ts';

describe('Permissions.allowed()', () => {
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

  it('asks about no tool behind the last one wanted, and reads the ranking no further, as that may cost something', async () => {
    let read = 0;
    function* endless(): Iterable<PolicySubject> {
      for (;;) yield subject(`tool_${read++}`);
    }
    for (const filter of [undefined, () => true, async () => true]) {
      read = 0;
      expect(await setup(filter).permissions.allowed(endless(), 'search', 5)).toHaveLength(5);
      expect(read).toBeLessThanOrEqual(6);
    }
    const filter = vi.fn(({ toolName }: { toolName: string }) => indexOf(toolName) % 7 === 3);
    await setup(filter).permissions.allowed(subjects(10_000), 'search', 5);
    expect(filter).toHaveBeenCalledTimes(32);
  });

  it('keeps 256 questions open at most, however many searches of a request ask', async () => {
    const { filter, asked, most } = counting((name) => indexOf(name) % 2 === 0);
    const { permissions } = setup(filter);
    const all = subjects(4_000);
    const parts = [0, 1, 2, 3, 4].map((part) => all.slice(part * 800, part * 800 + 800));
    const found = await Promise.all(parts.map((part) => permissions.allowed(part, 'search')));
    expect(namesOf(found.flat())).toEqual(namesOf(all).filter((name) => indexOf(name) % 2 === 0));
    expect([asked.length, most.atOnce]).toEqual([4_000, 256]);
  });

  it('returns and asks nothing for no place and no tools', async () => {
    const { filter, asked } = counting(() => true);
    const { permissions } = setup(filter);
    for (const limit of [0, -1]) expect(await permissions.allowed(subjects(3), 'search', limit)).toEqual([]);
    expect(await permissions.allowed([], 'search')).toEqual([]);
    expect(asked).toEqual([]);
    expect(await setup().permissions.allowed(subjects(40), 'search', 0)).toEqual([]);
  });
});

describe('the filter', () => {
  it.each(['search', 'load', 'active'] as const)('is asked in phase %s for a tool and a request', async (phase) => {
    const filter = vi.fn(() => true);
    const requestContext = new RequestContext();
    expect(await setup(filter, { requestContext }).permissions.allows(subject('a'), phase)).toBe(true);
    await setup(filter).permissions.allows(subject('a'), phase);
    const asked = { toolName: 'a', callableName: 'a', tool: shared, phase };
    expect(filter.mock.calls).toStrictEqual([[{ ...asked, requestContext }], [asked]]);
  });

  /** Whether an answer allows, given at once, later, or by another kind of promise. */
  const verdicts = (answer: unknown) => {
    // biome-ignore lint/suspicious/noThenProperty: promises of other libraries look like this.
    const thenable = Object.assign(() => {}, { then: (resolve: (answer: unknown) => void) => resolve(answer) });
    const filters = [() => answer, async () => answer, () => thenable];
    return Promise.all(filters.map((filter) => setup(filter).permissions.allows(subject('a'), 'load')));
  };

  it('denies by what is false, and allows by anything else', async () => {
    for (const no of [false, 0, Number.NaN, 0n, '', null, undefined])
      expect(await verdicts(no)).toEqual([false, false, false]);
    for (const yes of [true, 1, 'yes', {}, [], () => {}]) expect(await verdicts(yes)).toEqual([true, true, true]);
  });

  const error = new Error('policy down');
  const fail = () => {
    throw error;
  };
  it.each([
    { how: 'throws', filter: fail },
    { how: 'rejects', filter: () => Promise.reject(error) },
    // biome-ignore lint/suspicious/noThenProperty: promises of other libraries look like this.
    { how: 'returns a thenable that throws', filter: () => ({ then: fail }) },
    { how: 'returns what cannot be looked at', filter: () => Object.defineProperty({}, 'then', { get: fail }) },
  ])('denies the one tool for which it $how, which is reported', async ({ filter }) => {
    const { permissions, events } = setup((args: ToolSearchFilterArgs) => args.toolName !== 'tool_1' || filter());
    expect(namesOf(await permissions.allowed(subjects(3), 'active'))).toEqual(['tool_0', 'tool_2']);
    expect(events).toEqual([{ type: 'filter-failed', toolName: 'tool_1', phase: 'active', error }]);
  });

  it('denies whatever it throws', async () => {
    const odd = [undefined, null, 'down', Symbol('down'), Object.create(null), { toString: fail }];
    for (const thrown of [...odd, Object.assign(new Error('x'), { message: Symbol('no') })]) {
      const { permissions, events } = setup(() => {
        throw thrown;
      });
      expect(await permissions.allows(subject('a'), 'load')).toBe(false);
      expect(events).toEqual([{ type: 'filter-failed', toolName: 'a', phase: 'load', error: thrown }]);
    }
  });
});

it('a call may run where each phase allows it now, one asked after the other, and throws the reason of an abort', async () => {
  const asked: string[] = [];
  let denied: string | undefined;
  const { policy, events } = setup(({ phase }: ToolSearchFilterArgs) => {
    asked.push(phase);
    return denied === 'none ever answers' ? new Promise(() => {}) : phase !== denied;
  });
  expect(await policy.allowsCall(subject('a'), ['active', 'load'], {})).toBe(true);
  denied = 'active';
  expect(await policy.allowsCall(subject('a'), ['active', 'load'], {})).toBe(false);
  expect(asked).toEqual(['active', 'load', 'active']);
  denied = 'none ever answers';
  const abort = new AbortController();
  const allowed = policy.allowsCall(subject('a'), ['active'], { abortSignal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(allowed).rejects.toThrow('enough');
  expect(events).toEqual([]);
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
