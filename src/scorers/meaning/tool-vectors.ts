import { CHUNK, type SlicedWork } from '../../util/time-slices.ts';
import { splitIdentifier, stem } from '../../util/words.ts';
import { sentencesOf, summaryOf } from '../bm25/tool-words.ts';
import type { ToolDocument } from '../document.ts';
import { actionKinds } from '../words/query-words.ts';
import { documentText } from './tool-text.ts';
import { inTable, tableWords, type WordTable } from './word-table.ts';

/** Words that are left out where the words of a query and of a tool are compared one by one. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the of to in on for and or my me i is are was be it its this that with by from at as we our us you your can could
  would should do does did has have had will please not no so if then there their them they he she am s t m re ve ll d
  what which who how when where why`.split(/\s+/),
);

export function isCompared(word: string): boolean {
  return !STOP_WORDS.has(word);
}

/** Maximum number of distinct words that are compared: of the first sentence, the whole description, the parameters. */
const MAX_FIRST = 40;
const MAX_DESCRIPTION = 120;
const MAX_PARAMETERS = 60;

/**
 * The length of a unit vector in whole numbers. Sums and products of such vectors are exact, in any order and on any
 * machine.
 */
export const ONE = 32_767;
const NONE = -1;

let vocabularies = 0;

/** The words of a catalog that the table knows, each with its vector. */
export class Vocabulary {
  readonly table: WordTable;
  /** Tells vocabularies of one process apart. */
  readonly number: number = vocabularies++;
  /** The vectors, one word after the other. Each is a sum of rows of the table. */
  vectors: Int16Array = new Int16Array(0);
  /** The length of each vector, which is the word's weight. */
  lengths: Float64Array = new Float64Array(0);
  /** 1 for a stop word: it is part of the vector of a text, but is not compared. */
  stops: Uint8Array = new Uint8Array(0);
  /** The count of words. */
  size = 0;
  readonly #words: string[] = [];
  /** Word numbers by written form; -1 for a word that the table does not know. */
  readonly #numbers = new Map<string, number>();
  readonly #sum: Int32Array;

  constructor(table: WordTable) {
    this.table = table;
    this.#sum = new Int32Array(table.dims);
  }

  /** The number of a word of `tableWords`, which is added if it is new; -1 if the table does not know it. */
  numberOf(written: string): number {
    const known = this.#numbers.get(written);
    if (known !== undefined) return known;
    const word = inTable(written);
    const number = word === written ? this.#add(word) : this.numberOf(word);
    this.#numbers.set(written, number);
    return number;
  }

  /** Adds the vector of a word to a sum; nothing for -1. */
  addTo(number: number, to: Int32Array): void {
    const { dims } = this.table;
    for (let at = 0, from = number * dims; number >= 0 && at < dims; at++, from++) {
      to[at] = (to[at] as number) + (this.vectors[from] as number);
    }
  }

  /** The number of a word that was added before; -1 for any other. */
  find(word: string): number {
    return this.#numbers.get(word) ?? NONE;
  }

  /** Copies a word of another vocabulary of the same table. Returns its number here. */
  take(other: Vocabulary, number: number): number {
    const word = other.#words[number] as string;
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const { dims } = this.table;
    const vector = other.vectors.subarray(number * dims, (number + 1) * dims);
    this.#numbers.set(word, this.size);
    return this.#put(word, vector, other.lengths[number] as number);
  }

  #add(word: string): number {
    const sum = this.#sum.fill(0);
    if (word === '' || !this.table.add(word, sum)) return NONE;
    const length = lengthOf(sum);
    return length === 0 ? NONE : this.#put(word, sum, length);
  }

  #put(word: string, vector: ArrayLike<number>, length: number): number {
    this.#reserve();
    this.vectors.set(vector, this.size * this.table.dims);
    this.lengths[this.size] = length;
    this.stops[this.size] = isCompared(word) ? 0 : 1;
    this.#words.push(word);
    return this.size++;
  }

  #reserve(): void {
    if (this.size < this.lengths.length) return;
    const room = Math.max(256, 2 * this.size);
    const { vectors, lengths, stops } = this;
    this.vectors = new Int16Array(room * this.table.dims);
    this.vectors.set(vectors);
    this.lengths = new Float64Array(room);
    this.lengths.set(lengths);
    this.stops = new Uint8Array(room);
    this.stops.set(stops);
  }
}

