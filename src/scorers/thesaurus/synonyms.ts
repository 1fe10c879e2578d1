import { isStopWord, stem, words } from '../../query/words.ts';
import { DEFAULT_WEIGHT, type SynonymGroup } from './synonym-group.ts';

/** A synonym: another way to say something. */
export interface Synonym {
  /** The words of the synonym; all of them have to match. */
  readonly words: readonly string[];
  readonly weight: number;
}

/** A word or phrase of a query that may be said otherwise. */
export interface Phrase {
  /** The position of its first word. */
  readonly start: number;
  /** Count of its words. */
  readonly length: number;
  readonly synonyms: readonly Synonym[];
}

/** Words of the longest phrase that a query is searched for. */
const MAX_PHRASE = 4;

/** Finds what else a word or a phrase of a query may be called. Words are compared by their stems. */
export class Synonyms {
  /** Synonyms by the stems of a word or phrase, joined by spaces. */
  readonly #entries = new Map<string, Synonym[]>();
  readonly #longest: number;

  constructor(groups: readonly SynonymGroup[]) {
    let longest = 1;
    for (const { words: group, weight = DEFAULT_WEIGHT } of groups) {
      const members = group.map((member) => words(member)).filter((member) => member.length > 0);
      for (const member of members) {
        const key = keyOf(member);
        longest = Math.max(longest, member.length);
        const others = members.filter((other) => keyOf(other) !== key).flatMap((other) => target(other, weight));
        this.#entries.set(key, [...(this.#entries.get(key) ?? []), ...others]);
      }
    }
    this.#longest = Math.min(longest, MAX_PHRASE);
  }

  /** Whether there is another way to say this word. */
  has(word: string): boolean {
    return this.#entries.has(keyOf([word]));
  }

  /** Finds the phrases of a query that have synonyms, at each of its places, stop words included. */
  *phrases(list: readonly string[]): Iterable<Phrase> {
    for (let start = 0; start < list.length; start++) {
      for (let length = 1; length <= Math.min(this.#longest, list.length - start); length++) {
        const synonyms = this.#entries.get(keyOf(list.slice(start, start + length)));
        if (synonyms) yield { start, length, synonyms };
      }
    }
  }
}

/**
 * The words that have to match. Stop words are not looked for; a phrase that is hardly more than one ("log in", "how
 * many") would then match everything with its other word, and is only understood, not looked for.
 */
function target(list: readonly string[], weight: number): Synonym[] {
  const wanted = list.filter((word) => !isStopWord(word));
  return wanted.length === list.length || wanted.length > 1 ? [{ words: wanted, weight }] : [];
}

function keyOf(list: readonly string[]): string {
  return list.map(stem).join(' ');
}
