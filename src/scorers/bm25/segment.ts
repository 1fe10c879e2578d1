import type { ToolDocument } from '../../catalog/document.ts';
import { actionKinds } from '../../query/actions.ts';
import { stem } from '../../query/stem.ts';
import { CHUNK, type SlicedWork } from '../../util/time-slices.ts';
import { spellingOf } from '../spellings.ts';
import { FieldReader } from './fields.ts';
import { NumberList } from './number-list.ts';
import { FIELDS } from './settings.ts';
import { Vocabulary } from './vocabulary.ts';
import { EMPTY_HASH, hashOn, WordNumbers } from './word-numbers.ts';

/** Counts of a word in the fields, up to 15 each: four bits for each field of {@link FIELDS}, the first one lowest. */
export type FieldCounts = number;

const BITS = 4;
const MAX_COUNT = 2 ** BITS - 1;
/** Words of the longest field; longer ones count as this long. */
export const MAX_LENGTH = 255;

/** Occurrences of a word: documents in ascending order, from `start` to before `end`. */
export interface Occurrences {
  readonly documents: Uint32Array;
  readonly counts: Uint32Array;
  readonly start: number;
  readonly end: number;
}

const NOWHERE: Occurrences = { documents: new Uint32Array(), counts: new Uint32Array(), start: 0, end: 0 };

/**
 * The words of some documents, numbered from 0: built once, never changed.
 *
 * Flat arrays instead of a map for each word, field and document, as minisearch has them: indexing these took longer
 * than all the rest of a build.
 */
export class Segment {
  readonly documents: readonly ToolDocument[];
  readonly vocabulary: Vocabulary;
  /** Counts of different words in each field: those of document 0, then of 1. */
  readonly #lengths: Uint8Array;
  /** Numbers of documents by the name. */
  readonly ids: ReadonlyMap<string, number>;
  /**
   * The last document by a hash of the name's letters and digits, and for each the one before it with the same, or -1.
   */
  readonly #lastSpelled: ReadonlyMap<number, number>;
  readonly #previousAlike: Int32Array;
  /** Numbers of the stems that names have. */
  readonly #nameStems: ReadonlyMap<string, number>;
  readonly #namePartEnds: Uint32Array;
  readonly #nameParts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #documents: Uint32Array;
  readonly #counts: Uint32Array;
  #actions: Uint8Array | undefined;

  private constructor(documents: readonly ToolDocument[], draft: Draft, vocabulary: Vocabulary) {
    this.documents = documents;
    this.vocabulary = vocabulary;
    this.#lengths = draft.lengths;
    this.ids = draft.ids;
    this.#lastSpelled = draft.lastSpelled;
    this.#previousAlike = draft.previousAlike;
    this.#nameStems = draft.nameStems;
    this.#namePartEnds = draft.namePartEnds;
    this.#nameParts = draft.nameParts.toArray();
    const { ends, documents: sorted, counts } = draft.sortedByWord();
    this.#ends = ends;
    this.#documents = sorted;
    this.#counts = counts;
  }

  /** @param sentences - for the number of a document, the sentences of its description that count. */
  static *build(documents: readonly ToolDocument[], sentences: (id: number) => readonly string[]): SlicedWork<Segment> {
    const draft = new Draft(documents.length);
    let id = 0;
    for (const document of documents) {
      draft.add(id, document, sentences(id));
      if (++id % CHUNK === 0) yield;
    }
    const vocabulary = yield* draft.vocabulary();
    return new Segment(documents, draft, vocabulary);
  }

