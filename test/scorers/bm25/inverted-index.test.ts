import fc from 'fast-check';
import type { ToolDocument } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { bm25Scorer } from '../../../src/scorers/bm25/bm25.ts';
import { rankCandidates } from '../../../src/scorers/bm25/candidates.ts';
import { InvertedIndex } from '../../../src/scorers/bm25/inverted-index.ts';
import {
  DEFAULT_SETTINGS,
  FIELDS,
  type Field,
  type FieldWeight,
  type FieldWeights,
} from '../../../src/scorers/bm25/settings.ts';
import { withoutBoilerplate } from '../../../src/scorers/bm25/tool-words.ts';
import { inverseDocumentFrequency } from '../../../src/scorers/bm25/word-match.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { stem, words } from '../../../src/scorers/words/words.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { atOnce, stopsOf } from '../at-once.ts';
import { documentLists, type NaiveFields, naiveFields, WORDS } from './naive-fields.ts';
import { statisticsOf } from './statistics-of.ts';

const record = <Value>(make: (field: Field) => Value): Readonly<Record<Field, Value>> =>
  Object.fromEntries(FIELDS.map((field) => [field, make(field)])) as Record<Field, Value>;
const NEUTRAL: FieldWeights = record(() => ({ boost: 1, lengthNorm: 0.5 }));

const indexOf = (documents: readonly ToolDocument[], by: FieldWeights = NEUTRAL): InvertedIndex =>
  atOnce(InvertedIndex.build(documents, by));

/** By the name of the document. */
function frequenciesOf(index: InvertedIndex, term: string): Map<string, number> {
  const found = new Map<string, number>();
  const word = index.find(term);
  if (word === undefined) return found;
  const { ids, counts } = index.postings(word);
  for (const [at, id] of ids.entries()) {
    const frequency = index.frequency(id, counts[at] ?? 0);
    if (frequency > 0) found.set(index.nameOf(id), frequency);
  }
  return found;
}
const hasWord = (index: InvertedIndex, word: string): boolean => index.find(word) !== undefined;
const listed = (frequencies: ReadonlyMap<string, number>): object => Object.fromEntries(frequencies);

/**
 * boost * tf / (1 - b + b * length / average length), where tf is 15 at most, and the length of a field is the number of
 * its different words, 255 at most.
 */
function naiveFrequency(all: readonly NaiveFields[], id: number, field: Field, term: string, weight: FieldWeight) {
  const lengths = all.map((fields) => Math.min(255, new Set(fields[field]).size));
  const average = lengths.reduce((sum, length) => sum + length, 0) / all.length;
  const count = Math.min(15, all[id]?.[field].filter((word) => word === term).length ?? 0);
  const { boost, lengthNorm } = weight;
  return count === 0 ? 0 : (boost * count) / (1 - lengthNorm + (lengthNorm * (lengths[id] ?? 0)) / average);
}

const term = fc.constantFrom(...WORDS.flatMap(words), 'heronstork', 'herons');
const lengthNorm = fc.double({ min: 0, max: 1, noNaN: true });
const boost = fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 5, noNaN: true }));
const weights = fc.record(record(() => fc.record({ boost, lengthNorm }))) as unknown as fc.Arbitrary<FieldWeights>;

