import type { ToolDocument } from '../../catalog/document.ts';
import { CHUNK, type SlicedWork } from '../../util/time-slices.ts';
import { stem } from '../words/stem.ts';
import { onlyIn } from './field-counts.ts';
import { guesses } from './guesses.ts';
import { type IndexPart, lengthFactors } from './index-part.ts';
import type { Packed } from './packed.ts';
import { type NameFit, Segment } from './segment.ts';
import { readSentences, Sentences, sentencesOf } from './sentences.ts';
import { ServerWords } from './server-words.ts';
import { FIELDS, type FieldWeights } from './settings.ts';
import type { CatalogStatistics } from './statistics.ts';
import type { Tally } from './tally.ts';
import { formsIn, type Term, termIn } from './terms.ts';

/**
 * Bounds of an update: when more documents than these, and than this share, are new or gone, the catalog is indexed
 * anew.
 */
const MAX_CHANGED = 100;
const MAX_CHANGED_SHARE = 0.2;

const NONE: readonly never[] = [];

/**
 * Frequencies of words in each document of a catalog, over all its fields, weighted by field and length: the first
 * half of BM25F (Robertson, Zaragoza, Taylor 2004).
 *
 * A catalog that changes gets a new one, which shares the large segment with the old one, has a small one of what is
 * new, and knows what is gone. It weighs exactly as one that is built anew.
 */
export class TermIndex {
  /** Count of its documents. */
  readonly size: number;
  /** Numbers of documents are below this; some may be gone. */
  readonly end: number;
  readonly #weights: FieldWeights;
  readonly #base: Segment;
  readonly #added: Segment | undefined;
  /** Flags by the number of a document of the base: 1 for one that is gone. */
  readonly #gone: Uint8Array | undefined;
  /** The base's; they are read again where the base was loaded. */
  #sentences: Sentences | undefined;
  readonly #parts: readonly IndexPart[];
  #serverWords: ServerWords | undefined;
  /** Weights of one occurrence, by field, then by length. */
  readonly #factors: readonly Float64Array[];

  private constructor(
    weights: FieldWeights,
    sentences: Sentences | undefined,
    base: Segment,
    added?: Segment,
    gone?: Uint8Array<ArrayBuffer>,
    averageLengths?: CatalogStatistics['averageLengths'],
  ) {
    this.#weights = weights;
    this.#sentences = sentences;
    this.#base = base;
    this.#added = added;
    this.#gone = gone;
    const offset = base.documents.length;
    this.#parts = added
      ? [
          { segment: base, offset: 0, gone },
          { segment: added, offset },
        ]
      : [{ segment: base, offset: 0 }];
    this.end = offset + (added?.documents.length ?? 0);
    this.size = this.end - countOf(gone);
    this.#factors = lengthFactors(weights, this.#parts, this.size, averageLengths);
  }

  static *build(documents: readonly ToolDocument[], weights: FieldWeights): SlicedWork<TermIndex> {
    const sentences = new Sentences();
    const split: (readonly string[])[] = [];
    for (const document of documents) {
      const list = sentencesOf(document);
      sentences.add(list);
      if (split.push(list) % CHUNK === 0) yield;
    }
    const base = yield* Segment.build(documents, (id) => sentences.distinctive(split[id] ?? []));
    return new TermIndex(weights, sentences, base);
  }

  /** The index of a few documents of a catalog, without its boilerplate, whose fields have these lengths on average. */
  static *ofPart(
    documents: readonly ToolDocument[],
    weights: FieldWeights,
    averageLengths: CatalogStatistics['averageLengths'],
  ): SlicedWork<TermIndex> {
    const base = yield* Segment.build(documents, (id) => sentencesOf(documents[id] as ToolDocument));
    return new TermIndex(weights, undefined, base, undefined, undefined, averageLengths);
  }

  /** The index that was written so, of the same documents. */
  static unpack(documents: readonly ToolDocument[], packed: Packed, weights: FieldWeights): TermIndex {
    return new TermIndex(weights, undefined, Segment.unpack(documents, packed));
  }

