import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Vocabulary } from '../../../src/scorers/bm25/vocabulary.ts';
import { stem } from '../../../src/scorers/words/stem.ts';
import { vocabularyOf } from './vocabulary-of.ts';

/** The words with the same stem, as they came. */
const formsOf = (vocabulary: Vocabulary, word: string): string[] =>
  vocabulary
    .formsOf(stem(word))
    .map((number) => vocabulary.wordOf(number))
    .reverse();

const BIRDS = ['heron', 'pelican', 'penguin', 'pen', 'stork', 'swallow', 'swan', 'sparrow', '鶴'];

describe('a vocabulary', () => {
  it('numbers the words that were added as they came, and no others', () => {
    const vocabulary = vocabularyOf(BIRDS);
    for (const [number, bird] of BIRDS.entries()) expect(vocabulary.numberOf(bird)).toBe(number);
    for (const other of ['', 'pel', 'herons', 'constructor', '__proto__']) {
      expect(vocabulary.numberOf(other)).toBeUndefined();
    }
  });

  it('may have words out of JavaScript', () => {
    const vocabulary = vocabularyOf(['heron', '__proto__', 'constructor']);
    expect(['__proto__', 'constructor', 'toString'].map((word) => vocabulary.numberOf(word))).toEqual([
      1,
      2,
      undefined,
    ]);
  });

  it('does not have what was read but says nothing', () => {
    const vocabulary = vocabularyOf(['heron', 'translate', 'stork'], ['the', 'translating', 'storks']);
    expect(['the', 'translating', 'storks'].map((word) => vocabulary.numberOf(word))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([formsOf(vocabulary, 'translation'), formsOf(vocabulary, 'the')]).toEqual([['translate'], []]);
    expect([...vocabulary.withPrefix('stor')]).toEqual(['stork']);
    expect([...vocabulary.beginningLike('sturdy')]).toEqual(['translate', 'stork']);
  });

  it.each([
    { word: 'heron', near: ['heron'], why: 'the first two letters' },
    { word: 'hx', near: ['heron'], why: 'the first letter' },
    { word: 'xw', near: ['swan'], why: 'the second letter' },
    { word: 'ws', near: ['stork', 'swan'], why: 'letters that changed places' },
    { word: 'ix', near: ['bird', 'ibis', 'yak'], why: 'y is as good as i, as in a stem' },
    { word: 'xx', near: [], why: 'neither' },
  ])('has the words $near that begin about as "$word": $why', ({ word, near }) => {
    expect([...vocabularyOf(['bird', 'heron', 'ibis', 'stork', 'swan', 'yak']).beginningLike(word)]).toEqual(near);
  });

  it.each([
    { word: 'translate', forms: ['translating', 'translate', 'translations'], why: 'all of one stem, as they came' },
    {
      word: 'translated',
      forms: ['translating', 'translate', 'translations'],
      why: 'also for a form it does not have',
    },
    { word: 'heron', forms: ['heron'], why: 'there is one' },
    { word: 'pelican', forms: [], why: 'there is none' },
    { word: '鶴', forms: ['鶴'], why: 'what has no stem is its own' },
    { word: '', forms: [], why: 'nothing has no forms' },
    { word: 'constructor', forms: [], why: 'nothing comes out of JavaScript' },
  ])('has the forms $forms of "$word": $why', ({ word, forms }) => {
    const vocabulary = vocabularyOf(['translating', 'heron', 'translate', '鶴', 'translations']);
    expect(formsOf(vocabulary, word)).toEqual(forms);
  });
});

describe('against a naive oracle', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 's', 'ing', '鶴'), minLength: 1, maxLength: 5 });
  const lists = fc.uniqueArray(letters, { maxLength: 25 });

  it('has the same words with a beginning and of a stem', () => {
    fc.assert(
      fc.property(lists, lists, letters, (read, silent, word) => {
        const vocabulary = vocabularyOf(read, silent);
        const list = read.filter((other) => !silent.includes(other));
        const prefix = `${word}b`;
        expect(vocabulary.withPrefix(prefix)).toEqual(list.filter((other) => other.startsWith(prefix)));
        expect(formsOf(vocabulary, word)).toEqual(list.filter((other) => stem(other) === stem(word)));
        expect(vocabulary.numberOf(word)).toBe(list.includes(word) ? read.indexOf(word) : undefined);
      }),
      { numRuns: 300 },
    );
  });
});
