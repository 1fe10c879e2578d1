import { CHUNK, runToEnd, type SlicedWork } from './time-slices.ts';
import { splitIdentifier } from './words.ts';

/** Limit of the characters of a name that are compared. */
const MAX_LENGTH = 128;

/**
 * Returns the names that an unknown name may stand for, in groups. The likeliest group comes first: other spellings
 * (`getWeather`, `GET_WEATHER`), then names that contain the unknown name or are a part of it
 * (`functions.get_weather`), then names with a few other letters (`get_wether`), then names that share at least half of
 * the words. Within a group, the most similar name comes first. Empty groups are left out.
 */
export function* similarNames(unknown: string, names: Iterable<string>): SlicedWork<readonly (readonly string[])[]> {
  const wanted = spell(unknown);
  if (wanted.joined === '') return [];
  const groups: { name: string; distance: number }[][] = [[], [], [], []];
  let seen = 0;
  for (const name of names) {
    const similarity = compare(wanted, spell(name));
    if (similarity) groups[similarity.kind]?.push({ name, distance: similarity.distance });
    if (++seen % CHUNK === 0) yield;
  }
  return groups
    .filter((group) => group.length > 0)
    .map((group) =>
      group.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1)).map(({ name }) => name),
    );
}

/** Returns at most three names of the likeliest group. */
export function likeliestNames(unknown: string, names: Iterable<string>): readonly string[] {
  return (runToEnd(similarNames(unknown, names))[0] ?? []).slice(0, 3);
}

/**
 * Returns a question that suggests the likeliest names, with a leading space. Empty if no name is similar.
 *
 * @param prefix - is shown before each name.
 */
export function suggestionFor(unknown: string, names: Iterable<string>, prefix = ''): string {
  return didYouMean(likeliestNames(unknown, names).map((name) => prefix + name));
}

/** Whether an unknown name is one of these names in another spelling, behind a prefix, or with a few wrong letters. */
export function isMisspelled(unknown: string, names: readonly string[]): boolean {
  if (runToEnd(spelledAlike(unknown, names)).length > 0) return true;
  const wanted = spell(unknown);
  return names.some((name) => compare(wanted, spell(name))?.kind === TYPO);
}

/** Returns a question for the end of an error message, with a leading space. Empty without names. */
export function didYouMean(names: readonly string[]): string {
  return names.length > 0 ? ` Did you mean ${names.map((name) => `"${name}"`).join(', ')}?` : '';
}

/**
 * Returns the names that an unknown name spells, in groups. Other spellings of the whole name come first
 * (`getWeather`), then names with which it ends behind a prefix (`functions.get_weather`), those of more words first.
 * Two names in one group make the unknown name ambiguous. Empty groups are left out.
 */
export function* spelledAlike(unknown: string, names: Iterable<string>): SlicedWork<readonly (readonly string[])[]> {
  const wanted = spell(unknown);
  if (wanted.joined === '') return [];
  const same = new Set<string>();
  /** Names with which the unknown name ends, by their number of words. */
  const tails = new Map<number, Set<string>>();
  let seen = 0;
  for (const name of names) {
    const { words, joined } = spell(name);
    if (joined === wanted.joined) same.add(name);
    else if (isTail(words, wanted.words)) tails.set(words.length, (tails.get(words.length) ?? new Set()).add(name));
    if (++seen % CHUNK === 0) yield;
  }
  const byLength = [...tails].sort(([first], [second]) => second - first).map(([, alike]) => alike);
  return [same, ...byLength].map((kind) => [...kind]).filter((kind) => kind.length > 0);
}

function isTail(words: readonly string[], wanted: readonly string[]): boolean {
  const start = wanted.length - words.length;
  return words.length > 0 && start > 0 && words.every((word, position) => word === wanted[start + position]);
}

/** A lower kind is likelier. Distances can be compared only within a kind. */
interface Similarity {
  readonly kind: number;
  readonly distance: number;
}

const SAME = 0;
const PART = 1;
const TYPO = 2;
const WORDS = 3;

interface Spelling {
  readonly words: readonly string[];
  readonly joined: string;
}

function spell(name: string): Spelling {
  const words = splitIdentifier(name.slice(0, MAX_LENGTH));
  // Cut again, because normalisation can turn one letter into many.
  return { words, joined: words.join('').slice(0, MAX_LENGTH) };
}

function compare(wanted: Spelling, other: Spelling): Similarity | undefined {
  if (other.joined === '') return undefined;
  if (wanted.joined === other.joined) return { kind: SAME, distance: 0 };
  const longer = Math.max(wanted.joined.length, other.joined.length);
  const shorter = Math.min(wanted.joined.length, other.joined.length);
  if (shorter >= 3 && (wanted.joined.includes(other.joined) || other.joined.includes(wanted.joined))) {
    return { kind: PART, distance: longer - shorter };
  }
  const allowed = Math.max(1, Math.floor(longer / 4));
  const typos = editDistance(wanted.joined, other.joined, allowed);
  if (typos !== undefined) return { kind: TYPO, distance: typos };

  const shared = wanted.words.filter((word) => word.length > 1 && other.words.includes(word)).length;
  const share = shared / Math.max(wanted.words.length, other.words.length);
  return share >= 0.5 ? { kind: WORDS, distance: 1 - share } : undefined;
}

/** Optimal string alignment distance (insert, delete, replace, swap of neighbours); undefined above `max`. */
export function editDistance(a: string, b: string, max: number): number | undefined {
  if (Math.abs(a.length - b.length) > max) return undefined;
  const size = b.length + 1;
  // The last three rows of the matrix: distances between prefixes of `a` and prefixes of `b`.
  let [beforeLast, last, current] = [new Uint16Array(size), new Uint16Array(size), new Uint16Array(size)];
  for (let column = 0; column < size; column++) last[column] = column;
  for (let row = 1; row <= a.length; row++) {
    const [letter, letterBefore] = [a.charCodeAt(row - 1), a.charCodeAt(row - 2)];
    let best = row;
    current[0] = row;
    for (let column = 1; column < size; column++) {
      const other = b.charCodeAt(column - 1);
      const replaced = (last[column - 1] ?? 0) + (letter === other ? 0 : 1);
      let value = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced);
      if (row > 1 && column > 1 && letter === b.charCodeAt(column - 2) && letterBefore === other) {
        value = Math.min(value, (beforeLast[column - 2] ?? 0) + 1);
      }
      current[column] = value;
      if (value < best) best = value;
    }
    if (best > max) return undefined;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  const distance = last[b.length] ?? 0;
  return distance <= max ? distance : undefined;
}
