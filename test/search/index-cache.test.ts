// What would take too many tools from outside: see indexes.test.ts.
import { expect, it, vi } from 'vitest';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { ToolDocument } from '../../src/scorers/document.ts';
import { consoleContext } from '../../src/scorers/scorer.ts';
import { IndexSearcher } from '../../src/search/indexes.ts';
import { document } from '../fixtures/tools.ts';
import { tool } from '../support/agent.ts';

/** A catalog of so many documents, as far as an index can tell. */
function large(name: string, count: number): Catalog {
  const catalog = readCatalog(listedTools({ [name]: tool(name), other: tool('other') }));
  const [first, other] = [document(name), document('other')];
  const entries = new Array(count).fill(catalog.get('other'));
  entries[0] = catalog.get(name);
  vi.spyOn(catalog, 'entries', 'get').mockReturnValue(entries);
  vi.spyOn(catalog, 'readDocument').mockImplementation((entry) => (entry.name === name ? first : other));
  return catalog;
}

it('the indexes that are kept are of 250,000 documents together, and of the newest set, however large it is', async () => {
  const built: unknown[] = [];
  const index = (documents: readonly ToolDocument[]) => {
    built.push(documents[0]?.name);
    return { search: () => [] };
  };
  const searcher = new IndexSearcher({ name: 'noting', index }, consoleContext);
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await searcher.ready(large(name, 100_000));
  expect(built).toEqual(['a', 'b', 'c', 'b']);
  for (const name of ['small', 'large', 'large', 'small']) {
    await searcher.ready(large(name, name === 'large' ? 300_000 : 10));
  }
  expect(built.slice(4)).toEqual(['small', 'large', 'small']);
});
