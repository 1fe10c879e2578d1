import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvertedIndex } from '../../../src/scorers/bm25/inverted-index.ts';
import { DEFAULT_SETTINGS } from '../../../src/scorers/bm25/settings.ts';
import { document } from '../../fixtures/tools.ts';
import { atOnce } from '../at-once.ts';

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
