import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_USES, type Use, withinBounds } from '../../src/learning/uses.ts';

const use = (tool: string, voter: string, usedAt = 1): Use => ({ words: [], tool, voter, usedAt });
/** As many uses, each of a conversation of its own. */
const usesOf = (tool: string, count: number): readonly Use[] =>
  Array.from({ length: count }, (_, at) => use(tool, `${tool}-${at}`, at));
const countsOf = (uses: readonly Use[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { tool } of uses) counts[tool] = (counts[tool] ?? 0) + 1;
  return counts;
};

describe('the bounds of a scope', () => {
  it('take from the tools with the most uses, their oldest', () => {
    const kept = withinBounds([...usesOf('rare', 20), ...usesOf('some', 300), ...usesOf('often', 5_000)]);
    expect(countsOf(kept)).toEqual({ rare: 20, some: 300, often: 680 });
    expect(kept.filter(({ tool }) => tool === 'often')[0]?.usedAt).toBe(5_000 - 680);
  });

  it('leave one conversation a fifth, divided among its tools', () => {
    const own = [...usesOf('rare', 3), ...usesOf('often', 900)].map((one) => ({ ...one, voter: 'eve' }));
    expect(countsOf(withinBounds(own))).toEqual({ rare: 3, often: 197 });
  });

  it('take from the conversation that has most uses of a tool', () => {
    const floods = Array.from({ length: 8 }, (_, n) =>
      usesOf('tool', 200).map((one) => ({ ...one, voter: `eve${n}` })),
    );
    const kept = withinBounds([...usesOf('tool', 30), ...floods.flat()]);
    expect(kept).toHaveLength(MAX_USES);
    expect(kept.filter(({ voter }) => voter.startsWith('tool-'))).toHaveLength(30);
  });

  it('keep the order, and what a tool has within its share, whatever the others have', () => {
    const counts = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 1, max: 1_500 }));
    fc.assert(
      fc.property(counts, fc.infiniteStream(fc.nat()), (wanted, random) => {
        const all = Object.entries(wanted).flatMap(([tool, count]) => usesOf(tool, count));
        const shuffled = all
          .map((one) => ({ one, at: random.next().value as number }))
          .sort((one, other) => one.at - other.at)
          .map(({ one }) => one);
        const kept = withinBounds(shuffled);
        expect(kept).toHaveLength(Math.min(all.length, MAX_USES));
        const places = kept.map((one) => shuffled.indexOf(one));
        expect(places).toEqual(places.toSorted((one, other) => one - other));
        const share = Math.floor(MAX_USES / Object.keys(wanted).length);
        for (const [tool, count] of Object.entries(wanted)) {
          expect(countsOf(kept)[tool]).toBeGreaterThanOrEqual(Math.min(count, share));
        }
      }),
      { numRuns: 30 },
    );
  });
});
