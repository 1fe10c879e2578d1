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

/** A member of groups, with its synonyms once they were asked for. */
interface Member {
  readonly groups: Group[];
  synonyms?: readonly Synonym[];
}

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
  readonly #places = new Map<string, readonly (readonly number[])[]>();
  /** By a stem that was asked for, the members that begin with it: by the stems of their words, joined by underscores. */
  readonly #byRoot = new Map<string, ReadonlyMap<string, Member>>();

  constructor(groups: readonly KeyedGroups[]) {
    this.#groups = groups;
  }

  /** Whether there is another way to say this word. */
  has(word: string): boolean {
    const root = stem(word);
    return this.#membersOf(root).has(root);
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
      const members = this.#membersOf(key);
      const longest = members.size === 0 ? 0 : Math.min(MAX_PHRASE, roots.length - start);
      for (let length = 1; length <= longest; length++) {
        if (length > 1) key += `_${roots[start + length - 1]}`;
        if (length >= least && members.has(key)) found.push({ start, length, key, synonyms: this.of(key) ?? [] });
      }
    }
    return found;
  }

  /** The other members of the groups of a key: the stem of a word, or those of a phrase. */
  of(key: string): readonly Synonym[] | undefined {
    const member = this.#membersOf(key.split('_', 1)[0] ?? '').get(key);
    if (member) member.synonyms ??= member.groups.flatMap((group) => synonymsIn(group, key));
    return member?.synonyms;
  }

  #membersOf(root: string): ReadonlyMap<string, Member> {
    const known = this.#byRoot.get(root);
    if (known) return known;
    const members = new Map<string, Member>();
    const beginning = beginningOf(root);
    for (const [at, places] of this.#placesOf(root).entries()) {
      const { text, ...of } = this.#groups[at] as KeyedGroups;
      let last = -1;
      for (const place of places) {
        if (!text.startsWith(beginning, place)) continue;
        // A stem of one letter is the word itself, and begins many others.
        if (root.length === 1 && !'_ ;'.includes(text.charAt(place + 1))) continue;
        const start = text.lastIndexOf(';', place) + 1;
        if (start === last) continue;
        last = start;
        const group = { members: text.slice(start, text.indexOf(';', place)).split(' '), ...of };
        for (const member of group.members) {
          if (member === '' || !member.startsWith(beginning)) continue;
          const list = member.split('_');
          if (stem(list[0] ?? '') !== root) continue;
          const key = keyOf(list);
          const known = members.get(key);
          if (!known) members.set(key, { groups: [group] });
          else if (known.groups.at(-1) !== group) known.groups.push(group);
        }
      }
    }
    if (this.#byRoot.size >= MAX_ROOTS) this.#byRoot.clear();
    this.#byRoot.set(root, members);
    return members;
  }

  /** Where, in the text of each of the groups, members have the first two letters of a stem. */
  #placesOf(root: string): readonly (readonly number[])[] {
    // Behind the first letter, y may have become i.
    const mark = root.slice(0, root[1] === 'i' ? 1 : 2);
    let places = this.#places.get(mark);
    if (!places) {
      places = this.#groups.map(({ text }) => {
        const found: number[] = [];
        const spaced = ` ${mark}`;
        for (let at = text.indexOf(spaced); at >= 0; at = text.indexOf(spaced, at + 1)) found.push(at + 1);
        return found;
      });
      this.#places.set(mark, places);
    }
    return places;
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