/**
 * The vector of each tool of a catalog, and the words of each tool that are compared. The object never changes once it
 * is built. For a changed or restricted catalog, unchanged tools are copied; the result is as one built from scratch.
 */
export class ToolVectors {
  readonly documents: readonly ToolDocument[];
  readonly vocabulary: Vocabulary;
  /** A vector of length {@link ONE} for each tool, one after the other. */
  readonly vectors: Int16Array;
  /** The kind of action of each tool: by the first verb of its name, else of its description; 0 for none. */
  readonly kinds: Uint8Array;
  /** The words of each name as text, and those of each title as word numbers. */
  readonly names: (readonly string[])[] = [];
  readonly titles: (readonly number[])[] = [];
  readonly #counts: { readonly first: Uint8Array; readonly description: Uint8Array };
  /** The word numbers of all tools, one tool after the other, description first; and where those of each tool end. */
  #words = new Uint32Array(1 << 10);
  readonly #ends: Uint32Array;

  private constructor(documents: readonly ToolDocument[], vocabulary: Vocabulary) {
    const { length } = documents;
    this.documents = documents;
    this.vocabulary = vocabulary;
    this.vectors = new Int16Array(length * vocabulary.table.dims);
    this.kinds = new Uint8Array(length);
    this.#counts = { first: new Uint8Array(length), description: new Uint8Array(length) };
    this.#ends = new Uint32Array(length);
  }

  static build(documents: readonly ToolDocument[], table: WordTable): SlicedWork<ToolVectors> {
    return ToolVectors.over(documents, new Vocabulary(table));
  }

  /**
   * @param vocabulary - takes the words. It may have words of other documents already.
   * @param base - vectors of nearly the same documents. Unchanged documents are copied from them, not read again.
   */
  static *over(
    documents: readonly ToolDocument[],
    vocabulary: Vocabulary,
    base?: ToolVectors,
  ): SlicedWork<ToolVectors> {
    const made = new ToolVectors(documents, vocabulary);
    const old = new Map(base?.documents.map((document, id) => [document, id]));
    const sum = new Int32Array(vocabulary.table.dims);
    for (const [id, document] of documents.entries()) {
      const known = old.get(document);
      if (base && known !== undefined) made.#take(id, base, known);
      else made.#read(id, document, sum);
      if (id % CHUNK === CHUNK - 1) yield;
    }
    return made;
  }

  rebuilt(documents: readonly ToolDocument[]): SlicedWork<ToolVectors> {
    return ToolVectors.over(documents, new Vocabulary(this.vocabulary.table), this);
  }

  /** The distinct words of a tool's name, title, keywords, server, description and parameters. */
  wordsOf(id: number): Uint32Array {
    return this.#words.subarray(this.#ends[id - 1] ?? 0, this.#ends[id]);
  }

  /** The distinct words of the first sentence of a tool's description. */
  firstWordsOf(id: number): Uint32Array {
    const start = this.#ends[id - 1] ?? 0;
    return this.#words.subarray(start, start + (this.#counts.first[id] ?? 0));
  }

  /** The count of distinct words of a tool's description, at most `MAX_DESCRIPTION`. */
  lengthOf(id: number): number {
    return this.#counts.description[id] ?? 0;
  }

