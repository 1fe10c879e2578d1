import { expect, it } from 'vitest';
import { verdictOfAny } from '../../src/search/find.ts';

it.each([
  { confidences: [], likelihood: 0 },
  { confidences: [0.3], likelihood: 0.3 },
  { confidences: [0.3, 0.3], likelihood: 0.51 },
  { confidences: [0.1, undefined], likelihood: 1 },
])('takes $likelihood for the likelihood of any of $confidences', ({ confidences, likelihood }) => {
  expect(verdictOfAny(confidences).likelihood).toBeCloseTo(likelihood);
});

it('calls a likelihood weak below which most often nothing fits', () => {
  expect([0, 0.31, 0.32, 1].map((confidence) => verdictOfAny([confidence]).isWeak)).toEqual([true, true, false, false]);
});
