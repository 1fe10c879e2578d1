import type { ToolDocument } from '../../catalog/document.ts';
import { CHUNK, type SlicedWork } from '../../util/time-slices.ts';
import { actionKinds } from '../words/actions.ts';
import { spellingOf } from '../words/spellings.ts';
import { BadBytes } from './bad-bytes.ts';
import { BITS, type FieldCounts, MAX_COUNT } from './field-counts.ts';
import { linesAsBytes, linesOf } from './lines.ts';
import type { Packed } from './packed.ts';
import { Draft, EMPTY_HASH, hashed, type SegmentParts } from './segment-draft.ts';
import { FIELDS } from './settings.ts';
import { Vocabulary } from './vocabulary.ts';
import { WordNumbers } from './word-numbers.ts';

/** Occurrences of a word: documents in ascending order, from `start` to before `end`. */
export interface Occurrences {
  readonly documents: Uint32Array;
  readonly counts: Uint32Array;
  readonly start: number;
  readonly end: number;
}

/** The fit of a tool's name to the words that are wanted. */
export interface NameFit {
  /** The share of its words that are wanted, each by its weight. */
  share: number;
  /** Count of its words that are not wanted at all. */
  strangers: number;
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
  /** A hash of the name's letters and digits, by document. */
  readonly #spellings: Int32Array;
  /** The last document by that hash, and for each the one before it with the same, or -1. */
  readonly #lastSpelled = new Map<number, number>();
  readonly #previousAlike: Int32Array;
  /** Numbers of the stems that names have. */
  readonly #nameStems: ReadonlyMap<string, number>;
  readonly #namePartEnds: Uint32Array;
  readonly #nameParts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #documents: Uint32Array;
  readonly #counts: Uint32Array;
  #actions: Uint8Array | undefined;

  private constructor(documents: readonly ToolDocument[], words: WordNumbers, parts: SegmentParts) {
    this.documents = documents;
    this.vocabulary = new Vocabulary(words, parts.ends);
    this.ids = new Map(documents.map(({ name }, id) => [name, id]));
    this.#lengths = parts.lengths;
    this.#spellings = parts.spellings;
    this.#nameStems = parts.nameStems;
    this.#namePartEnds = parts.namePartEnds;
    this.#nameParts = parts.nameParts;
    this.#ends = parts.ends;
    this.#documents = parts.documents;
    this.#counts = parts.counts;
    this.#previousAlike = new Int32Array(documents.length).fill(-1);
    for (let id = 0; id < documents.length; id++) {
      const spelling = this.#spellings[id] ?? EMPTY_HASH;
      if (spelling === EMPTY_HASH) continue;
      this.#previousAlike[id] = this.#lastSpelled.get(spelling) ?? -1;
      this.#lastSpelled.set(spelling, id);
    }
  }

  /** @param sentences - for the number of a document, the sentences of its description that count. */
  static *build(documents: readonly ToolDocument[], sentences: (id: number) => readonly string[]): SlicedWork<Segment> {
    const draft = new Draft(documents.length);
    let id = 0;
    for (const document of documents) {
      draft.add(id, document, sentences(id));
      if (++id % CHUNK === 0) yield;
    }
    const segment = new Segment(documents, draft.numbers, yield* draft.parts());
    yield;
    segment.vocabulary.prepare();
    yield;
    return segment;
  }

  /**
   * The segment that was written so, of the same documents.
   *
   * @throws BadBytes where the parts do not fit together.
   */
  static unpack(documents: readonly ToolDocument[], packed: Packed): Segment {
    const { ends, lengths, spellings, namePartEnds, nameParts, counts } = packed;
    const words = new WordNumbers(linesOf(packed.words));
    const isWhole =
      words.words.length === ends.length &&
      isAscending(ends, packed.documents.length) &&
      counts.length === packed.documents.length &&
      isBelow(packed.documents, documents.length) &&
      lengths.length === documents.length * FIELDS.length &&
      spellings.length === documents.length &&
      namePartEnds.length === documents.length &&
      isAscending(namePartEnds, nameParts.length);
    if (!isWhole) throw new BadBytes('the parts of the saved index do not fit together');
    const nameStems = new Map(linesOf(packed.nameStems).map((root, number) => [root, number]));
    return new Segment(documents, words, { ...packed, nameStems });
  }

  /** Its parts, to be written. */
  packed(): Packed {
    return {
      words: linesAsBytes(this.vocabulary.words),
      nameStems: linesAsBytes([...this.#nameStems.keys()]),
      lengths: this.#lengths,
      spellings: this.#spellings,
      namePartEnds: this.#namePartEnds,
      nameParts: this.#nameParts,
      ends: this.#ends,
      documents: this.#documents,
      counts: this.#counts,
    };
  }

  /** @param number - of a word; undefined for none. */
  occurrences(number: number | undefined): Occurrences {
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

  /** Count of the stems that names have. */
  get nameStems(): number {
    return this.#nameStems.size;
  }

  /** The number of a stem that a name has. */
  nameStemOf(root: string): number | undefined {
    return this.#nameStems.get(root);
  }

  /**
   * Tells how a document's name fits the words that are wanted.
   *
   * @param weights - by the number of a stem; 0 for what is not wanted.
   * @param first - the place of stem 0 among the weights.
   * @param fit - where to write it: there are thousands of documents.
   */
  nameFit(id: number, weights: Float64Array, first: number, fit: NameFit): void {
    const start = id === 0 ? 0 : (this.#namePartEnds[id - 1] ?? 0);
    const end = this.#namePartEnds[id] ?? 0;
    let named = 0;
    let strangers = 0;
    for (let at = start; at < end; at++) {
      const weight = weights[first + (this.#nameParts[at] ?? 0)] ?? 0;
      named += weight;
      if (weight === 0) strangers++;
    }
    fit.share = named / (end - start || 1);
    fit.strangers = strangers;
  }
}

/** Whether numbers never fall, and end with the highest one. */
function isAscending(numbers: Uint32Array, highest: number): boolean {
  for (let at = 1; at < numbers.length; at++) if ((numbers[at] ?? 0) < (numbers[at - 1] ?? 0)) return false;
  return (numbers.at(-1) ?? 0) === highest;
}

function isBelow(numbers: Uint32Array, limit: number): boolean {
  for (let at = 0; at < numbers.length; at++) if ((numbers[at] ?? 0) >= limit) return false;
  return true;
}
