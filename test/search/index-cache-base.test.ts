import { describe, expect, it, vi } from 'vitest';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { ToolDocument } from '../../src/catalog/document.ts';
import { consoleContext, type ToolScorer } from '../../src/scorers/scorer.ts';
import { IndexSearcher } from '../../src/search/indexes.ts';
import { document } from '../fixtures/tools.ts';
import { turnsDuring } from '../scorers/turns.ts';
import { tool, toolRecord } from '../support/harness.ts';

const catalogOf = (...names: string[]): Catalog =>
  readCatalog(listedTools(toolRecord(...names.map((name) => tool(name)))));

/** Notes the first name of each catalog that it indexes. */
function noting(fails: () => boolean = () => false) {
  const builds: string[] = [];
  const scorer: ToolScorer = {
    name: 'noting',
    index(documents) {
      builds.push(documents[0]?.name ?? '');
      if (fails()) throw new Error('broken');
      return { search: () => [] };
    },
  };
  return { builds, scorer };
}

const turns = async (count = 5): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe("the index of the constructor's catalog", () => {
  it('is kept, whatever other catalogs come', async () => {
    const { builds, scorer } = noting();
    const base = catalogOf('base');
    const cache = new IndexSearcher(scorer, consoleContext, base);
    const index = await cache.ready(base);
    for (let n = 0; n < 70; n++) await cache.ready(catalogOf(`tool_${n}`));
    expect(await cache.ready(base)).toBe(index);
    expect(builds.filter((name) => name === 'base')).toEqual(['base']);
  });

  it('is built again after clear()', async () => {
    const { builds, scorer } = noting();
    const base = catalogOf('base');
    const cache = new IndexSearcher(scorer, consoleContext, base);
    await cache.ready(base);
    cache.clear();
    await cache.ready(base);
    expect(builds).toEqual(['base', 'base']);
  });

  it('is tried again by each search that needs it while its build fails', async () => {
    let isDown = true;
    const { builds, scorer } = noting(() => isDown);
    const base = catalogOf('base');
    const cache = new IndexSearcher(scorer, consoleContext, base);
    for (let search = 0; search < 2; search++) await expect(cache.ready(base)).rejects.toThrow('broken');
    isDown = false;
    const index = await cache.ready(base);
    expect(await cache.ready(base)).toBe(index);
    expect(builds.length).toBe(3);
  });

  it('can be prepared once before the first search, when there is nothing else to do', async () => {
    const { builds, scorer } = noting();
    const base = catalogOf('base');
    const cache = new IndexSearcher(scorer, consoleContext, base);
    const read = vi.spyOn(base, 'readDocuments');
    for (let run = 0; run < 3; run++) cache.prepare();
    // Not while there is something else to do.
    await Promise.resolve();
    expect(read).not.toHaveBeenCalled();
    await expect.poll(() => builds).toEqual(['base']);
    cache.prepare();
    await cache.ready(base);
    await turns();
    expect(builds).toEqual(['base']);
  });

  it('is built by the first search when its preparation failed', async () => {
    const { builds, scorer } = noting(() => builds.length < 3);
    const base = catalogOf('base');
    const cache = new IndexSearcher(scorer, consoleContext, base);
    cache.prepare();
    await expect.poll(() => builds).toEqual(['base']);
    await turns();
    await expect(cache.ready(base)).rejects.toThrow('broken');
    expect(await cache.ready(base)).toBeDefined();
  });

  it.each([
    { why: 'it is empty', base: () => catalogOf() },
    { why: 'there is none', base: () => undefined },
  ])('is not prepared where $why', async ({ base }) => {
    const { builds, scorer } = noting();
    new IndexSearcher(scorer, consoleContext, base()).prepare();
    await turns();
    expect(builds).toEqual([]);
  });
});

it('building an index lets other work have its turn while documents are read and compared', async () => {
  const names = Array.from({ length: 320 }, (_, n) => `tool_${n}`);
  const { scorer } = noting();
  const turns = await turnsDuring(() => new IndexSearcher(scorer, consoleContext).ready(catalogOf(...names)));
  // Every 32 documents that are read, every 64 that get a fingerprint.
  expect(turns).toBeGreaterThanOrEqual(15);
});

describe('the index cache', () => {
  /** A catalog of so many documents, as far as an index cache can tell. */
  const large = (name: string, count: number): Catalog => {
    const documents: ToolDocument[] = new Array<ToolDocument>(count).fill(document('other'));
    documents[0] = document(name);
    const catalog = catalogOf(name);
    vi.spyOn(catalog, 'readDocuments').mockImplementation(function* () {
      yield undefined;
      return documents;
    });
    return catalog;
  };

  it('holds indexes of 250,000 documents together', async () => {
    const { builds, scorer } = noting();
    const cache = new IndexSearcher(scorer, consoleContext);
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.ready(large(name, 100_000));
    expect(builds).toEqual(['a', 'b', 'c', 'b']);
  });

  it('holds the newest index, however large it is', async () => {
    const { builds, scorer } = noting();
    const cache = new IndexSearcher(scorer, consoleContext);
    await cache.ready(large('small', 10));
    for (let search = 0; search < 2; search++) await cache.ready(large('large', 300_000));
    await cache.ready(large('small', 10));
    expect(builds).toEqual(['small', 'large', 'small']);
  });
});
