import type { ToolDocument } from '../../catalog/document.ts';
import { stem } from '../../query/stem.ts';
import type { SlicedWork } from '../../util/time-slices.ts';
import { BITS, MAX_COUNT, MAX_LENGTH, onlyIn } from './field-counts.ts';
import { FieldReader } from './fields.ts';
import { NumberList } from './number-list.ts';
import type { Packed } from './packed.ts';
import { FIELDS } from './settings.ts';
import { Vocabulary } from './vocabulary.ts';
import { EMPTY_HASH, hashOn, WordNumbers } from './word-numbers.ts';

/** What a segment keeps of its documents; see its fields. */
export interface SegmentParts extends Omit<Packed, 'words' | 'stems' | 'stemOf' | 'nameStems'> {
  readonly nameStems: ReadonlyMap<string, number>;
}

/** A segment while it is built. */
export class Draft {
  readonly #lengths: Uint8Array;
  readonly #spellings: Int32Array;
  readonly #nameStems = new Map<string, number>();
  readonly #nameParts = new NumberList();
  readonly #namePartEnds: Uint32Array;
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
    this.#lengths = new Uint8Array(size * FIELDS.length);
    this.#namePartEnds = new Uint32Array(size);
    this.#spellings = new Int32Array(size);
  }

  add(id: number, document: ToolDocument, sentences: readonly string[]): void {
    this.#reader.read(document, sentences);
    this.#addName(id);
    for (const [field, words] of this.#reader.lists.entries()) if (words.length > 0) this.#addField(id, field, words);
  }

  #addName(id: number): void {
    const { nameWords, nameParts } = this.#reader;
    let spelling = EMPTY_HASH;
    for (let at = 0; at < nameWords.length; at++) {
      spelling = hashed(this.#numbers.words[nameWords.at(at)] ?? '', spelling);
    }
    const start = this.#nameParts.length;
    for (let at = 0; at < nameParts.length; at++) {
      const word = nameParts.at(at);
      const root = this.#stems[word] ?? numbered(this.#nameStems, stem(this.#numbers.words[word] ?? ''));
      this.#stems[word] = root;
      if (!this.#nameParts.includes(root, start)) this.#nameParts.push(root);
    }
    this.#namePartEnds[id] = this.#nameParts.length;
    this.#spellings[id] = spelling;
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
    this.#lengths[id * FIELDS.length + field] = Math.min(different, MAX_LENGTH);
  }

  vocabulary(): SlicedWork<Vocabulary> {
    const totals = Uint32Array.from(this.#numbers.words, (_, number) => this.#totals[number] ?? 0);
    return Vocabulary.build(this.#numbers, totals);
  }

  parts(): SegmentParts {
    return {
      lengths: this.#lengths,
      spellings: this.#spellings,
      nameStems: this.#nameStems,
      namePartEnds: this.#namePartEnds,
      nameParts: this.#nameParts.toArray(),
      ...this.#sortedByWord(),
    };
  }

  /** The occurrences of word 0, then those of 1: where those of each end, and their documents, which stay in order. */
  #sortedByWord(): { ends: Uint32Array; documents: Uint32Array; counts: Uint32Array } {
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
export function hashed(text: string, before: number = EMPTY_HASH): number {
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
