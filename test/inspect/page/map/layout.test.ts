import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../../../src/inspect/page/map/clusters.ts';
import { captionOf, LETTER, layOut } from '../../../../src/inspect/page/map/layout.ts';

const link = (one: string, other: string) => ({ one, other, similarity: 0.9, confused: 0, words: [] });
/** Clusters of given sizes, each tool linked to the one before it, and some to the first. */
const clusters = fc.array(fc.integer({ min: 2, max: 12 }), { maxLength: 12 }).map((sizes) =>
  sizes.map((size, number): Cluster => {
    const names = Array.from({ length: size }, (_, at) => `${number}-${at}`);
    const links = names
      .slice(1)
      .flatMap((name, at) => [link(names[at] ?? '', name), ...(at % 3 === 2 ? [link(names[0] ?? '', name)] : [])]);
    return { names, links, words: size % 2 ? [] : ['repository', 'description'] };
  }),
);

describe('layOut', () => {
  it('keeps clusters apart, and inside the map', () => {
    fc.assert(
      fc.property(clusters, fc.integer({ min: 320, max: 1_600 }), (all, width) => {
        const { clusters: placed, height } = layOut(all, width);
        expect(placed.map(({ cluster }) => cluster)).toEqual(all);
        for (const [at, { centre, radius }] of placed.entries()) {
          expect(centre.x - radius).toBeGreaterThanOrEqual(-1e-9);
          expect(centre.x + radius).toBeLessThanOrEqual(width + 1e-9);
          expect(centre.y + radius).toBeLessThanOrEqual(height);
          for (const other of placed.slice(at + 1)) {
            const distance = Math.hypot(centre.x - other.centre.x, centre.y - other.centre.y);
            expect(distance).toBeGreaterThanOrEqual(radius + other.radius);
          }
        }
      }),
    );
  });

  it('keeps the tools of a cluster in its circle, and their dots apart', () => {
    fc.assert(
      fc.property(clusters, (all) => {
        for (const { centre, radius, points } of layOut(all, 1_200).clusters) {
          const list = [...points.values()];
          for (const [at, { x, y }] of list.entries()) {
            expect(Math.hypot(x - centre.x, y - centre.y)).toBeLessThan(radius);
            for (const other of list.slice(at + 1)) expect(Math.hypot(x - other.x, y - other.y)).toBeGreaterThan(14);
          }
        }
      }),
    );
  });

  it('gives the words of small clusters room beside their tools', () => {
    fc.assert(
      fc.property(clusters, (all) => {
        const { clusters: placed } = layOut(all, 800);
        for (const [at, { cluster, centre, room }] of placed.entries()) {
          expect(room).toBeGreaterThanOrEqual(LETTER * captionOf(cluster).length);
          expect(centre.x + room / 2).toBeLessThanOrEqual(800 + 1e-9);
          const next = placed[at + 1];
          if (next?.centre.y === centre.y) expect(next.centre.x - next.room / 2).toBeGreaterThan(centre.x + room / 2);
        }
      }),
    );
  });

  it('draws the same map each time', () => {
    fc.assert(
      fc.property(clusters, (all) => {
        expect(layOut(all, 800)).toEqual(layOut(all, 800));
      }),
    );
  });

  it('is empty without clusters', () => {
    expect(layOut([], 800)).toEqual({ clusters: [], height: 0 });
  });
});
