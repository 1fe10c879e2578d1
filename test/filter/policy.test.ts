import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchFilterArgs } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { namesOf, setup, shared, subject, subjects } from './permissions-setup.ts';

describe('a policy without a filter', () => {
  it('allows everything at once', async () => {
    const { policy, permissions } = setup();
    expect(policy.isOpen).toBe(true);
    expect(await permissions.allows(subject('a'), 'active')).toBe(true);
    expect(namesOf(await permissions.allowed(subjects(40), 'search'))).toHaveLength(40);
    expect(namesOf(await permissions.allowed(subjects(40), 'search', 2))).toEqual(['tool_0', 'tool_1']);
    expect(await permissions.allowed(subjects(40), 'search', 0)).toEqual([]);
  });
});

describe('the filter', () => {
  it.each(['search', 'load', 'active'] as const)(
    'is asked in phase %s with the names, the tool and the request context',
    async (phase) => {
      const filter = vi.fn(() => true);
      const requestContext = new RequestContext();
      const { policy, permissions } = setup(filter, { requestContext });
      expect(policy.isOpen).toBe(false);
      expect(await permissions.allows({ name: 'called_so', tool: shared }, phase)).toBe(true);
      const names = { toolName: 'called_so', callableName: 'called_so' };
      expect(filter.mock.calls).toEqual([[{ ...names, tool: shared, phase, requestContext }]]);
      const [args] = filter.mock.calls[0] as unknown as [ToolSearchFilterArgs];
      expect(args.tool).toBe(shared);
      expect(args.requestContext).toBe(requestContext);
    },
  );

  it('is asked without the key requestContext where a request has none', async () => {
    const filter = vi.fn(() => true);
    await setup(filter).permissions.allows(subject('a'), 'load');
    expect(filter).toHaveBeenCalledWith({ toolName: 'a', callableName: 'a', tool: shared, phase: 'load' });
  });
});

describe('an answer of the filter', () => {
  it.each([false, 0, -0, Number.NaN, 0n, '', null, undefined])('denies as %s', async (answer) => {
    const { permissions, events } = setup(() => answer);
    expect(await permissions.allows(subject('a'), 'load')).toBe(false);
    expect(await setup(async () => answer).permissions.allows(subject('a'), 'load')).toBe(false);
    expect(events).toEqual([]);
  });

  it.each([true, 1, 'yes', {}, [], () => {}])('allows as %j', async (answer) => {
    expect(await setup(() => answer).permissions.allows(subject('a'), 'load')).toBe(true);
    expect(await setup(async () => answer).permissions.allows(subject('a'), 'load')).toBe(true);
  });

  it.each([{}, () => true])('may be any thenable, also one that can be called', async (base) => {
    const answering = (answer: boolean) =>
      // biome-ignore lint/suspicious/noThenProperty: promises of other libraries look like this.
      Object.assign(base, { then: (resolve: (answer: boolean) => void) => resolve(answer) });
    for (const answer of [false, true]) {
      expect(await setup(() => answering(answer)).permissions.allows(subject('a'), 'load')).toBe(answer);
    }
  });
});

describe('a filter that fails', () => {
  const error = new Error('policy down');
  const fail = () => {
    throw error;
  };
  const failing = [
    { how: 'throws', filter: fail },
    { how: 'rejects', filter: () => Promise.reject(error) },
    // biome-ignore lint/suspicious/noThenProperty: promises of other libraries look like this.
    { how: 'returns a thenable that throws', filter: () => ({ then: fail }) },
    { how: 'returns what cannot be looked at', filter: () => Object.defineProperty({}, 'then', { get: fail }) },
  ];

  it.each(failing)('denies and is reported when it $how', async ({ filter }) => {
    const { permissions, events } = setup(filter);
    expect(await permissions.allows(subject('a'), 'search')).toBe(false);
    expect(events).toEqual([{ type: 'filter-failed', toolName: 'a', phase: 'search', error }]);
  });

  it.each(failing)('denies only the one tool for which it $how', async ({ filter }) => {
    const { permissions, events } = setup((args: ToolSearchFilterArgs) => args.toolName !== 'tool_1' || filter());
    expect(namesOf(await permissions.allowed(subjects(3), 'active'))).toEqual(['tool_0', 'tool_2']);
    expect(events).toHaveLength(1);
  });

  it.each([{ thrown: undefined }, { thrown: null }, { thrown: 'down' }, { thrown: Symbol('down') }, { thrown: {} }])(
    'denies whatever it throws: $thrown',
    async ({ thrown }) => {
      const { permissions, events } = setup(() => {
        throw thrown;
      });
      expect(await permissions.allows(subject('a'), 'load')).toBe(false);
      expect(events).toEqual([{ type: 'filter-failed', toolName: 'a', phase: 'load', error: thrown }]);
    },
  );

  it.each([
    { why: 'without a prototype', thrown: Object.create(null) },
    { why: 'with a toString that throws', thrown: { toString: fail } },
    { why: 'with a message that is a symbol', thrown: Object.assign(new Error('x'), { message: Symbol('no') }) },
  ])('denies when it throws an object $why', async ({ thrown }) => {
    const { permissions } = setup(() => {
      throw thrown;
    });
    expect(await permissions.allows(subject('a'), 'load')).toBe(false);
  });
});

describe('Policy.allowsCall()', () => {
  it('asks the filter anew for each call, phase after phase, until one denies', async () => {
    const asked: string[] = [];
    let denied: string | undefined;
    const { policy } = setup(({ phase }: ToolSearchFilterArgs) => {
      asked.push(phase);
      return phase !== denied;
    });
    expect(await policy.allowsCall(subject('a'), ['active', 'load'], {})).toBe(true);
    expect(await policy.allowsCall(subject('a'), ['active'], {})).toBe(true);
    denied = 'active';
    expect(await policy.allowsCall(subject('a'), ['active', 'load'], {})).toBe(false);
    expect(asked).toEqual(['active', 'load', 'active', 'active']);
  });

  it('throws the reason of the abort when the run is aborted, and reports nothing', async () => {
    const abort = new AbortController();
    const { policy, events } = setup(() => new Promise(() => {}));
    const allowed = policy.allowsCall(subject('a'), ['active'], { abortSignal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(allowed).rejects.toThrow('enough');
    expect(events).toEqual([]);
  });
});

describe('a filter that never returns anything', () => {
  const doubtsAfter = (answers: readonly unknown[]): string[] => {
    const { policy, events } = setup();
    for (const answer of answers) policy.noteAnswer(answer);
    return events.map((event) => (event.type === 'option-doubt' && event.option === 'filter' ? event.message : ''));
  };
  const nothing = (count: number): readonly unknown[] => Array(count).fill(undefined);

  it('is doubted once, after 20 answers', () => {
    const doubt = expect.stringMatching(/undefined 20 times .* "return" missing/);
    expect([19, 20, 100].map((count) => doubtsAfter(nothing(count)))).toEqual([[], [doubt], [doubt]]);
  });

  it('is not doubted where it ever answered, before or meanwhile', () => {
    for (const answer of [false, true, null]) {
      expect(doubtsAfter([answer, ...nothing(100)])).toEqual([]);
      expect(doubtsAfter([...nothing(19), answer, ...nothing(100)])).toEqual([]);
    }
  });
});
