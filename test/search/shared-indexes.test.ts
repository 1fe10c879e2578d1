import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bm25Scorer, type ToolScorer, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';

let keys = 0;
/** A scorer that counts its builds: by the letters that a tool's name begins with. */
function counting(fails = 0) {
  const key = `counting-${keys++}`;
  const builds: number[] = [];
  const create = (): ToolScorer => ({
    name: 'counting',
    key,
    async index(documents) {
      builds.push(documents.length);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (builds.length <= fails) throw new Error('no index');
      const named = (start = '') => documents.filter(({ name }) => name.startsWith(start));
      return { search: ({ keywords }) => named(keywords[0]).map(({ name }) => ({ name, score: 1 })) };
    },
  });
  return { builds, create };
}
const some = () => toolRecord(tool('read_heron'), tool('read_stork'), tool('feed_swan'));
const over = (scorer: ToolScorer, tools = some()) => new ToolSearchProcessor({ tools, search: { scorer } });
const namesOf = async (processor: ToolSearchProcessor, query = 'read') =>
  (await processor.search(query)).map(({ name }) => name);

describe('processors of a process', () => {
  it('share the index of equal tools, also when all ask at once', async () => {
    const { builds, create } = counting();
    const found = await Promise.all(Array.from({ length: 20 }, () => namesOf(over(create()))));
    expect(new Set(found.map(String))).toEqual(new Set(['read_heron,read_stork']));
    expect(builds).toEqual([3]);
  });

  it.each([
    { why: 'a tool more', tools: { ...some(), more: tool('more') } },
    { why: 'another text', tools: { ...some(), read_stork: tool('read_stork', 'Else.') } },
    { why: 'another order', tools: Object.fromEntries(Object.entries(some()).reverse()) },
  ])('do not share that of tools with $why', async ({ tools }) => {
    const { builds, create } = counting();
    for (const each of [some(), tools]) await namesOf(over(create(), each));
    expect(builds).toHaveLength(2);
  });

  it('do not share what scorers of another key have made', async () => {
    const [first, second] = [counting(), counting()];
    for (const { create } of [first, second, first]) await namesOf(over(create()));
    expect([first.builds, second.builds]).toEqual([[3], [3]]);
  });

  it('build again what failed for one of them', async () => {
    const { builds, create } = counting(1);
    await expect(namesOf(over(create()))).rejects.toThrow();
    expect(await namesOf(over(create()))).toEqual(['read_heron', 'read_stork']);
    expect(builds).toEqual([3, 3]);
  });

  it('see a tool as it is when they are made, also where another one read it before', async () => {
    const tools = some();
    const found = async () => namesOf(new ToolSearchProcessor({ tools }), 'feed a pelican');
    expect(await found()).toEqual(['feed_swan']);
    Object.assign(tools['read_heron'] as object, { description: 'Feeds a pelican as well, and a pelican only.' });
    expect(await found()).toContain('read_heron');
  });
});

it('keys of scorers that nobody uses any more take no memory', async () => {
  const collect = (): void => {
    setFlagsFromString('--expose_gc');
    (runInNewContext('gc') as () => void)();
  };
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const index: ToolScorer['index'] = () => ({ search: () => [{ name: 'read_heron', score: 1 }] });
  const searchAll = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) {
      // A text of its own, which no other key shares a part of.
      const key = Array.from({ length: 2_000 }, (_, place) => `${at}-${place}-${keys}`).join();
      keys += 1;
      await namesOf(over({ name: 'own', key, index }));
    }
  };
  await searchAll(20);
  const before = heap();
  await searchAll(1_000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  // They would be 20 MB and more.
  expect(heap() - before).toBeLessThan(8_000_000);
});

it('the key of bm25Scorer() says what makes its indexes differ', () => {
  const { key } = bm25Scorer();
  expect([bm25Scorer().key, bm25Scorer({ boosts: {} }).key]).toEqual([key, key]);
  const others = [{ boosts: { name: 9 } }, { synonyms: [] }, { synonyms: [{ words: ['a', 'b'] }] }];
  expect(new Set([key, ...others.map((options) => bm25Scorer(options).key)]).size).toBe(4);
});
