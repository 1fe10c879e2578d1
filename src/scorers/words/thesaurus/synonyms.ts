import { beginningOf, isStopWord, stem, words } from '../words.ts';
import { DEFAULT_WEIGHT, type KeyedGroups, type SynonymGroup, toolGroups } from './groups.ts';

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

/** A group of which a member was asked for. */
interface Group {
  /** The words of each joined by underscores. */
  readonly members: readonly string[];
  readonly weight: number;
  readonly forUnknown: boolean;
}

/** Words of the longest phrase that a query is searched for. */
const MAX_PHRASE = 4;

/**
 * Finds what else a word or a phrase of a query may be called. Words are compared by their stems. Only the members that
 * begin as a word that is asked for are stemmed: most of a vocabulary never is.
 */
export class Synonyms {
  readonly #groups: readonly KeyedGroups[];
  /** The beginnings of the members that were read. */
  readonly #read = new Set<string>();
  /** The groups that have a member with this key: its stem, or the stems of its words, joined by underscores. */
  readonly #byKey = new Map<string, Group[]>();
  /** Count of the words of the longest phrase that begins with a stem. */
  readonly #longest = new Map<string, number>();
  /** Synonyms by key, of the keys that were asked for. */
  readonly #found = new Map<string, readonly Synonym[]>();

  constructor(groups: readonly KeyedGroups[]) {
    this.#groups = groups;
  }

  /** Whether there is another way to say this word. */
  has(word: string): boolean {
    return this.#groupsOf(stem(word)) !== undefined;
  }

  /**
   * Finds the phrases of a query that have synonyms, at each of its places, stop words included.
   *
   * @param least - words of the shortest phrase.
   */
  phrases(list: readonly string[], least = 1): readonly Phrase[] {
    const roots = list.map(stem);
    const found: Phrase[] = [];
    for (let start = 0; start < roots.length; start++) {
      let key = roots[start] ?? '';
      this.#readLike(key);
      const longest = Math.min(this.#longest.get(key) ?? 1, MAX_PHRASE, roots.length - start);
      for (let length = 1; length <= longest; length++) {
        if (length > 1) key += `_${roots[start + length - 1]}`;
        const synonyms = length < least ? undefined : this.of(key);
        if (synonyms) found.push({ start, length, key, synonyms });
      }
    }
    return found;
  }

  /** The other members of the groups of a key: the stem of a word, or those of a phrase. */
  of(key: string): readonly Synonym[] | undefined {
    const cached = this.#found.get(key);
    if (cached) return cached;
    const synonyms = this.#groupsOf(key)?.flatMap((group) => synonymsIn(group, key));
    if (synonyms) this.#found.set(key, synonyms);
    return synonyms;
  }

  #groupsOf(key: string): readonly Group[] | undefined {
    this.#readLike(key);
    return this.#byKey.get(key);
  }

  /** Reads the members that begin as a key does. */
  #readLike(key: string): void {
    const start = startOf(key);
    if (this.#read.has(start)) return;
    this.#read.add(start);
    // Behind the first letter, y may have become i.
    const mark = ` ${start[1] === 'i' ? start[0] : start}`;
    for (const { text, weight, forUnknown } of this.#groups) {
      for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
        if (startOf(text.slice(at + 1, at + 3)) !== start) continue;
        const end = text.indexOf(';', at);
        const members = text.slice(text.lastIndexOf(';', at) + 1, end).split(' ');
        this.#add(start, { members: members.filter((member) => member !== ''), weight, forUnknown });
        at = end;
      }
    }
  }

  /** Adds a group to those of its members that have a beginning, once for each key. */
  #add(start: string, group: Group): void {
    for (const member of group.members) {
      if (startOf(member) !== start) continue;
      const list = member.split('_');
      const root = stem(list[0] ?? '');
      this.#longest.set(root, Math.max(list.length, this.#longest.get(root) ?? 1));
      const key = keyOf(list);
      const groups = this.#byKey.get(key);
      if (!groups) this.#byKey.set(key, [group]);
      else if (groups.at(-1) !== group) groups.push(group);
    }
  }
}

let builtIn: Synonyms | undefined;

/** The built-in vocabulary. */
export function builtInSynonyms(): Synonyms {
  builtIn ??= new Synonyms(toolGroups().map((groups) => ({ ...groups, text: withoutAccents(groups.text) })));
  return builtIn;
}

const ACCENTS = /([a-z])[\u0300-\u036f]+/g;

/** What {@link words} makes of the letters of the built-in vocabulary, without Unicode's tables. */
function withoutAccents(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : text.normalize('NFKD').replace(ACCENTS, '$1').normalize('NFKC');
}

/** Reads groups as they are looked up. */
export function keyedGroups(groups: readonly SynonymGroup[]): readonly KeyedGroups[] {
  return groups.map(({ words: members, weight = DEFAULT_WEIGHT, forUnknown = false }) => ({
    text: `${members.map((member) => ` ${words(member).join('_')}`).join('')};`,
    ...{ weight, forUnknown },
  }));
}

/** The letters that a member has in common with its key: one, or two of plain ASCII. */
function startOf(member: string): string {
  const isPlain = member.charCodeAt(0) < 128 && member.charCodeAt(1) < 128 && member[1] !== '_';
  return beginningOf(member.slice(0, isPlain ? 2 : 1));
}

/** The other members of a group. */
function synonymsIn(group: Group, key: string): Synonym[] {
  return group.members.flatMap((member) => {
    const list = member.split('_');
    return keyOf(list) === key ? [] : target(list, group);
  });
}

/**
 * The words that have to match. Stop words are not looked for; a phrase that is hardly more than one ("log in", "how
 * many") would then match everything with its other word, and is only understood, not looked for.
 */
function target(list: readonly string[], { weight, forUnknown }: Group): Synonym[] {
  const looked = list.filter((word) => !isStopWord(word));
  if (looked.length < list.length && looked.length < 2) return [];
  return [{ words: looked, stems: looked.map(stem), weight, forUnknown }];
}

function keyOf(list: readonly string[]): string {
  return list.map(stem).join('_');
}
