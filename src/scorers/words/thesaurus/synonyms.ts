import { beginningOf, isStopWord, stem } from '../stem.ts';
import { words } from '../words.ts';
import { DEFAULT_WEIGHT, type SynonymGroup, toolGroups } from './groups.ts';

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

/** Words of the longest phrase that a query is searched for. */
const MAX_PHRASE = 4;

/**
 * Finds what else a word or a phrase of a query may be called. Words are compared by their stems. Only the members that
 * begin as a word that is asked for are stemmed: most of a vocabulary never is.
 */
export class Synonyms {
  /** The groups that have a member with such a beginning: those that nobody has asked for yet. */
  readonly #unread = new Map<string, SynonymGroup[]>();
  /** The groups that have a member with this key: its stem, or the stems of its words, joined by underscores. */
  readonly #byKey = new Map<string, SynonymGroup[]>();
  /** Count of the words of the longest phrase that begins with a stem. */
  readonly #longest = new Map<string, number>();
  /** Synonyms by key, of the keys that were asked for. */
  readonly #found = new Map<string, readonly Synonym[]>();

  /** @param groups - each member as {@link readMember} leaves it. */
  constructor(groups: readonly SynonymGroup[]) {
    for (const group of groups) for (const member of group.words) append(this.#unread, startOf(member), group);
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
      this.#read(key);
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

  #groupsOf(key: string): readonly SynonymGroup[] | undefined {
    this.#read(key);
    return this.#byKey.get(key);
  }

  /** Reads the members that begin as a key does. */
  #read(key: string): void {
    const start = startOf(key);
    const groups = this.#unread.get(start);
    if (!groups) return;
    this.#unread.delete(start);
    for (const group of groups) {
      for (const member of group.words) {
        if (startOf(member) !== start) continue;
        const list = member.split('_');
        append(this.#byKey, keyOf(list), group);
        const root = stem(list[0] ?? '');
        this.#longest.set(root, Math.max(list.length, this.#longest.get(root) ?? 1));
      }
    }
  }
}

let builtIn: Synonyms | undefined;

/** The built-in vocabulary. */
export function builtInSynonyms(): Synonyms {
  builtIn ??= new Synonyms(toolGroups(withoutAccents));
  return builtIn;
}

const ACCENTS = /([a-z])[\u0300-\u036f]+/g;

/** What {@link readMember} makes of a member of the built-in vocabulary, without Unicode's tables. */
function withoutAccents(member: string): string {
  return /^[\0-\x7f]*$/.test(member) ? member : member.normalize('NFKD').replace(ACCENTS, '$1').normalize('NFKC');
}

/** The words of a member, lower-case, joined by underscores. */
export function readMember(member: string): string {
  return words(member).join('_');
}

/** The beginning of the first word of a member or key: one letter, or two. */
function startOf(member: string): string {
  return beginningOf(member.slice(0, member[1] === '_' ? 1 : 2));
}

/** The other members of a group. */
function synonymsIn(
  { words: members, weight = DEFAULT_WEIGHT, forUnknown = false }: SynonymGroup,
  key: string,
): Synonym[] {
  return members.flatMap((member) => {
    const list = member.split('_');
    return member === '' || keyOf(list) === key ? [] : target(list, weight, forUnknown);
  });
}

/**
 * The words that have to match. Stop words are not looked for; a phrase that is hardly more than one ("log in", "how
 * many") would then match everything with its other word, and is only understood, not looked for.
 */
function target(list: readonly string[], weight: number, forUnknown: boolean): Synonym[] {
  const looked = list.filter((word) => !isStopWord(word));
  if (looked.length < list.length && looked.length < 2) return [];
  return [{ words: looked, stems: looked.map(stem), weight, forUnknown }];
}

function keyOf(list: readonly string[]): string {
  return list.map(stem).join('_');
}

/** Adds a group to a list, unless it is the last one there. */
function append(map: Map<string, SynonymGroup[]>, key: string, group: SynonymGroup): void {
  const list = map.get(key);
  if (!list) map.set(key, [group]);
  else if (list.at(-1) !== group) list.push(group);
}
