import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Eviction, type EvictionRequest, makeRoom, type Uses } from '../../src/loaded/eviction.ts';

const NO_LIMIT = Number.POSITIVE_INFINITY;
const UNUSED: ReadonlyMap<string, number> = new Map();

/** Every tool costs ten tokens, unless its name ends with what it costs. */
const tokensOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 10);

function room(request: Partial<EvictionRequest & Uses> & { tools?: number; tokens?: number }): Eviction {
  const { tools = NO_LIMIT, tokens = NO_LIMIT, lastUse = UNUSED, needed = new Set(), ...rest } = request;
  const caps = { tools, tokens };
  return makeRoom({ loaded: [], added: [], caps, tokensOf, uses: () => ({ lastUse, needed }), ...rest });
}

describe('Eviction', () => {
  it.each([
    { why: 'there is room', tools: 4, used: [], evicted: [] },
    { why: 'of tools that were never used, the oldest load', tools: 3, used: [], evicted: ['a'] },
    { why: 'what was never used goes first', tools: 3, used: ['a', 'b'], evicted: ['c'] },
    { why: 'then the least recently used', tools: 2, used: ['b', 'a'], evicted: ['c', 'b'] },
    { why: 'the order of use, not of loads', tools: 2, used: ['c', 'a', 'b'], evicted: ['c', 'a'] },
    { why: 'everything', tools: 1, used: ['c', 'b', 'a'], evicted: ['c', 'b', 'a'] },
  ])('removes $evicted of a, b, c when d is loaded: $why', ({ tools, used, evicted }) => {
    const lastUse = new Map(used.map((name, position) => [name, position + 1]));
    expect(room({ loaded: ['a', 'b', 'c'], added: ['d'], tools, lastUse })).toEqual({
      accepted: ['d'],
      evicted,
      leftOut: [],
    });
  });

  it('never removes a tool that is needed, though it was never used', () => {
    expect(room({ loaded: ['a', 'b'], added: ['c'], tools: 2, needed: new Set(['a']) }).evicted).toEqual(['b']);
  });

  it('removes as many small tools as the tokens of a large one take', () => {
    const loaded = ['a5', 'b5', 'c5', 'd50'];
    expect(room({ loaded, added: ['e14'], tokens: 70 }).evicted).toEqual(['a5', 'b5']);
  });

  it('removes what is above the caps also when nothing is loaded', () => {
    expect(room({ loaded: ['a', 'b', 'c'], tools: 1 })).toEqual({ accepted: [], evicted: ['a', 'b'], leftOut: [] });
    expect(room({ loaded: ['a40', 'b40'], tokens: 79 }).evicted).toEqual(['a40']);
  });
});

describe('a load within the caps', () => {
  it.each([
    { why: 'the first ones fit', tools: 2, added: ['a', 'b', 'c'], accepted: ['a', 'b'], leftOut: ['c'] },
    { why: 'fractions count down', tools: 2.9, added: ['a', 'b', 'c'], accepted: ['a', 'b'], leftOut: ['c'] },
    {
      why: 'a smaller one behind still fits',
      tokens: 30,
      added: ['a20', 'b20', 'c5'],
      accepted: ['a20', 'c5'],
      leftOut: ['b20'],
    },
    { why: 'one alone is too large', tokens: 30, added: ['a31'], accepted: [], leftOut: ['a31'] },
    { why: 'exactly full', tokens: 30, added: ['a30'], accepted: ['a30'], leftOut: [] },
  ])(
    'accepts $accepted of $added: $why',
    ({ why: _, tools = NO_LIMIT, tokens = NO_LIMIT, added, accepted, leftOut }) => {
      expect(room({ tools, tokens, added })).toEqual({ accepted, evicted: [], leftOut });
    },
  );

  it('accepts nothing when needed tools fill the caps', () => {
    const needed = new Set(['a', 'b']);
    expect(room({ loaded: ['a', 'b', 'c'], added: ['d'], tools: 2, needed })).toEqual({
      accepted: [],
      evicted: ['c'],
      leftOut: ['d'],
    });
    expect(room({ loaded: ['a', 'b'], added: [], tools: 1, needed }).evicted).toEqual([]);
  });

  it('removes nothing for a tool that finds no room at all', () => {
    expect(room({ loaded: ['a', 'b'], added: ['c99'], tokens: 50 })).toEqual({
      accepted: [],
      evicted: [],
      leftOut: ['c99'],
    });
  });
});

it('asks for uses only when something has to go, and for costs only where tokens are capped', () => {
  const never = (): never => {
    throw new Error('not asked');
  };
  expect(room({ loaded: ['a'], added: ['b'], tools: 2, uses: never, tokensOf: never }).accepted).toEqual(['b']);
  expect(() => room({ loaded: ['a'], added: ['b'], tools: 1, uses: never })).toThrow('not asked');
});

