import { bm25Scorer, ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { memorySource } from '../support/memory-source.ts';

it.each([
  { option: 'includeResolvedTools', options: { includeResolvedTools: true }, why: 'ranks its own tools alone' },
  { option: 'injectCatalog', options: { injectCatalog: true }, why: 'never listed whole' },
  { option: 'injectCatalog', options: { injectCatalog: 'names' }, why: 'alwaysLoaded' },
  { option: 'passthroughBelow', options: { passthroughBelow: 8 }, why: 'never sent whole' },
  { option: 'trustServerHints', options: { trustServerHints: ['mail'] }, why: 'alwaysLoaded' },
  { option: 'search.scorer', options: { search: { scorer: bm25Scorer() } }, why: 'ranks its tools itself' },
  { option: 'search.keywords', options: { search: { keywords: { a: ['b'] } } }, why: 'give it the keywords' },
  { option: 'native.execution', options: { mode: 'native', native: { execution: 'server' } }, why: "use 'client'" },
] as const)('$option is refused over a source: $why', async ({ option, options, why }) => {
  const source = await memorySource();
  const make = () => new ToolSearchProcessor({ tools: source, ...(options as object) });
  expect(make).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  expect(make).toThrow(`"${option}" must be left out with a ToolSource`);
  expect(make).toThrow(why);
});

it('what is off is no contradiction', async () => {
  const off = {
    ...{ includeResolvedTools: false, injectCatalog: false, passthroughBelow: 0, trustServerHints: false },
    ...({ mode: 'native', native: { execution: 'client' }, search: { topK: 3 } } as const),
  };
  expect(() => new ToolSearchProcessor({ tools: { search: () => [], get: () => ({}) }, ...off })).not.toThrow();
});

it('an inspector shows all tools, and is refused', async () => {
  const processor = new ToolSearchProcessor({ tools: await memorySource() });
  await expect(processor.inspector()).rejects.toThrow('never listed whole');
});
