// What would take too many tools, or too many sets of them, from outside: see indexes.test.ts.
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { ToolDocument } from '../../src/catalog/document.ts';
import { consoleContext } from '../../src/scorers/scorer.ts';
import { changesBetween, IndexSearcher } from '../../src/search/indexes.ts';
import { document } from '../fixtures/tools.ts';
import { atOnce } from '../scorers/at-once.ts';
import { tool } from '../support/harness.ts';

/** A catalog of so many documents, as far as an index can tell. */
function large(name: string, count: number): Catalog {
  const documents: ToolDocument[] = new Array<ToolDocument>(count).fill(document('other'));
  documents[0] = document(name);
  const catalog = readCatalog(listedTools({ [name]: tool(name) }));
  vi.spyOn(catalog, 'readDocuments').mockImplementation(function* () {
    yield undefined;
    return documents;
  });
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

it('the changes between sets of documents make one from the nearest other', () => {
  const entry = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.constantFrom('One.', 'Two.'));
  const list = fc
    .uniqueArray(entry, { maxLength: 30, selector: ([n]) => n })
    .map((entries) => entries.map(([n, text]) => document(`tool_${n}`, text)));
  fc.assert(
    fc.property(fc.array(list, { maxLength: 3 }), list, fc.boolean(), (others, other, isNear) => {
      // Random sets are seldom near.
      const now = isNear && others[0] ? [...others[0].slice(1), ...other.slice(0, 1)] : other;
      fc.pre(new Set(now.map(({ name }) => name)).size === now.length);
      const sizes = others.map((documents) => {
        const same = now.filter(({ name, description }) =>
          documents.some((known) => known.name === name && known.description === description),
        );
        return documents.length + now.length - 2 * same.length;
      });
      const sets = others.map((documents, at) => ({ id: `${at}`, documents }));
      const changes = atOnce(changesBetween(sets, now));
      const least = Math.min(...sizes);
      expect(changes === undefined).toBe(!(least <= now.length / 4));
      if (!changes) return;
      expect(changes.added.length + changes.removed.length).toBe(least);
      expect(sizes[Number(changes.from.id)]).toBe(least);
      const made = [
        ...changes.from.documents.filter(({ name }) => !changes.removed.includes(name)),
        ...changes.added,
      ].map((known) => `${known.name} ${known.description}`);
      expect(made.sort()).toEqual(now.map((known) => `${known.name} ${known.description}`).sort());
    }),
    { numRuns: 300 },
  );
});
