import { estimateTokenCount } from 'tokenx';
import { expect, it } from 'vitest';
import { estimateTokens } from '../../src/util/tokens.ts';

it('estimates as tokenx does', () => {
  expect(estimateTokens('')).toBe(0);
  expect(estimateTokens('{"name":"get_weather"}')).toBe(estimateTokenCount('{"name":"get_weather"}'));
});

it('takes the rest of a huge text to be like its beginning', () => {
  const some = '{"description":"Sends a message to a colleague."},';
  const huge = some.repeat(1_000_000 / some.length);
  expect(estimateTokens(huge) / estimateTokenCount(huge)).toBeCloseTo(1, 3);
});
