import { cut, lazyRegex } from '../../util/text.ts';
import { MAX_TEXT, MAX_WORD } from '../../util/words.ts';

/** The header, {@link HEADER} bytes; its fields are listed at {@link WordTable}. */
const MAGIC = 0x4553544d;
const VERSION = 1;
const HEADER = 20;
const BITS = 4;
const LINE_END = 10;
/** The character `#`. Two of them begin an entry that stands inside a word. */
const INSIDE = 35;
/** Fewest letters of a word's pieces, on average, for the word's vector to say something. */
const LEAST_PIECE = 1.5;
/** Characters of the longest entry that is looked for in a script without spaces. */
const MAX_UNSPACED = 8;
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;

/**
 * A static table of word vectors: one for each word, or piece of a word. The vector of a text is the sum of its words'
 * vectors. Only the direction of a text's vector says anything; the length of a word's vector is the word's weight.
 *
 * Format, little endian: `MTSE`, u16 version, u16 dims, u32 words, u8 bits (4), three bytes of zero, u32 bytes of the
 * vocabulary; the vocabulary in UTF-8, an entry a line, sorted by bytes, where `##` begins an entry inside a word; then
 * words × dims numbers, two a byte, the low half first, each with 8 added.
 *
 * The bytes stay as they are: a word is found by binary search, and its numbers are unpacked when it is asked for. A
 * Map of the words would take most of the loading time.
 */
export class WordTable {
  /** Count of numbers in a vector. */
  readonly dims: number;
  readonly #bytes: Uint8Array;
  /** Offset of the first number. */
  readonly #rows: number;
  /** Offset of each entry of the vocabulary, and, last, where a further one would begin. */
  readonly #starts: Uint32Array;
  readonly #utf8 = new TextEncoder();
  /** The last word and its entries: each word of a query is asked for twice in a row. */
  #last: { readonly word: string; readonly entries: readonly number[] } = { word: '', entries: [] };

  /** @throws Error if the bytes are no such table. */
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
   * Adds the vector of a word to a sum. The word is lower-case and has no accents.
   *
   * @returns whether the table can spell the word. If not, the sum stays as it is.
   */
  add(word: string, to: Int32Array): boolean {
    const entries = this.#entriesOf(word);
    for (const entry of entries) addRow(this.#bytes, this.#rows + (entry * this.dims) / 2, this.dims, to);
    return entries.length > 0;
  }

  /**
   * Whether the vector of a word says something: the table has the word, or spells it by pieces of some length. Random
   * letters and identifiers are spelled mostly by single letters, whose sum may be close to any word.
   */
  tells(word: string): boolean {
    const { length } = this.#entriesOf(word);
    if (length <= 1 || UNSPACED.test(word)) return length > 0;
    return word.length >= LEAST_PIECE * length;
  }

  /** The entries that spell a word: the whole word, else the longest pieces from left to right. */
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

  /** The entries in a text without spaces between words. Unknown characters are skipped. */
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
   * The longest entry with which the bytes begin; -1 without one.
   *
   * @param isInside - whether to look for entries inside a word (`##`).
   */
  #longest(bytes: Uint8Array, from: number, to: number, isInside: boolean): number {
    // The last entry that does not sort after the bytes is a beginning of them, or it limits how long a shorter one can
    // be.
    for (let end = to; end > from; ) {
      const entry = this.#lastUpTo(bytes, from, end, isInside);
      if (entry < 0) return -1;
      const alike = this.#alike(entry, bytes, from, end, isInside);
      if (alike === this.#lengthOf(entry)) return entry;
      end = from + alike - (isInside ? 2 : 0);
    }
    return -1;
  }

  /** The last entry that does not sort after the bytes; -1 without one. */
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

  /** How many first bytes of an entry are equal to the given ones. */
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
 * Reads a table in base64. Node's `Buffer` decodes it many times faster than `atob`, which browsers have.
 *
 * @throws Error if the text is no such table.
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
 * The words of a text, identifiers split, as {@link inTable} takes them. In a text of ASCII alone, words stay as they
 * are written; in others, they are lower-case and without accents.
 */
export function tableWords(text: string): readonly string[] {
  const kept = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  if (!BEYOND_ASCII.test(kept)) return kept.match(ASCII_WORDS) ?? [];
  const apart = kept.replace(CAMEL, '$1 $2').replace(ACRONYM, '$1 ').toLowerCase().normalize('NFD');
  return apart.replace(MARKS(), '').match(WORDS()) ?? [];
}

/** A word of `tableWords` as the table has it, lower-case; empty for a number. */
export function inTable(word: string): string {
  const isNumber = BEYOND_ASCII.test(word) ? DIGITS().test(word) : ASCII_DIGITS.test(word);
  return isNumber ? '' : word.toLowerCase();
}
