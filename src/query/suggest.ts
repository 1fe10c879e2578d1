import { editDistance } from './edit-distance.ts';
import { splitIdentifier } from './words.ts';

/** Longer names are compared by their first so many characters. */
const MAX_LENGTH = 128;

/**
 * The names that the writer of an unknown name may have meant, likeliest first. Only those of the best kind there is:
 * the same words in another spelling (`getWeather`, `GET_WEATHER`), else the name inside a longer one or the other way
 * round (`functions.get_weather`), else a few wrong letters (`get_wether`), else at least half of the words.
 */
export function similarNames(unknown: string, names: Iterable<string>): readonly string[] {
  const wanted = spell(unknown.slice(0, MAX_LENGTH));
  if (wanted.joined === '') return [];
  let similar: { name: string; likeness: Likeness }[] = [];
  for (const name of names) {
    const likeness = compare(wanted, spell(name.slice(0, MAX_LENGTH)));
    const best = similar[0]?.likeness.kind ?? Number.POSITIVE_INFINITY;
    if (!likeness || likeness.kind > best) continue;
    if (likeness.kind < best) similar = [];
    similar.push({ name, likeness });
  }
  similar.sort((a, b) => a.likeness.distance - b.likeness.distance || (a.name < b.name ? -1 : 1));
  return similar.map(({ name }) => name);
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
  const words = splitIdentifier(name);
  return { words, joined: words.join('') };
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
