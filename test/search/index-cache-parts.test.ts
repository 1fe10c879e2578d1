import { describe, expect, it } from 'vitest';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { consoleContext, type ToolIndex } from '../../src/scorers/scorer.ts';
import { IndexSearcher } from '../../src/search/indexes.ts';
import { tool, toolRecord } from '../support/harness.ts';

const catalogOf = (...names: string[]): Catalog =>
  readCatalog(listedTools(toolRecord(...names.map((name) => tool(name)))));
const partOf = (whole: Catalog, ...names: string[]): Catalog =>
  whole.restrictedTo(new Set(names.flatMap((name) => whole.get(name) ?? [])));

/** An index that notes the parts that are made of it. */
function cacheOver(restrict: (names: ReadonlySet<string>) => ToolIndex | Promise<ToolIndex>) {
  const parts: string[] = [];
  const index: ToolIndex = {
    search: () => [],
    restrictedTo(names) {
      parts.push([...names].join());
      return restrict(names);
    },
  };
  let builds = 0;
  const scorer = {
    name: 'counting',
    index: () => {
      builds += 1;
      return index;
    },
  };
  return { cache: new IndexSearcher(scorer, consoleContext), index, parts, builds: () => builds };
}

describe('the index of what a request may see', () => {
  it('is made from that of the whole catalog, once for the same names', async () => {
    const { cache, parts, builds } = cacheOver(() => ({ search: () => [] }));
    const [all, alike] = [catalogOf('a', 'b', 'c'), catalogOf('a', 'b', 'c')];
    const first = await cache.ready(partOf(all, 'c', 'a'));
    expect(await cache.ready(partOf(all, 'a', 'c'))).toBe(first);
    expect(await cache.ready(partOf(alike, 'a', 'c'))).toBe(first);
    expect(await cache.ready(partOf(all, 'a', 'b'))).not.toBe(first);
    expect([parts, builds()]).toEqual([['a,c', 'a,b'], 1]);
  });

  it('differs for names that read alike when they are joined', async () => {
    const { cache, parts } = cacheOver(() => ({ search: () => [] }));
    const all = catalogOf('a', 'b').withResolved({ 'a","b': tool('x'), 'a,b': tool('y') });
    const names = [...all.names];
    for (const name of names) await cache.ready(partOf(all, name));
    await cache.ready(partOf(all, 'a', 'b'));
    expect(parts).toHaveLength(names.length + 1);
  });

  it('is that of the whole catalog where the scorer cannot restrict it', async () => {
    const { cache, index } = cacheOver(() => ({ search: () => [] }));
    delete (index as Partial<ToolIndex>).restrictedTo;
    expect(await cache.ready(partOf(catalogOf('a', 'b'), 'a'))).toBe(index);
  });

  it('is made again by the next search when it could not be made', async () => {
    let isBroken = true;
    const part: ToolIndex = { search: () => [] };
    const { cache } = cacheOver(() => {
      if (isBroken) throw new Error('no');
      return part;
    });
    const visible = partOf(catalogOf('a', 'b'), 'a');
    await expect(cache.ready(visible)).rejects.toThrow('no');
    isBroken = false;
    expect(await cache.ready(visible)).toBe(part);
  });
});

describe('a restricted catalog', () => {
  it('has its tools in their order, and knows neither the others nor other names for them', () => {
    const tools = { first: tool('a'), second: tool('b'), third: tool('c') };
    const part = partOf(readCatalog(listedTools(tools)), 'c', 'a');
    expect([...part.names]).toEqual(['a', 'c']);
    expect(['first', 'second', 'b', 'third'].map((name) => part.get(name)?.name)).toEqual([
      'a',
      undefined,
      undefined,
      'c',
    ]);
    expect([...part.spellings()]).toEqual(['a', 'c', 'first', 'third']);
  });
});
