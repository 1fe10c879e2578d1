import { bm25Scorer } from 'mastra-tool-search';
import { beforeEach, describe, expect, it } from 'vitest';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { ToolDocument } from '../../src/catalog/document.ts';
import type { IncrementalIndex, ScorerFault, ToolIndex, ToolScorer } from '../../src/scorers/scorer.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { IndexSearcher } from '../../src/search/indexes.ts';
import { tool, toolRecord } from '../support/harness.ts';

const numbered = (count: number, start = 0): string[] => Array.from({ length: count }, (_, n) => `tool_${start + n}`);
const catalogOf = (...names: string[]): Catalog =>
  readCatalog(listedTools(toolRecord(...names.map((name) => tool(name)))));
const resolved = (base: Catalog, ...names: string[]): Catalog =>
  base.withResolved(toolRecord(...names.map((name) => tool(name))));

let log: string[] = [];
const faults: ScorerFault[] = [];
const context = { report: (fault: ScorerFault): void => void faults.push(fault) };

beforeEach(() => {
  log = [];
  faults.length = 0;
});

type Update = NonNullable<IncrementalIndex['update']>;

const namesIn = (documents: readonly ToolDocument[]): string => documents.map(({ name }) => name).join();

/** Notes what it is asked to make. Names of indexes: the number of their documents, with a + for each update. */
function noting(update?: (name: string) => Update): ToolScorer {
  return {
    name: 'noting',
    index(documents) {
      log.push(`index ${documents.length}`);
      return { search: () => [], ...(update ? { update: update(`${documents.length}`) } : {}) };
    },
  };
}

const updating = (name: string): Update =>
  function update(added, removed) {
    log.push(`update ${name}: +${namesIn(added)} -${removed.join()}`);
    return { search: () => [], update: updating(`${name}+`) };
  };

describe('the index of a catalog that is nearly as one before', () => {
  it('is updated with ten tools for 1,000 tools and ten more', async () => {
    const base = catalogOf(...numbered(1_000));
    const cache = new IndexSearcher(noting(updating), context, base);
    await cache.ready(base);
    await cache.ready(resolved(base, ...numbered(10, 1_000)));
    expect(log).toEqual(['index 1000', `update 1000: +${numbered(10, 1_000).join()} -`]);
  });

  it.each([
    { why: 'a tool more', names: [...numbered(10), 'new'], done: 'update 10: +new -' },
    { why: 'a tool less', names: numbered(9), done: 'update 10: + -tool_9' },
    { why: 'another tool', names: [...numbered(9), 'new'], done: 'update 10: +new -tool_9' },
    { why: 'three tools more', names: numbered(13), done: 'update 10: +tool_10,tool_11,tool_12 -' },
    { why: 'more than a quarter of it new', names: numbered(14), done: 'index 14' },
    { why: 'nothing in common', names: ['a', 'b'], done: 'index 2' },
  ])('is updated where little is new: $why', async ({ names, done }) => {
    const cache = new IndexSearcher(noting(updating), context);
    await cache.ready(catalogOf(...numbered(10)));
    await cache.ready(catalogOf(...names));
    expect(log).toEqual(['index 10', done]);
  });

  it('is shared with the same tools in another order', async () => {
    const cache = new IndexSearcher(noting(updating), context);
    const index = await cache.ready(catalogOf(...numbered(10)));
    expect(await cache.ready(catalogOf(...[...numbered(10)].reverse()))).toBe(index);
    expect(log).toEqual(['index 10']);
  });

  it('is updated with the new form of a tool that has changed', async () => {
    const cache = new IndexSearcher(noting(updating), context);
    const base = catalogOf(...numbered(10));
    await cache.ready(base);
    await cache.ready(base.withResolved({ tool_3: tool('tool_3', 'Else.') }));
    expect(log).toEqual(['index 10', 'update 10: +tool_3 -tool_3']);
  });

  it('is updated from the nearest index', async () => {
    const cache = new IndexSearcher(noting(updating), context);
    for (const count of [20, 30]) await cache.ready(catalogOf(...numbered(count)));
    await cache.ready(catalogOf(...numbered(24)));
    await cache.ready(catalogOf(...numbered(23)));
    expect(log.slice(2)).toEqual([
      `update 20: +${numbered(4, 20).join()} -`,
      // Not from the first.
      'update 20+: + -tool_23',
    ]);
  });

  it("is updated from that of the constructor's catalog, whatever came since", async () => {
    const base = catalogOf(...numbered(10));
    const cache = new IndexSearcher(noting(updating), context, base);
    await cache.ready(base);
    for (let n = 0; n < 100; n++) await cache.ready(catalogOf(`other_${n}`));
    log = [];
    await cache.ready(resolved(base, 'mine'));
    expect(log).toEqual(['update 10: +mine -']);
  });

  it('is not updated from one that came long ago', async () => {
    const cache = new IndexSearcher(noting(updating), context);
    await cache.ready(catalogOf(...numbered(10)));
    for (let n = 0; n < 4; n++) await cache.ready(catalogOf(`other_${n}`));
    log = [];
    await cache.ready(catalogOf(...numbered(11)));
    expect(log).toEqual(['index 11']);
  });

  it('is not updated from one that was cleared', async () => {
    const base = catalogOf(...numbered(10));
    const cache = new IndexSearcher(noting(updating), context, base);
    await cache.ready(base);
    await cache.ready(resolved(base, 'mine'));
    cache.clear();
    log = [];
    await cache.ready(resolved(base, 'other'));
    expect(log).toEqual(['index 11']);
  });

  it('of the default scorer finds what a new index finds', async () => {
    const base = catalogOf('read_heron', ...numbered(20));
    const cache = new IndexSearcher(bm25Scorer(), context, base);
    const before = await cache.ready(base);
    const after = await cache.ready(resolved(base, 'feed_heron'));
    const names = async (index: ToolIndex) => (await index.search(parseQuery('heron'))).map(({ name }) => name);
    expect([await names(before), await names(after)]).toEqual([['read_heron'], ['feed_heron', 'read_heron']]);
    expect(faults).toEqual([]);
  });
});

