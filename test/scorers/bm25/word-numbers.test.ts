import { describe, expect, it } from 'vitest';
import { WordNumbers } from '../../../src/scorers/bm25/word-numbers.ts';

describe('the number of a word', () => {
  it('is counted as the words come', () => {
    const numbers = new WordNumbers();
    expect(['heron', 'stork', 'heron', 'swan'].map((word) => numbers.numberOf(word))).toEqual([0, 1, 0, 2]);
    expect(new WordNumbers(['heron', 'stork']).words).toEqual(['heron', 'stork']);
  });

  it('is found without giving one to a new word', () => {
    const numbers = new WordNumbers(['stork', 'heron']);
    expect(['heron', 'liquid', '', '__proto__'].map((word) => numbers.find(word))).toEqual([
      1,
      undefined,
      undefined,
      undefined,
    ]);
    expect(numbers.words).toEqual(['stork', 'heron']);
  });

  it('is the same in any casing', () => {
    const numbers = new WordNumbers();
    expect(['Heron', 'HERON', 'heron', 'Zürich', 'ZÜRICH'].map((word) => numbers.numberOf(word))).toEqual([
      0, 0, 0, 1, 1,
    ]);
    expect(numbers.words).toEqual(['heron', 'zürich']);
  });

  it('is that of its first 64 letters', () => {
    const numbers = new WordNumbers();
    expect([numbers.numberOf('x'.repeat(64)), numbers.numberOf('X'.repeat(100))]).toEqual([0, 0]);
  });

  it('is never that of half a character', () => {
    const numbers = new WordNumbers();
    numbers.numberOf(`a${'𐐨'.repeat(40)}`);
    expect(numbers.words[0]).toBe(`a${'𐐨'.repeat(31)}`);
  });

  it.each(['__proto__', 'constructor', 'toString', ''])('may be that of "%s"', (word) => {
    const numbers = new WordNumbers();
    expect([numbers.numberOf('other'), numbers.numberOf(word), numbers.numberOf(word)]).toEqual([0, 1, 1]);
  });

  it('says whether the word says nothing', () => {
    const numbers = new WordNumbers(['heron']);
    expect([0, numbers.numberOf('The'), 7].map((number) => numbers.isStopWord(number))).toEqual([false, true, false]);
  });
});
