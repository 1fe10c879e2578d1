import { bm25Scorer, type ToolScorer, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/simple-tools.ts';

let keys = 0;
/** A scorer that counts its builds: by the letters that a tool's name begins with. */
function counting(key: string | undefined = `counting-${keys++}`, fails = 0) {
  const builds: number[] = [];
  const create = (): ToolScorer => ({
    name: 'counting',
    ...(key === undefined ? {} : { key }),
    async index(documents) {
      builds.push(documents.length);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (builds.length <= fails) throw new Error('no index');
      return {
        search: ({ keywords }) =>
          documents.filter(({ name }) => name.startsWith(keywords[0] ?? '')).map(({ name }) => ({ name, score: 1 })),
      };
    },
  });
  return { builds, create };
}
const some = () => toolRecord(tool('read_heron'), tool('read_stork'), tool('feed_swan'));
const namesOf = async (processor: ToolSearchProcessor, query: string) =>
  (await processor.search(query)).map(({ name }) => name);

describe('processors of a process', () => {
  it('share the index of equal tools, also when all ask at once', async () => {
    const { builds, create } = counting();
    const processors = Array.from(
      { length: 20 },
      () => new ToolSearchProcessor({ tools: some(), search: { scorer: create() } }),
    );
    const found = await Promise.all(processors.map((processor) => namesOf(processor, 'read')));
    expect(new Set(found.map(String))).toEqual(new Set(['read_heron,read_stork']));
    expect(builds).toEqual([3]);
  });

  it.each([
    { why: 'a tool more', tools: () => ({ ...some(), more: tool('more') }) },
    { why: 'another text', tools: () => ({ ...some(), read_stork: tool('read_stork', 'Else.') }) },
    { why: 'another order', tools: () => Object.fromEntries(Object.entries(some()).reverse()) },
  ])('do not share that of tools with $why', async ({ tools }) => {
    const { builds, create } = counting();
    for (const each of [some(), tools()]) {
      await namesOf(new ToolSearchProcessor({ tools: each, search: { scorer: create() } }), 'read');
    }
    expect(builds).toHaveLength(2);
  });

  it('do not share what scorers of another key have made, or of none', async () => {
    const first = counting();
    for (let time = 0; time < 2; time++) {
      const others = counting();
      for (const { create } of [first, others]) {
        await namesOf(new ToolSearchProcessor({ tools: some(), search: { scorer: create() } }), 'read');
      }
      expect(others.builds).toEqual([3]);
    }
    expect(first.builds).toEqual([3]);
    const without: ToolScorer = { name: 'without', index: () => ({ search: () => [] }) };
    expect(await namesOf(new ToolSearchProcessor({ tools: some(), search: { scorer: without } }), 'read')).toEqual([]);
  });

  it('build again what failed for one of them', async () => {
    const { builds, create } = counting(undefined, 1);
    const processor = () => new ToolSearchProcessor({ tools: some(), search: { scorer: create() }, onEvent: () => {} });
    await expect(namesOf(processor(), 'read')).rejects.toThrow();
    expect(await namesOf(processor(), 'read')).toEqual(['read_heron', 'read_stork']);
    expect(builds).toEqual([3, 3]);
  });

  it('see a tool as it is when they are made, also where another one read it before', async () => {
    const tools = some();
    const found = async () => namesOf(new ToolSearchProcessor({ tools }), 'feed a pelican');
    expect(await found()).toEqual(['feed_swan']);
    Object.assign(tools['read_heron'] as object, { description: 'Feeds a pelican as well, and a pelican only.' });
    expect(await found()).toContain('read_heron');
  });

  it('have their own words, groups and filters over shared tools', async () => {
    const tools = some();
    const plain = new ToolSearchProcessor({ tools });
    const worded = new ToolSearchProcessor({ tools, search: { keywords: { feed_swan: ['nourish'] } } });
    const strict = new ToolSearchProcessor({ tools, filter: ({ toolName }) => toolName !== 'feed_swan' });
    expect(await namesOf(plain, 'nourish')).toEqual([]);
    expect(await namesOf(worded, 'nourish')).toEqual(['feed_swan']);
    expect(await namesOf(plain, 'swan')).toEqual(['feed_swan']);
    expect(await namesOf(strict, 'swan')).toEqual([]);
  });
});

it('the key of bm25Scorer() says what makes its indexes differ', () => {
  const { key } = bm25Scorer();
  expect(bm25Scorer().key).toBe(key);
  expect(bm25Scorer({ boosts: {} }).key).toBe(key);
  const others = [
    bm25Scorer({ boosts: { name: 9 } }),
    bm25Scorer({ synonyms: [] }),
    bm25Scorer({ synonyms: [{ words: ['a', 'b'] }] }),
  ];
  expect(new Set([key, ...others.map((scorer) => scorer.key)]).size).toBe(4);
});
