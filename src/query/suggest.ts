import { editDistance } from './edit-distance.ts';
import { splitIdentifier } from './words.ts';

/** Longer names are compared by their first so many characters. */
const MAX_LENGTH = 128;

/**
 * The names that the writer of an unknown name may have meant, in groups from the likeliest kind to the least likely:
 * the same words in another spelling (`getWeather`, `GET_WEATHER`), the name inside a longer one or the other way round
 * (`functions.get_weather`), a few wrong letters (`get_wether`), at least half of the words. A group stands in the
 * order of likeness; groups without names are left out.
 */
export function similarNames(unknown: string, names: Iterable<string>): readonly (readonly string[])[] {
  const wanted = spell(unknown);
  if (wanted.joined === '') return [];
  const groups: { name: string; distance: number }[][] = [[], [], [], []];
  for (const name of names) {
    const likeness = compare(wanted, spell(name));
    if (likeness) groups[likeness.kind]?.push({ name, distance: likeness.distance });
  }
  return groups
    .filter((group) => group.length > 0)
    .map((group) =>
      group.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1)).map(({ name }) => name),
    );
}

/**
 * The names that are another spelling of an unknown one (`getWeather`), else those that it ends with behind a prefix
 * (`functions.get_weather`). More than one means that the name is ambiguous.
 */
export function spelledAlike(unknown: string, names: Iterable<string>): readonly string[] {
  const wanted = spell(unknown);
  if (wanted.joined === '') return [];
  const same: string[] = [];
  const behindPrefix: string[] = [];
  for (const name of names) {
    const { words, joined } = spell(name);
    if (joined === wanted.joined) same.push(name);
    else if (words.length > 0 && words.length < wanted.words.length) {
      const tail = wanted.words.slice(-words.length);
      if (words.every((word, position) => word === tail[position])) behindPrefix.push(name);
    }
  }
  if (same.length > 0) return same;
  // Of `weather` and `get_weather` the longer one says more of what was written.
  const longest = Math.max(0, ...behindPrefix.map((name) => spell(name).words.length));
  return behindPrefix.filter((name) => spell(name).words.length === longest);
}

/** Lower is likelier. Distances compare within a kind. */
interface Likeness {
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
  // Cut again: normalisation can make many letters of one.
  return { words, joined: words.join('').slice(0, MAX_LENGTH) };
}

function compare(wanted: Spelling, other: Spelling): Likeness | undefined {
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