describe('the frequencies of a term', () => {
  it('are those of BM25F, computed naively', () => {
    fc.assert(
      fc.property(documentLists, weights, term, (documents, by, wanted) => {
        const index = indexOf(documents, by);
        const found = frequenciesOf(index, wanted);
        const all = naiveFields(documents);
        for (const [id, { name }] of documents.entries()) {
          const expected = FIELDS.reduce((sum, field) => sum + naiveFrequency(all, id, field, wanted, by[field]), 0);
          expect(found.has(name)).toBe(expected > 0);
          expect(found.get(name) ?? 0).toBeCloseTo(expected, 9);
        }
        expect(hasWord(index, wanted)).toBe(all.some((fields) => Object.values(fields).flat().includes(wanted)));
      }),
      { numRuns: 300 },
    );
  });

  it('are the sum of those by field', () => {
    fc.assert(
      fc.property(documentLists, weights, term, (documents, by, wanted) => {
        const index = indexOf(documents, by);
        const found = frequenciesOf(index, wanted);
        const all = naiveFields(documents);
        for (const [id, { name }] of documents.entries()) {
          const fields = index.fieldsOf(index.idOf(name) ?? -1, wanted);
          for (const field of FIELDS) {
            const expected = naiveFrequency(all, id, field, wanted, by[field]);
            expect(fields[field] ?? 0).toBeCloseTo(expected, 9);
            expect(Object.hasOwn(fields, field)).toBe(expected > 0);
          }
          const sum = Object.values(fields).reduce((total, frequency) => total + frequency, 0);
          expect(sum).toBeCloseTo(found.get(name) ?? 0, 9);
        }
      }),
    );
  });

  it.each([
    { why: 'no document has it', wanted: 'pelican' },
    { why: 'it is empty', wanted: '' },
    { why: 'only a part of it is there', wanted: 'hero' },
    { why: 'it is two words', wanted: 'heron stork' },
    { why: 'it is a name out of JavaScript', wanted: 'toString' },
    { why: 'it says nothing', wanted: 'the' },
  ])('are none where $why', ({ wanted }) => {
    const index = indexOf([document('heron_stork', 'The one.')]);
    expect(listed(frequenciesOf(index, wanted))).toEqual({});
    expect(index.fieldsOf(0, wanted)).toEqual({});
    expect(hasWord(index, wanted)).toBe(false);
  });

  it('are none in an empty catalog, or in a field that is left out', () => {
    expect(listed(frequenciesOf(indexOf([]), 'heron'))).toEqual({});
    const weightless = { ...NEUTRAL, name: { boost: 0, lengthNorm: 0.5 } };
    expect(listed(frequenciesOf(indexOf([document('heron')], weightless), 'heron'))).toEqual({});
  });

  it('fall with the length of the field, as far as its weight says', () => {
    const documents = [document('a', 'Heron.'), document('b', 'Heron stork swan.')];
    const by = (share: number): FieldWeights => ({ ...NEUTRAL, summary: { boost: 2, lengthNorm: share } });
    expect(listed(frequenciesOf(indexOf(documents, by(0)), 'heron'))).toEqual({ a: 2, b: 2 });
    expect(listed(frequenciesOf(indexOf(documents, by(1)), 'heron'))).toEqual({ a: 4, b: expect.closeTo(4 / 3, 9) });
  });

  it('count a word of a field 15 times at most, and none of them for another field', () => {
    const many = (count: number): ToolDocument => document('a', `${'heron '.repeat(count)}.`, { title: 'Heron' });
    const counted = (count: number) => indexOf([many(count)]).fieldsOf(0, 'heron');
    expect(counted(14)).toEqual({ summary: 14, title: 1 });
    for (const count of [15, 16, 40, 1_000]) expect(counted(count)).toEqual({ summary: 15, title: 1 });
  });
});

describe('an index', () => {
  it('can be interrupted while it is built', () => {
    const documents = Array.from({ length: 1_000 }, (_, n) => document(`tool_${n}`, `Reads number${n}.`));
    expect(stopsOf(InvertedIndex.build(documents, NEUTRAL))).toBeGreaterThanOrEqual(2 * Math.floor(1_000 / 64));
  });

  it.each([
    { word: 'translate', forms: ['translating', 'translations'], why: 'those that there are, by the alphabet' },
    { word: 'translations', forms: ['translations', 'translating'], why: 'the word itself comes first' },
    { word: 'herons', forms: ['heron'], why: 'there is one' },
    { word: 'swan', forms: [], why: 'there is none' },
  ])('has the forms $forms of "$word": $why', ({ word, forms }) => {
    const documents = [document('b', 'Translations, and a heron.'), document('translating')];
    for (const list of [documents, [...documents].reverse()]) {
      const index = indexOf(list);
      expect(index.formsOf(stem(word), word).map((form) => index.words[form])).toEqual(forms);
    }
  });

  it('knows names by number and numbers by name', () => {
    const index = indexOf([document('a_heron'), document('constructor')]);
    expect([index.tools, index.nameOf(1), index.nameOf(7)]).toEqual([2, 'constructor', '']);
    expect(['a_heron', 'constructor', 'heron', '__proto__'].map((name) => index.idOf(name))).toEqual([
      0,
      1,
      undefined,
      undefined,
    ]);
  });

  it('knows the stems of names, each once, without articles', () => {
    const names = ['list_all_files', 'listFilesFile', '___', 'send_a_file'];
    const index = indexOf(names.map((name) => document(name)));
    expect([...index.nameSizes]).toEqual([3, 2, 0, 2]);
    expect(['list', 'file', 'all', 'a', 'swan'].map((root) => index.namedBy(root))).toEqual([
      [0, 1],
      [0, 1, 3],
      [0],
      [],
      [],
    ]);
  });
});

