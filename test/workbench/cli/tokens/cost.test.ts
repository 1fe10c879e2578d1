import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AssumedConversation,
  costOfAll,
  costOfMode,
  type Measured,
  type MeasuredMode,
  paysFrom,
} from '../../../../src/workbench/cli/costs.ts';

const prices = { read: 0.1, write: 1.25 };
const conversation: AssumedConversation = { calls: 3, used: 1, prompt: 1_000 };
const load: MeasuredMode = { name: 'load', options: {}, adds: ['search', 'load'] };
const measured: Measured = {
  definitions: 300,
  system: 50,
  preselected: 0,
  hits: 0,
  search: 400,
  load: 60,
  loaded: 200,
};

describe('the cost of sending all', () => {
  it('is every definition with every call, read from the cache', () => {
    expect(costOfAll(10_000, conversation, prices)).toEqual({ calls: 3, first: 11_000, tokens: 33_000, cached: 3_300 });
  });
});

describe('the cost of a mode', () => {
  it('counts each request: what is searched stays in the history, what is loaded in the list', () => {
    const requests = [
      [300, 1_050],
      [300, 1_450],
      [500, 1_510],
      [500, 1_510],
      [500, 1_510],
    ] as const;
    const tokens = requests.reduce((sum, [list, rest]) => sum + list + rest, 0);
    // All known; the result is new; the list changed, so that what is behind it is written anew; all known, twice.
    const cached = 0.1 * 1_350 + (0.1 * 1_350 + 1.25 * 400) + (0.1 * 300 + 1.25 * 1_710) + 2 * 0.1 * 2_010;
    const cost = costOfMode(load, measured, conversation, prices);
    expect([cost.calls, cost.first, cost.tokens]).toEqual([5, 1_350, tokens]);
    expect(cost.cached).toBeCloseTo(cached, 6);
  });

  it('never changes the list where nothing is loaded, so that the cache holds', () => {
    const call: MeasuredMode = { name: 'call', options: {}, adds: ['search'] };
    const cost = costOfMode(call, { ...measured, loaded: 0, load: 0 }, conversation, prices);
    expect(cost.calls).toBe(4);
    expect(cost.cached).toBeCloseTo(0.1 * (1_350 + 1_350 + 1_750 * 2) + 1.25 * 400, 6);
  });

  it('saves the calls of a search as often as the tool is preselected', () => {
    const preselected = { ...measured, preselected: 250 };
    const costs = [0, 0.5, 1].map((hits) => costOfMode(load, { ...preselected, hits }, conversation, prices));
    expect(costs.map(({ calls }) => calls)).toEqual([5, 4, 3]);
    expect(costs.map(({ first }) => first)).toEqual([1_600, 1_600, 1_600]);
    expect(costs[1]?.tokens).toBeCloseTo(((costs[0]?.tokens ?? 0) + (costs[2]?.tokens ?? 0)) / 2, 6);
  });

  it('is that of plain calls where no tool is used', () => {
    expect(costOfMode(load, measured, { ...conversation, used: 0 }, prices)).toMatchObject({
      calls: 3,
      tokens: 3 * 1_350,
    });
  });
});

it('tells the number of tools from which a mode reads less, as counting up does', () => {
  const each = fc.integer({ min: 20, max: 500 });
  const small = fc.integer({ min: 1, max: 6 });
  fc.assert(
    fc.property(each, small, small, fc.integer({ min: 0, max: 20_000 }), (tokens, calls, used, prompt) => {
      const given = { calls, used: Math.min(used, calls), prompt };
      const cost = costOfMode(load, measured, given, prices);
      let [plain, cached] = [1, 1];
      while (costOfAll(plain * tokens, given, prices).tokens < cost.tokens) plain++;
      while (costOfAll(cached * tokens, given, prices).cached < cost.cached - 1e-6) cached++;
      expect(paysFrom(cost.tokens, tokens, given)).toBe(plain);
      expect(Math.abs(paysFrom(cost.cached, tokens, given, prices.read) - cached)).toBeLessThanOrEqual(1);
    }),
  );
});
