import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Vocabulary } from '../../src/scorers/vocabulary.ts';

function vocabularyOf(words: Iterable<string>): Vocabulary {
  const vocabulary = new Vocabulary();
  for (const word of words) vocabulary.add(word);
  return vocabulary;
}

const BIRDS = ['heron', 'pelican', 'penguin', 'pen', 'stork', 'swallow', 'swan', 'sparrow', '鶴'];

describe('a vocabulary', () => {
  it('knows the words that were added, and no others', () => {
    const vocabulary = vocabularyOf(BIRDS);
    for (const bird of BIRDS) expect(vocabulary.has(bird)).toBe(true);
    for (const other of ['', 'pel', 'Heron', 'constructor', '__proto__']) expect(vocabulary.has(other)).toBe(false);
  });

  it.each([
    { word: 'pel', guesses: ['pelican'], why: 'it begins so' },
    { word: 'pen', guesses: ['pen', 'penguin'], why: 'both begin so' },
    { word: 'sw', guesses: [], why: 'two letters say too little' },
    { word: '', guesses: [], why: 'nothing says nothing' },
    { word: 'pelicna', guesses: ['pelican'], why: 'neighbours are swapped' },
    { word: 'heorn', guesses: ['heron'], why: 'neighbours are swapped in a short word' },
    { word: 'storck', guesses: ['stork'], why: 'a letter too many' },
    { word: 'sorkt', guesses: [], why: 'two faults in a short word' },
    { word: 'sparo', guesses: [], why: 'two letters are missing in a short word' },
    { word: 'sparrrwo', guesses: ['sparrow'], why: 'two faults in a long word' },
    { word: 'swon', guesses: ['swan'], why: 'four letters are enough for a fault' },
    { word: 'sen', guesses: [], why: 'three letters are not' },
    { word: 'xenguin', guesses: ['penguin'], why: 'the first letter is wrong' },
    { word: 'ehron', guesses: ['heron'], why: 'the first two are swapped' },
    { word: 'hheron', guesses: ['heron'], why: 'the first is doubled' },
    { word: 'xheron', guesses: ['heron'], why: 'a letter too many in front' },
    { word: 'albatross', guesses: [], why: 'nothing is near' },
  ])('guesses $guesses for "$word": $why', ({ word, guesses }) => {
    expect(vocabularyOf(BIRDS).guesses(word)).toEqual(guesses);
  });

  it('guesses a word whose first letter is missing', () => {
    expect(vocabularyOf(BIRDS).guesses('enguin')).toEqual(['penguin']);
  });

  it('learns words after the first guess', () => {
    const vocabulary = vocabularyOf(['pelican']);
    expect(vocabulary.guesses('her')).toEqual([]);
    vocabulary.add('heron');
    vocabulary.add('heron');
    expect(vocabulary.guesses('her')).toEqual(['heron']);
  });

  it('guesses no more than a handful', () => {
    const vocabulary = vocabularyOf(Array.from({ length: 1_000 }, (_, n) => `pelican${n}`));
    for (const word of ['pelican', 'pelicamm', 'pelican1000']) {
      expect(vocabulary.guesses(word).length).toBeLessThanOrEqual(8);
    }
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
        const guesses = vocabularyOf(known).guesses(word);
        for (const guess of guesses) expect(known).toContain(guess);
        expect(new Set(guesses).size).toBe(guesses.length);
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
        const guesses = vocabularyOf(known).guesses(word);
        if (longer.length <= 8) expect([...guesses].sort()).toEqual(longer.sort());
        else for (const guess of guesses) expect(longer).toContain(guess);
      }),
    );
  });

  it('a word of four to seven letters finds those that differ by one', () => {
    const short = fc.string({ unit: fc.constantFrom(...'abcd'), minLength: 4, maxLength: 7 });
    fc.assert(
      fc.property(lists, short, (known, word) => {
        fc.pre(!known.some((candidate) => candidate.startsWith(word)));
        const guesses = vocabularyOf(known).guesses(word);
        for (const guess of guesses) expect(differsByOne(word, guess)).toBe(true);
        // The first letter is taken to be right here; what happens else stands in the table above.
        const near = known.filter((candidate) => candidate[0] === word[0] && differsByOne(word, candidate));
        if (near.length <= 3) for (const candidate of near) expect(guesses).toContain(candidate);
      }),
      { numRuns: 300 },
    );
  });

  it('does not depend on the order in which words were added', () => {
    fc.assert(
      fc.property(lists, letters, (known, word) => {
        const backwards = vocabularyOf([...known].reverse());
        expect(vocabularyOf(known).guesses(word)).toEqual(backwards.guesses(word));
      }),
    );
  });
});
