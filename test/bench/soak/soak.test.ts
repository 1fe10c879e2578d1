import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { ExpectedLoads } from './expected-loads.ts';
import { Ledger } from './ledger.ts';
import { trendOf } from './meter.ts';
import { soak } from './soak.ts';

const failing = (): never => {
  throw new Error('out of order');
};

describe('a soak', () => {
  const planted: { fault: string; options: Partial<ToolSearchProcessorOptions>; finding: RegExp }[] = [
    { fault: 'one scope for all', options: { scope: () => 'all' }, finding: / is sent, which was not loaded/ },
    { fault: 'a filter that allows all', options: { filter: () => true }, finding: /shows \w+, which is not for it/ },
    { fault: 'no eviction', options: { maxLoaded: { tools: 100 } }, finding: /a load loads/ },
    { fault: 'no loading of what is called', options: { onMiss: 'error' }, finding: /sent .*, not / },
    {
      fault: 'a store that fails',
      options: { storage: { get: failing, add: failing, clear: failing } },
      finding: /unexpected event store-failed/,
    },
  ];

  it.each(planted)('finds $fault', async ({ options, finding }) => {
    const ledger = new Ledger();
    await soak({
      conversations: 20,
      goesOn: (requests) => requests < 4,
      thinking: { least: 1, most: 5 },
      ledger,
      options,
    });
    expect(ledger.shown.join('\n')).toMatch(finding);
  });
});

describe('the expected loads', () => {
  it('lose the least recently used, and those of another catalog come back', () => {
    const loads = new ExpectedLoads(2);
    loads.begin(() => true);
    loads.load(['a', 'b']);
    loads.use('a');
    expect(loads.load(['c'])).toEqual({ loaded: ['c'], evicted: ['b'] });
    expect(loads.names).toEqual(['a', 'c']);
    expect(loads.begin((name) => name !== 'a')).toEqual([]);
    expect(loads.load(['d'])).toEqual({ loaded: ['d'], evicted: [] });
    expect(loads.begin(() => true)).toEqual(['a']);
    expect(loads.names).toEqual(['c', 'd']);
  });
});

describe('the trend of the heap', () => {
  it('is a straight line through the samples', () => {
    const samples = [0, 60, 120].map((seconds) => ({ seconds, megabytes: 100 + seconds / 6 }));
    const { start, end, slope, growth } = trendOf(samples);
    expect([start, end, slope, growth].map((value) => Number(value.toFixed(3)))).toEqual([100, 120, 10, 0.182]);
    expect(
      trendOf([
        { seconds: 0, megabytes: 100 },
        { seconds: 5, megabytes: 100 },
      ]).growth,
    ).toBe(0);
  });
});
