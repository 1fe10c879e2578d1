import { cut, lazyRegex } from '../../util/text.ts';
import { MAX_TEXT, MAX_WORD } from '../../util/words.ts';

/** The beginning of a table: its letters, then version, numbers a word, words, bits a number, bytes of vocabulary. */
const MAGIC = 0x4553544d;
const VERSION = 1;
const HEADER = 20;
const BITS = 4;
const LINE_END = 10;
/** In front of an entry that stands inside a word: `##`. */
const INSIDE = 35;
/** The least length of the pieces of a word that says something, on average, in letters. */
const LEAST_PIECE = 1.5;
/** The longest entry of a script without spaces, in characters. */
const MAX_UNSPACED = 8;
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;

/**
 * A static table of word vectors: a vector a word, or a piece of a word. The vector of a text is the sum of its words'
 * vectors; only the direction of a vector says anything, and the length of a word's vector is its weight.
 *
 * Format, little endian: `MTSE`, u16 version, u16 dims, u32 words, u8 bits (4), three bytes of zero, u32 bytes of the
 * vocabulary; the vocabulary in UTF-8, an entry a line, sorted by bytes, where `##` begins an entry inside a word; then
 * words × dims numbers, two a byte, the low half first, each with 8 added.
 *
 * The bytes are read as they are: words are found by binary search, and the numbers of a word are taken apart when it is
 * asked for. A Map of the words would take most of the time of loading.
 */
export class WordTable {
  /** Numbers of a vector. */
  readonly dims: number;
  readonly #bytes: Uint8Array;
  /** The place of the first number. */
  readonly #rows: number;
  /** Where each entry of the vocabulary begins, and, last, where the next one would. */
  readonly #starts: Uint32Array;
  readonly #utf8 = new TextEncoder();
  /** The word that was spelled last: a query's are asked for twice in a row. */
  #last: { readonly word: string; readonly entries: readonly number[] } = { word: '', entries: [] };

  /** @throws Error for what is no such table. */
  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isTable = bytes.length > HEADER && view.getUint32(0, true) === MAGIC && view.getUint16(4, true) === VERSION;
    if (!isTable || bytes[12] !== BITS) throw new Error('The table of word vectors has another format.');
    const count = view.getUint32(8, true);
    this.dims = view.getUint16(6, true);
    this.#bytes = bytes;
    this.#rows = HEADER + view.getUint32(16, true);
    this.#starts = startsIn(bytes, this.#rows, count);
    if (bytes.length !== this.#rows + (count * this.dims) / 2) throw new Error('The table of word vectors is cut off.');
  }

  /**
   * Adds the vector of a word, in small letters and without marks, to a sum.
   *
   * @returns whether the table can spell the word. One that it cannot adds nothing.
   */
  add(word: string, to: Int32Array): boolean {
    const entries = this.#entriesOf(word);
    for (const entry of entries) addRow(this.#bytes, this.#rows + (entry * this.dims) / 2, this.dims, to);
    return entries.length > 0;
  }

  /**
   * Whether the vector of a word says something: the table has the word, or spells it by pieces of some length. Letters in
   * no order, and identifiers, are spelled mostly by single letters, whose sum may be close to any word.
   */
  tells(word: string): boolean {
    const { length } = this.#entriesOf(word);
    if (length <= 1 || UNSPACED.test(word)) return length > 0;
    return word.length >= LEAST_PIECE * length;
  }

  /** The entries that spell a word: the word itself, else the longest that fit, from left to right. */
  #entriesOf(word: string): readonly number[] {
    if (word !== this.#last.word) this.#last = { word, entries: this.#spell(word) };
    return this.#last.entries;
  }

  #spell(word: string): readonly number[] {
    const bytes = this.#utf8.encode(cut(word, MAX_WORD));
    const whole = this.#longest(bytes, 0, bytes.length, false);
    if (whole >= 0 && this.#lengthOf(whole) === bytes.length) return [whole];
    return UNSPACED.test(word) ? this.#unspaced(word) : this.#pieces(bytes, whole);
  }

  #pieces(bytes: Uint8Array, first: number): readonly number[] {
    const found: number[] = [];
    for (let at = 0, entry = first; ; entry = this.#longest(bytes, at, bytes.length, true)) {
      if (entry < 0) return [];
      found.push(entry);
      at += this.#lengthOf(entry) - (at > 0 ? 2 : 0);
      if (at >= bytes.length) return found;
    }
  }