it('tells more of a term the fewer documents have it', () => {
  const values = [0, 1, 2, 10, 50, 100].map((count) => inverseDocumentFrequency(count, 100));
  expect(values).toEqual([...values].sort((first, second) => second - first));
  for (const value of values) expect(value).toBeGreaterThan(0);
});

const guessed = (words: Iterable<string>, word: string): readonly string[] => {
  const documents = [document('___', '', { keywords: [...words] })];
  return atOnce(InvertedIndex.build(documents, DEFAULT_SETTINGS.fields)).guesses(word);
};

const BIRDS = ['heron', 'pelican', 'penguin', 'pen', 'stork', 'swallow', 'swan', 'sparrow', '鶴'];

describe('guesses', () => {
  it.each([
    { word: 'pel', found: ['pelican'], why: 'it begins so' },
    { word: 'pen', found: ['pen', 'penguin'], why: 'both begin so' },
    { word: 'sw', found: [], why: 'two letters say too little' },
    { word: '', found: [], why: 'nothing says nothing' },
    { word: 'pelicna', found: ['pelican'], why: 'neighbours are swapped' },
    { word: 'heorn', found: ['heron'], why: 'neighbours are swapped in a short word' },
    { word: 'storck', found: ['stork'], why: 'a letter too many' },
    { word: 'sorkt', found: [], why: 'two faults in a short word' },
    { word: 'sparo', found: [], why: 'two letters are missing in a short word' },
    { word: 'sparrrwo', found: ['sparrow'], why: 'two faults in a long word' },
    { word: 'swon', found: ['swan'], why: 'four letters are enough for a fault' },
    { word: 'sen', found: [], why: 'three letters are not' },
    { word: 'xenguin', found: ['penguin'], why: 'the first letter is wrong' },
    { word: 'ehron', found: ['heron'], why: 'the first two are swapped' },
    { word: 'hheron', found: ['heron'], why: 'the first is doubled' },
    { word: 'xheron', found: ['heron'], why: 'a letter too many in front' },
    { word: 'enguin', found: ['penguin'], why: 'the first letter is missing' },
    { word: 'albatross', found: [], why: 'nothing is near' },
  ])('at "$word" are $found: $why', ({ word, found }) => {
    expect(guessed(BIRDS, word)).toEqual(found);
  });

  it('are no more than a handful', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `pelican${n}`);
    for (const word of ['pelican', 'pelicamm', 'pelican1000']) {
      expect(guessed(many, word).length).toBeLessThanOrEqual(8);
    }
    expect(guessed(many, 'pelican')).toEqual([...many].sort().slice(0, 8));
  });
});

const letters = fc.string({ unit: fc.constantFrom(...'abcd'), minLength: 1, maxLength: 9 });
const lists = fc.uniqueArray(letters, { maxLength: 25 });

