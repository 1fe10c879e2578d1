import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Eviction, type EvictionRequest, makeRoom, type Uses } from '../../src/loaded/eviction.ts';

const NO_LIMIT = Number.POSITIVE_INFINITY;

interface Room {
  readonly loaded?: string[];
  readonly added?: string[];
  readonly tools?: number;
  readonly tokens?: number;
  /** In the order of use. */
  readonly used?: string[];
  readonly needed?: string[];
}
const usesOf = (used: readonly string[], needed: readonly string[]): Uses => ({
  lastUse: new Map(used.map((name, position) => [name, position + 1])),
  needed: new Set(needed),
});

/** Every tool costs ten tokens, unless its name ends with what it costs. */
const tokensOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 10);
function room({ used = [], needed = [], tools = NO_LIMIT, tokens = NO_LIMIT, ...names }: Room, changes: object = {}) {
  const request = { loaded: [], added: [], caps: { tools, tokens }, tokensOf, ...names };
  return makeRoom({ ...request, uses: () => usesOf(used, needed), ...changes });
}

const full = { loaded: ['a', 'b', 'c'], added: ['d'] };

// Any loads, caps and uses are below; these say what the rules are.
it.each<[why: string, of: Room, made: Partial<Eviction>]>([
  ['what was never used goes first', { ...full, tools: 3, used: ['a', 'b'] }, { evicted: ['c'] }],
  ['then the order of use, not of loads', { ...full, tools: 2, used: ['c', 'a', 'b'] }, { evicted: ['c', 'a'] }],
  ['of what was never used, the oldest load', { ...full, tools: 3 }, { evicted: ['a'] }],
  ['nothing needs to be added', { loaded: ['a40', 'b40'], tokens: 79 }, { evicted: ['a40'] }],
  ['fractions count down', { added: ['a', 'b'], tools: 1.9 }, { accepted: ['a'], leftOut: ['b'] }],
  ['exactly full', { added: ['a30'], tokens: 30 }, { accepted: ['a30'] }],
  ['nothing goes for what finds no room', { loaded: ['a'], added: ['c99'], tokens: 50 }, { evicted: [] }],
])('makeRoom(): %s', (_, of, made) => {
  expect(room(of)).toMatchObject(made);
});

it('asks for uses only when something has to go, and for costs only where tokens are capped', () => {
  const never = (): never => {
    throw new Error('not asked');
  };
  const names = { loaded: ['a'], added: ['b'] };
  expect(room({ ...names, tools: 2 }, { uses: never, tokensOf: never }).accepted).toEqual(['b']);
  expect(() => room({ ...names, tools: 1 }, { uses: never })).toThrow('not asked');
});

it('looks at each of 20,000 tools fewer than four times', () => {
  let looks = 0;
  const loaded = Array.from({ length: 20_000 }, (_, n) => `t${n}`);
  const counted = (): number => {
    looks += 1;
    return 1;
  };
  expect(room({ loaded, added: ['one'], tokens: 10 }, { tokensOf: counted }).evicted).toHaveLength(19_991);
  expect(looks).toBeLessThan(4 * loaded.length);
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
      const uses = usesOf(used, needed);
      return {
        loaded: Object.freeze(order.slice(0, split)),
        added: Object.freeze(order.slice(split)),
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
});
