import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolDocument } from '../../../src/catalog/document.ts';
import { DEFAULT_SETTINGS } from '../../../src/scorers/bm25/settings.ts';
import { Tally } from '../../../src/scorers/bm25/tally.ts';
import { TermIndex } from '../../../src/scorers/bm25/term-index.ts';
import { spellingOf } from '../../../src/scorers/words/spellings.ts';
import { stem } from '../../../src/scorers/words/stem.ts';
import { words } from '../../../src/scorers/words/words.ts';
import { document } from '../../fixtures/tools.ts';
import { atOnce, stopsOf } from '../at-once.ts';
import { changeOf, histories, QUERIES } from '../changing-catalogs.ts';
import { addFrequencies, fitsOf, hasWord, textsOf } from './terms-of.ts';

const build = (documents: readonly ToolDocument[]): TermIndex =>
  atOnce(TermIndex.build(documents, DEFAULT_SETTINGS.fields));
const update = (index: TermIndex, added: readonly ToolDocument[], ...removed: string[]): TermIndex | undefined =>
  atOnce(index.update(added, removed));

/** A catalog with its index. */
interface State {
  readonly documents: readonly ToolDocument[];
  readonly index: TermIndex;
}

const WORDS = [...new Set([...QUERIES.flatMap(words), 'peli', 'pelicna', 'translates', 'credits', 'consnt', 'sends'])];
const WANTED = new Map([
  [stem('heron'), 1],
  [stem('translating'), 0.5],
  [stem('email'), 0.8],
]);

/** All that an index says of a catalog, by names instead of numbers. */
function saidBy(index: TermIndex, documents: readonly ToolDocument[]): object {
  const fitOf = fitsOf(index, WANTED);
  const byName = <Value>(say: (id: number, name: string) => Value): [string, Value | undefined][] =>
    documents.map(({ name }): [string, Value | undefined] => {
      const id = index.idOf(name);
      return [name, id === undefined ? undefined : say(id, name)];
    });
  return {
    size: index.size,
    names: byName((id) => index.nameOf(id)),
    fits: byName((id) => fitOf(id)),
    spelled: byName((_, name) => [...index.spelled(spellingOf([name]))].map((id) => index.nameOf(id)).sort()),
    words: WORDS.map((word) => {
      const tally = new Tally(index.end);
      addFrequencies(index, word, 1, tally);
      const frequencies = Array.from(tally.idsSoFar(), (id): [string, unknown] => [index.nameOf(id), tally.sums[id]]);
      return {
        word,
        has: hasWord(index, word),
        forms: textsOf(index.forms(word)),
        guesses: textsOf(index.guesses(word)),
        frequencies: frequencies.sort(([first], [second]) => (first < second ? -1 : 1)),
        fields: byName((id) => index.fieldsOf(id, word)),
      };
    }),
  };
}

