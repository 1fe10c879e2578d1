import type { ToolDocument } from '../../catalog/document.ts';
import type { SlicedWork } from '../../util/time-slices.ts';
import { stem } from '../words/stem.ts';
import { BITS, MAX_COUNT, MAX_LENGTH, onlyIn } from './field-counts.ts';
import { PROSE, type ToolWords, toolWords } from './fields.ts';
import type { Packed } from './packed.ts';
import { FIELDS, type Field } from './settings.ts';
import { WordNumbers } from './word-numbers.ts';

/** Occurrences between two yields: a millisecond of work. */
const OCCURRENCES = 1 << 15;

/** What a segment keeps of its documents; see its fields. */
export interface SegmentParts extends Omit<Packed, 'words' | 'nameStems'> {
  readonly nameStems: ReadonlyMap<string, number>;
}

/** A segment while it is built. */
export class Draft {
  readonly #lengths: Uint8Array;
  readonly #spellings: Int32Array;
  readonly #nameStems = new Map<string, number>();
  readonly #nameParts: number[] = [];
  readonly #namePartEnds: Uint32Array;
  readonly #numbers = new WordNumbers();
  /** Stems, by the number of a word: the number of its stem, where it stands in a name. */
  readonly #stems: number[] = [];
  /** The place of a word's last occurrence in the lists below, by its number. */
  readonly #last: number[] = [];
  /** Occurrences as they come: those in document 0, then in 1, and where those of each end. */
  readonly #words: number[] = [];
  readonly #counts: number[] = [];
  readonly #documentEnds: Uint32Array;

  constructor(size: number) {
    this.#lengths = new Uint8Array(size * FIELDS.length);
    this.#namePartEnds = new Uint32Array(size);
    this.#documentEnds = new Uint32Array(size);
    this.#spellings = new Int32Array(size);
  }

  add(id: number, document: ToolDocument, sentences: readonly string[]): void {
    const words = toolWords(document, sentences);
    this.#addName(id, words);
    const start = this.#words.length;
    for (let field = 0; field < FIELDS.length; field++) {
      const key = FIELDS[field] as Field;
      const list = words.fields[key];
      if (list.length > 0)
        this.#lengths[id * FIELDS.length + field] = this.#addField(field, list, start, PROSE.get(key));
    }
    this.#documentEnds[id] = this.#words.length;
  }

  #addName(id: number, { name, nameParts }: ToolWords): void {
    this.#spellings[id] = hashed(name.join(''));
    const start = this.#nameParts.length;
    for (const part of nameParts) {
      const word = this.#numbers.numberOf(part);
      this.#stems[word] ??= numbered(this.#nameStems, stem(part));
      const root = this.#stems[word] ?? 0;
      if (!this.#nameParts.includes(root, start)) this.#nameParts.push(root);
    }
    this.#namePartEnds[id] = this.#nameParts.length;
  }

  /**
   * Adds the words of a field, and counts the different ones.
   *
   * @param start - the place of the document's first occurrence.
   * @param most - how many count of those that say something; without it, all words count.
   */
  #addField(field: number, list: readonly string[], start: number, most?: number): number {
    const numbers = this.#numbers;
    const last = this.#last;
    const words = this.#words;
    const counts = this.#counts;
    const unit = 1 << (field * BITS);
    let different = 0;
    let left = most ?? list.length;
    for (let at = 0; at < list.length && left > 0; at++) {
      const word = numbers.numberOf(list[at] ?? '');
      if (most !== undefined && numbers.isStopWord(word)) continue;
      left--;
      const place = last[word];
      if (place === undefined || place < start) {
        last[word] = words.length;
        words.push(word);
        counts.push(unit);
        different++;
        continue;
      }
      const counted = counts[place] ?? 0;
      const count = onlyIn(counted, field);
      if (count === 0) different++;
      if (count < MAX_COUNT * unit) counts[place] = counted + unit;
    }
    return Math.min(different, MAX_LENGTH);
  }

  /** The words that were read, some of which say nothing, and stand in no document. */
  get numbers(): WordNumbers {
    return this.#numbers;
  }

  *parts(): SlicedWork<SegmentParts> {
    const occurrences = yield* this.#sortedByWord();
    return {
      lengths: this.#lengths,
      spellings: this.#spellings,
      nameStems: this.#nameStems,
      namePartEnds: this.#namePartEnds,
      nameParts: Uint32Array.from(this.#nameParts),
      ...occurrences,
    };
  }

  /** The occurrences of word 0, then those of 1: where those of each end, and their documents, which stay in order. */
  *#sortedByWord(): SlicedWork<Pick<SegmentParts, 'ends' | 'documents' | 'counts'>> {
    const words = this.#words;
    const ends = new Uint32Array(this.#numbers.words.length);
    for (let at = 0; at < words.length; at++) {
      const next = (words[at] ?? 0) + 1;
      if (next < ends.length) ends[next] = (ends[next] ?? 0) + 1;
    }
    for (let number = 1; number < ends.length; number++) ends[number] = (ends[number] ?? 0) + (ends[number - 1] ?? 0);
    yield;
    const documents = new Uint32Array(words.length);
    const counts = new Uint32Array(words.length);
    let id = 0;
    // Each place moves from the start of its word to its end as the occurrences come in.
    for (let at = 0; at < words.length; at++) {
      const number = words[at] ?? 0;
      const place = ends[number] ?? 0;
      while (at >= (this.#documentEnds[id] ?? 0)) id++;
      documents[place] = id;
      counts[place] = this.#counts[at] ?? 0;
      ends[number] = place + 1;
      if (at % OCCURRENCES === OCCURRENCES - 1) yield;
    }
    return { ends, documents, counts };
  }
}

/** The FNV-1a hash of nothing. */
export const EMPTY_HASH: number = 0x811c9dc5 | 0;

/** The FNV-1a hash of a text, going on from that of the text before it. */
export function hashed(text: string, before: number = EMPTY_HASH): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** The number of a key, which is counted on for a new one. */
function numbered(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}
