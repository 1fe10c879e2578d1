import { editDistance } from '../../util/suggest.ts';
import { cut } from '../../util/text.ts';
import { CHUNK, runToEnd, type SlicedWork } from '../../util/time-slices.ts';

import { beginningOf, contentWords, isStopWord, MAX_WORD, splitIdentifier, stem, words } from '../../util/words.ts';
import { type Copies, copiesIn } from '../copies.ts';
import type { ToolDocument } from '../document.ts';
import { actionKinds } from '../words/query-words.ts';
import { FIELDS, type Field, type FieldWeights } from './settings.ts';
import { PROSE, sentencesOf, toolWords } from './tool-words.ts';

const NONE: readonly never[] = [];
/** Occurrences that are sorted between two yields: about a millisecond. */
const STRETCH = 1 << 14;
/**
 * Fewest letters of a prefix, and of a misspelled word, that is guessed at: fewer say too little about what was meant.
 */
const MIN_PREFIX = 3;
const MIN_TYPO = 4;
/** From this many letters on, a word may have two wrong letters instead of one. */
const LONG_WORD = 8;
const MAX_GUESSES = 8;
/**
 * Bits per field of a packed count: one number holds a word's counts in all fields of a document, the first field
 * lowest.
 */
const BITS = 4;
const MAX_COUNT = 2 ** BITS - 1;
const MAX_LENGTH = 255;
/** Most words that are read of each prose field, stop words skipped; undefined for the other fields. */
const LIMITS = FIELDS.map((field) => PROSE.get(field));
/** Prefix of a spelling in `#byName`, which tells it from a stem. */
const SPELLED = '=';
const STOP = -1;
/** Buckets of words that begin alike: one for each pair of first letters, of which five bits count. */
const BUCKETS = 1_024;
const [I, Y] = [9, 25];
const MAX_STEMS = 20_000;

type Lengths = Readonly<Partial<Record<Field, number>>>;

/** A document whose words were counted before. */
export interface IndexedDocument {
  /** Has the name and the server. Its description is a text that copies of the tool share. */
  readonly document: ToolDocument;
  /** The distinct words, each with its packed counts: four bits a field. */
  readonly words: readonly (readonly [word: string, counts: number])[];
  /** The stems of the text about its server or group. */
  readonly instructions: ReadonlySet<string>;
  /** The count of distinct words in each field. */
  readonly lengths: readonly number[];
}

/** Occurrences in reading order, as parallel arrays: the word, the document, and the packed counts in its fields. */
class Occurrences {
  count = 0;
  words = new Uint32Array(1 << 12);
  ids = new Uint32Array(1 << 12);
  counts = new Uint32Array(1 << 12);
  /** Word numbers by written form: most words are written alike many times. */
  readonly numbers: Map<string, number> = new Map();
  /** The place of each word's latest occurrence. */
  readonly last: number[] = [];

  reserve(more: number): void {
    if (this.count + more <= this.words.length) return;
    const size = 2 * (this.count + more);
    this.words = enlarged(this.words, size);
    this.ids = enlarged(this.ids, size);
    this.counts = enlarged(this.counts, size);
  }
}

/** The occurrences of one word: its documents, and its packed counts in the fields of each. */
export interface Postings {
  readonly ids: Uint32Array;
  readonly counts: Uint32Array;
}

/**
 * Maps the words of a catalog to the documents and fields in which they occur. Documents and words are numbered from 0.
 *
 * The index never changes once it is built. A changed or restricted catalog gets an index of its own, into which the
 * occurrences of unchanged documents are copied; its weights are those of an index built from scratch.
 */
