import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolDocument } from '../../../src/catalog/document.ts';
import { onlyIn } from '../../../src/scorers/bm25/field-counts.ts';
import { type Occurrences, Segment } from '../../../src/scorers/bm25/segment.ts';
import { sentencesOf } from '../../../src/scorers/bm25/sentences.ts';
import { FIELDS, type Field } from '../../../src/scorers/bm25/settings.ts';
import { spellingOf } from '../../../src/scorers/words/spellings.ts';
import { words } from '../../../src/scorers/words/words.ts';
import { document } from '../../fixtures/tools.ts';
import { atOnce, stopsOf } from '../at-once.ts';
import { documentLists, type NaiveFields, naiveFields, WORDS } from './naive-fields.ts';

/** Boilerplate is not its business. */
const build = (documents: readonly ToolDocument[]) =>
  Segment.build(documents, (id) => sentencesOf(documents[id] ?? document('')));
const segmentOf = (documents: readonly ToolDocument[]): Segment => atOnce(build(documents));

const placeOf = (field: Field): number => FIELDS.indexOf(field);
/** Each document by itself: nothing is boilerplate then. */
const fieldsOf = (documents: readonly ToolDocument[]): NaiveFields[] =>
  documents.flatMap((entry) => naiveFields([entry]));

/** By the word itself. */
const occurrencesOf = (segment: Segment, word: string): Occurrences =>
  segment.occurrences(segment.vocabulary.numberOf(word));

describe('the occurrences of a word', () => {
  it('are the documents that have it, in order, with its counts by field', () => {
    fc.assert(
      fc.property(documentLists, (documents) => {
        const segment = segmentOf(documents);
        const all = fieldsOf(documents);
        for (const word of new Set([
          ...all.flatMap((fields) => Object.values(fields).flat()),
          ...WORDS.flatMap(words),
          '',
        ])) {
          const found = occurrencesOf(segment, word);
          const places = Array.from({ length: found.end - found.start }, (_, at) => found.start + at);
          const expected = [...all.entries()].filter(([, fields]) => Object.values(fields).flat().includes(word));
          expect(places.map((at) => found.documents[at])).toEqual(expected.map(([id]) => id));
          for (const [position, at] of places.entries()) {
            for (const [place, field] of FIELDS.entries()) {
              const times = expected[position]?.[1][field].filter((other) => other === word).length ?? 0;
              const inField = onlyIn(found.counts[at] ?? 0, place);
              expect(inField).toBe(Math.min(15, times) * 16 ** place);
            }
          }
        }
      }),
    );
  });

  it('are none in an empty segment', () => {
    const { start, end } = occurrencesOf(segmentOf([]), 'heron');
    expect(end - start).toBe(0);
  });

  it('are as many as there are documents', () => {
    const many = Array.from({ length: 3_000 }, (_, n) => document(`heron_${n}`));
    const { documents, start, end } = occurrencesOf(segmentOf(many), 'heron');
    expect([...documents.slice(start, end)]).toEqual([...many.keys()]);
  });
});

describe('the length of a field', () => {
  it('is the number of its different words', () => {
    fc.assert(
      fc.property(documentLists, (documents) => {
        const segment = segmentOf(documents);
        for (const [id, fields] of fieldsOf(documents).entries()) {
          for (const field of FIELDS) {
            expect(segment.lengthOf(id, placeOf(field))).toBe(new Set(fields[field]).size);
          }
        }
      }),
    );
  });

  it.each([
    { count: 254, length: 254, why: 'it is counted' },
    { count: 255, length: 255, why: 'it just fits' },
    { count: 256, length: 255, why: 'longer fields count as this long' },
    { count: 600, length: 255, why: 'however long they are' },
  ])('of $count words is $length: $why', ({ count, length }) => {
    const text = Array.from({ length: count }, (_, n) => `word${n}`).join(' ');
    const segment = segmentOf([document('other', 'Reads.'), document('long', text), document('last', 'Reads it.')]);
    expect([0, 1, 2].map((id) => segment.lengthOf(id, placeOf('summary')))).toEqual([1, length, 1]);
  });
});

describe('a frequency', () => {
  it('is what its counts are worth, by the length of each field', () => {
    const segment = segmentOf([document('heron_heron', 'A heron.', { title: 'Heron, stork and heron' })]);
    const { counts, start } = occurrencesOf(segment, 'heron');
    // Of a length of n, an occurrence counts 10 ** field * n.
    const factors = FIELDS.map((_, field) => Float64Array.from({ length: 256 }, (__, length) => 10 ** field * length));
    const [name, title, summary] = [2 * 2, 2 * 10 ** placeOf('title') * 3, 10 ** placeOf('summary')];
    expect(segment.frequency(0, counts[start] ?? 0, factors)).toBe(name + title + summary);
    expect(segment.frequency(0, onlyIn(counts[start] ?? 0, placeOf('title')), factors)).toBe(title);
    expect(segment.frequency(0, 0, factors)).toBe(0);
  });
});

describe('a spelling', () => {
  it.each([
    { spelling: 'getweather', names: ['getWeather', 'get-weather', 'GETWEATHER'], why: 'whatever stands in between' },
    { spelling: 'get', names: [], why: 'a part is not the name' },
    { spelling: '', names: [], why: 'names without letters have none' },
    { spelling: 'constructor', names: ['constructor'], why: 'nothing special' },
    { spelling: 'liquid', names: ['liquid', 'LI_quid'], why: 'another name has the same hash' },
    { spelling: 'costarring', names: ['coStarring'], why: 'so have two other names' },
  ])('"$spelling" is that of $names: $why', ({ spelling, names }) => {
    const all = ['getWeather', '__', 'get-weather', 'other', 'constructor', 'liquid', 'coStarring', 'LI_quid'];
    const documents = [...all, 'GETWEATHER'].map((name) => document(name));
    const found = segmentOf(documents)
      .spelled(spelling)
      .map((id) => documents[id]?.name);
    expect([...found].sort()).toEqual([...names].sort());
  });

  it.each([
    ['costarring', 'liquid'],
    ['declinate', 'macallums'],
    ['altarages', 'zinkes'],
  ])('is told from another with the same hash: %s and %s', (first, second) => {
    const segment = segmentOf([document(first), document(second)]);
    expect([segment.spelled(first), segment.spelled(second)]).toEqual([[0], [1]]);
  });

  it('is that of the words of a name, put together', () => {
    fc.assert(
      fc.property(documentLists, (documents) => {
        const segment = segmentOf(documents);
        for (const { name } of documents) {
          const found = segment.spelled(spellingOf([name])).map((id) => documents[id]?.name);
          const expected = documents.filter((other) => spellingOf([other.name]) === spellingOf([name]));
          expect([...found].sort()).toEqual(expected.map((other) => other.name).sort());
          expect(documents[segment.ids.get(name) ?? -1]?.name).toBe(name);
        }
      }),
    );
  });
});

it('the build can be interrupted', () => {
  const documents = Array.from({ length: 640 }, (_, n) => document(`tool${n}`));
  expect(stopsOf(build(documents))).toBeGreaterThanOrEqual(640 / 64);
});
