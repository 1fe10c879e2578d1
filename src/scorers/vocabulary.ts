import { editDistance } from '../query/edit-distance.ts';
import { stem } from '../query/words.ts';

/** Fewer letters say too little about what was meant. */
const MIN_PREFIX = 3;
const MIN_TYPO = 4;
const MAX_GUESSES = 8;

/** The words of a catalog, to tell known words from unknown ones and to guess what an unknown one meant. */
export class Vocabulary {
  readonly #words = new Set<string>();
  readonly #byStem = new Map<string, string[]>();
  readonly #byLength = new Map<number, string[]>();
  #sorted: readonly string[] | undefined;

  add(word: string): void {
    if (this.#words.has(word)) return;
    this.#words.add(word);
    this.#sorted = undefined;
    push(this.#byStem, stem(word), word);
    push(this.#byLength, word.length, word);
  }

  has(word: string): boolean {
    return this.#words.has(word);
  }

  /** Known words with the same stem, itself included if known. */
  forms(word: string): readonly string[] {
    return this.#byStem.get(stem(word)) ?? [];
  }

  /** Known words that begin with this one; when there are none, those that differ by one letter, or two in a long word. */
  guesses(word: string): readonly string[] {
    if (word.length < MIN_PREFIX) return [];
    const longer = this.#withPrefix(word);
    return longer.length > 0 || word.length < MIN_TYPO ? longer : this.#withTypos(word);
  }

  #withPrefix(prefix: string): readonly string[] {
    const sorted = this.#inOrder();
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? '') < prefix) low = middle + 1;
      else high = middle;
    }
    const found: string[] = [];
    for (let at = low; found.length < MAX_GUESSES && sorted[at]?.startsWith(prefix); at++) found.push(sorted[at] ?? '');
    return found;
  }

  /** Nearest first. Words that do not share the first or the second letter are not tried. */
  #withTypos(word: string): readonly string[] {
    const max = word.length < 8 ? 1 : 2;
    const near: { word: string; distance: number }[] = [];
    const letters = lettersOf(word);
    for (const candidate of this.#ofLength(word.length - max, word.length + max)) {
      // Each wrong letter changes the set of letters by one on either side.
      const others = lettersOf(candidate);
      if (bits(letters & ~others) > max || bits(others & ~letters) > max) continue;
      const [first, second] = candidate;
      if (first !== word[0] && second !== word[1] && first !== word[1] && second !== word[0]) continue;
      const distance = editDistance(word, candidate, max);
      if (distance !== undefined) near.push({ word: candidate, distance });
    }
    near.sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1));
    const [nearest] = near;
    return near
      .filter(({ distance }) => distance === nearest?.distance)
      .slice(0, MAX_GUESSES)
      .map((entry) => entry.word);
  }

  *#ofLength(shortest: number, longest: number): Iterable<string> {
    for (let length = shortest; length <= longest; length++) yield* this.#byLength.get(length) ?? [];
  }

  #inOrder(): readonly string[] {
    this.#sorted ??= [...this.#words].sort();
    return this.#sorted;
  }
}

function push<Key>(lists: Map<Key, string[]>, key: Key, word: string): void {
  const list = lists.get(key);
  if (list) list.push(word);
  else lists.set(key, [word]);
}

/** The set of letters as bits, those of other scripts sharing some. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bits(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count++;
  return count;
}
