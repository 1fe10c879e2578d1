import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import type { ToolSearchEvent, ToolSearchFilter, ToolSearchFilterArgs } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Reporter } from '../src/events.ts';
import { Policy, type PolicySubject } from '../src/policy.ts';
import { tool } from './support/harness.ts';

const shared = tool('shared');
const subject = (name: string): PolicySubject => ({ name, tool: shared });
const subjects = (count: number): PolicySubject[] => Array.from({ length: count }, (_, n) => subject(`tool_${n}`));
const namesOf = (found: readonly PolicySubject[]) => found.map(({ name }) => name);

function setup(filter?: unknown) {
  const events: ToolSearchEvent[] = [];
  return {
    events,
    policy: new Policy(filter as ToolSearchFilter | undefined, new Reporter((event) => events.push(event))),
  };
}

/** A filter with what it was asked, and how many questions were open at once. */
function counting(isAllowed: (name: string) => boolean) {
  const asked: string[] = [];
  let open = 0;
  const most = { atOnce: 0 };
  const filter: ToolSearchFilter = async ({ toolName }) => {
    asked.push(toolName);
    most.atOnce = Math.max(most.atOnce, ++open);
    await Promise.resolve();
    open--;
    return isAllowed(toolName);
  };
  return { filter, asked, most };
}

describe('without a filter', () => {
  it('everything is allowed, at once', async () => {
    const { policy } = setup();
    expect(policy.isOpen).toBe(true);
    expect(await policy.allows(subject('a'), 'active', undefined)).toBe(true);
    expect(namesOf(await policy.allowed(subjects(40), 'search', undefined))).toHaveLength(40);
    expect(namesOf(await policy.firstAllowed(subjects(40), 2, 'search', undefined))).toEqual(['tool_0', 'tool_1']);
  });
});

describe('a question', () => {
  it.each(['search', 'load', 'active'] as const)(
    'in phase %s has the name, the tool and the request context',
    async (phase) => {
      const filter = vi.fn(() => true);
      const { policy } = setup(filter);
      expect(policy.isOpen).toBe(false);
      const requestContext = new RequestContext();
      expect(await policy.allows({ name: 'called_so', tool: shared }, phase, requestContext)).toBe(true);
      expect(filter.mock.calls).toEqual([[{ toolName: 'called_so', tool: shared, phase, requestContext }]]);
      const [args] = filter.mock.calls[0] as unknown as [ToolSearchFilterArgs];
      expect(args.tool).toBe(shared);
      expect(args.requestContext).toBe(requestContext);
    },
  );

  it('has no requestContext at all where there is none', async () => {
    const filter = vi.fn(() => true);
    await setup(filter).policy.allows(subject('a'), 'load', undefined);
    expect(filter).toHaveBeenCalledWith({ toolName: 'a', tool: shared, phase: 'load' });
  });

  it('is asked anew each time: a right may be withdrawn', async () => {
    const answers = [true, false, true];
    const { policy } = setup(() => answers.shift());
    const ask = () => policy.allows(subject('a'), 'active', undefined);
    expect([await ask(), await ask(), await ask()]).toEqual([true, false, true]);
  });
});

describe('an answer', () => {
  it.each([false, 0, -0, Number.NaN, 0n, '', null, undefined])('of %s means no', async (answer) => {
    const { policy, events } = setup(() => answer);
    expect(await policy.allows(subject('a'), 'load', undefined)).toBe(false);
    expect(await setup(async () => answer).policy.allows(subject('a'), 'load', undefined)).toBe(false);
    expect(events).toEqual([]);
  });

  it.each([true, 1, 'yes', {}, []])('of %j means yes, as a plain true', async (answer) => {
    expect(await setup(() => answer).policy.allows(subject('a'), 'load', undefined)).toBe(true);
    expect(await setup(async () => answer).policy.allows(subject('a'), 'load', undefined)).toBe(true);
  });

  it('may be any thenable', async () => {
    // biome-ignore lint/suspicious/noThenProperty: promises of other libraries look like this.
    const thenable = { then: (resolve: (answer: boolean) => void) => resolve(false) };
    expect(await setup(() => thenable).policy.allows(subject('a'), 'load', undefined)).toBe(false);
  });
});

