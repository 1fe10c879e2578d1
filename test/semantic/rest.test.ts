import { hybridScorer } from 'mastra-tool-search/semantic';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { document } from '../fixtures/tools.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1e12, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

it('a service that is down is not flooded by queries that come again and again', async () => {
  let asked = 0;
  const works = { name: 'works', index: () => ({ search: () => [{ name: 'a', score: 1 }] }) };
  const down = {
    name: 'down',
    index: () => ({
      search: () => {
        asked++;
        throw new Error('down');
      },
    }),
  };
  const context = { report: (): void => {} };
  const index = await hybridScorer([works, down]).index([document('a'), document('b')], context);
  for (let second = 0; second < 600; second++) {
    for (let n = 0; n < 50; n++) await index.search(parseQuery(`query number${n}`));
    vi.advanceTimersByTime(1_000);
  }
  expect(asked).toBeGreaterThan(3);
  expect(asked).toBeLessThan(40);
});
