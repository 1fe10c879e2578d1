import { beginningOf, stem } from '../words/stem.ts';
import type { WordNumbers } from './word-numbers.ts';

const NONE: readonly number[] = [];

type Letters = readonly [first: string | undefined, second: string | undefined];

/** Words that begin alike. */
interface Shelf {
  /** Their first two letters, where y is i. */
  readonly letters: Letters;
  /** Their numbers, ascending. */
  readonly numbers: number[];
  /** Whether their stems are known. */
  hasStems: boolean;
}

/** The words that some documents have, by their numbers, beginnings and stems. */
export class Vocabulary {
  readonly #numbers: WordNumbers;
  /** The ends of the occurrences of each word. Some words were read, but say nothing: they occur nowhere. */
  readonly #ends: Uint32Array;
  /** Words by their beginning. */
  #shelves: ReadonlyMap<string, Shelf> | undefined;
  /** The last word of each stem, and for each word the one before it with the same stem, or -1. */
  readonly #lastOfStem = new Map<string, number>();
  readonly #previousOfStem: Int32Array;

  /** @param ends - by the number of a word: the count of its occurrences, and of those of the words before it. */
  constructor(numbers: WordNumbers, ends: Uint32Array) {
    this.#numbers = numbers;
    this.#ends = ends;
    this.#previousOfStem = new Int32Array(numbers.words.length).fill(-1);
  }

  /** Does what the first look for a word would have to do. */
  prepare(): void {
    this.#byBeginning();
  }

  /** All words that were read, by their numbers. */
  get words(): readonly string[] {
    return this.#numbers.words;
  }

  /** The number of a word; undefined for an unknown one. */
  numberOf(word: string): number | undefined {
    const number = this.#numbers.find(word);
    return number !== undefined && this.#occurs(number) ? number : undefined;
  }

  /** The word of a number. */
  wordOf(number: number): string {
    return this.#numbers.words[number] ?? '';
  }

  /** Whether there is a known word with this stem. */
  hasStem(root: string): boolean {
    this.#readStems(beginningOf(root));
    return this.#lastOfStem.has(root);
  }

  /** The numbers of the known words with this stem, the last one first. */
  formsOf(root: string): readonly number[] {
    this.#readStems(beginningOf(root));
    const last = this.#lastOfStem.get(root);
    if (last === undefined) return NONE;
    const found = [last];
    for (let number = this.#previousOfStem[last] ?? -1; number >= 0; number = this.#previousOfStem[number] ?? -1) {
      found.push(number);
    }
    return found;
  }

  /** Known words that begin with two letters or more, as they came. */
  withPrefix(prefix: string): readonly string[] {
    const shelf = this.#byBeginning().get(beginningOf(prefix));
    return (shelf?.numbers ?? []).map((number) => this.wordOf(number)).filter((word) => word.startsWith(prefix));
  }

  /**
   * Known words whose first or second letter is one of the two that a word begins with, and a few others.
   *
   * @param most - letters that they may have more or less.
   */
  beginningLike(word: string, most: number = Number.POSITIVE_INFINITY): readonly string[] {
    const [first, second] = lettersOf(word);
    const found: string[] = [];
    for (const { letters, numbers } of this.#byBeginning().values()) {
      const [one, other] = letters;
      if (one !== first && one !== second && other !== first && other !== second) continue;
      for (const number of numbers) {
        const candidate = this.wordOf(number);
        if (Math.abs(candidate.length - word.length) <= most) found.push(candidate);
      }
    }
    return found;
  }

  /**
   * Finds the stems of the words that begin so. Stems of all words would be most of what a small index costs, and a search
   * needs few.
   */
  #readStems(beginning: string): void {
    const shelf = this.#byBeginning().get(beginning);
    if (!shelf || shelf.hasStems) return;
    shelf.hasStems = true;
    for (const number of shelf.numbers) {
      const root = stem(this.wordOf(number));
      this.#previousOfStem[number] = this.#lastOfStem.get(root) ?? -1;
      this.#lastOfStem.set(root, number);
    }
  }

  #byBeginning(): ReadonlyMap<string, Shelf> {
    this.#shelves ??= this.#readBeginnings();
    return this.#shelves;
  }

  #readBeginnings(): Map<string, Shelf> {
    const shelves = new Map<string, Shelf>();
    const { words } = this.#numbers;
    for (let number = 0; number < words.length; number++) {
      if (!this.#occurs(number)) continue;
      const beginning = beginningOf(words[number] ?? '');
      const shelf = shelves.get(beginning);
      if (shelf) shelf.numbers.push(number);
      else shelves.set(beginning, { letters: lettersOf(beginning), numbers: [number], hasStems: false });
    }
    return shelves;
  }

  #occurs(number: number): boolean {
    return (this.#ends[number] ?? 0) > (this.#ends[number - 1] ?? 0);
  }
}

/** The first two letters, where y is i: see {@link beginningOf}. */
function lettersOf(word: string): Letters {
  return [word[0] === 'y' ? 'i' : word[0], word[1] === 'y' ? 'i' : word[1]];
}
