import { isStopWord, stem } from '../stem.ts';
import { words } from '../words.ts';
import { DEFAULT_WEIGHT, type SynonymGroup } from './synonym-group.ts';

/** A synonym: another way to say something. */
export interface Synonym {
  /** The words of the synonym; all of them have to match. */
  readonly words: readonly string[];
  /** The stem of each. */
  readonly stems: readonly string[];
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
  /** The stems of its words, joined by underscores. */
  readonly key: string;
  readonly synonyms: readonly Synonym[];
}

/** A group as it is looked up. Texts, not lists: most of the many groups are never asked for. */
export interface KeyedGroup {
  /** Members with spaces between them; the words of each are joined by underscores. */
  readonly members: string;
  /** Members with spaces between them; the stems of the words of each are joined by underscores. */
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
  /** The first stems of the keys that have several. */
  readonly #starts = new Set<string>();
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
      if (!keys.includes('_')) continue;
      for (const key of list) {
        const [start = '', ...others] = key.split('_');
        longest = Math.max(longest, 1 + others.length);
        if (others.length > 0) this.#starts.add(start);
      }
    }
    this.#longest = Math.min(longest, MAX_PHRASE);
  }

  /** Whether there is another way to say this word. */
  has(word: string): boolean {
    return this.#numbers.has(stem(word));
  }

  /**
   * Finds the phrases of a query that have synonyms, at each of its places, stop words included.
   *
   * @param least - words of the shortest phrase.
   */
  *phrases(list: readonly string[], least = 1): Iterable<Phrase> {
    const roots = list.map(stem);
    for (let start = 0; start < roots.length; start++) {
      const root = roots[start] ?? '';
      const longest = this.#starts.has(root) ? Math.min(this.#longest, roots.length - start) : 1;
      let key = root;
      for (let length = 1; length <= longest; length++) {
        if (length > 1) key += `_${roots[start + length - 1]}`;
        const synonyms = length < least ? undefined : this.of(key);
        if (synonyms) yield { start, length, key, synonyms };
      }
    }
  }

  /** The other members of the groups of a key: the stem of a word, or those of a phrase. */
  of(key: string): readonly Synonym[] | undefined {
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
    .flatMap((member, at) => (others[at] === key ? [] : target(member, others[at] ?? '', weight, forUnknown)));
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
function target(member: string, key: string, weight: number, forUnknown: boolean): Synonym[] {
  const list = member.split('_');
  const roots = key.split('_');
  const words = list.filter((word) => !isStopWord(word));
  if (words.length === list.length) return [{ words, stems: roots, weight, forUnknown }];
  const stems = roots.filter((_, at) => !isStopWord(list[at] ?? ''));
  return words.length > 1 ? [{ words, stems, weight, forUnknown }] : [];
}

function keyOf(list: readonly string[]): string {
  return list.map(stem).join('_');
}