describe('an index after a change', () => {
  it('says exactly what one says that is built anew, and the one before it what it said', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const changed = (from: State, documents: readonly ToolDocument[]): State => {
          const { added, removed } = changeOf(from.documents, documents);
          const index = update(from.index, added, ...removed);
          // So few tools are never too many.
          if (!index) throw new Error('no update');
          return { documents, index };
        };
        const [first = [], ...later] = history;
        const all: State[] = [{ documents: first, index: build(first) }];
        for (const documents of later) all.push(changed(all.at(-1) as State, documents));
        // One index has many successors.
        const branches = all.map((state) => changed(state, later[0] ?? []));
        for (const { index, documents } of [...all, ...branches]) {
          expect(saidBy(index, documents)).toEqual(saidBy(build(documents), documents));
          for (const { name } of history.flat()) {
            expect(index.idOf(name) !== undefined).toBe(documents.some((entry) => entry.name === name));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has both of a name that is removed and of one that is added', () => {
    const index = build([document('a', 'Heron.'), document('b', 'Stork.')]);
    const changed = update(index, [document('a', 'Swan.')], 'a');
    expect(['heron', 'swan', 'stork'].map((word) => changed && hasWord(changed, word))).toEqual([false, true, true]);
    expect(['heron', 'swan', 'stork'].map((word) => hasWord(index, word))).toEqual([true, false, true]);
    expect([changed?.size, index.size]).toEqual([2, 2]);
  });

  it('has again what was removed before', () => {
    const index = build([document('a', 'Heron.'), document('b', 'Stork.')]);
    const without = update(index, [], 'a');
    const again = without && update(without, [document('a', 'Heron.')]);
    expect([without?.idOf('a'), without && hasWord(without, 'heron'), without?.size]).toEqual([undefined, false, 1]);
    expect(again && saidBy(again, [document('a'), document('b')])).toEqual(
      saidBy(index, [document('a'), document('b')]),
    );
  });

  it('takes no notice of a name that it does not have', () => {
    const index = build([document('a', 'Heron.')]);
    const changed = update(index, [], 'b', '__proto__', 'constructor');
    expect([changed?.size, changed && hasWord(changed, 'heron')]).toEqual([1, true]);
  });

  it('may be empty, and fill again', () => {
    const empty = update(build([document('a', 'Heron.')]), [], 'a');
    expect([empty?.size, empty && hasWord(empty, 'heron'), empty?.forms('heron'), empty?.guesses('hero')]).toEqual([
      0,
      false,
      [],
      [],
    ]);
    const filled = empty && update(empty, [document('b', 'Heron.')]);
    expect(filled && saidBy(filled, [document('b')])).toEqual(
      saidBy(build([document('b', 'Heron.')]), [document('b')]),
    );
  });
});

describe('a change', () => {
  const tools = (count: number, start = 0): ToolDocument[] =>
    Array.from({ length: count }, (_, n) => document(`tool_${start + n}`, `Reads number${start + n}.`));
  const names = (count: number): string[] => tools(count).map(({ name }) => name);

  it.each([
    { size: 50, added: 100, removed: 0, isUpdated: true, why: 'a hundred are few, whatever the catalog' },
    { size: 50, added: 101, removed: 0, isUpdated: false, why: 'more are not' },
    { size: 50, added: 60, removed: 41, isUpdated: false, why: 'what comes and what goes counts together' },
    { size: 1_000, added: 100, removed: 100, isUpdated: true, why: 'a fifth of a large catalog is few' },
    { size: 1_000, added: 101, removed: 100, isUpdated: false, why: 'more than a fifth is not' },
  ])('of $added and $removed in $size is worth an update, $isUpdated: $why', ({ size, added, removed, isUpdated }) => {
    const changed = update(build(tools(size)), tools(added, size), ...names(removed));
    expect(changed !== undefined).toBe(isUpdated);
    expect(changed?.size ?? size + added - removed).toBe(size + added - removed);
  });

  it('after many others is worth none', () => {
    let index: TermIndex | undefined = build(tools(50));
    let updates = 0;
    while (index && updates < 1_000) {
      index = update(index, tools(1, 50 + updates));
      updates++;
    }
    // The 101st tool beside the base is one too many.
    expect(updates).toBe(101);
  });

  it.each([
    { sentences: 5, isUpdated: true, why: 'of forty tools other words count now' },
    { sentences: 15, isUpdated: false, why: 'of 120 tools other words count now' },
  ])('to $sentences sentences that become boilerplate is worth an update, $isUpdated: $why', (row) => {
    const said = Array.from({ length: row.sentences }, (_, n) => `Costs number${n} of credits.`);
    const index = build(said.flatMap((text, n) => tools(8, 8 * n).map(({ name }) => document(name, text))));
    const changed = update(index, [document('all', said.join('\n'))]);
    expect([hasWord(index, 'credits'), changed && hasWord(changed, 'credits')]).toEqual([
      true,
      row.isUpdated ? false : undefined,
    ]);
  });

  it('can be interrupted while it is made', () => {
    const index = build(tools(1_000));
    expect(stopsOf(index.update(tools(190, 1_000), []))).toBeGreaterThanOrEqual(1 + Math.floor(190 / 64));
  });
});
