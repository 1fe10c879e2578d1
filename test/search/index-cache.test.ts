import { describe, expect, it } from 'vitest';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { ToolDocument } from '../../src/catalog/document.ts';
import { consoleContext, type ScorerContext, type ToolIndex, type ToolScorer } from '../../src/scorers/scorer.ts';
import { IndexSearcher } from '../../src/search/indexes.ts';
import { tool, toolRecord } from '../support/harness.ts';

/** A new catalog each time, also for the same names. */
const catalogOf = (...names: string[]): Catalog =>
  readCatalog(listedTools(toolRecord(...names.map((name) => tool(name)))));

/** A scorer that notes what it is asked to build. */
function countingScorer(build: (documents: readonly ToolDocument[]) => ToolIndex | Promise<ToolIndex> = emptyIndex) {
  const builds: string[] = [];
  const scorer: ToolScorer = {
    name: 'counting',
    index(documents) {
      builds.push(documents.map(({ name }) => name).join());
      return build(documents);
    },
  };
  return { builds, scorer, cache: new IndexSearcher(scorer, consoleContext) };
}

function emptyIndex(): ToolIndex {
  return { search: () => [] };
}

/** A build that ends when the test says so. */
function deferred() {
  let resolve: (index: ToolIndex) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<ToolIndex>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

describe('an index', () => {
  it('is not built before it is asked for', () => {
    expect(countingScorer().builds).toEqual([]);
  });

  it('is built once for a catalog', async () => {
    const { builds, cache } = countingScorer();
    const catalog = catalogOf('a', 'b');
    const first = await cache.ready(catalog);
    expect(await cache.ready(catalog)).toBe(first);
    expect(builds).toEqual(['a,b']);
  });

  it('is shared by catalogs that are equal', async () => {
    const { builds, cache } = countingScorer();
    expect(await cache.ready(catalogOf('a', 'b'))).toBe(await cache.ready(catalogOf('a', 'b')));
    expect(builds).toEqual(['a,b']);
  });

  it('is shared by requests that bring equal tools', async () => {
    const { builds, cache } = countingScorer();
    const base = catalogOf('a');
    await cache.ready(base.withResolved({ mine: tool('mine') }));
    await cache.ready(base.withResolved({ mine: tool('mine') }));
    expect(builds).toEqual(['a,mine']);
  });

  it.each([
    { why: 'a tool more', other: () => catalogOf('a', 'b', 'c') },
    { why: 'a tool less', other: () => catalogOf('a') },
    { why: 'another name', other: () => catalogOf('a', 'B') },
    {
      why: 'another description',
      other: () => readCatalog(listedTools(toolRecord(tool('a'), tool('b', 'Else.')))),
    },
    { why: 'another title', other: () => catalogOf('a').withResolved({ b: tool('b', undefined, { title: 'Else' }) }) },
    {
      why: 'other parameters',
      other: () =>
        catalogOf('a').withResolved({
          b: tool('b', undefined, { inputSchema: { type: 'object', properties: { else: {} } } }),
        }),
    },
  ])('is not shared with a catalog that has $why', async ({ other }) => {
    const { builds, cache } = countingScorer();
    const first = await cache.ready(catalogOf('a', 'b'));
    expect(await cache.ready(other())).not.toBe(first);
    expect(builds.length).toBe(2);
  });

  it('is not shared between caches', async () => {
    const catalog = catalogOf('a');
    const [first, second] = [countingScorer(), countingScorer()];
    await first.cache.ready(catalog);
    await second.cache.ready(catalog);
    expect([first.builds, second.builds]).toEqual([['a'], ['a']]);
  });

  it('is built with the context of the cache', async () => {
    const context: ScorerContext = { report: () => {} };
    let seen: unknown;
    const scorer: ToolScorer = {
      name: 'curious',
      index(_documents, given) {
        seen = given;
        return emptyIndex();
      },
    };
    await new IndexSearcher(scorer, context).ready(catalogOf('a'));
    expect(seen).toMatchObject(context);
  });

  it('is built from documents alone, which hold nothing that runs', async () => {
    let seen: unknown;
    const { cache } = countingScorer((documents) => {
      seen = documents;
      return emptyIndex();
    });
    await cache.ready(catalogOf('a'));
    expect(JSON.parse(JSON.stringify(seen))).toEqual(seen);
  });
});

describe('builds of one index at the same time', () => {
  it('are one build', async () => {
    const { promise, resolve } = deferred();
    const { builds, cache } = countingScorer(() => promise);
    const catalog = catalogOf('a');
    const waiting = [
      cache.ready(catalog),
      cache.ready(catalog),
      cache.ready(catalogOf('a')),
      cache.ready(catalogOf('a')),
    ];
    await expect.poll(() => builds).toEqual(['a']);
    const index = emptyIndex();
    resolve(index);
    expect(await Promise.all(waiting)).toEqual([index, index, index, index]);
    expect(builds).toEqual(['a']);
  });

  it('fail together, and the next search builds again', async () => {
    const { promise, reject } = deferred();
    let isBroken = true;
    const { builds, cache } = countingScorer(() => (isBroken ? promise : emptyIndex()));
    const catalog = catalogOf('a');
    const waiting = Promise.allSettled([cache.ready(catalog), cache.ready(catalogOf('a'))]);
    reject(new Error('no connection'));
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    await cache.ready(catalog);
    await cache.ready(catalogOf('a'));
    expect(builds).toEqual(['a', 'a']);
  });
});

describe('a build that fails', () => {
  it.each([
    {
      why: 'throws',
      fail: (): never => {
        throw new Error('broken');
      },
    },
    { why: 'rejects', fail: () => Promise.reject(new Error('broken')) },
  ])('is tried again each time when it $why', async ({ fail }) => {
    const { builds, cache } = countingScorer(fail);
    const catalog = catalogOf('a');
    for (let search = 1; search <= 3; search++) {
      await expect(cache.ready(catalog)).rejects.toThrow('broken');
      expect(builds.length).toBe(search);
    }
  });

  it('leaves the indexes of other catalogs alone', async () => {
    const { builds, cache } = countingScorer((documents) => {
      if (documents[0]?.name === 'bad') throw new Error('broken');
      return emptyIndex();
    });
    await cache.ready(catalogOf('good'));
    await expect(cache.ready(catalogOf('bad'))).rejects.toThrow('broken');
    await cache.ready(catalogOf('good'));
    expect(builds).toEqual(['good', 'bad']);
  });
});

describe('the index cache', () => {
  it('holds 64 indexes, and drops the one that was used longest ago', async () => {
    const { builds, cache } = countingScorer();
    for (let n = 0; n < 64; n++) await cache.ready(catalogOf(`tool_${n}`));
    await cache.ready(catalogOf('tool_0'));
    expect(builds.length).toBe(64);

    await cache.ready(catalogOf('tool_64'));
    await cache.ready(catalogOf('tool_0'));
    expect(builds.length).toBe(65);
    await cache.ready(catalogOf('tool_1'));
    expect(builds.length).toBe(66);
  });

  it('keeps the index of a catalog that is in use, whatever other catalogs come', async () => {
    const { builds, cache } = countingScorer();
    const catalog = catalogOf('mine');
    const index = await cache.ready(catalog);
    for (let n = 0; n < 100; n++) await cache.ready(catalogOf(`tool_${n}`));
    expect(await cache.ready(catalog)).toBe(index);
    expect(builds.filter((names) => names === 'mine')).toEqual(['mine']);
  });

  it('is empty after clear()', async () => {
    const { builds, cache } = countingScorer();
    await cache.ready(catalogOf('a'));
    cache.clear();
    await cache.ready(catalogOf('a'));
    await cache.ready(catalogOf('a'));
    expect(builds).toEqual(['a', 'a']);
  });

  it('is empty after clear() also for a catalog that is still there', async () => {
    const { builds, cache } = countingScorer();
    const catalog = catalogOf('a');
    await cache.ready(catalog);
    cache.clear();
    await cache.ready(catalog);
    expect(builds).toEqual(['a', 'a']);
  });

  it('keeps a new index when an old build fails', async () => {
    const { promise, reject } = deferred();
    let isFirst = true;
    const { builds, cache } = countingScorer(() => {
      if (!isFirst) return emptyIndex();
      isFirst = false;
      return promise;
    });
    const old = cache.ready(catalogOf('a'));
    cache.clear();
    await cache.ready(catalogOf('a'));
    reject(new Error('too late'));
    await expect(old).rejects.toThrow('too late');
    await cache.ready(catalogOf('a'));
    expect(builds).toEqual(['a', 'a']);
  });
});
