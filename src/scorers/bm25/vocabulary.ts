import { stem } from '../../query/stem.ts';
import { CHUNK, type SlicedWork } from '../../util/time-slices.ts';
import type { WordNumbers } from './word-numbers.ts';

/** The words that some documents have, by their numbers, stems, beginnings and lengths. */
export class Vocabulary {
  readonly #numbers: WordNumbers;
  /** Counts by the number of a word: of the documents in which it stands. Some words were read, but say nothing. */
  readonly #totals: Uint32Array;
  /** The last word of each stem, and for each word the one before it with the same stem, or -1. */
  readonly #lastOfStem = new Map<string, number>();
  readonly #previousOfStem: Int32Array;
  #sorted: readonly string[] | undefined;
  #byLength: ReadonlyMap<number, readonly string[]> | undefined;

  private constructor(numbers: WordNumbers, totals: Uint32Array) {
    this.#numbers = numbers;
    this.#totals = totals;
    this.#previousOfStem = new Int32Array(numbers.words.length).fill(-1);
  }

  /** @param totals - by the number of a word: in how many documents it stands. */
  static *build(numbers: WordNumbers, totals: Uint32Array): SlicedWork<Vocabulary> {
    const vocabulary = new Vocabulary(numbers, totals);
    for (const [number, word] of numbers.words.entries()) {
      if (vocabulary.#occurs(number)) vocabulary.#addToStem(number, stem(word));
      if (number % CHUNK === 0) yield;
    }
    return vocabulary;
  }

  /** @param stemOf - the number of its stem, by the number of a word. */
  static ofStems(numbers: WordNumbers, totals: Uint32Array, stems: readonly string[], stemOf: Uint32Array): Vocabulary {
    const vocabulary = new Vocabulary(numbers, totals);
    for (let number = 0; number < totals.length; number++) {
      if (vocabulary.#occurs(number)) vocabulary.#addToStem(number, stems[stemOf[number] ?? 0] ?? '');
    }
    return vocabulary;
  }

  /** Its words, and their stems: each once, and by the number of a word. */
  stems(): { words: readonly string[]; stems: readonly string[]; stemOf: Uint32Array } {
    const { words } = this.#numbers;
    const numbers = new Map<string, number>();
    const stemOf = Uint32Array.from(words, (word, number) => {
      if (!this.#occurs(number)) return 0;
      const root = stem(word);
      const known = numbers.get(root) ?? numbers.size;
      numbers.set(root, known);
      return known;
    });
    return { words, stems: [...numbers.keys()], stemOf };
  }

  /** The number of a word; undefined for an unknown one. */
  numberOf(word: string): number | undefined {
    const number = this.#numbers.find(word);
    return number !== undefined && this.#occurs(number) ? number : undefined;
  }

  /** Known words with the same stem, itself included if known, in the order in which they came. */
  forms(word: string): string[] {
    const found: string[] = [];
    let number = this.#lastOfStem.get(stem(word)) ?? -1;
    for (; number >= 0; number = this.#previousOfStem[number] ?? -1) found.push(this.#numbers.words[number] ?? '');
    return found.reverse();
  }

  /** Known words that begin so, by the alphabet. They are sorted when it is first asked. */
  *withPrefix(prefix: string): Iterable<string> {
    this.#sorted ??= [...this.#known()].sort();
    const sorted = this.#sorted;
    for (let at = firstFrom(sorted, prefix); sorted[at]?.startsWith(prefix); at++) yield sorted[at] ?? '';
  }

  /** Known words of this length. */
  ofLength(length: number): readonly string[] {
    this.#byLength ??= byLength(this.#known());
    return this.#byLength.get(length) ?? [];
  }

  #occurs(number: number): boolean {
    return (this.#totals[number] ?? 0) > 0;
  }

  *#known(): Iterable<string> {
    for (const [number, word] of this.#numbers.words.entries()) if (this.#occurs(number)) yield word;
  }

  #addToStem(number: number, root: string): void {
    this.#previousOfStem[number] = this.#lastOfStem.get(root) ?? -1;
    this.#lastOfStem.set(root, number);
  }
}

/** The place of the first word that does not come before another one. */
function firstFrom(sorted: readonly string[], word: string): number {
  let start = 0;
  let end = sorted.length;
  while (start < end) {
    const middle = (start + end) >> 1;
    if ((sorted[middle] ?? '') < word) start = middle + 1;
    else end = middle;
  }
  return start;
}

function byLength(words: Iterable<string>): Map<number, string[]> {
  const lists = new Map<number, string[]>();
  for (const word of words) {
    const list = lists.get(word.length);
    if (list) list.push(word);
    else lists.set(word.length, [word]);
  }
  return lists;
}
