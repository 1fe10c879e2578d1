// The words of tools, and other words in their place: each by one that is about as common, never two by the same.
import { isStopWord } from '../../../src/scorers/words/stem.ts';
import type { Random } from '../speed/random.ts';

/** Verbs of equal meaning, in the forms in which names and descriptions have them. */
const VERBS: readonly (readonly string[])[] = [
  ['get', 'fetch', 'retrieve', 'read', 'load'],
  ['gets', 'fetches', 'retrieves', 'reads', 'loads'],
  ['list', 'show', 'enumerate'],
  ['lists', 'shows', 'enumerates'],
  ['create', 'add', 'make', 'insert'],
  ['creates', 'adds', 'makes', 'inserts'],
  ['update', 'edit', 'modify', 'change'],
  ['updates', 'edits', 'modifies', 'changes'],
  ['delete', 'remove', 'drop'],
  ['deletes', 'removes', 'drops'],
  ['search', 'find', 'lookup'],
  ['searches', 'finds', 'lookups'],
  ['send', 'post', 'publish'],
  ['sends', 'posts', 'publishes'],
];
/** So many entities of neighbouring frequency change places with one another. */
const BLOCK = 64;
/** One entity in so many stays. */
const STAYS = 3;
/** Too short to be an entity. */
const SHORT = 3;
/** A word within an identifier or a sentence: `getHTTPCode` has three. */
const WORD = /[A-Z]?[a-z]+|[A-Z]+/g;

export class Vocabulary {
  /** The names' words that are no verbs, in the singular, the most frequent one first. */
  readonly #entities: readonly string[];
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #verbs: ReadonlyMap<string, readonly [group: readonly string[], at: number]>;
  readonly #blocks = new Map<number, readonly number[]>();

  constructor(names: readonly string[]) {
    this.#verbs = new Map(VERBS.flatMap((group) => group.map((verb, at) => [verb, [group, at]] as const)));
    const counts = new Map<string, number>();
    for (const name of names) {
      for (const [word] of name.matchAll(WORD)) {
        const lower = word.toLowerCase();
        if (lower.length >= SHORT && !isStopWord(lower) && !this.#verbs.has(lower))
          counts.set(lower, (counts.get(lower) ?? 0) + 1);
      }
    }
    const singular = [...counts].filter(([word]) => !(word.endsWith('s') && counts.has(word.slice(0, -1))));
    this.#entities = singular
      .sort(([one, count], [other, count2]) => count2 - count || (one < other ? -1 : 1))
      .map(([word]) => word);
    this.#ranks = new Map(this.#entities.map((word, rank) => [word, rank]));
  }

  isVerb(word: string): boolean {
    return this.#verbs.has(word.toLowerCase());
  }

  /**
   * A change of words, one to one, so that different names stay different.
   *
   * @param names - further words by what stands in their place, lower-case.
   */
  change(random: Random, names: ReadonlyMap<string, string> = new Map()): (text: string) => string {
    const turn = 1 + Math.floor(random() * (BLOCK - 1));
    const stays = Math.floor(random() * STAYS);
    const known = new Map<string, string>();
    const changed = (lower: string): string => {
      const name = names.get(lower);
      if (name !== undefined) return name;
      const verb = this.#verbs.get(lower);
      if (verb) return verb[0][(verb[1] + turn) % verb[0].length] as string;
      const rank = this.#ranks.get(lower);
      if (rank !== undefined) return this.#entities[this.#turned(rank, turn, stays)] as string;
      const one = lower.endsWith('s') ? this.#ranks.get(lower.slice(0, -1)) : undefined;
      return one === undefined ? lower : `${this.#entities[this.#turned(one, turn, stays)]}s`;
    };
    const place = (word: string): string => {
      const seen = known.get(word);
      if (seen !== undefined) return seen;
      const lower = word.toLowerCase();
      const other = changed(lower);
      const written = other === lower ? word : inCasing(word, other);
      known.set(word, written);
      return written;
    };
    return (text) => text.replace(WORD, place);
  }

  /** The rank of the entity in this one's place: those of a block that do not stay move up by `turn`. */
  #turned(rank: number, turn: number, stays: number): number {
    if (rank % STAYS === stays) return rank;
    const first = rank - (rank % BLOCK);
    const moving = this.#moving(first, stays);
    return moving[(moving.indexOf(rank) + turn) % moving.length] ?? rank;
  }

  #moving(first: number, stays: number): readonly number[] {
    const key = first * STAYS + stays;
    const known = this.#blocks.get(key);
    if (known) return known;
    const end = Math.min(first + BLOCK, this.#entities.length);
    const moving = Array.from({ length: end - first }, (_, at) => first + at).filter((rank) => rank % STAYS !== stays);
    this.#blocks.set(key, moving);
    return moving;
  }
}

function inCasing(model: string, word: string): string {
  if (model === model.toLowerCase()) return word;
  if (model.length > 1 && model === model.toUpperCase()) return word.toUpperCase();
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
