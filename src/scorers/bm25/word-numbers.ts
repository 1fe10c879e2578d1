import { isStopWord } from '../../query/stop-words.ts';
import { NumberList } from './number-list.ts';

/** Bytes in lower case: each itself, and for a capital of ASCII the small letter. */
const LOWER_CASE = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

const encoder = new TextEncoder();

/** Words by numbers, counted as they come: a hash table over their bytes in UTF-8. */
export class WordNumbers {
  /** Words by their numbers. */
  readonly words: string[];
  readonly #isStopWord: boolean[] = [];
  readonly #hashes = new NumberList();
  /** The bytes of word 0, then of 1, and where those of each end. */
  #letters: Uint8Array<ArrayBuffer> = new Uint8Array(1 << 14);
  readonly #ends = new NumberList();
  /** The bytes between two words. */
  #gap = 0;
  /** The number of a word plus one, at a place that its hash tells; 0 where there is none. */
  #table: Int32Array = new Int32Array(1 << 12);

  constructor(words: string[] = []) {
    this.words = words;
  }

  /** The words of a text in UTF-8, each ended by a line break, numbered in their order. For a table that stays as it is. */
  static ofLines(bytes: Uint8Array<ArrayBuffer>): WordNumbers {
    const numbers = new WordNumbers(linesOf(bytes));
    numbers.#letters = bytes;
    numbers.#gap = 1;
    numbers.#table = new Int32Array(tableSize(numbers.words.length));
    let number = 0;
    let hash = EMPTY_HASH;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte !== LINE_BREAK) {
        hash = hashOn(hash, LOWER_CASE[byte] ?? 0);
        continue;
      }
      numbers.#ends.push(at);
      numbers.#hashes.push(hash >>> 0);
      numbers.#place(number++, hash >>> 0);
      hash = EMPTY_HASH;
    }
    return numbers;
  }

  /** Whether the word of this number says nothing. */
  isStopWord(word: number): boolean {
    return this.#isStopWord[word] === true;
  }

  /** The number of a lower-case word that it has. */
  find(word: string): number | undefined {
    const bytes = encoder.encode(word);
    return this.numberAt(bytes, 0, bytes.length);
  }

  /** The number of the word whose bytes stand there, in any casing of ASCII. */
  numberAt(bytes: Uint8Array, start: number, end: number): number | undefined {
    const hash = hashOf(bytes, start, end);
    const mask = this.#table.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const word = (this.#table[place] ?? 0) - 1;
      if (word < 0) return undefined;
      if (this.#hashes.at(word) === hash && this.#isAt(word, bytes, start, end)) return word;
    }
  }

  /** The number of a new lower-case word, whose bytes stand there. */
  append(word: string, bytes: Uint8Array, start: number, end: number): number {
    const number = this.words.push(word) - 1;
    const first = this.#startOf(number);
    const last = first + end - start;
    if (last > this.#letters.length) this.#letters = enlarged(this.#letters, last);
    for (let at = start; at < end; at++) this.#letters[first + at - start] = LOWER_CASE[bytes[at] ?? 0] ?? 0;
    this.#ends.push(last);
    this.#isStopWord.push(isStopWord(word));
    const hash = hashOf(bytes, start, end);
    this.#hashes.push(hash);
    if (this.words.length * 2 > this.#table.length) this.#grow();
    else this.#place(number, hash);
    return number;
  }

  #startOf(word: number): number {
    return word === 0 ? 0 : this.#ends.at(word - 1) + this.#gap;
  }

  #isAt(word: number, bytes: Uint8Array, start: number, end: number): boolean {
    const first = this.#startOf(word);
    if (this.#ends.at(word) - first !== end - start) return false;
    const letters = this.#letters;
    for (let at = start; at < end; at++) {
      if (letters[first + at - start] !== LOWER_CASE[bytes[at] ?? 0]) return false;
    }
    return true;
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

const LINE_BREAK = 10;

/** A power of two that leaves at least half of the places free. */
function tableSize(words: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(2, 2 * words)));
}

/** The lines of a text in UTF-8, each ended by a line break. */
export function linesOf(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).split('\n').slice(0, -1);
}

/** A text in UTF-8, of lines that each end with a line break. */
export function linesAsBytes(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  return encoder.encode(lines.map((line) => `${line}\n`).join(''));
}

/** The FNV-1a hash of nothing. */
export const EMPTY_HASH: number = 0x811c9dc5 | 0;

/** The FNV-1a hash after one more byte, or unit of a text. */
export function hashOn(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** The hash of the bytes, in small letters of ASCII. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = EMPTY_HASH;
  for (let at = start; at < end; at++) hash = hashOn(hash, LOWER_CASE[bytes[at] ?? 0] ?? 0);
  return hash >>> 0;
}

function enlarged(bytes: Uint8Array, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(least, bytes.length * 2));
  larger.set(bytes);
  return larger;
}