describe('an index is built anew', () => {
  const broken = new Error('broken');
  it.each([
    { why: 'the scorer cannot update', update: undefined, reported: 0 },
    { why: 'an update is not worth it', update: () => undefined, reported: 0 },
    { why: 'this is said by promise', update: async () => undefined, reported: 0 },
    { why: 'the update fails', update: async () => Promise.reject(broken), reported: 1 },
    {
      why: 'the update throws',
      update: () => {
        throw broken;
      },
      reported: 1,
    },
  ])('where $why', async ({ update, reported }) => {
    const cache = new IndexSearcher(noting(update && (() => update)), context);
    const catalog = catalogOf(...numbered(10));
    const first = await cache.ready(catalog);
    const second = await cache.ready(resolved(catalog, 'new'));
    expect(log).toEqual(['index 10', 'index 11']);
    expect(second).not.toBe(first);
    expect(faults).toEqual(Array.from({ length: reported }, () => ({ scorer: 'noting', error: broken })));
  });

  it('where the one before it failed, which is not asked again', async () => {
    let isDown = true;
    const flaky: ToolScorer = {
      name: 'flaky',
      index(documents) {
        log.push(`index ${documents.length}`);
        if (isDown) throw broken;
        return { search: () => [], update: updating(`${documents.length}`) };
      },
    };
    const base = catalogOf(...numbered(10));
    const cache = new IndexSearcher(flaky, context, base);
    await expect(cache.ready(base)).rejects.toThrow('broken');
    isDown = false;
    await cache.ready(resolved(base, 'new'));
    expect(log).toEqual(['index 10', 'index 11']);
    expect(faults).toEqual([]);
    // Then the base is tried again, from what there is by now.
    await cache.ready(base);
    await cache.ready(resolved(base, 'newer'));
    expect(log.slice(2)).toEqual(['update 11: + -new', 'update 11+: +newer -']);
  });

  it('where the one before it fails while it is waited for', async () => {
    let fail = (_error: Error): void => {};
    const slow: ToolScorer = {
      name: 'slow',
      index(documents) {
        log.push(`index ${documents.length}`);
        if (documents.length > 10) return { search: () => [] };
        return new Promise((_, reject) => (fail = reject));
      },
    };
    const base = catalogOf(...numbered(10));
    const cache = new IndexSearcher(slow, context, base);
    const both = Promise.allSettled([cache.ready(base), cache.ready(resolved(base, 'new'))]);
    await expect.poll(() => log).toEqual(['index 10']);
    fail(broken);
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(log).toEqual(['index 10', 'index 11']);
  });
});

describe('requests at the same time', () => {
  it('share one update', async () => {
    const base = catalogOf(...numbered(10));
    const cache = new IndexSearcher(noting(updating), context, base);
    const indexes = await Promise.all([
      cache.ready(base),
      ...Array.from({ length: 5 }, () => cache.ready(resolved(base, 'new'))),
    ]);
    expect([...log].sort()).toEqual(['index 10', 'update 10: +new -']);
    expect(new Set(indexes).size).toBe(2);
  });

  it('share one index where their own tools are equal, also 1,000 of them', async () => {
    const cache = new IndexSearcher(noting(), context);
    const catalogs = Array.from({ length: 1_000 }, () => catalogOf('read', 'write'));
    const half = await Promise.all(catalogs.slice(0, 500).map((catalog) => cache.ready(catalog)));
    for (const catalog of catalogs.slice(500)) half.push(await cache.ready(catalog));
    expect(log).toEqual(['index 2']);
    expect(new Set(half).size).toBe(1);
  });
});
