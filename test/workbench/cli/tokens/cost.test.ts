import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cost, costOf, type Measured, paysFrom } from '../../../../src/workbench/cli/commands/tokens.ts';

const prices = { read: 0.1, write: 1.25 };
const conversation = { calls: 3, used: 1, prompt: 1_000 };
const LOAD = ['search', 'load'] as const;
const nothing: Measured = { definitions: 0, system: 0, preselected: 0, isHit: false, search: 0, load: 0, loaded: 0 };
const costOfAll = (definitions: number, of: typeof conversation): Cost =>
  costOf({ ...nothing, definitions }, [], of, prices);
const measured: Measured = {
  definitions: 300,
  system: 50,
  preselected: 0,
  isHit: false,
  search: 400,
  load: 60,
  loaded: 200,
};

describe('the cost of sending all', () => {
  it('is every definition with every call, read from the cache', () => {
    expect(costOfAll(10_000, conversation)).toEqual({ calls: 3, first: 11_000, tokens: 33_000, cached: 3_300 });
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
    const cost = costOf(measured, LOAD, conversation, prices);
    expect([cost.calls, cost.first, cost.tokens]).toEqual([5, 1_350, tokens]);
    expect(cost.cached).toBeCloseTo(cached, 6);
  });

  it('never changes the list where nothing is loaded, so that the cache holds', () => {
    const cost = costOf({ ...measured, loaded: 0, load: 0 }, ['search'], conversation, prices);
    expect(cost.calls).toBe(4);
    expect(cost.cached).toBeCloseTo(0.1 * (1_350 + 1_350 + 1_750 * 2) + 1.25 * 400, 6);
  });

  it('saves the calls of a search where the tool is preselected', () => {
    const costs = [false, true].map((isHit) =>
      costOf({ ...measured, preselected: 250, isHit }, LOAD, conversation, prices),
    );
    expect(costs.map(({ calls }) => calls)).toEqual([5, 3]);
    expect(costs.map(({ first }) => first)).toEqual([1_600, 1_600]);
  });

  it('is that of plain calls where no tool is used', () => {
    expect(costOf(measured, LOAD, { ...conversation, used: 0 }, prices)).toMatchObject({
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
      const cost = costOf(measured, LOAD, given, prices);
      let [plain, cached] = [1, 1];
      while (costOfAll(plain * tokens, given).tokens < cost.tokens) plain++;
      while (costOfAll(cached * tokens, given).cached < cost.cached - 1e-6) cached++;
      expect(paysFrom(cost.tokens, tokens, given)).toBe(plain);
      expect(Math.abs(paysFrom(cost.cached, tokens, given, prices.read) - cached)).toBeLessThanOrEqual(1);
    }),
  );
});