  /** The documents of the base: all of them, where the index is no update of another one. */
  get documents(): readonly ToolDocument[] {
    return this.#base.documents;
  }

  /** Its parts, to be written; undefined where it is an update of another one. */
  packed(): Packed | undefined {
    return this.#added || this.#gone ? undefined : this.#base.packed();
  }

  /**
   * The index after a change; this one stays as it is. Undefined where so much has changed that a new one is as good.
   *
   * @param removed - names; that of a document which is replaced is in both lists.
   */
  *update(added: readonly ToolDocument[], removed: readonly string[]): SlicedWork<TermIndex | undefined> {
    const base = this.#base;
    const { documents } = base;
    const most = Math.max(MAX_CHANGED, documents.length * MAX_CHANGED_SHARE);
    if (added.length + removed.length > most) return undefined;
    const gone = this.#gone?.slice() ?? new Uint8Array(documents.length);
    const fresh = new Map(this.#added?.documents.map((document) => [document.name, document]));
    for (const name of removed) {
      const id = base.ids.get(name);
      if (!fresh.delete(name) && id !== undefined) gone[id] = 1;
    }
    for (const document of added) fresh.set(document.name, document);
    return yield* this.#changed(gone, [...fresh.values()], most);
  }

  /**
   * The index of a part of the documents: it knows nothing of the others, and weighs as one that is built of this part.
   */
  *restrictedTo(names: ReadonlySet<string>): SlicedWork<TermIndex> {
    const gone = Uint8Array.from(this.#base.documents, ({ name }, id) =>
      this.#gone?.[id] || !names.has(name) ? 1 : 0,
    );
    yield;
    const fresh = this.#added?.documents.filter(({ name }) => names.has(name)) ?? [];
    return (yield* this.#changed(gone, fresh, Number.POSITIVE_INFINITY)) as TermIndex;
  }

  /** The index of the base without what is gone, and of the documents that are not in it; undefined beyond so many. */
  *#changed(gone: Uint8Array<ArrayBuffer>, fresh: ToolDocument[], most: number): SlicedWork<TermIndex | undefined> {
    const { documents } = this.#base;
    const split = fresh.map(sentencesOf);
    this.#sentences ??= yield* readSentences(documents);
    const sentences = this.#sentences.after(gone, split);
    yield;
    // What has become boilerplate, or is none any longer, changes the words of those that say it.
    for (const id of sentences.changed) {
      const document = documents[id] as ToolDocument;
      gone[id] = 1;
      fresh.push(document);
      split.push(sentencesOf(document));
    }
    if (fresh.length + countOf(gone) > most) return undefined;
    const added = yield* Segment.build(fresh, (id) => sentences.distinctive(split[id] ?? []));
    return new TermIndex(this.#weights, this.#sentences, this.#base, added, gone);
  }

  nameOf(id: number): string {
    const { segment, offset } = this.#partOf(id);
    return segment.documents[id - offset]?.name ?? '';
  }

  /** The number of a document. */
  idOf(name: string): number | undefined {
    for (const { segment, offset, gone } of this.#parts) {
      const id = segment.ids.get(name);
      if (id !== undefined && !gone?.[id]) return offset + id;
    }
    return undefined;
  }

  /** The numbers of the documents whose name has these letters and digits, whatever stands between them. */
  spelled(spelling: string): readonly number[] {
    return this.#parts.flatMap(({ segment, offset, gone }) =>
      segment
        .spelled(spelling)
        .filter((id) => !gone?.[id])
        .map((id) => offset + id),
    );
  }

  /** A word that a document has. */
  term(word: string): Term | undefined {
    return termIn(this.#parts, word);
  }

  /**
   * Words of the catalog with the same stem: itself first if it has it, then by the alphabet.
   *
   * @param root - the stem of the word.
   */
  forms(word: string, root: string = stem(word)): readonly Term[] {
    return formsIn(this.#parts, word, root);
  }

  /** Whether a word of the catalog may have this stem: it may be one that is gone. */
  hasStem(root: string): boolean {
    return this.#parts.some(({ segment }) => segment.vocabulary.hasStem(root));
  }

  /** Guesses what a word may mean that the catalog does not have. */
  guesses(word: string): readonly Term[] {
    const vocabularies = this.#parts.map(({ segment }) => segment.vocabulary);
    const found = guesses(word, vocabularies, (candidate) => this.term(candidate) !== undefined);
    return found.flatMap((guess) => this.term(guess) ?? []);
  }

  /** Adds the weighted frequency of a word to each document that has it, or a share of it. */
  addFrequencies({ numbers }: Term, share: number, to: Tally): void {
    for (let part = 0; part < numbers.length; part++) {
      const { segment, offset, gone } = this.#parts[part] as IndexPart;
      const { documents, counts, start, end } = segment.occurrences(numbers[part]);
      for (let at = start; at < end; at++) {
        const id = documents[at] ?? 0;
        if (gone?.[id]) continue;
        const frequency = segment.frequency(id, counts[at] ?? 0, this.#factors);
        if (frequency > 0) to.add(offset + id, share * frequency);
      }
    }
  }

  /** The numbers of the documents whose server has the word in its instructions. */
  providedByServer(word: string): readonly number[] {
    this.#serverWords ??= this.#readServers();
    return this.#serverWords.toolsOf(word);
  }

  #readServers(): ServerWords {
    const found = new ServerWords();
    for (const { segment, offset, gone } of this.#parts) {
      for (const [id, { instructions }] of segment.documents.entries()) {
        if (instructions !== undefined && !gone?.[id]) found.add(offset + id, instructions);
      }
    }
    return found;
  }

  /** The fields in which a document has the word, with the weighted frequency of each. */
  fieldsOf(id: number, word: string): Readonly<Record<string, number>> {
    const { segment, offset } = this.#partOf(id);
    const { documents, counts, start, end } = segment.occurrences(segment.vocabulary.numberOf(word));
    const place = documents.subarray(start, end).indexOf(id - offset);
    const found: Record<string, number> = {};
    if (place < 0) return found;
    for (const [field, key] of FIELDS.entries()) {
      const inField = onlyIn(counts[start + place] ?? 0, field);
      const frequency = segment.frequency(id - offset, inField, this.#factors);
      if (frequency > 0) found[key] = frequency;
    }
    return found;
  }

  /** Count of the numbers of stems that names have. */
  get nameStems(): number {
    return this.#base.nameStems + (this.#added?.nameStems ?? 0);
  }

  /** The numbers of a stem that names have: one in each part. */
  nameStemsOf(root: string): readonly number[] {
    const inBase = this.#base.nameStemOf(root);
    const inAdded = this.#added?.nameStemOf(root);
    if (inAdded === undefined) return inBase === undefined ? NONE : [inBase];
    const number = this.#base.nameStems + inAdded;
    return inBase === undefined ? [number] : [inBase, number];
  }

  /**
   * Tells how a document's name fits the words that are wanted.
   *
   * @param weights - by the number of a stem; 0 for what is not wanted.
   * @param fit - where to write it.
   */
  nameFit(id: number, weights: Float64Array, fit: NameFit): void {
    const { length } = this.#base.documents;
    if (id < length) this.#base.nameFit(id, weights, 0, fit);
    else this.#added?.nameFit(id - length, weights, this.#base.nameStems, fit);
  }

  /** Makes a function that gives for a document the kind of action that its name says, or 0. */
  actions(): (id: number) => number {
    const base = this.#base.actions();
    const added = this.#added?.actions();
    if (!added) return (id) => base[id] ?? 0;
    return (id) => (id < base.length ? base[id] : added[id - base.length]) ?? 0;
  }

  #partOf(id: number): IndexPart {
    const { length } = this.#base.documents;
    return this.#added && id >= length ? { segment: this.#added, offset: length } : { segment: this.#base, offset: 0 };
  }
}

function countOf(marks: Uint8Array | undefined): number {
  return marks?.reduce((count, mark) => count + mark, 0) ?? 0;
}
