import { beginningOf, isStopWord, stem, words } from '../../../util/words.ts';
import { DEFAULT_WEIGHT, type KeyedGroups, type SynonymGroup, toolGroups } from './groups.ts';

/** A word or phrase that may stand for another. */
export interface Synonym {
  /** The words of the synonym; all of them have to match. */
  readonly words: readonly string[];
  /** The stem of each word. */
  readonly stems: readonly string[];
  readonly weight: number;
  /** Whether the synonym counts only for a word that no document has. */
  readonly forUnknown: boolean;
}

/** A word or phrase of a query that has synonyms. */
export interface Phrase {
  /** The position of the first word. */
  readonly start: number;
  /** The count of words. */
  readonly length: number;
  /** The stems of the words, joined by underscores. */
  readonly key: string;
  readonly synonyms: readonly Synonym[];
}

/** Where a member begins in a text of groups. */
interface Place {
  readonly groups: KeyedGroups;
  readonly at: number;
}

/** One group: the part of a text of groups that begins at `start`. */
interface Group extends KeyedGroups {
  readonly start: number;
  /** The members, each with its words joined by underscores. */
  readonly members: readonly string[];
}

/** The groups that have a member, and its synonyms, which are read when they are first asked for. */
interface Member {
  readonly groups: Group[];
  synonyms?: readonly Synonym[];
}

/** The members whose first word has one stem. A key is the stems of a member's words, joined by underscores. */
interface Members {
  readonly byKey: ReadonlyMap<string, Member>;
  /** The count of words of the longest member. */
  readonly longest: number;
}

const NONE: readonly never[] = [];
/** Maximum number of words in a phrase that is looked for in a query. */
const MAX_PHRASE = 4;
/** Maximum number of stems whose members are cached. */
const MAX_ROOTS = 20_000;

/**
 * Finds the synonyms of words and phrases. Words are compared by their stems. Members are stemmed only if they begin
 * like a word that is asked for: most of a vocabulary never does.
 */
export class Synonyms {
  readonly #groups: readonly KeyedGroups[];
  /** The places of members by their first two and first three letters, for the pairs of letters that were asked for. */
  readonly #places = new Map<string, Place[]>();
  /** The members by the stem of their first word, for the stems that were asked for. */
  readonly #byRoot = new Map<string, Members>();

  constructor(groups: readonly KeyedGroups[]) {
    this.#groups = groups;
  }

  has(word: string): boolean {
    const root = stem(word);
    return this.#membersOf(root).byKey.has(root);
  }

  /**
   * Finds the phrases that have synonyms, from every position of a query.
   *
   * @param list - the words of the query, stop words included.
   * @param least - fewest words of a phrase.
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

  /**
   * The other members of the groups that have a key: the stem of a word, or those of a phrase. Undefined if no group
   * has it.
   */
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
      // A stem of one letter is a whole word, and many other words begin with it.
      if (!text.startsWith(beginning, at) || (root.length === 1 && !'_ ;'.includes(text.charAt(at + 1)))) continue;
      const end = text.indexOf(';', at);
      const list = text.slice(at, end).split(' ', 1)[0]?.split('_') ?? [];
      if (stem(list[0] ?? '') !== root) continue;
      const key = keyOf(list);
      const start = text.lastIndexOf(';', at) + 1;
      const member = byKey.get(key) ?? { groups: [] };
      byKey.set(key, member);
      longest = Math.max(longest, Math.min(list.length, MAX_PHRASE));
      // Two forms of one word in a group are one member.
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

  /** The places of members that share the first three letters. One pass finds all that share the first two. */
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

/** Drops accents as {@link words} does, but without Unicode's tables. */
function withoutAccents(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : text.normalize('NFKD').replace(ACCENTS, '$1').normalize('NFKC');
}

/** Turns groups into texts that can be searched. */
export function keyedGroups(groups: readonly SynonymGroup[]): readonly KeyedGroups[] {
  return groups.map(({ words: members, weight = DEFAULT_WEIGHT, forUnknown = false }) => ({
    text: `${members.map((member) => ` ${words(member).join('_')}`).join('')};`,
    ...{ weight, forUnknown },
  }));
}

function synonymsIn(group: Group, key: string): Synonym[] {
  return group.members.flatMap((member) => {
    if (member === '') return [];
    const list = member.split('_');
    return keyOf(list) === key ? [] : target(list, group);
  });
}

/**
 * Makes a member of a group a synonym: its words without stop words, all of which have to match. A phrase of which one
 * word is left ("log in", "how many") is no synonym: that word would match too much.
 */
function target(list: readonly string[], { weight, forUnknown }: Group): Synonym[] {
  const looked = list.filter((word) => !isStopWord(word));
  if (looked.length < list.length && looked.length < 2) return [];
  return [{ words: looked, stems: looked.map(stem), weight, forUnknown }];
}

function keyOf(list: readonly string[]): string {
  return list.map(stem).join('_');
}