describe('a filter that fails', () => {
  const error = new Error('policy down');
  const failing = [
    {
      how: 'throws',
      filter: () => {
        throw error;
      },
    },
    { how: 'rejects', filter: () => Promise.reject(error) },
    {
      how: 'returns a thenable that throws',
      filter: () => ({
        // biome-ignore lint/suspicious/noThenProperty: promises of other libraries look like this.
        then() {
          throw error;
        },
      }),
    },
  ];

  it.each(failing)('denies and is reported when it $how', async ({ filter }) => {
    const { policy, events } = setup(filter);
    expect(await policy.allows(subject('a'), 'search', undefined)).toBe(false);
    expect(events).toEqual([{ type: 'filter-failed', toolName: 'a', phase: 'search', error }]);
  });

  it.each(failing)('costs the others nothing when it $how for one', async ({ filter }) => {
    const { policy, events } = setup((args: ToolSearchFilterArgs) => args.toolName !== 'tool_1' || filter());
    expect(namesOf(await policy.allowed(subjects(3), 'active', undefined))).toEqual(['tool_0', 'tool_2']);
    expect(events).toHaveLength(1);
  });

  it.each([{ thrown: undefined }, { thrown: null }, { thrown: 'down' }, { thrown: Symbol('down') }, { thrown: {} }])(
    'denies whatever it throws: $thrown',
    async ({ thrown }) => {
      const { policy, events } = setup(() => {
        throw thrown;
      });
      expect(await policy.allows(subject('a'), 'load', undefined)).toBe(false);
      expect(events).toEqual([{ type: 'filter-failed', toolName: 'a', phase: 'load', error: thrown }]);
    },
  );

  it.each([
    { why: 'without a prototype', thrown: Object.create(null) },
    {
      why: 'with a toString that throws',
      thrown: {
        toString: () => {
          throw new Error('no');
        },
      },
    },
    { why: 'with a message that is a symbol', thrown: Object.assign(new Error('x'), { message: Symbol('no') }) },
  ])('denies also when it throws an object $why', async ({ thrown }) => {
    const { policy } = setup(() => {
      throw thrown;
    });
    expect(await policy.allows(subject('a'), 'load', undefined)).toBe(false);
  });
});

describe('firstAllowed', () => {
  it('keeps the order, however long each answer takes', async () => {
    const late: (() => void)[] = [];
    const filter: ToolSearchFilter = ({ toolName }) =>
      new Promise((resolve) => {
        late.push(() => resolve(toolName !== 'tool_1'));
        if (late.length === 4) for (const answer of late.reverse()) answer();
      });
    const found = await setup(filter).policy.firstAllowed(subjects(4), 4, 'search', undefined);
    expect(namesOf(found)).toEqual(['tool_0', 'tool_2', 'tool_3']);
  });

  it('returns the subjects themselves', async () => {
    const entry = { ...subject('a'), score: 3 };
    expect((await setup(() => true).policy.firstAllowed([entry], 1, 'search', undefined))[0]).toBe(entry);
  });

  it('asks for no more tools than could be needed', async () => {
    const { filter, asked } = counting(() => true);
    await setup(filter).policy.firstAllowed(subjects(100), 5, 'search', undefined);
    expect(asked).toHaveLength(5);
  });

  it('goes on after denials, for as many as are still missing', async () => {
    const { filter, asked } = counting((name) => Number(name.slice(5)) >= 3);
    const found = await setup(filter).policy.firstAllowed(subjects(100), 5, 'search', undefined);
    expect(namesOf(found)).toEqual(['tool_3', 'tool_4', 'tool_5', 'tool_6', 'tool_7']);
    expect(asked).toHaveLength(8);
  });

  it('reads no further than it needs: ranking a match may cost something', async () => {
    let read = 0;
    function* endless(): Iterable<PolicySubject> {
      for (;;) yield subject(`tool_${read++}`);
    }
    for (const { policy } of [setup(), setup(() => true)]) {
      read = 0;
      expect(await policy.firstAllowed(endless(), 5, 'search', undefined)).toHaveLength(5);
      expect(read).toBeLessThanOrEqual(6);
    }
  });

  it('asks at most 16 at once', async () => {
    const { filter, asked, most } = counting(() => true);
    expect(await setup(filter).policy.allowed(subjects(100), 'search', undefined)).toHaveLength(100);
    expect(asked).toEqual(namesOf(subjects(100)));
    expect(most.atOnce).toBe(16);
  });

  it.each([{ limit: 0 }, { limit: -1 }])('finds and asks nothing for a limit of $limit', async ({ limit }) => {
    const { filter, asked } = counting(() => true);
    expect(await setup(filter).policy.firstAllowed(subjects(3), limit, 'search', undefined)).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('finds nothing among nothing', async () => {
    expect(await setup(() => true).policy.allowed([], 'search', undefined)).toEqual([]);
  });

  it('finds what asking one after the other would find', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        async (answers, limit) => {
          const all = answers.map((_, n) => subject(`tool_${n}`));
          const expected = all.filter((_, n) => answers[n]).slice(0, limit);
          const { filter, asked, most } = counting((name) => answers[Number(name.slice(5))] === true);
          expect(await setup(filter).policy.firstAllowed(all, limit, 'search', undefined)).toEqual(expected);
          expect(new Set(asked).size).toBe(asked.length);
          expect(most.atOnce).toBeLessThanOrEqual(Math.min(16, limit));
          // One after the other, it would stop at the last one it needs; in parallel it may not ask for more either.
          if (expected.length === limit) expect(asked.at(-1)).toBe(expected.at(-1)?.name);
        },
      ),
    );
  });
});

it('allowed asks for each subject once, in the phase it is given', async () => {
  const asked: string[] = [];
  const { policy } = setup(({ toolName, phase }: ToolSearchFilterArgs) => {
    asked.push(`${phase} ${toolName}`);
    return toolName !== 'tool_1';
  });
  expect(namesOf(await policy.allowed(subjects(3), 'active', undefined))).toEqual(['tool_0', 'tool_2']);
  expect(asked).toEqual(['active tool_0', 'active tool_1', 'active tool_2']);
});
