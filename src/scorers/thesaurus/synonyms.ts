import { stem } from '../../query/stem.ts';
import { isStopWord } from '../../query/stop-words.ts';
import { words } from '../../query/words.ts';
import { DEFAULT_WEIGHT, type SynonymGroup } from './synonym-group.ts';

/** A synonym: another way to say something. */
export interface Synonym {
  /** The words of the synonym; all of them have to match. */
  readonly words: readonly string[];
  readonly weight: number;
  /** Whether it counts only for a word that no document has. */
  readonly forUnknown: boolean;
}

/** A word or phrase of a query that may be said otherwise. */
export interface Phrase {
  /** The position of its first word. */
  readonly start: number;
  /** Count of its words. */
  readonly length: number;
  readonly synonyms: readonly Synonym[];
}

/** A group as it is looked up. Texts, not lists: most of the many groups are never asked for. */
export interface KeyedGroup {
  /** Members with spaces between them; the words of each are joined by underscores. */
  readonly members: string;
  /** The same of the stems of their words. */
  readonly keys: string;
  readonly weight: number;
  readonly forUnknown: boolean;
}

/** Words of the longest phrase that a query is searched for. */
const MAX_PHRASE = 4;

/** Finds what else a word or a phrase of a query may be called. Words are compared by their stems. */
export class Synonyms {
  readonly #groups: readonly KeyedGroup[];
  /** Numbers of the groups of each key: one of them twice where two of its members have that key. */
  readonly #numbers = new Map<string, number | readonly number[]>();
  /** Synonyms by key, of the keys that were asked for. */
  readonly #found = new Map<string, readonly Synonym[]>();
  readonly #longest: number;

  constructor(groups: readonly KeyedGroup[]) {
    this.#groups = groups;
    let longest = 1;
    for (let number = 0; number < groups.length; number++) {
      const keys = groups[number]?.keys ?? '';
      const list = keys.split(' ');
      for (const key of list) {
        const known = this.#numbers.get(key);
        this.#numbers.set(key, known === undefined ? number : [known, number].flat());
      }
      if (keys.includes('_')) longest = Math.max(longest, ...list.map((key) => key.split('_').length));
    }
    this.#longest = Math.min(longest, MAX_PHRASE);
  }

  /** Whether there is another way to say this word. */
  has(word: string): boolean {
    return this.#numbers.has(keyOf([word]));
  }

  /** Finds the phrases of a query that have synonyms, at each of its places, stop words included. */
  *phrases(list: readonly string[]): Iterable<Phrase> {
    for (let start = 0; start < list.length; start++) {
      for (let length = 1; length <= Math.min(this.#longest, list.length - start); length++) {
        const synonyms = this.#synonymsOf(keyOf(list.slice(start, start + length)));
        if (synonyms) yield { start, length, synonyms };
      }
    }
  }

  /** The other members of the groups of a key. */
  #synonymsOf(key: string): readonly Synonym[] | undefined {
    const cached = this.#found.get(key);
    if (cached) return cached;
    const numbers = this.#numbers.get(key);
    if (numbers === undefined) return undefined;
    const synonyms = [numbers].flat().flatMap((number) => synonymsIn(this.#groups[number] as KeyedGroup, key));
    this.#found.set(key, synonyms);
    return synonyms;
  }
}

/** The other members of a group. */
function synonymsIn({ members, keys, weight, forUnknown }: KeyedGroup, key: string): Synonym[] {
  const others = keys.split(' ');
  return members
    .split(' ')
    .flatMap((member, at) => (others[at] === key ? [] : target(member.split('_'), weight, forUnknown)));
}

/** Reads groups as they are looked up. */
export function keyedGroups(groups: readonly SynonymGroup[]): readonly KeyedGroup[] {
  return groups.map((group) => {
    const members = group.words.map((member) => words(member)).filter((member) => member.length > 0);
    return {
      members: members.map((member) => member.join('_')).join(' '),
      keys: members.map(keyOf).join(' '),
      weight: group.weight ?? DEFAULT_WEIGHT,
      forUnknown: group.forUnknown ?? false,
    };
  });
}

/**
 * The words that have to match. Stop words are not looked for; a phrase that is hardly more than one ("log in", "how
 * many") would then match everything with its other word, and is only understood, not looked for.
 */
function target(list: readonly string[], weight: number, forUnknown: boolean): Synonym[] {
  const wanted = list.filter((word) => !isStopWord(word));
  return wanted.length === list.length || wanted.length > 1 ? [{ words: wanted, weight, forUnknown }] : [];
}

function keyOf(list: readonly string[]): string {
  return list.map(stem).join('_');
}
