import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visibleRows } from '../../../../src/inspect/page/ui/visible-rows.ts';

it('draws what is seen of a long list, and a few rows around it', () => {
  expect(visibleRows(5_000, 30, 30_000, 600)).toEqual({ start: 988, end: 1_032 });
  expect(visibleRows(5_000, 30, -100, 600)).toEqual({ start: 0, end: 29 });
  expect(visibleRows(3, 30, 0, 600)).toEqual({ start: 0, end: 3 });
  expect(visibleRows(0, 30, 0, 600)).toEqual({ start: 0, end: 0 });
});

it('draws every row that is seen, and few others', () => {
  const naturals = fc.nat(10_000);
  fc.assert(
    fc.property(naturals, fc.integer({ min: -1_000, max: 400_000 }), fc.nat(2_000), (count, scrolled, seen) => {
      const { start, end } = visibleRows(count, 30, scrolled, seen);
      expect(start).toBeLessThanOrEqual(end);
      expect(end - start).toBeLessThan(seen / 30 + 30);
      for (const row of [0, count >> 1, count - 1]) {
        const isSeen = row >= 0 && row < count && row * 30 + 30 > scrolled && row * 30 < scrolled + seen;
        if (isSeen) expect(row >= start && row < end).toBe(true);
      }
    }),
  );
});
