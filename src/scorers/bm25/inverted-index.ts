import { type Copies, copiesIn } from '../../catalog/copies.ts';
import type { ToolDocument } from '../../catalog/document.ts';
import { cut, hashed } from '../../util/text.ts';
import { CHUNK, type SlicedWork } from '../../util/time-slices.ts';
import { actionKinds } from '../words/query-words.ts';
import { beginningOf, contentWords, isStopWord, MAX_WORD, spellingOf, stem, words } from '../words/words.ts';
import { FIELDS, type Field, type FieldWeights } from './settings.ts';
import { MAX_SHARED, PROSE, sentencesOf, toolWords } from './tool-words.ts';

/** Occurrences of a word in the fields of one document: four bits for each of {@link FIELDS}, the first one lowest. */
export type FieldCounts = number;

const BITS = 4;
const MAX_COUNT = 2 ** BITS - 1;
/** Words of the longest field; a longer one counts as this long. */
const MAX_LENGTH = 255;
/** Words whose occurrences are copied between two yields: about a millisecond. */
const WORDS = 1 << 11;
/** Words that an index may hold unused, beside as many as it uses: an update beyond is refused, to free them. */
const MAX_UNUSED = 1_000;

/** The occurrences of a word: from `start` to before `end` in both lists. */
export interface Postings {
  readonly documents: Uint32Array;
  readonly counts: Uint32Array;
  readonly start: number;
  readonly end: number;
}

/** The fit of a tool's name to the words of a query. */
export interface NameFit {
  /** The share of the name's words that the query has, each by its weight. */
  share: number;
  /** Count of the name's words that the query does not have. */
  strangers: number;
}

/** Texts numbered from 0, in the order in which they come. */
class Numbering {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }

  /** Lets another text stand for the same number. */
  alias(text: string, number: number): void {
    this.#numbers.set(text, number);
  }
}

/**
 * The numbers of words, stems and sentences. An index shares it with the indexes that are made of it; it only grows, and
 * a number never changes its meaning. It may hold words that an index has in no document: {@link InvertedIndex.has}.
 */
class Lexicon {
  readonly words = new Numbering();
  /** Whether the word of a number says nothing. */
  readonly isStopWord: boolean[] = [];
  readonly sentences = new Numbering();
  /** Stems of the words of names. */
  readonly nameStems = new Numbering();
  /** The number of the stem in `nameStems`, by the number of a word that stands in a name. */
  readonly #nameStemOfWord: number[] = [];
  /** Words by their first two letters, where y is i: words with one stem stand together. */
  readonly #shelves = new Map<string, { readonly words: number[]; stemmed: number }>();
  #shelved = 0;
  /** The letters of each word that {@link ofLength} has met, as bits; letters of other scripts share some. */
  readonly letters: number[] = [];
  readonly #byLength: number[][] = [];
  readonly #wordsByStem = new Map<string, number[]>();

  /** The number of a word in any casing and of any length. */
  wordOf(written: string): number {
    const known = this.words.find(written);
    if (known !== undefined) return known;
    const word = cut(written, MAX_WORD).toLowerCase();
    const number = this.words.numberOf(word);
    if (number === this.isStopWord.length) this.isStopWord.push(isStopWord(word));
    if (word !== written) this.words.alias(written, number);
    return number;
  }

  nameStemOf(word: number): number {
    this.#nameStemOfWord[word] ??= this.nameStems.numberOf(stem(this.words.texts[word] ?? ''));
    return this.#nameStemOfWord[word] ?? 0;
  }