  #read(id: number, document: ToolDocument, sum: Int32Array): void {
    const { vocabulary } = this;
    const { name, title, server, keywords, hints = [], parameters } = document;
    const parts = splitIdentifier(name);
    const sentences = sentencesOf(document);
    const end = summaryOf(sentences);
    const first = tableWords(sentences.slice(0, end).join(' '));
    const found = new Set<number>();
    addWords(first, MAX_FIRST, vocabulary, found);
    const firsts = found.size;
    addWords(first, MAX_DESCRIPTION, vocabulary, found);
    addWords(tableWords(sentences.slice(end).join(' ')), MAX_DESCRIPTION, vocabulary, found);
    this.#counts.first[id] = firsts;
    this.#counts.description[id] = found.size;
    const ofParameters = new Set<number>();
    const told = parameters.map((parameter) => splitIdentifier(parameter.name).join(' '));
    for (const { description, values } of parameters) told.push(description, ...values);
    addWords(tableWords([...told, ...hints].join(' ')), MAX_PARAMETERS, vocabulary, ofParameters);
    for (const word of ofParameters) found.add(word);
    const titled = new Set<number>();
    if (title !== '') addWords(tableWords(title), Number.POSITIVE_INFINITY, vocabulary, titled);
    for (const word of titled) found.add(word);
    addWords(
      tableWords([...parts, ...keywords, ...splitIdentifier(server)].join(' ')),
      Number.POSITIVE_INFINITY,
      vocabulary,
      found,
    );
    this.names.push(parts);
    this.titles.push([...titled]);
    this.kinds[id] = kindOf(parts) || kindOf(first.slice(0, 2).map(inTable));
    this.#put(id, found);
    sum.fill(0);
    for (const word of tableWords(documentText(document))) vocabulary.addTo(vocabulary.numberOf(word), sum);
    putUnit(sum, this.vectors, id);
  }

  #take(id: number, base: ToolVectors, old: number): void {
    const { dims } = this.vocabulary.table;
    const takeWord = (word: number): number => this.vocabulary.take(base.vocabulary, word);
    this.vectors.set(base.vectors.subarray(old * dims, (old + 1) * dims), id * dims);
    this.kinds[id] = base.kinds[old] ?? 0;
    this.names.push(base.names[old] ?? []);
    this.titles.push((base.titles[old] ?? []).map(takeWord));
    this.#counts.first[id] = base.#counts.first[old] ?? 0;
    this.#counts.description[id] = base.#counts.description[old] ?? 0;
    this.#put(id, Array.from(base.wordsOf(old), takeWord));
  }

  #put(id: number, words: Iterable<number>): void {
    let end = this.#ends[id - 1] ?? 0;
    for (const word of words) {
      if (end === this.#words.length) {
        const larger = new Uint32Array(2 * end);
        larger.set(this.#words);
        this.#words = larger;
      }
      this.#words[end++] = word;
    }
    this.#ends[id] = end;
  }
}

function addWords(words: readonly string[], most: number, vocabulary: Vocabulary, to: Set<number>): void {
  for (const word of words) {
    const number = vocabulary.numberOf(word);
    if (number !== NONE && vocabulary.stops[number] === 0) to.add(number);
    if (to.size >= most) return;
  }
}

/** The kind of the first verb among words; 0 for none. */
export function kindOf(words: readonly string[]): number {
  for (const word of words) {
    const kind = actionKinds().get(stem(word));
    if (kind !== undefined) return kind;
  }
  return 0;
}

/** Scales a vector to length {@link ONE} and stores it at a place. The place of a zero vector stays zero. */
export function putUnit(vector: ArrayLike<number>, to: Int16Array, place: number): void {
  const length = lengthOf(vector);
  if (length === 0) return;
  for (let at = 0; at < vector.length; at++) {
    to[place * vector.length + at] = Math.round((ONE * (vector[at] as number)) / length);
  }
}

export function lengthOf(vector: ArrayLike<number>): number {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] as number) ** 2;
  return Math.sqrt(squares);
}

/** The dot product of two vectors. It is exact up to 31 bits, which unit vectors and short vectors do not exceed. */
export function product(one: Int16Array, at: number, other: Int16Array, otherAt: number, dims: number): number {
  let sum = 0;
  let other4 = otherAt;
  // Unrolled by four: a plain loop takes twice as long.
  for (let place = at; place < at + dims; place += 4, other4 += 4) {
    sum =
      (sum +
        Math.imul(one[place] as number, other[other4] as number) +
        Math.imul(one[place + 1] as number, other[other4 + 1] as number) +
        Math.imul(one[place + 2] as number, other[other4 + 2] as number) +
        Math.imul(one[place + 3] as number, other[other4 + 3] as number)) |
      0;
  }
  return sum;
}
