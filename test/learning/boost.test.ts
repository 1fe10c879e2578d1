import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boosted } from '../../src/learning/learning.ts';
import type { ToolMatch } from '../../src/scorers/scorer.ts';
import type { RankedMatch } from '../../src/search/rerank.ts';

const MATCHES: readonly ToolMatch[] = [
  { name: 'a', score: 10 },
  { name: 'b', score: 8 },
  { name: 'c', score: 8 },
  { name: 'd', score: 1 },
];
const lift = (votes: Record<string, number>, most = 0.5, matches: readonly ToolMatch[] = MATCHES) =>
  boosted(matches, new Map(Object.entries(votes)), most) ?? matches;

describe('a lift', () => {
  it('adds a share of the best score, and says how much', () => {
    expect(lift({ c: 1 / 3 })).toEqual([
      { name: 'c', score: 13, byUse: 5 },
      { name: 'a', score: 10 },
      { name: 'b', score: 8 },
      { name: 'd', score: 1 },
    ]);
  });

  it('adds no more than it may', () => {
    expect(lift({ d: 1 }, 0.3).map(({ score }) => score)).toEqual([10, 8, 8, 4]);
    expect(lift({ d: 1 }, 1)[0]).toEqual({ name: 'd', score: 11, byUse: 10 });
  });

  it('brings nothing that the scorer did not find', () => {
    expect(lift({ z: 1, constructor: 1 })).toEqual(MATCHES);
    expect(lift({ z: 1 }, 1, [])).toEqual([]);
  });

  it('puts a lifted tool among those of its score by its name', () => {
    expect(lift({ d: 7 / 15 }, 1).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
    const raised = lift({ b: 2 / 15 }, 1, [
      { name: 'a', score: 10 },
      { name: 'b', score: 8 },
      { name: 'c', score: 8 },
    ]);
    expect(raised.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    { why: 'below zero', scores: [-1, -2] },
    { why: 'without an end', scores: [Number.POSITIVE_INFINITY, 2] },
  ])('leaves scores alone that are $why', ({ scores }) => {
    const matches = scores.map((score, at) => ({ name: `t${at}`, score }));
    expect(lift({ t1: 1 }, 1, matches)).toEqual(matches);
  });

  it('changes no score but those it lifts, and keeps all matches in order', () => {
    const scores = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 12 });
    const votes = fc.dictionary(
      fc.constantFrom('t0', 't1', 't2', 't5', 'none'),
      fc.double({ min: 0, max: 1, noNaN: true }),
    );
    fc.assert(
      fc.property(scores, votes, (list, byTool) => {
        const matches = list.sort((one, other) => other - one).map((score, at) => ({ name: `t${at}`, score }));
        const found: readonly RankedMatch[] = lift(byTool, 0.5, matches);
        expect(found.map(({ name }) => name).sort()).toEqual(matches.map(({ name }) => name).sort());
        for (const [at, match] of found.entries()) {
          const before = matches.find(({ name }) => name === match.name)?.score ?? Number.NaN;
          expect(match.score).toBe(before + (match.byUse ?? 0));
          expect(match.byUse ?? 0).toBeLessThanOrEqual(0.5 * (matches[0]?.score ?? 0));
          expect(found[at + 1]?.score ?? 0).toBeLessThanOrEqual(match.score);
        }
      }),
    );
  });
});