export class InvertedIndex {
  readonly documents: readonly ToolDocument[];
  /** The count of distinct tools: copies count once. */
  readonly tools: number;
  /** The distinct words of all documents, lower-case. */
  readonly words: string[] = [];
  /** The kind of action of each document, by the first verb in its name; 0 without one. */
  readonly actions: Uint8Array;
  readonly nameSizes: Uint16Array;
  readonly #weights: FieldWeights;
  readonly #copies: Copies | undefined;
  readonly #ids: ReadonlyMap<string, number>;
  readonly #numbers = new Map<string, number>();
  /** Linked lists of the words of each bucket: the head of each list, and for each word the next. -1 ends a list. */
  readonly #lastAlike = new Int32Array(BUCKETS).fill(-1);
  readonly #alike: number[] = [];
  readonly #forms = new Map<string, readonly number[]>();
  /** The letters of each word as bits, computed at the first guess that needs them. */
  #letterSets: Uint32Array | undefined;
  /** Documents by a stem of their name, and by the spelling of the whole name. */
  readonly #byName = new Map<string, number[]>();
  /** The count of distinct words in each field, at most 255: all fields of document 0, then of 1. */
  readonly #lengths: Uint8Array;
  /** The postings of all words, one word after the other, and where those of each word end. */
  #ends = new Uint32Array();
  #postings: Postings = { ids: new Uint32Array(), counts: new Uint32Array() };
  /** The weight of one occurrence, by field and by the field's length. */
  #factors: readonly Float64Array[] = NONE;
  #byInstructions: readonly { readonly stems: ReadonlySet<string>; readonly ids: readonly number[] }[] | undefined;

  private constructor(documents: readonly ToolDocument[], weights: FieldWeights) {
    this.documents = documents;
    this.#weights = weights;
    this.#copies = copiesIn(documents);
    this.tools = this.#copies?.tools ?? documents.length;
    this.#ids = new Map(documents.map(({ name }, id) => [name, id]));
    this.actions = new Uint8Array(documents.length);
    this.nameSizes = new Uint16Array(documents.length);
    this.#lengths = new Uint8Array(documents.length * FIELDS.length);
  }

  /**
   * @param base - an index of nearly the same documents. Unchanged documents are copied from it, not read again.
   * @param averages - the average field lengths of the whole catalog, if the documents are only a part of it.
   */
  static *build(
    documents: readonly ToolDocument[],
    weights: FieldWeights,
    base?: InvertedIndex,
    averages?: Lengths,
  ): SlicedWork<InvertedIndex> {
    const index = new InvertedIndex(documents, weights);
    yield;
    yield* index.#read(base);
    index.#factors = index.#weigh(averages ?? index.#averageLengths());
    return index;
  }

  /** An index of a part of a catalog, from documents whose words were counted before. */
  static ofWords(parts: readonly IndexedDocument[], weights: FieldWeights, averages: Lengths): InvertedIndex {
    const index = new InvertedIndex(
      parts.map(({ document }) => document),
      weights,
    );
    const occurrences = new Occurrences();
    for (const [id, { document, words: written, lengths }] of parts.entries()) {
      index.#lengths.set(lengths, id * FIELDS.length);
      index.#readName(id, splitIdentifier(document.name));
      occurrences.reserve(written.length);
      for (const [word, counts] of written) {
        const place = occurrences.count++;
        occurrences.words[place] = index.#numberOf(word);
        occurrences.ids[place] = id;
        occurrences.counts[place] = counts;
      }
    }
    index.#byInstructions = parts.map(({ instructions }, id) => ({ stems: instructions, ids: [id] }));
    runToEnd(index.#sort(occurrences));
    index.#factors = index.#weigh(averages);
    return index;
  }

  rebuilt(documents: readonly ToolDocument[]): SlicedWork<InvertedIndex> {
    return InvertedIndex.build(documents, this.#weights, this);
  }

  *#read(base: InvertedIndex | undefined): SlicedWork<void> {
    const occurrences = new Occurrences();
    /** The new number of each document of `base`; -1 for a document that is not taken over. */
    const taken = new Int32Array(base?.documents.length ?? 0).fill(-1);
    for (const [id, document] of this.documents.entries()) {
      const old = base ? base.#idIn(document) : -1;
      if (base && old >= 0) {
        taken[old] = id;
        this.actions[id] = base.actions[old] ?? 0;
        this.nameSizes[id] = base.nameSizes[old] ?? 0;
        this.#lengths.set(base.#lengths.subarray(old * FIELDS.length, (old + 1) * FIELDS.length), id * FIELDS.length);
      } else this.#readDocument(id, document, occurrences);
      if (id % CHUNK === CHUNK - 1) yield;
    }
    if (base) yield* this.#copyFrom(base, taken, occurrences);
    yield* this.#sort(occurrences);
  }

  #readDocument(id: number, document: ToolDocument, to: Occurrences): void {
    const { fields, name } = toolWords(document, sentencesOf(document));
    const start = to.count;
    for (let field = 0; field < FIELDS.length; field++) {
      const written = fields[FIELDS[field] as Field];
      if (written.length > 0) this.#lengths[id * FIELDS.length + field] = this.#count(written, field, id, start, to);
    }
    this.#readName(id, name);
  }

