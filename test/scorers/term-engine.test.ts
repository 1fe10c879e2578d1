import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELDS, type Field, type FieldWords } from '../../src/scorers/fields.ts';
import {
  type FieldWeight,
  inverseDocumentFrequency,
  type Postings,
  TermEngine,
} from '../../src/scorers/term-engine.ts';

type Weights = Readonly<Record<Field, FieldWeight>>;

const record = <Value>(make: (field: Field) => Value): Readonly<Record<Field, Value>> =>
  Object.fromEntries(FIELDS.map((field) => [field, make(field)])) as Record<Field, Value>;
const only = (name: readonly string[]): FieldWords => record((field) => (field === 'name' ? name : []));
const NEUTRAL: Weights = record(() => ({ boost: 1, lengthNorm: 0.5 }));

/** By document number. */
const listed = ({ ids, frequencies }: Postings): Map<number, number> =>
  new Map(ids.map((id, at) => [id, frequencies[at] ?? Number.NaN]));

/** boost * tf / (1 - b + b * length / average length), where the length of a field is the number of its different words. */
function naiveFrequency(documents: readonly FieldWords[], id: number, field: Field, term: string, weight: FieldWeight) {
  const lengths = documents.map((words) => new Set(words[field]).size);
  const average = lengths.reduce((sum, length) => sum + length, 0) / documents.length;
  const count = documents[id]?.[field].filter((word) => word === term).length ?? 0;
  const { boost, lengthNorm } = weight;
  return count === 0 ? 0 : (boost * count) / (1 - lengthNorm + (lengthNorm * (lengths[id] ?? 0)) / average);
}

const TERMS = ['heron', 'stork', 'swan', '鶴', 'constructor', '__proto__'];
const word = fc.constantFrom(...TERMS);
const documents = fc.array(
  fc.record(record(() => fc.array(word, { maxLength: 8 }))) as unknown as fc.Arbitrary<FieldWords>,
  { minLength: 1, maxLength: 8 },
);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const boost = fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 5, noNaN: true }));
const weights = fc.record(record(() => fc.record({ boost, lengthNorm: share }))) as unknown as fc.Arbitrary<Weights>;

describe('the frequencies of a term', () => {
  it('are those of BM25F, computed naively', () => {
    fc.assert(
      fc.property(documents, weights, word, (all, by, term) => {
        const found = listed(new TermEngine(all, by).postings(term));
        for (const id of all.keys()) {
          const expected = FIELDS.reduce((sum, field) => sum + naiveFrequency(all, id, field, term, by[field]), 0);
          expect(found.has(id)).toBe(expected > 0);
          expect(found.get(id) ?? 0).toBeCloseTo(expected, 5);
        }
      }),
    );
  });

  it('are the sum of those by field', () => {
    fc.assert(
      fc.property(documents, weights, word, (all, by, term) => {
        const engine = new TermEngine(all, by);
        const found = listed(engine.postings(term));
        for (const id of all.keys()) {
          const fields = engine.fieldsOf(id, term);
          for (const [field, frequency] of Object.entries(fields)) {
            expect(frequency).toBeCloseTo(naiveFrequency(all, id, field as Field, term, by[field as Field]), 5);
          }
          const sum = Object.values(fields).reduce((total, frequency) => total + frequency, 0);
          expect(sum).toBeCloseTo(found.get(id) ?? 0, 10);
        }
      }),
    );
  });

  it.each([
    { why: 'no document has it', term: 'pelican' },
    { why: 'it is empty', term: '' },
    { why: 'only a part of it is there', term: 'hero' },
    { why: 'it is there in another case', term: 'Heron' },
    { why: 'it is two words', term: 'heron stork' },
    { why: 'it is a name out of JavaScript', term: 'toString' },
  ])('are none where $why', ({ term }) => {
    const engine = new TermEngine([only(['heron', 'stork'])], NEUTRAL);
    expect(engine.postings(term)).toEqual({ ids: [], frequencies: [] });
    expect(engine.fieldsOf(0, term)).toEqual({});
  });

  it('are none in an empty catalog, or in a field that is left out', () => {
    expect(new TermEngine([], NEUTRAL).postings('heron').ids).toEqual([]);
    const weightless = { ...NEUTRAL, name: { boost: 0, lengthNorm: 0.5 } };
    expect(new TermEngine([only(['heron'])], weightless).postings('heron').ids).toEqual([]);
  });

  it('fall with the length of the field, as far as its weight says', () => {
    const all = [only(['heron']), only(['heron', 'stork', 'swan'])];
    const by = (lengthNorm: number): Weights => ({ ...NEUTRAL, name: { boost: 2, lengthNorm } });
    expect([...listed(new TermEngine(all, by(0)).postings('heron')).values()]).toEqual([
      expect.closeTo(2, 6),
      expect.closeTo(2, 6),
    ]);
    expect([...listed(new TermEngine(all, by(1)).postings('heron')).values()]).toEqual([
      expect.closeTo(4, 6),
      expect.closeTo(4 / 3, 6),
    ]);
  });

  it('stay the same when the postings of other terms had to make room for them', () => {
    const terms = Array.from({ length: 90 }, (_, n) => `term${n}`);
    const engine = new TermEngine(
      Array.from({ length: 2_500 }, (_, id) => only(id % 2 === 0 ? terms : [...terms, 'heron'])),
      NEUTRAL,
    );
    const first = terms.map((term) => engine.postings(term));
    // The last is still known, the first was forgotten.
    expect(engine.postings('term89')).toBe(first[89]);
    expect(engine.postings('term0')).not.toBe(first[0]);
    expect(terms.map((term) => engine.postings(term))).toEqual(first);
  });

  it('are kept longer for terms that are asked for again and again', () => {
    const terms = Array.from({ length: 90 }, (_, n) => `term${n}`);
    const engine = new TermEngine(
      Array.from({ length: 2_500 }, () => only(terms)),
      NEUTRAL,
    );
    const known = engine.postings('term0');
    for (const term of terms) {
      engine.postings(term);
      expect(engine.postings('term0')).toBe(known);
    }
  });
});

it('tells more of a term the fewer documents have it', () => {
  const values = [0, 1, 2, 10, 50, 100].map((count) => inverseDocumentFrequency(count, 100));
  expect(values).toEqual([...values].sort((first, second) => second - first));
  for (const value of values) expect(value).toBeGreaterThan(0);
});