  /** No spaces between words: what is unknown is skipped. */
  #unspaced(word: string): readonly number[] {
    const found: number[] = [];
    for (let at = 0; at < word.length; ) {
      const bytes = this.#utf8.encode(word.slice(at, at + MAX_UNSPACED));
      const entry = this.#longest(bytes, 0, bytes.length, false);
      if (entry >= 0) found.push(entry);
      at += entry < 0 ? 1 : this.#textOf(entry).length;
    }
    return found;
  }

  /**
   * The longest entry with which some bytes begin; -1 without one.
   *
   * @param isInside - whether the entry stands inside a word.
   */
  #longest(bytes: Uint8Array, from: number, to: number, isInside: boolean): number {
    // The last entry that is not behind the bytes either is their beginning, or tells how much of it a shorter one may have.
    for (let end = to; end > from; ) {
      const entry = this.#lastUpTo(bytes, from, end, isInside);
      if (entry < 0) return -1;
      const alike = this.#alike(entry, bytes, from, end, isInside);
      if (alike === this.#lengthOf(entry)) return entry;
      end = from + alike - (isInside ? 2 : 0);
    }
    return -1;
  }

  /** The last entry that is not behind some bytes in the order of the table. */
  #lastUpTo(bytes: Uint8Array, from: number, to: number, isInside: boolean): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBehind(middle, bytes, from, to, isInside)) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }

  #isBehind(entry: number, bytes: Uint8Array, from: number, to: number, isInside: boolean): boolean {
    const alike = this.#alike(entry, bytes, from, to, isInside);
    if (alike === this.#lengthOf(entry)) return false;
    const own = this.#bytes[(this.#starts[entry] as number) + alike] as number;
    const before = isInside ? 2 : 0;
    const other = alike < before ? INSIDE : from + alike - before < to ? (bytes[from + alike - before] as number) : -1;
    return own > other;
  }

  /** How many first bytes of an entry are those of the others. */
  #alike(entry: number, bytes: Uint8Array, from: number, to: number, isInside: boolean): number {
    const start = this.#starts[entry] as number;
    const before = isInside ? 2 : 0;
    const most = Math.min(this.#lengthOf(entry), to - from + before);
    let at = 0;
    while (at < most && this.#bytes[start + at] === (at < before ? INSIDE : bytes[from + at - before])) at++;
    return at;
  }

  #lengthOf(entry: number): number {
    return (this.#starts[entry + 1] as number) - (this.#starts[entry] as number) - 1;
  }

  #textOf(entry: number): string {
    const start = this.#starts[entry] as number;
    return new TextDecoder().decode(this.#bytes.subarray(start, start + this.#lengthOf(entry)));
  }
}

/**
 * The table that is written in base64. Node reads it many times faster than what browsers have as well.
 *
 * @throws Error for what is no such table.
 */
export function tableOf(base64: string): WordTable {
  const bytes =
    typeof Buffer === 'undefined'
      ? Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      : Buffer.from(base64, 'base64');
  return new WordTable(bytes);
}

function startsIn(bytes: Uint8Array, end: number, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1);
  let entry = 0;
  starts[0] = HEADER;
  for (let at = HEADER; at < end; at++) if (bytes[at] === LINE_END) starts[++entry] = at + 1;
  if (entry !== count - 1) throw new Error('The table of word vectors has another number of words.');
  starts[count] = end + 1;
  return starts;
}

function addRow(bytes: Uint8Array, from: number, dims: number, to: Int32Array): void {
  for (let at = 0; at < dims; at += 2) {
    const pair = bytes[from + (at >>> 1)] as number;
    to[at] = (to[at] as number) + (pair & 15) - 8;
    to[at + 1] = (to[at + 1] as number) + (pair >>> 4) - 8;
  }
}

/** What has letters beyond ASCII's. */
const BEYOND_ASCII = /[\u0080-\uffff]/;
/** A part of an identifier, or a word: get, HTTP, Url2. */
const ASCII_WORDS = /[A-Z]+(?![a-z])(?:\d[a-z\d]*)?|[A-Z]?[a-z\d]+/g;
const ASCII_DIGITS = /^\d+$/;
const CAMEL = /([a-z0-9])([A-Z])/g;
const ACRONYM = /([A-Z])(?=[A-Z][a-z])/g;
const MARKS = lazyRegex(String.raw`\p{Mn}+`, 'gu');
const WORDS = lazyRegex(String.raw`[\p{L}\p{N}]+`, 'gu');
const DIGITS = lazyRegex(String.raw`^\p{Nd}+$`, 'u');

/**
 * The words of a text as the table has them: in small letters and without marks, identifiers taken apart, no numbers. Those
 * of a text of ASCII alone come as they are written: `inTable` makes them small.
 */
export function tableWords(text: string): readonly string[] {
  const kept = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  if (!BEYOND_ASCII.test(kept)) return kept.match(ASCII_WORDS) ?? [];
  const apart = kept.replace(CAMEL, '$1 $2').replace(ACRONYM, '$1 ').toLowerCase().normalize('NFD');
  return apart.replace(MARKS(), '').match(WORDS()) ?? [];
}

/** A word of `tableWords` as the table has it; empty for a number. */
export function inTable(word: string): string {
  const isNumber = BEYOND_ASCII.test(word) ? DIGITS().test(word) : ASCII_DIGITS.test(word);
  return isNumber ? '' : word.toLowerCase();
}
