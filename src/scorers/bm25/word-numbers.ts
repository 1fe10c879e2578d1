import { cut } from '../../util/text.ts';
import { isStopWord } from '../words/stem.ts';
import { MAX_WORD } from '../words/words.ts';

/** Words by numbers, counted as they come. */
export class WordNumbers {
  /** Words, lower-case, by their numbers. */
  readonly words: string[] = [];
  /** Numbers of words in the casings in which they came. */
  readonly #numbers = new Map<string, number>();
  readonly #isStopWord: boolean[] = [];

  /** @param words - lower-case, each once. */
  constructor(words: readonly string[] = []) {
    for (const word of words) this.#append(word);
  }

  /** Whether the word of this number says nothing. */
  isStopWord(word: number): boolean {
    return this.#isStopWord[word] === true;
  }

  /** The number of a lower-case word that it has. */
  find(word: string): number | undefined {
    return this.#numbers.get(word);
  }

  /** The number of a word in any casing and length, a new one where it has none. */
  numberOf(written: string): number {
    const known = this.#numbers.get(written);
    if (known !== undefined) return known;
    const word = cut(written, MAX_WORD).toLowerCase();
    if (word === written) return this.#append(word);
    const number = this.#numbers.get(word) ?? this.#append(word);
    this.#numbers.set(written, number);
    return number;
  }

  #append(word: string): number {
    const number = this.words.push(word) - 1;
    this.#isStopWord.push(isStopWord(word));
    this.#numbers.set(word, number);
    return number;
  }
}