/** Whether one insertion, deletion, replacement or swap of neighbours makes the other word. */
function differsByOne(a: string, b: string): boolean {
  for (let at = 0; at <= a.length; at++) {
    const [before, after] = [a.slice(0, at), a.slice(at)];
    if (before + after.slice(1) === b) return true;
    if (after.length > 1 && `${before}${after[1]}${after[0]}${after.slice(2)}` === b) return true;
    for (const letter of 'abcd')
      if (before + letter + after === b || before + letter + after.slice(1) === b) return true;
  }
  return false;
}

describe('against a naive oracle', () => {
  it('every guess is a known word', () => {
    fc.assert(
      fc.property(lists, letters, (known, word) => {
        const found = guessed(known, word);
        for (const guess of found) expect(known).toContain(guess);
        expect(new Set(found).size).toBe(found.length);
      }),
    );
  });

  it('the beginning of known words finds them', () => {
    const few = fc.constantFrom(...'ab');
    const list = fc.uniqueArray(fc.string({ unit: few, minLength: 1, maxLength: 6 }), { maxLength: 40 });
    const beginning = fc.string({ unit: few, minLength: 3, maxLength: 4 });
    fc.assert(
      fc.property(list, beginning, (known, word) => {
        const longer = known.filter((candidate) => candidate.startsWith(word));
        fc.pre(longer.length > 0);
        expect(guessed(known, word)).toEqual(longer.sort().slice(0, 8));
      }),
    );
  });

  it('a word of four to seven letters finds those that differ by one', () => {
    const short = fc.string({ unit: fc.constantFrom(...'abcd'), minLength: 4, maxLength: 7 });
    fc.assert(
      fc.property(lists, short, (known, word) => {
        fc.pre(!known.some((candidate) => candidate.startsWith(word)));
        const found = guessed(known, word);
        for (const guess of found) expect(differsByOne(word, guess)).toBe(true);
        // The first letter is taken to be right here; what happens else stands in the table above.
        const near = known.filter((candidate) => candidate[0] === word[0] && differsByOne(word, candidate));
        if (near.length <= 3) for (const candidate of near) expect(found).toContain(candidate);
      }),
      { numRuns: 300 },
    );
  });

  it('does not depend on the order in which words were added', () => {
    fc.assert(
      fc.property(lists, letters, (known, word) => {
        expect(guessed(known, word)).toEqual(guessed([...known].reverse(), word));
      }),
    );
  });
});

const documents = atOnce(withoutBoilerplate(catalog));
const query = parseQuery('get the weather of a city');

it('ranks a few candidates as the default scorer ranks them among all', async () => {
  const index = await bm25Scorer().index(catalog);
  const all = await index.search(query);
  const some = documents.filter(({ name }, at) => at % 3 === 0 || name === all[0]?.name);
  const ranked = await rankCandidates(query, some, statisticsOf(catalog));
  const scores = new Map(all.map(({ name, score }) => [name, score]));
  expect(ranked.length).toBeGreaterThan(3);
  for (const { name, score } of ranked) expect(score).toBeCloseTo(scores.get(name) ?? 0, 9);
  expect(ranked.map(({ name }) => name)).toEqual(
    all.flatMap(({ name }) => (some.some((document) => document.name === name) ? [name] : [])),
  );
});

it('says how sure it is, and why', async () => {
  const [best, ...others] = await rankCandidates(query, documents, statisticsOf(catalog));
  expect(best?.confidence).toBeGreaterThan(0.5);
  for (const { confidence } of others) expect(confidence).toBeLessThanOrEqual(best?.confidence ?? 0);
  expect(best?.words?.find(({ word }) => word === 'weather')).toMatchObject({ found: 'weather', by: 'word' });
});

it('takes the candidates for all there is, where no statistics are given', async () => {
  const index = await bm25Scorer().index(catalog);
  const ranked = await rankCandidates(query, catalog);
  expect(ranked.map(({ name, score }) => ({ name, score }))).toEqual(await index.search(query));
});

it('finds nothing among no candidates, and by no words', async () => {
  expect(await rankCandidates(query, [], statisticsOf(catalog))).toEqual([]);
  expect(await rankCandidates(parseQuery('?'), documents, statisticsOf(catalog))).toEqual([]);
});