it('looks at each of 20,000 tools fewer than four times', () => {
  let looks = 0;
  const many = Array.from({ length: 20_000 }, (_, n) => `t${n}`);
  const counted = (): number => {
    looks += 1;
    return 1;
  };
  const { evicted } = room({ loaded: many, added: ['one'], tokens: 10, tokensOf: counted });
  expect(evicted).toHaveLength(19_991);
  expect(looks).toBeLessThan(4 * many.length);
});

describe('eviction for any loads, caps, costs and uses', () => {
  const names = Array.from({ length: 10 }, (_, n) => `t${n}`);
  const cap = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(NO_LIMIT));
  const requests = fc
    .record({
      order: fc.shuffledSubarray(names),
      split: fc.nat({ max: 10 }),
      caps: fc.record({ tools: cap, tokens: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(NO_LIMIT)) }),
      costs: fc.array(fc.nat({ max: 15 }), { minLength: 10, maxLength: 10 }),
      used: fc.shuffledSubarray(names),
      needed: fc.subarray(names),
    })
    .map(({ order, split, caps, costs, used, needed }): EvictionRequest & Uses => {
      const uses = { lastUse: new Map(used.map((name, position) => [name, position + 1])), needed: new Set(needed) };
      return {
        loaded: order.slice(0, split),
        added: order.slice(split),
        caps,
        tokensOf: (name) => costs[names.indexOf(name)] ?? 0,
        uses: () => uses,
        ...uses,
      };
    });
  const fits = ({ caps, tokensOf: cost }: EvictionRequest, list: readonly string[]): boolean =>
    list.length <= caps.tools && list.reduce((sum, name) => sum + cost(name), 0) <= caps.tokens;
  const holds = (check: (request: EvictionRequest & Uses, made: Eviction) => void): void =>
    fc.assert(
      fc.property(requests, (request) => check(request, makeRoom(request))),
      { numRuns: 1_000 },
    );
  const remaining = ({ loaded }: EvictionRequest, { accepted, evicted }: Eviction): string[] => [
    ...loaded.filter((name) => !evicted.includes(name)),
    ...accepted,
  ];
  const staying = ({ loaded, needed }: EvictionRequest & Uses): string[] => loaded.filter((name) => needed.has(name));

  it('stays within the caps, unless the needed tools alone exceed them', () => {
    holds((request, made) => {
      if (fits(request, staying(request))) expect(fits(request, remaining(request, made))).toBe(true);
      else expect(remaining(request, made)).toEqual(staying(request));
    });
  });

  it('splits the added tools into accepted and left out, each in the order asked', () => {
    holds(({ added }, { accepted, leftOut }) => {
      expect([...accepted, ...leftOut].sort()).toEqual([...added].sort());
      expect(added.filter((name) => accepted.includes(name))).toEqual(accepted);
      expect(added.filter((name) => leftOut.includes(name))).toEqual(leftOut);
    });
  });

  it('removes the least recently used tools, no needed one, and no more than necessary', () => {
    holds((request, made) => {
      const { loaded, lastUse, needed } = request;
      const age = (name: string): [number, number] => [lastUse.get(name) ?? 0, loaded.indexOf(name)];
      const byAge = loaded
        .filter((name) => !needed.has(name))
        .sort((one, other) => age(one)[0] - age(other)[0] || age(one)[1] - age(other)[1]);
      // The shortest beginning of that list without which the rest fits.
      const enough = [...byAge, undefined].findIndex((_, count) =>
        fits(request, [...staying(request), ...byAge.slice(count), ...made.accepted]),
      );
      expect(made.evicted).toEqual(byAge.slice(0, enough === -1 ? byAge.length : enough));
    });
  });

  it('leaves out only what finds no room beside needed tools and earlier additions', () => {
    holds((request, { accepted, leftOut }) => {
      for (const name of leftOut) {
        const earlier = accepted.filter((other) => request.added.indexOf(other) < request.added.indexOf(name));
        expect(fits(request, [...staying(request), ...earlier, name])).toBe(false);
      }
    });
  });

  it('changes nothing without caps', () => {
    holds((request) => {
      const made = makeRoom({ ...request, caps: { tools: NO_LIMIT, tokens: NO_LIMIT } });
      expect(made).toEqual({ accepted: request.added, evicted: [], leftOut: [] });
    });
  });

  it('leaves its request unchanged', () => {
    holds((request) => {
      const frozen = {
        ...request,
        loaded: Object.freeze([...request.loaded]),
        added: Object.freeze([...request.added]),
      };
      expect(() => makeRoom(frozen)).not.toThrow();
    });
  });
});
