import { beginningOf, isStopWord, stem, words } from '../../../util/words.ts';
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

/** Where a member begins in the text of some groups. */
interface Place {
  readonly groups: KeyedGroups;
  readonly at: number;
}

/** A group of which a member was asked for: a part of the text of some groups. */
interface Group extends KeyedGroups {
  readonly start: number;
  /** The words of each joined by underscores. */
  readonly members: readonly string[];
}

/** A member of groups, with its synonyms once they were asked for. */
interface Member {
  readonly groups: Group[];
  synonyms?: readonly Synonym[];
}

/** The members that begin with a stem, by the stems of their words, joined by underscores. */
interface Members {
  readonly byKey: ReadonlyMap<string, Member>;
  /** Count of the words of the longest. */
  readonly longest: number;
}

const NONE: readonly never[] = [];
/** Words of the longest phrase that a query is searched for. */
const MAX_PHRASE = 4;
/** Stems whose members are kept. */
const MAX_ROOTS = 20_000;

/**
 * Finds what else a word or a phrase of a query may be called. Words are compared by their stems. Only the members that
 * begin as a word that is asked for are stemmed: most of a vocabulary never is.
 */
export class Synonyms {
  readonly #groups: readonly KeyedGroups[];
  /** The places of members, by their first letters, of those letters that were looked for. */
  readonly #places = new Map<string, Place[]>();
  /** The members that begin with a stem, by each stem that was asked for. */
  readonly #byRoot = new Map<string, Members>();

  constructor(groups: readonly KeyedGroups[]) {
    this.#groups = groups;
  }

  /** Whether there is another way to say this word. */
  has(word: string): boolean {
    const root = stem(word);
    return this.#membersOf(root).byKey.has(root);
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
      const { byKey, longest } = this.#membersOf(key);
      const most = Math.min(longest, roots.length - start);
      if (most < least) continue;
      for (let length = 1; length <= most; length++) {
        if (length > 1) key += `_${roots[start + length - 1]}`;
        if (length >= least && byKey.has(key)) found.push({ start, length, key, synonyms: this.of(key) ?? [] });
      }
    }
    return found;
  }

  /** The other members of the groups of a key: the stem of a word, or those of a phrase. */
  of(key: string): readonly Synonym[] | undefined {
    const member = this.#membersOf(key.split('_', 1)[0] ?? '').byKey.get(key);
    if (member) member.synonyms ??= member.groups.flatMap((group) => synonymsIn(group, key));
    return member?.synonyms;
  }

  #membersOf(root: string): Members {
    const known = this.#byRoot.get(root);
    if (known) return known;
    const byKey = new Map<string, Member>();
    let longest = 0;
    const beginning = beginningOf(root);
    for (const { groups, at } of this.#placesOf(beginning)) {
      const { text, weight, forUnknown } = groups;
      // A stem of one letter is the word itself, and begins many others.
      if (!text.startsWith(beginning, at) || (root.length === 1 && !'_ ;'.includes(text.charAt(at + 1)))) continue;
      const end = text.indexOf(';', at);
      const list = text.slice(at, end).split(' ', 1)[0]?.split('_') ?? [];
      if (stem(list[0] ?? '') !== root) continue;
      const key = keyOf(list);
      const start = text.lastIndexOf(';', at) + 1;
      const member = byKey.get(key) ?? { groups: [] };
      byKey.set(key, member);
      longest = Math.max(longest, Math.min(list.length, MAX_PHRASE));
      // Two forms of one word are one member.
      const last = member.groups.at(-1);
      if (last?.text === text && last.start === start) continue;
      member.groups.push({ members: text.slice(start, end).split(' '), start, text, weight, forUnknown });
    }
    if (this.#byRoot.size >= MAX_ROOTS) {
      this.#byRoot.clear();
      this.#places.clear();
    }
    const members = { byKey, longest };
    this.#byRoot.set(root, members);
    return members;
  }

  /** Where members begin so, or at least with the first three letters: members are looked for by the first two. */
  #placesOf(beginning: string): readonly Place[] {
    const mark = beginning.slice(0, 2);
    if (!this.#places.has(mark)) {
      this.#places.set(mark, []);
      for (const groups of this.#groups) {
        const { text } = groups;
        for (let at = text.indexOf(` ${mark}`) + 1; at > 0; at = text.indexOf(` ${mark}`, at) + 1) {
          for (const letters of mark.length < 2 ? [mark] : [mark, text.slice(at, at + 3)]) {
            const alike = this.#places.get(letters);
            if (alike) alike.push({ groups, at });
            else this.#places.set(letters, [{ groups, at }]);
          }
        }
      }
    }
    return this.#places.get(beginning.slice(0, 3)) ?? NONE;
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

/** The other members of a group. */
function synonymsIn(group: Group, key: string): Synonym[] {
  return group.members.flatMap((member) => {
    if (member === '') return [];
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
