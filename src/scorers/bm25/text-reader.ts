import { findAsciiWords, MAX_TEXT, splitIdentifier, words, writeAscii } from '../../query/words.ts';
import type { NumberList } from './number-list.ts';
import type { WordNumbers } from './word-numbers.ts';

const encoder = new TextEncoder();

/**
 * Reads texts as numbers of words.
 *
 * Each distinct word becomes one string, however often it occurs: this halves the cost of a build.
 */
export class TextReader {
  readonly numbers: WordNumbers;
  /** Reused from text to text: thousands of short ones would cost more than what is in them. */
  readonly #bytes = new Uint8Array(MAX_TEXT);

  constructor(numbers: WordNumbers) {
    this.numbers = numbers;
  }

  /**
   * Appends the words of texts, as `words()` finds them, without those that say nothing where `onlyContent` is set.
   * The words of texts in other letters than ASCII's come last: read together, they cost less.
   */
  readTexts(texts: readonly string[], to: NumberList, onlyContent = false): void {
    let others: string[] | undefined;
    for (const text of texts) {
      if (text === '') continue;
      const ascii = writeAscii(text, this.#bytes);
      if (ascii !== undefined) this.#read(ascii, false, to, onlyContent);
      else if (others) others.push(text);
      else others = [text];
    }
    if (others) for (const word of words(others.join('\n'))) this.#add(this.numberOf(word), to, onlyContent);
  }

  /** Appends the words of a name, as `splitIdentifier()` finds them. */
  readIdentifier(name: string, to: NumberList): void {
    const ascii = writeAscii(name, this.#bytes);
    if (ascii !== undefined) this.#read(ascii, true, to, false);
    else for (const word of splitIdentifier(name)) to.push(this.numberOf(word));
  }

  /** The number of a lower-case word, a new one where it has none. */
  numberOf(word: string): number {
    const { written } = encoder.encodeInto(word, this.#bytes);
    return this.numbers.numberAt(this.#bytes, 0, written) ?? this.numbers.append(word, this.#bytes, 0, written);
  }

  /** The number of two words written as one. */
  compoundOf(first: number, second: number): number {
    return this.numberOf(`${this.numbers.words[first]}${this.numbers.words[second]}`);
  }

  /** Appends the words of a text whose bytes are written. */
  #read(text: string, splitsAll: boolean, to: NumberList, onlyContent: boolean): void {
    const bytes = this.#bytes;
    const bounds = findAsciiWords(bytes, text.length, splitsAll);
    for (let at = 0; at < bounds.length; at += 2) {
      const start = bounds[at] ?? 0;
      const end = bounds[at + 1] ?? 0;
      const known = this.numbers.numberAt(bytes, start, end);
      const word = known ?? this.numbers.append(text.slice(start, end).toLowerCase(), bytes, start, end);
      this.#add(word, to, onlyContent);
    }
  }

  #add(word: number, to: NumberList, onlyContent: boolean): void {
    if (!onlyContent || !this.numbers.isStopWord(word)) to.push(word);
  }
}