  occurrences(word: string): Occurrences {
    const number = this.vocabulary.numberOf(word);
    if (number === undefined) return NOWHERE;
    const start = number === 0 ? 0 : (this.#ends[number - 1] ?? 0);
    return { documents: this.#documents, counts: this.#counts, start, end: this.#ends[number] ?? 0 };
  }

  /** The documents whose name is spelled so, whatever stands between its letters and digits. */
  spelled(spelling: string): readonly number[] {
    const found: number[] = [];
    let id = this.#lastSpelled.get(hashed(spelling)) ?? -1;
    for (; id >= 0; id = this.#previousAlike[id] ?? -1) {
      if (spellingOf([this.documents[id]?.name ?? '']) === spelling) found.push(id);
    }
    return found;
  }

  /** Counts the different words in a field of a document, at most 255. */
  lengthOf(id: number, field: number): number {
    return this.#lengths[id * FIELDS.length + field] ?? 0;
  }

  /** @param factors - by field, then by length: what one occurrence counts. */
  frequency(id: number, counts: FieldCounts, factors: readonly Float64Array[]): number {
    let frequency = 0;
    let rest = counts;
    for (let field = 0; rest !== 0; field++, rest >>>= BITS) {
      const count = rest & MAX_COUNT;
      if (count > 0) frequency += count * (factors[field]?.[this.#lengths[id * FIELDS.length + field] ?? 0] ?? 0);
    }
    return frequency;
  }

  /** The kinds of action by the number of a document: that of the first verb of its name, or 0. */
  actions(): Uint8Array {
    this.#actions ??= this.#readActions();
    return this.#actions;
  }

  #readActions(): Uint8Array {
    const kinds = new Uint8Array(this.#nameStems.size);
    for (const [root, kind] of actionKinds()) {
      const number = this.#nameStems.get(root);
      if (number !== undefined) kinds[number] = kind;
    }
    const actions = new Uint8Array(this.documents.length);
    let at = 0;
    for (let id = 0; id < actions.length; id++) {
      const end = this.#namePartEnds[id] ?? 0;
      for (; at < end; at++) actions[id] ||= kinds[this.#nameParts[at] ?? 0] ?? 0;
    }
    return actions;
  }

  /**
   * Makes a function that gives for a document the share of the words of its name that are wanted, each by its weight.
   * Wanted are stems.
   */
  nameShares(wanted: ReadonlyMap<string, number>): (id: number) => number {
    const weights = new Float64Array(this.#nameStems.size);
    for (const [root, weight] of wanted) {
      const number = this.#nameStems.get(root);
      if (number !== undefined) weights[number] = weight;
    }
    const parts = this.#nameParts;
    const ends = this.#namePartEnds;
    return (id) => {
      const start = id === 0 ? 0 : (ends[id - 1] ?? 0);
      const end = ends[id] ?? 0;
      let named = 0;
      for (let at = start; at < end; at++) named += weights[parts[at] ?? 0] ?? 0;
      return named / (end - start || 1);
    };
  }
}

/** The counts of one field alone. */
export function onlyIn(counts: FieldCounts, field: number): FieldCounts {
  return (counts & (MAX_COUNT << (field * BITS))) >>> 0;
}

/** A segment while it is built. */
class Draft {
  readonly lengths: Uint8Array;
  readonly ids = new Map<string, number>();
  readonly lastSpelled = new Map<number, number>();
  readonly previousAlike: Int32Array;
  readonly nameStems = new Map<string, number>();
  readonly nameParts = new NumberList();
  readonly namePartEnds: Uint32Array;
  readonly #numbers = new WordNumbers();
  readonly #reader = new FieldReader(this.#numbers);
  // Plain arrays: these are written in no order.
  /** Stems, by the number of a word: the number of its stem, where it stands in a name. */
  readonly #stems: number[] = [];
  /** Places, by the number of a word: of its last occurrence in the lists below, and how many it has. */
  readonly #last: number[] = [];
  readonly #totals: number[] = [];
  /** Occurrences as they come. */
  readonly #words = new NumberList();
  readonly #documents = new NumberList();
  readonly #counts = new NumberList();

  constructor(size: number) {
    this.lengths = new Uint8Array(size * FIELDS.length);
    this.namePartEnds = new Uint32Array(size);
    this.previousAlike = new Int32Array(size).fill(-1);
  }

  add(id: number, document: ToolDocument, sentences: readonly string[]): void {
    this.#reader.read(document, sentences);
    this.#addName(id, document.name);
    for (const [field, words] of this.#reader.lists.entries()) if (words.length > 0) this.#addField(id, field, words);
  }

  #addName(id: number, name: string): void {
    const { nameWords, nameParts } = this.#reader;
    this.ids.set(name, id);
    let spelling = EMPTY_HASH;
    for (let at = 0; at < nameWords.length; at++) {
      spelling = hashed(this.#numbers.words[nameWords.at(at)] ?? '', spelling);
    }
    const start = this.nameParts.length;
    for (let at = 0; at < nameParts.length; at++) {
      const word = nameParts.at(at);
      const root = this.#stems[word] ?? numbered(this.nameStems, stem(this.#numbers.words[word] ?? ''));
      this.#stems[word] = root;
      if (!this.nameParts.includes(root, start)) this.nameParts.push(root);
    }
    this.namePartEnds[id] = this.nameParts.length;
    if (nameWords.length === 0) return;
    this.previousAlike[id] = this.lastSpelled.get(spelling) ?? -1;
    this.lastSpelled.set(spelling, id);
  }

  #addField(id: number, field: number, words: NumberList): void {
    const unit = 1 << (field * BITS);
    const counts = this.#counts;
    let different = 0;
    for (let at = 0; at < words.length; at++) {
      const word = words.at(at);
      const last = this.#last[word];
      if (last === undefined || this.#documents.at(last) !== id) {
        this.#last[word] = this.#words.length;
        this.#totals[word] = (this.#totals[word] ?? 0) + 1;
        this.#words.push(word);
        this.#documents.push(id);
        counts.push(unit);
        different++;
        continue;
      }
      const counted = counts.at(last);
      const count = onlyIn(counted, field);
      if (count === 0) different++;
      if (count < MAX_COUNT * unit) counts.set(last, counted + unit);
    }
    this.lengths[id * FIELDS.length + field] = Math.min(different, MAX_LENGTH);
  }

  vocabulary(): SlicedWork<Vocabulary> {
    const totals = Uint32Array.from(this.#numbers.words, (_, number) => this.#totals[number] ?? 0);
    return Vocabulary.build(this.#numbers, totals);
  }

  /** The occurrences of word 0, then those of 1: where those of each end, and their documents, which stay in order. */
  sortedByWord(): { ends: Uint32Array; documents: Uint32Array; counts: Uint32Array } {
    const ends = new Uint32Array(this.#numbers.words.length);
    let start = 0;
    for (let number = 0; number < ends.length; number++) {
      ends[number] = start;
      start += this.#totals[number] ?? 0;
    }
    const documents = new Uint32Array(start);
    const counts = new Uint32Array(start);
    // Each place moves from the start of its word to its end as the occurrences come in.
    for (let at = 0; at < start; at++) {
      const number = this.#words.at(at);
      const place = ends[number] ?? 0;
      documents[place] = this.#documents.at(at);
      counts[place] = this.#counts.at(at);
      ends[number] = place + 1;
    }
    return { ends, documents, counts };
  }
}

/** The hash of a text, going on from that of the text before it. */
function hashed(text: string, before: number = EMPTY_HASH): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = hashOn(hash, text.charCodeAt(at));
  return hash;
}

/** The number of a key, which is counted on for a new one. */
function numbered(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}
