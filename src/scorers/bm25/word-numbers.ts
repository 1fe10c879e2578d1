import {
  findAsciiWords,
  isStopWord,
  splitIdentifier,
  textBytes,
  wordEnds,
  wordStarts,
  words,
  writeAscii,
} from '../../query/words.ts';
import { FNV_START, hashOn } from './fnv.ts';
import { NumberList } from './number-list.ts';

/** By the byte: itself, and for a capital of ASCII the small letter. */
const LOWER_CASE = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

const encoder = new TextEncoder();

/**
 * Reads texts as numbers of words, counted as they come.
 *
 * A hash table over the bytes of the text: no word becomes a string of its own but the first of its kind, which is half
 * of what a build would cost otherwise.
 */
export class WordNumbers {
  /** By their numbers. */
  readonly words: string[] = [];
  readonly #isStopWord: boolean[] = [];
  readonly #hashes = new NumberList();
  /** The bytes of word 0, then of 1, and where those of each end. */
  #letters: Uint8Array<ArrayBuffer> = new Uint8Array(1 << 14);
  readonly #ends = new NumberList();
  /** The number of a word plus one, at a place that its hash tells; 0 where there is none. */
  #table: Int32Array = new Int32Array(1 << 12);

  /**
   * Appends the words of texts, as `words()` finds them, without those that say nothing where `onlyContent` is set. Those
   * of texts in other letters than ASCII's come last: read together, they cost less.
   */
  readTexts(texts: readonly string[], to: NumberList, onlyContent = false): void {
    let others: string[] | undefined;
    for (const text of texts) {
      if (text === '') continue;
      const ascii = writeAscii(text);
      if (ascii !== undefined) this.#read(ascii, findAsciiWords(ascii.length, false), to, onlyContent);
      else if (others) others.push(text);
      else others = [text];
    }
    if (others) for (const word of words(others.join('\n'))) this.#add(this.numberOf(word), to, onlyContent);
  }

  /** Appends the words of a name, as `splitIdentifier()` finds them. */
  readIdentifier(name: string, to: NumberList): void {
    const ascii = writeAscii(name);
    if (ascii !== undefined) this.#read(ascii, findAsciiWords(ascii.length, true), to, false);
    else for (const word of splitIdentifier(name)) to.push(this.numberOf(word));
  }

  /** The number of a lower-case word, a new one where it has none. */
  numberOf(word: string): number {
    const { written } = encoder.encodeInto(word, textBytes);
    return this.#numberAt(0, written) ?? this.#append(word, 0, written);
  }

  /** The number of a lower-case word that it has. */
  find(word: string): number | undefined {
    return this.#numberAt(0, encoder.encodeInto(word, textBytes).written);
  }

  /** The number of two words written as one. */
  compoundOf(first: number, second: number): number {
    const length = this.#write(first, 0);
    const end = this.#write(second, length);
    return this.#numberAt(0, end) ?? this.#append(`${this.words[first]}${this.words[second]}`, 0, end);
  }

  #read(text: string, count: number, to: NumberList, onlyContent: boolean): void {
    for (let at = 0; at < count; at++) {
      const start = wordStarts[at] ?? 0;
      const end = wordEnds[at] ?? 0;
      const known = this.#numberAt(start, end);
      this.#add(known ?? this.#append(text.slice(start, end).toLowerCase(), start, end), to, onlyContent);
    }
  }

  #add(word: number, to: NumberList, onlyContent: boolean): void {
    if (!onlyContent || this.#isStopWord[word] !== true) to.push(word);
  }

  /** Writes the bytes of a word and returns where they end. */
  #write(word: number, at: number): number {
    const start = this.#startOf(word);
    const length = this.#ends.at(word) - start;
    for (let place = 0; place < length; place++) textBytes[at + place] = this.#letters[start + place] ?? 0;
    return at + length;
  }

  #startOf(word: number): number {
    return word === 0 ? 0 : this.#ends.at(word - 1);
  }

  /** The number of the word whose bytes stand in the text. */
  #numberAt(start: number, end: number): number | undefined {
    const hash = hashOf(start, end);
    const mask = this.#table.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const word = (this.#table[place] ?? 0) - 1;
      if (word < 0) return undefined;
      if (this.#hashes.at(word) === hash && this.#isAt(word, start, end)) return word;
    }
  }

  #isAt(word: number, start: number, end: number): boolean {
    const first = this.#startOf(word);
    if (this.#ends.at(word) - first !== end - start) return false;
    const letters = this.#letters;
    for (let at = start; at < end; at++) {
      if (letters[first + at - start] !== LOWER_CASE[textBytes[at] ?? 0]) return false;
    }
    return true;
  }

  /** A new word, whose bytes stand in the text. */
  #append(word: string, start: number, end: number): number {
    const number = this.words.push(word) - 1;
    const first = this.#startOf(number);
    const last = first + end - start;
    if (last > this.#letters.length) this.#letters = enlarged(this.#letters, last);
    for (let at = start; at < end; at++) this.#letters[first + at - start] = LOWER_CASE[textBytes[at] ?? 0] ?? 0;
    this.#ends.push(last);
    this.#isStopWord.push(isStopWord(word));
    const hash = hashOf(start, end);
    this.#hashes.push(hash);
    if (this.words.length * 2 > this.#table.length) this.#grow();
    else this.#place(number, hash);
    return number;
  }

  #grow(): void {
    this.#table = new Int32Array(this.#table.length * 4);
    for (let word = 0; word < this.words.length; word++) this.#place(word, this.#hashes.at(word));
  }

  #place(number: number, hash: number): void {
    const mask = this.#table.length - 1;
    let place = hash & mask;
    while (this.#table[place] !== 0) place = (place + 1) & mask;
    this.#table[place] = number + 1;
  }
}

/** Of what stands in the text, in small letters. */
function hashOf(start: number, end: number): number {
  let hash = FNV_START;
  for (let at = start; at < end; at++) hash = hashOn(hash, LOWER_CASE[textBytes[at] ?? 0] ?? 0);
  return hash >>> 0;
}

function enlarged(bytes: Uint8Array, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(least, bytes.length * 2));
  larger.set(bytes);
  return larger;
}
