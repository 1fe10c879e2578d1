import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Rect, squarify } from '../../../../src/inspect/page/tokens/squarify.ts';

const frames = fc.record({
  x: fc.integer({ min: -50, max: 50 }),
  y: fc.integer({ min: -50, max: 50 }),
  width: fc.integer({ min: 1, max: 2_000 }),
  height: fc.integer({ min: 1, max: 2_000 }),
});
const values = fc.array(
  fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => (value < 1e-3 ? 0 : value)),
  { maxLength: 60 },
);
const areaOf = ({ width, height }: Rect): number => width * height;
const ROUNDING = 1e-6;

describe('squarify', () => {
  it('gives each value its share of the area, and the whole frame away', () => {
    fc.assert(
      fc.property(values, frames, (all, frame) => {
        const total = all.reduce((sum, value) => sum + value, 0);
        for (const [at, rect] of squarify(all, frame).entries()) {
          const share = total > 0 ? (all[at] ?? 0) / total : 0;
          expect(Math.abs(areaOf(rect) - share * areaOf(frame))).toBeLessThan(ROUNDING * areaOf(frame));
        }
      }),
    );
  });

  it('keeps all inside the frame', () => {
    fc.assert(
      fc.property(values, frames, (all, frame) => {
        for (const { x, y, width, height } of squarify(all, frame)) {
          expect(width >= 0 && height >= 0).toBe(true);
          expect(x >= frame.x - ROUNDING && x + width <= frame.x + frame.width + ROUNDING * frame.width).toBe(true);
          expect(y >= frame.y - ROUNDING && y + height <= frame.y + frame.height + ROUNDING * frame.height).toBe(true);
        }
      }),
    );
  });

  it('lets no two overlap', () => {
    fc.assert(
      fc.property(values, frames, (all, frame) => {
        const rects = squarify(all, frame);
        const slack = ROUNDING * (frame.width + frame.height);
        for (const [at, one] of rects.entries()) {
          for (const other of rects.slice(at + 1)) {
            const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
            const along = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
            expect(across <= slack || along <= slack).toBe(true);
          }
        }
      }),
    );
  });

  it('lays out the example of the paper as the paper does', () => {
    const rects = squarify([6, 6, 4, 3, 2, 2, 1], { x: 0, y: 0, width: 6, height: 4 });
    const rounded = rects.map((rect) => Object.values(rect).map((number) => Math.round(number * 100) / 100));
    expect(rounded).toEqual([
      [0, 0, 3, 2],
      [0, 2, 3, 2],
      [3, 0, 1.71, 2.33],
      [4.71, 0, 1.29, 2.33],
      [3, 2.33, 1.2, 1.67],
      [4.2, 2.33, 1.2, 1.67],
      [5.4, 2.33, 0.6, 1.67],
    ]);
  });

  it('is nothing for nothing, and the frame for one', () => {
    const frame = { x: 1, y: 2, width: 30, height: 40 };
    expect(squarify([], frame)).toEqual([]);
    expect(squarify([7], frame)).toEqual([frame]);
    expect(squarify([0, 0], frame).map(areaOf)).toEqual([0, 0]);
  });
});
