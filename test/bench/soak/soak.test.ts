import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { soak } from './soak.ts';

const failing = (): never => {
  throw new Error('out of order');
};

const planted: { fault: string; options: Partial<ToolSearchProcessorOptions>; finding: RegExp }[] = [
  { fault: 'nothing', options: {}, finding: /^$/ },
  { fault: 'one scope for all', options: { scope: () => 'all' }, finding: /sent \w+, which was not loaded/ },
  { fault: 'a filter that allows all', options: { filter: () => true }, finding: /shows \w+, which is not for it/ },
  { fault: 'no eviction', options: { maxLoaded: { tools: 100 } }, finding: /\d+ tools are loaded/ },
  {
    fault: 'a store that fails',
    options: { storage: { get: failing, add: failing, clear: failing } },
    finding: /unexpected event store-failed/,
  },
];

it.each(planted)('a soak finds $fault', async ({ options, finding }) => {
  const thinking = { least: 1, most: 5 };
  const { faults } = await soak({ conversations: 6, goesOn: (requests) => requests < 4, thinking, options });
  expect(faults.join('\n')).toMatch(finding);
});

it('a soak finds nothing where a store fails now and then', async () => {
  const thinking = { least: 1, most: 5 };
  const given = { conversations: 6, goesOn: (requests: number) => requests < 5, thinking, storeFaults: 0.3 };
  const { counts, faults } = await soak(given);
  expect(faults).toEqual([]);
  expect(counts['store faults']).toBeGreaterThan(10);
});