  /** The words with this stem. Stems are computed for the words that begin alike, as most are never asked for. */
  formsOf(root: string): readonly number[] {
    const shelf = this.#shelf(beginningOf(root));
    for (; shelf && shelf.stemmed < shelf.words.length; shelf.stemmed++) {
      const word = shelf.words[shelf.stemmed] ?? 0;
      append(this.#wordsByStem, stem(this.words.texts[word] ?? ''), word);
    }
    return this.#wordsByStem.get(root) ?? NONE;
  }

  /** The words that begin with two letters or more. */
  beginningWith(prefix: string): readonly number[] {
    const numbers = this.#shelf(beginningOf(prefix))?.words ?? NONE;
    return numbers.filter((number) => this.words.texts[number]?.startsWith(prefix));
  }

  /** The words of so many letters. */
  ofLength(length: number): readonly number[] {
    const { texts } = this.words;
    for (let word = this.letters.length; word < texts.length; word++) {
      const text = texts[word] ?? '';
      this.letters.push(letterSet(text));
      const others = this.#byLength[text.length];
      if (others) others.push(word);
      else this.#byLength[text.length] = [word];
    }
    return this.#byLength[length] ?? NONE;
  }

  #shelf(letters: string): { readonly words: number[]; stemmed: number } | undefined {
    const { texts } = this.words;
    for (; this.#shelved < texts.length; this.#shelved++) {
      const beginning = beginningOf(texts[this.#shelved] ?? '');
      const shelf = this.#shelves.get(beginning);
      if (shelf) shelf.words.push(this.#shelved);
      else this.#shelves.set(beginning, { words: [this.#shelved], stemmed: 0 });
    }
    return this.#shelves.get(letters);
  }
}

const NONE: readonly number[] = [];

/** A list of numbers for each document, in one flat list. */
interface Lists {
  /** The end of the list of each document. */
  readonly ends: Uint32Array;
  readonly items: Uint32Array;
}

/** What an index holds of its documents, numbered from 0. */
interface Parts {
  readonly documents: readonly ToolDocument[];
  readonly copies: Copies | undefined;
  /** The sentences of each description, and 1 for the number of each that is boilerplate. */
  readonly sentences: Lists;
  readonly isBoilerplate: Uint8Array;
  /** The stems of each name, without articles, each once. */
  readonly nameStems: Lists;
  /** A hash of the letters and digits of each name. */
  readonly spellings: Int32Array;
  /** Counts of different words in each field: those of document 0, then of 1. */
  readonly lengths: Uint8Array;
  /** The occurrences of word 0, then of 1, with the end of each. */
  readonly ends: Uint32Array;
  readonly postings: Uint32Array;
  readonly counts: Uint32Array;
}

/**
 * The words of the documents of a catalog, with the documents and fields in which they occur: flat typed arrays, built
 * once and never changed. A changed or restricted catalog gets an index of its own, into which the occurrences of the
 * documents that stay are copied: some milliseconds for 10,000 documents. It weighs as one that is built anew.
 */
export class InvertedIndex {
  readonly documents: readonly ToolDocument[];
  /** Count of the distinct tools: copies count once. */
  readonly tools: number;
  readonly #weights: FieldWeights;
  readonly #lexicon: Lexicon;
  readonly #parts: Parts;
  /** The weight of one occurrence, by field, then by the length of the field. */
  readonly #factors: readonly Float64Array[];
  #ids: Map<string, number> | undefined;
  #actions: Uint8Array | undefined;
  #byInstructions: Map<string, { readonly stems: ReadonlySet<string>; readonly ids: number[] }> | undefined;

  private constructor(
    weights: FieldWeights,
    lexicon: Lexicon,
    parts: Parts,
    averages: Readonly<Partial<Record<Field, number>>> = averageLengths(parts),
  ) {
    this.#weights = weights;
    this.#lexicon = lexicon;
    this.#parts = parts;
    this.documents = parts.documents;
    this.tools = parts.copies?.tools ?? parts.documents.length;
    this.#factors = FIELDS.map((field) => {
      const { boost, lengthNorm } = weights[field];
      const average = averages[field] ?? 0;
      return Float64Array.from({ length: MAX_LENGTH + 1 }, (_, length) =>
        average === 0 ? 0 : boost / (1 - lengthNorm + (lengthNorm * length) / average),
      );
    });
  }

  static *build(documents: readonly ToolDocument[], weights: FieldWeights): SlicedWork<InvertedIndex> {
    const lexicon = new Lexicon();
    return new InvertedIndex(weights, lexicon, yield* merged(lexicon, NOTHING, () => false, documents));
  }

  /** The index of a few documents of a catalog, which have lost its boilerplate, with the lengths of its fields. */
  static *ofPart(
    documents: readonly ToolDocument[],
    weights: FieldWeights,
    averages?: Readonly<Partial<Record<Field, number>>>,
  ): SlicedWork<InvertedIndex> {
    const lexicon = new Lexicon();
    const parts = yield* merged(lexicon, NOTHING, () => false, documents, false);
    return new InvertedIndex(weights, lexicon, parts, averages);
  }

  /**
   * The index after a change; undefined where so many words are gone that a new one is better.
   *
   * @param removed - names; that of a document which is replaced is in both lists.
   */
  *update(added: readonly ToolDocument[], removed: ReadonlySet<string>): SlicedWork<InvertedIndex | undefined> {
    const stays = ({ name }: ToolDocument): boolean => !removed.has(name);
    const index = new InvertedIndex(
      this.#weights,
      this.#lexicon,
      yield* merged(this.#lexicon, this.#parts, stays, added),
    );
    const { texts } = this.#lexicon.words;
    const used = texts.reduce((sum, _, word) => sum + (index.has(word) ? 1 : 0), 0);
    return texts.length > 2 * used + MAX_UNUSED ? undefined : index;
  }

  /** The index of a part of the documents: it says nothing of the others. */
  *restrictedTo(names: ReadonlySet<string>): SlicedWork<InvertedIndex> {
    const stays = ({ name }: ToolDocument): boolean => names.has(name);
    return new InvertedIndex(this.#weights, this.#lexicon, yield* merged(this.#lexicon, this.#parts, stays, []));
  }

  /** The number of a document. */
  idOf(name: string): number | undefined {
    this.#ids ??= new Map(this.documents.map((document, id) => [document.name, id]));
    return this.#ids.get(name);
  }

  nameOf(id: number): string {
    return this.documents[id]?.name ?? '';
  }

  /** The documents whose name has these letters and digits, whatever stands between them. */
  spelled(spelling: string): readonly number[] {
    const found: number[] = [];
    if (spelling === '') return found;
    const { spellings } = this.#parts;
    const wanted = hashed(spelling);
    for (let id = spellings.indexOf(wanted); id >= 0; id = spellings.indexOf(wanted, id + 1)) {
      if (spellingOf([this.nameOf(id)]) === spelling) found.push(id);
    }
    return found;
  }

  /** Whether a document has the word of a number. */
  has(word: number): boolean {
    const { ends } = this.#parts;
    return (ends[word] ?? 0) > (ends[word - 1] ?? 0);
  }

  /** The number of a lower-case word that a document has. */
  find(word: string): number | undefined {
    const number = this.#lexicon.words.find(word);
    return number !== undefined && this.has(number) ? number : undefined;
  }

  /** The numbers of the words of its documents. */
  get words(): readonly number[] {
    return [...this.#lexicon.words.texts.keys()].filter((number) => this.has(number));
  }

  wordOf(number: number): string {
    return this.#lexicon.words.texts[number] ?? '';
  }

  /** The words of its documents that have a stem: `first`, then the others in the order of code units. */
  formsOf(root: string, first: string): readonly number[] {
    const forms = this.#lexicon.formsOf(root).filter((number) => this.has(number));
    if (forms.length < 2) return forms;
    return forms.sort((one, other) => {
      const [word, otherWord] = [this.wordOf(one), this.wordOf(other)];
      if (word === first || otherWord === first) return word === first ? -1 : 1;
      return word < otherWord ? -1 : 1;
    });
  }

  /** Whether a document has a word with this stem. */
  hasStem(root: string): boolean {
    return this.#lexicon.formsOf(root).some((number) => this.has(number));
  }

  /** The words of its documents that begin so: with two letters or more. */
  wordsBeginningWith(prefix: string): readonly string[] {
    return this.#lexicon.beginningWith(prefix).flatMap((number) => (this.has(number) ? this.wordOf(number) : []));
  }

  /** The words of its documents that may be a word with a few wrong letters: of about its length, of nearly its letters. */
  wordsLike(word: string, wrong: number): readonly string[] {
    const letters = letterSet(word);
    const found: string[] = [];
    for (let length = word.length - wrong; length <= word.length + wrong; length++) {
      for (const number of this.#lexicon.ofLength(length)) {
        // Each wrong letter changes the set of letters by one on either side.
        const others = this.#lexicon.letters[number] ?? 0;
        if (bits(letters & ~others) > wrong || bits(others & ~letters) > wrong) continue;
        if (this.has(number)) found.push(this.wordOf(number));
      }
    }
    return found;
  }

  /** The occurrences of a word by its number. */
  postings(word: number): Postings {
    const { ends, postings: documents, counts } = this.#parts;
    const end = ends[word] ?? 0;
    return { documents, counts, start: word < ends.length ? (ends[word - 1] ?? 0) : end, end };
  }

  /** What some occurrences in a document count, weighted by field and length: the inner sum of BM25F. */
  frequency(id: number, counts: FieldCounts): number {
    const { lengths } = this.#parts;
    let frequency = 0;
    for (let field = 0, rest = counts; rest !== 0; field++, rest >>>= BITS) {
      const count = rest & MAX_COUNT;
      if (count > 0) frequency += count * (this.#factors[field]?.[lengths[id * FIELDS.length + field] ?? 0] ?? 0);
    }
    return frequency;
  }

  /** The fields in which a document has a word, with the weighted frequency of each. */
  fieldsOf(id: number, word: string): Readonly<Record<string, number>> {
    const found: Record<string, number> = {};
    const number = this.find(word);
    if (number === undefined) return found;
    const { documents, counts, start, end } = this.postings(number);
    const place = documents.subarray(start, end).indexOf(id);
    if (place < 0) return found;
    for (const [field, key] of FIELDS.entries()) {
      const frequency = this.frequency(id, countIn(counts[start + place] ?? 0, field));
      if (frequency > 0) found[key] = frequency;
    }
    return found;
  }

  /** Counts different words in a field of a document, at most 255. */
  lengthOf(id: number, field: number): number {
    return this.#parts.lengths[id * FIELDS.length + field] ?? 0;
  }

  /** The number of the distinct tool of a document: copies have one. */
  toolOf(id: number): number {
    return this.#parts.copies?.firsts[id] ?? id;
  }

  /** Counts the distinct tools among documents. */
  countTools(ids: Uint32Array, seen: Uint8Array): number {
    const { copies } = this.#parts;
    if (!copies) return ids.length;
    let count = 0;
    for (const id of ids) {
      const tool = copies.firsts[id] ?? 0;
      if (seen[tool] === 0) count++;
      seen[tool] = 1;
    }
    for (const id of ids) seen[copies.firsts[id] ?? 0] = 0;
    return count;
  }

  /** The documents whose server says a word of all its tools, in any form. */
  toldByServer(root: string): readonly number[] {
    this.#byInstructions ??= this.#readInstructions();
    const found: number[] = [];
    for (const { stems, ids } of this.#byInstructions.values()) if (stems.has(root)) found.push(...ids);
    return found;
  }

  #readInstructions(): Map<string, { readonly stems: ReadonlySet<string>; readonly ids: number[] }> {
    const found = new Map<string, { readonly stems: ReadonlySet<string>; readonly ids: number[] }>();
    for (const [id, { instructions }] of this.documents.entries()) {
      if (instructions === undefined) continue;
      const told = found.get(instructions);
      if (told) told.ids.push(id);
      else found.set(instructions, { stems: instructionStems(instructions), ids: [id] });
    }
    return found;
  }

  /** Count of the numbers of stems of names, and the number of one; undefined for a stem that no name has. */
  get nameStems(): number {
    return this.#lexicon.nameStems.texts.length;
  }

  nameStemOf(root: string): number | undefined {
    return this.#lexicon.nameStems.find(root);
  }

  /**
   * Writes into `fit` how a document's name fits the words that are wanted.
   *
   * @param weights - by the number of a stem; 0 for one that is not wanted.
   */
  nameFit(id: number, weights: Float64Array, fit: NameFit): void {
    const { ends, items } = this.#parts.nameStems;
    const start = ends[id - 1] ?? 0;
    const end = ends[id] ?? 0;
    let named = 0;
    let strangers = 0;
    for (let at = start; at < end; at++) {
      const weight = weights[items[at] ?? 0] ?? 0;
      named += weight;
      if (weight === 0) strangers++;
    }
    fit.share = named / (end - start || 1);
    fit.strangers = strangers;
  }

  /** The kind of action of each document: that of the first verb of its name, or 0. */
  get actions(): Uint8Array {
    this.#actions ??= Uint8Array.from(this.documents, (_, id) => {
      for (const number of itemsOf(this.#parts.nameStems, id)) {
        const kind = actionKinds().get(this.#lexicon.nameStems.texts[number] ?? '');
        if (kind !== undefined) return kind;
      }
      return 0;
    });
    return this.#actions;
  }
}

const EMPTY: Lists = { ends: new Uint32Array(), items: new Uint32Array() };
const NOTHING: Parts = {
  documents: [],
  copies: undefined,
  sentences: EMPTY,
  isBoilerplate: new Uint8Array(),
  nameStems: EMPTY,
  spellings: new Int32Array(),
  lengths: new Uint8Array(),
  ends: new Uint32Array(),
  postings: new Uint32Array(),
  counts: new Uint32Array(),
};

/**
 * Copies what is known of the documents of `base` that stay, and reads the others: those that are added, and those that
 * have sentences which became boilerplate, or are none any longer.
 *
 * @param hasBoilerplate - whether sentences that many documents share are to be left out.
 */
function* merged(
  lexicon: Lexicon,
  base: Parts,
  stays: (document: ToolDocument) => boolean,
  added: readonly ToolDocument[],
  hasBoilerplate = true,
): SlicedWork<Parts> {
  /** By the number of a document: its number in the base, and the other way round; -1 for none. */
  const before: number[] = [];
  const after = new Int32Array(base.documents.length).fill(-1);
  for (const [id, document] of base.documents.entries()) if (stays(document)) after[id] = before.push(id) - 1;
  const documents = before.length === 0 ? added : [...before.map((id) => base.documents[id] as ToolDocument), ...added];
  for (const _ of added) before.push(-1);
  yield;
  const copies = base.copies || added.length > 0 ? copiesIn(documents) : undefined;
  yield;
  const sentences = new ListsDraft(documents.length);
  for (const [id, document] of documents.entries()) {
    const old = before[id] ?? -1;
    if (old >= 0) sentences.copy(base.sentences, old);
    else sentences.push(sentencesOf(document).map((sentence) => lexicon.sentences.numberOf(sentence)));
    if (id % CHUNK === CHUNK - 1) yield;
  }
  const lists = sentences.done();
  const isBoilerplate = hasBoilerplate
    ? boilerplateIn(lists, copies, lexicon.sentences.texts.length)
    : new Uint8Array(lexicon.sentences.texts.length);
  yield;
  const hasChanged = isBoilerplate.map((flag, number) => flag ^ (base.isBoilerplate[number] ?? 0));
  if (hasChanged.includes(1)) {
    for (const [id, old] of before.entries()) {
      if (old < 0 || !itemsOf(lists, id).some((number) => hasChanged[number] === 1)) continue;
      after[old] = -1;
      before[id] = -1;
    }
  }
  const draft = new Draft(lexicon, documents.length);
  for (const [id, document] of documents.entries()) {
    const old = before[id] ?? -1;
    if (old >= 0) draft.copy(id, base, old);
    else {
      const numbers = itemsOf(lists, id).filter((number) => isBoilerplate[number] === 0);
      draft.read(
        id,
        document,
        Array.from(numbers, (number) => lexicon.sentences.texts[number] ?? ''),
      );
    }
    if (id % CHUNK === CHUNK - 1) yield;
  }
  return { documents, copies, sentences: lists, isBoilerplate, ...(yield* draft.done(base, after)) };
}

/** By the number of a sentence: 1 for one that more distinct tools have than {@link MAX_SHARED}. */
function boilerplateIn({ ends, items }: Lists, copies: Copies | undefined, size: number): Uint8Array {
  const counts = new Uint32Array(size);
  const last = new Int32Array(size).fill(-1);
  let at = 0;
  for (let id = 0; id < ends.length; id++) {
    for (const end = ends[id] ?? 0; at < end; at++) {
      const number = items[at] ?? 0;
      if (last[number] === id || (copies && copies.firsts[id] !== id)) continue;
      last[number] = id;
      counts[number] = (counts[number] ?? 0) + 1;
    }
  }
  return Uint8Array.from(counts, (count) => (count > MAX_SHARED ? 1 : 0));
}

/** An index while it is made. */
class Draft {
  readonly #lexicon: Lexicon;
  readonly #lengths: Uint8Array;
  readonly #spellings: Int32Array;
  readonly #nameStems: ListsDraft;
  /** The place of a word's last occurrence in the lists below, by its number. */
  readonly #last: number[] = [];
  /** The occurrences that were read: word, document, counts. */
  readonly #words: number[] = [];
  readonly #documents: number[] = [];
  readonly #counts: number[] = [];

  constructor(lexicon: Lexicon, documents: number) {
    this.#lexicon = lexicon;
    this.#lengths = new Uint8Array(documents * FIELDS.length);
    this.#spellings = new Int32Array(documents);
    this.#nameStems = new ListsDraft(documents);
  }

  /** Takes a document over. Its occurrences follow with those of all others. */
  copy(id: number, base: Parts, old: number): void {
    this.#lengths.set(base.lengths.subarray(old * FIELDS.length, (old + 1) * FIELDS.length), id * FIELDS.length);
    this.#spellings[id] = base.spellings[old] ?? 0;
    this.#nameStems.copy(base.nameStems, old);
  }

  read(id: number, document: ToolDocument, sentences: readonly string[]): void {
    const { fields, name, nameParts } = toolWords(document, sentences);
    this.#spellings[id] = hashed(name.join(''));
    const stems = nameParts.map((part) => this.#lexicon.nameStemOf(this.#lexicon.wordOf(part)));
    this.#nameStems.push(stems.filter((number, at) => stems.indexOf(number) === at));
    const start = this.#words.length;
    for (let field = 0; field < FIELDS.length; field++) {
      const key = FIELDS[field] as Field;
      const list = fields[key];
      if (list.length > 0) {
        this.#lengths[id * FIELDS.length + field] = this.#readField(id, field, list, start, PROSE.get(key));
      }
    }
  }

  /**
   * Adds the words of a field, and counts the different ones.
   *
   * @param start - the place of the document's first occurrence.
   * @param most - how many words count, stop words aside; without it, all words and stop words do.
   */
  #readField(id: number, field: number, list: readonly string[], start: number, most?: number): number {
    const lexicon = this.#lexicon;
    const unit = 1 << (field * BITS);
    let different = 0;
    let left = most ?? list.length;
    for (let at = 0; at < list.length && left > 0; at++) {
      const word = lexicon.wordOf(list[at] ?? '');
      if (most !== undefined && lexicon.isStopWord[word]) continue;
      left--;
      const place = this.#last[word];
      if (place === undefined || place < start) {
        this.#last[word] = this.#words.push(word) - 1;
        this.#documents.push(id);
        this.#counts.push(unit);
        different++;
        continue;
      }
      const counts = this.#counts[place] ?? 0;
      const count = countIn(counts, field);
      if (count === 0) different++;
      if (count < MAX_COUNT * unit) this.#counts[place] = counts + unit;
    }
    return Math.min(different, MAX_LENGTH);
  }

  /** Sorts the occurrences by word: those of the base whose documents stay, then those that were read. */
  *done(
    base: Parts,
    after: Int32Array,
  ): SlicedWork<Pick<Parts, 'ends' | 'postings' | 'counts' | 'lengths' | 'spellings' | 'nameStems'>> {
    const size = this.#lexicon.words.texts.length;
    const read = sortedBy(this.#words, size);
    yield;
    const ends = new Uint32Array(size);
    const postings = new Uint32Array(base.postings.length + this.#words.length);
    const counts = new Uint32Array(postings.length);
    let [place, old, fresh] = [0, 0, 0];
    for (let word = 0; word < size; word++) {
      for (const end = base.ends[word] ?? old; old < end; old++) {
        const id = after[base.postings[old] ?? 0] ?? -1;
        if (id < 0) continue;
        postings[place] = id;
        counts[place++] = base.counts[old] ?? 0;
      }
      for (const end = read.ends[word] ?? 0; fresh < end; fresh++) {
        const at = read.places[fresh] ?? 0;
        postings[place] = this.#documents[at] ?? 0;
        counts[place++] = this.#counts[at] ?? 0;
      }
      ends[word] = place;
      if (word % WORDS === WORDS - 1) yield;
    }
    return {
      ends,
      postings: postings.slice(0, place),
      counts: counts.slice(0, place),
      ...{ lengths: this.#lengths, spellings: this.#spellings, nameStems: this.#nameStems.done() },
    };
  }
}

/** The places of a list in the order of its items, which are below `size`, and the end of those of each item. */
function sortedBy(items: readonly number[], size: number): { ends: Uint32Array; places: Uint32Array } {
  const ends = new Uint32Array(size + 1);
  for (const item of items) ends[item + 1] = (ends[item + 1] ?? 0) + 1;
  for (let item = 1; item <= size; item++) ends[item] = (ends[item] ?? 0) + (ends[item - 1] ?? 0);
  const places = new Uint32Array(items.length);
  // The start of each item moves to its end.
  for (let at = 0; at < items.length; at++) {
    const item = items[at] ?? 0;
    const place = ends[item] ?? 0;
    places[place] = at;
    ends[item] = place + 1;
  }
  return { ends, places };
}

/** {@link Lists} while they are made. */
class ListsDraft {
  readonly #ends: Uint32Array;
  readonly #items: number[] = [];
  #size = 0;

  constructor(size: number) {
    this.#ends = new Uint32Array(size);
  }

  push(items: readonly number[]): void {
    for (const item of items) this.#items.push(item);
    this.#ends[this.#size++] = this.#items.length;
  }

  copy({ ends, items }: Lists, id: number): void {
    for (let at = id === 0 ? 0 : (ends[id - 1] ?? 0); at < (ends[id] ?? 0); at++) this.#items.push(items[at] ?? 0);
    this.#ends[this.#size++] = this.#items.length;
  }

  done(): Lists {
    return { ends: this.#ends, items: Uint32Array.from(this.#items) };
  }
}

function itemsOf({ ends, items }: Lists, id: number): Uint32Array {
  return items.subarray(id === 0 ? 0 : ends[id - 1], ends[id]);
}

/** The average length of each field, over the distinct tools. */
function averageLengths({ documents, lengths, copies }: Parts): Record<Field, number> {
  const totals = new Float64Array(FIELDS.length);
  for (let id = 0; id < documents.length; id++) {
    if (copies && copies.firsts[id] !== id) continue;
    for (let field = 0; field < totals.length; field++) {
      totals[field] = (totals[field] ?? 0) + (lengths[id * FIELDS.length + field] ?? 0);
    }
  }
  const size = copies?.tools ?? documents.length;
  return Object.fromEntries(FIELDS.map((field, at) => [field, (totals[at] ?? 0) / size])) as Record<Field, number>;
}

/** The fields that have an occurrence: bit n for the field n. */
export function fieldsIn(counts: FieldCounts): number {
  return FIELDS.reduce((found, _, field) => (countIn(counts, field) > 0 ? found | (1 << field) : found), 0);
}

/** The stems of what a server says of its tools. */
export function instructionStems(instructions: string | undefined): ReadonlySet<string> {
  return new Set(instructions === undefined ? [] : contentWords(words(instructions)).map(stem));
}

/** The counts of one field alone. */
function countIn(counts: FieldCounts, field: number): FieldCounts {
  return (counts & (MAX_COUNT << (field * BITS))) >>> 0;
}

function append(map: Map<string, number[]>, key: string, item: number): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

function letterSet(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

/** Counts the bits of a set. */
function bits(set: number): number {
  const pairs = set - ((set >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