  #readName(id: number, name: readonly string[]): void {
    const stems = nameStems(name);
    for (const root of stems) {
      append(this.#byName, root, id);
      this.actions[id] ||= actionKinds().get(root) ?? 0;
    }
    this.nameSizes[id] = stems.size;
    append(this.#byName, SPELLED + name.join(''), id);
  }

  /**
   * Adds the words of a document's field to the occurrences. Returns the count of distinct words. Most of a build's
   * time goes here.
   *
   * @param start - the place of the document's first occurrence.
   */
  #count(written: readonly string[], field: number, id: number, start: number, to: Occurrences): number {
    to.reserve(written.length);
    const { words: found, ids, counts, numbers, last } = to;
    const most = LIMITS[field];
    const shift = field * BITS;
    let left = Math.min(most ?? written.length, written.length);
    let different = 0;
    for (const token of written) {
      if (left === 0) break;
      let number = numbers.get(token);
      if (number === undefined || (number === STOP && most === undefined)) {
        const word = cut(token, MAX_WORD).toLowerCase();
        const isStop = isStopWord(word);
        number = isStop && most !== undefined ? STOP : this.#numberOf(word);
        numbers.set(token, isStop ? STOP : number);
      }
      if (number === STOP) continue;
      left--;
      let place = last[number] ?? -1;
      if (place < start) {
        place = to.count++;
        last[number] = place;
        found[place] = number;
        ids[place] = id;
        counts[place] = 0;
      }
      const before = counts[place] ?? 0;
      const count = (before >>> shift) & MAX_COUNT;
      if (count === 0) different++;
      if (count < MAX_COUNT) counts[place] = before + (1 << shift);
    }
    return Math.min(different, MAX_LENGTH);
  }

  *#copyFrom(base: InvertedIndex, taken: Int32Array, to: Occurrences): SlicedWork<void> {
    for (const [key, ids] of base.#byName) {
      for (const old of ids) if ((taken[old] ?? -1) >= 0) append(this.#byName, key, taken[old] ?? 0);
    }
    const { ids, counts } = base.#postings;
    to.reserve(ids.length);
    for (let word = 0, at = 0; word < base.words.length; word++) {
      let number = -1;
      for (const end = base.#ends[word] ?? 0; at < end; at++) {
        const id = taken[ids[at] ?? 0] ?? -1;
        if (id < 0) continue;
        if (number < 0) number = this.#numberOf(base.words[word] ?? '');
        to.words[to.count] = number;
        to.ids[to.count] = id;
        to.counts[to.count++] = counts[at] ?? 0;
      }
      if (word % CHUNK === 0) yield;
    }
  }

  /**
   * Sorts the occurrences by word. The loops are in plain functions, because loops of a generator are never compiled.
   */
  *#sort(found: Occurrences): SlicedWork<void> {
    const ends = endsOf(found, this.words.length);
    const postings = { ids: new Uint32Array(found.count), counts: new Uint32Array(found.count) };
    this.#ends = ends.slice();
    for (let end = found.count; end > 0; end -= STRETCH) {
      place(found, Math.max(0, end - STRETCH), end, ends, postings);
      yield;
    }
    this.#postings = postings;
  }

  #averageLengths(): Lengths {
    const totals = FIELDS.map(() => 0);
    for (let id = 0; id < this.documents.length; id++) {
      if (this.toolOf(id) !== id) continue;
      for (const field of FIELDS.keys()) totals[field] = (totals[field] ?? 0) + this.lengthOf(id, field);
    }
    return Object.fromEntries(FIELDS.map((key, field) => [key, (totals[field] ?? 0) / this.tools]));
  }

  #weigh(averages: Lengths): readonly Float64Array[] {
    return FIELDS.map((field) => {
      const { boost, lengthNorm } = this.#weights[field];
      const average = averages[field] ?? 0;
      const factors = new Float64Array(MAX_LENGTH + 1);
      for (let length = 0; average > 0 && length <= MAX_LENGTH; length++) {
        factors[length] = boost / (1 - lengthNorm + (lengthNorm * length) / average);
      }
      return factors;
    });
  }

  #numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.words.push(word) - 1;
    this.#numbers.set(word, number);
    const bucket = bucketOf(word);
    this.#alike.push(this.#lastAlike[bucket] ?? -1);
    this.#lastAlike[bucket] = number;
    return number;
  }

  idOf(name: string): number | undefined {
    return this.#ids.get(name);
  }

  #idIn(document: ToolDocument): number {
    const id = this.#ids.get(document.name) ?? -1;
    return this.documents[id] === document ? id : -1;
  }

  nameOf(id: number): string {
    return this.documents[id]?.name ?? '';
  }

  /** The number of the first copy of a document's tool; without copies, the document's own. */
  toolOf(id: number): number {
    return this.#copies?.firsts[id] ?? id;
  }

  countTools(ids: ArrayLike<number>): number {
    if (!this.#copies) return ids.length;
    const seen = new Uint8Array(this.documents.length);
    let count = 0;
    for (let at = 0; at < ids.length; at++) {
      const tool = this.toolOf(ids[at] ?? 0);
      if (seen[tool] === 0) count++;
      seen[tool] = 1;
    }
    return count;
  }

  /** The documents whose name has these letters and digits, whatever the separators. */
  spelled(spelling: string): readonly number[] {
    return spelling === '' ? NONE : (this.#byName.get(SPELLED + spelling) ?? NONE);
  }

  namedBy(root: string): readonly number[] {
    return this.#byName.get(root) ?? NONE;
  }

  find(word: string): number | undefined {
    return this.#numbers.get(word);
  }

  /** The numbers of the words with a stem: `first` first, the others in code unit order. */
  formsOf(root: string, first: string): readonly number[] {
    const forms = this.#formsOf(root);
    if (forms.length < 2) return forms;
    const keyOf = (form: number): string => (this.words[form] === first ? '' : (this.words[form] ?? ''));
    return forms.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  }

  hasStem(root: string): boolean {
    return this.#formsOf(root).length > 0;
  }

  #formsOf(root: string): readonly number[] {
    const known = this.#forms.get(root);
    if (known) return known;
    const beginning = beginningOf(root);
    const forms = this.#wordsLike(root, (word) => word.startsWith(beginning) && stem(word) === root);
    if (this.#forms.size >= MAX_STEMS) this.#forms.clear();
    this.#forms.set(root, forms);
    return forms;
  }

  /** The words in the bucket of `beginning` that fit. */
  #wordsLike(beginning: string, fits: (word: string) => boolean): readonly number[] {
    let found: number[] | undefined;
    for (let number = this.#lastAlike[bucketOf(beginning)] ?? -1; number >= 0; number = this.#alike[number] ?? -1) {
      if (!fits(this.words[number] ?? '')) continue;
      found ??= [];
      found.push(number);
    }
    return found ?? NONE;
  }

  /**
   * The words that an unknown word may mean, at most `MAX_GUESSES`, in code unit order: words that begin with it.
   * Without any, the words that differ by the fewest letters: at most one, or two for a long word.
   */
  guesses(word: string): readonly string[] {
    if (word.length < MIN_PREFIX) return NONE;
    const longer = this.#wordsLike(word, (other) => other.startsWith(word)).map((number) => this.words[number] ?? '');
    if (longer.length > 0 || word.length < MIN_TYPO) return longer.sort().slice(0, MAX_GUESSES);
    const wrong = word.length < LONG_WORD ? 1 : 2;
    const letters = letterSet(word);
    const byDistance: string[][] = [[], [], []];
    // A guess has one of the word's first two letters among its own first two.
    const beginning = word.slice(0, 2);
    const first = letterSet(beginning);
    const wanted = first & (1 << Y) ? first | (1 << I) : first;
    this.#letterSets ??= new Uint32Array(this.words.length);
    const sets = this.#letterSets;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      if ((wanted & ((1 << (bucket >> 5)) | (1 << (bucket & 31)))) === 0) continue;
      for (let number = this.#lastAlike[bucket] ?? -1; number >= 0; number = this.#alike[number] ?? -1) {
        sets[number] ||= letterSet(this.words[number] ?? '');
        const set = sets[number] ?? 0;
        // A wrong letter changes the set of letters by at most one on either side.
        if (bits(letters & ~set) > wrong || bits(set & ~letters) > wrong) continue;
        const other = this.words[number] ?? '';
        if (!beginning.includes(other.charAt(0)) && !beginning.includes(other.charAt(1))) continue;
        const distance = editDistance(word, other, wrong);
        if (distance !== undefined) byDistance[distance]?.push(other);
      }
    }
    return (byDistance.find((list) => list.length > 0) ?? []).sort().slice(0, MAX_GUESSES);
  }

  postings(word: number): Postings {
    const [start, end] = [this.#ends[word - 1] ?? 0, this.#ends[word]];
    const { ids, counts } = this.#postings;
    return { ids: ids.subarray(start, end), counts: counts.subarray(start, end) };
  }

  /**
   * The frequency of a word in a document, weighted by field and field length: the inner sum of BM25F. `counts` is
   * packed.
   */
  frequency(id: number, counts: number): number {
    let frequency = 0;
    for (let field = 0, rest = counts; rest !== 0; field++, rest >>>= BITS) {
      const count = rest & MAX_COUNT;
      if (count > 0) frequency += count * (this.#factors[field]?.[this.lengthOf(id, field)] ?? 0);
    }
    return frequency;
  }

  /** The fields in which a document has a word, each with the weighted frequency. */
  fieldsOf(id: number, word: string): Readonly<Record<string, number>> {
    const number = this.find(word);
    if (number === undefined) return {};
    const { ids, counts } = this.postings(number);
    const all = counts[ids.indexOf(id)] ?? 0;
    const found = FIELDS.map((key, field) => [key, this.frequency(id, countIn(all, field))] as const);
    return Object.fromEntries(found.filter(([, frequency]) => frequency > 0));
  }

  /** The count of distinct words in a field of a document, at most 255. */
  lengthOf(id: number, field: number): number {
    return this.#lengths[id * FIELDS.length + field] ?? 0;
  }

  /** The documents whose server or group has a stem in the text about it. */
  toldByServer(root: string): readonly number[] {
    if (!this.#byInstructions) {
      const groups = new Map<string, number[]>();
      for (const [id, { instructions }] of this.documents.entries()) {
        if (instructions !== undefined) append(groups, instructions, id);
      }
      this.#byInstructions = Array.from(groups, ([told, ids]) => ({ stems: instructionStems(told), ids }));
    }
    return this.#byInstructions.flatMap(({ stems, ids }) => (stems.has(root) ? ids : NONE));
  }
}

/** The fields with a count, as bits: bit n for field n of {@link FIELDS}. */
export function fieldsIn(counts: number): number {
  return FIELDS.reduce((bits, _, field) => (countIn(counts, field) > 0 ? bits | (1 << field) : bits), 0);
}

export function countIn(counts: number, field: number): number {
  return (counts & (MAX_COUNT << (field * BITS))) >>> 0;
}

export function instructionStems(instructions: string | undefined): ReadonlySet<string> {
  return new Set(instructions === undefined ? [] : contentWords(words(instructions)).map(stem));
}

/** Where the occurrences of each word end once they are sorted by word. */
function endsOf({ words: found, count }: Occurrences, size: number): Uint32Array {
  const ends = new Uint32Array(size);
  for (let at = 0; at < count; at++) ends[found[at] ?? 0] = (ends[found[at] ?? 0] ?? 0) + 1;
  for (let word = 1; word < size; word++) ends[word] = (ends[word] ?? 0) + (ends[word - 1] ?? 0);
  return ends;
}

/**
 * Copies the occurrences between two places into the postings, the last one first. Each goes in front of those of its
 * word that are there already; `ends` keeps track of where.
 */
function place(found: Occurrences, from: number, to: number, ends: Uint32Array, { ids, counts }: Postings): void {
  for (let at = to - 1; at >= from; at--) {
    const word = found.words[at] ?? 0;
    const end = (ends[word] ?? 0) - 1;
    ends[word] = end;
    ids[end] = found.ids[at] ?? 0;
    counts[end] = found.counts[at] ?? 0;
  }
}

function enlarged(array: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size);
  larger.set(array);
  return larger;
}

function append<Key>(groups: Map<Key, number[]>, key: Key, id: number): void {
  const group = groups.get(key);
  if (group) group.push(id);
  else groups.set(key, [id]);
}

/** The bucket of a word and of its stem. A stem keeps the first two letters of its word, except that y may become i. */
function bucketOf(word: string): number {
  const second = word.charCodeAt(1) & 31;
  return ((word.charCodeAt(0) & 31) << 5) | (second === Y ? I : second);
}

/** The letters of a word as bits; letters of other scripts share some. */
function letterSet(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bits(set: number): number {
  const pairs = set - ((set >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The stems of a name, given by its words. */
export function nameStems(name: readonly string[]): ReadonlySet<string> {
  return new Set(name.map(stem));
}
