// Tools, as many as are wanted, without holding them: the real ones, then variations of them.

import { isStopWord } from '../../../src/scorers/words/words.ts';
import type { LabelledTool } from '../retrieval/sets.ts';
import { type Random, randomFrom } from '../speed/random.ts';
import { MAX_NAME } from './corpus.ts';

type Change = (text: string) => string;

interface Schema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

interface Property {
  readonly description?: string;
}

/** What a variation is made of. */
interface Origin {
  readonly tool: LabelledTool;
  /** The place of its service among all. */
  readonly service: number;
  /** The word of its name that is the service; '' where the name has none, and gets one. */
  readonly word: string;
}

const CONSONANTS = 'bcdfghjklmnprstvwxyz';
const VOWELS = 'aeiou';
const SYLLABLES = CONSONANTS.length * VOWELS.length;
/** Tools whose names have no service come as services of so many. */
const SERVICE = 12;
/** The share of variations with a sentence of another tool, and with a parameter of another tool. */
const WITH_SENTENCE = 0.4;
const WITH_PARAMETER = 0.5;

/**
 * Documents by number. The first are `tools`; each round after them has other services with tools alike: other words for what
 * the tools are about, other verbs, a sentence and a parameter of another tool. A number gives the same document always, and
 * no two have the same name.
 */
export class Documents {
  readonly #tools: readonly LabelledTool[];
  readonly #origins: readonly Origin[];
  readonly #services: number;
  readonly #vocabulary: Vocabulary;
  readonly #sentences: readonly string[];
  readonly #parameters: readonly (readonly [name: string, property: Property])[];

  #last: { readonly key: string; readonly change: Change } | undefined;

  constructor(tools: readonly LabelledTool[]) {
    this.#tools = tools;
    this.#vocabulary = new Vocabulary(tools.map(({ id }) => id));
    const services = new Map<string, number>();
    this.#origins = tools.map((tool, at) => {
      const word = this.#serviceOf(tool.id);
      const key = word === '' ? `${Math.floor(at / SERVICE)}` : `_${word}`;
      const service = services.get(key) ?? services.size;
      services.set(key, service);
      return { tool, service, word };
    });
    this.#services = services.size;
    this.#sentences = tools.flatMap(
      ({ description }) => (description ?? '').match(/[A-Z][^.\n]{20,160}\.(?=\s|$)/g) ?? [],
    );
    this.#parameters = tools.flatMap(({ inputSchema }) => Object.entries((inputSchema as Schema)?.properties ?? {}));
  }

  at(number: number): LabelledTool {
    const origin = this.#origins[number % this.#origins.length];
    if (!origin) throw new Error('There are no tools to vary.');
    const round = Math.floor(number / this.#tools.length);
    return round === 0 ? origin.tool : this.#varied(origin, round, randomFrom(number));
  }

  /** The documents from `first` on, one at a time. */
  *take(count: number, first = 0): Generator<LabelledTool, void, undefined> {
    for (let number = first; number < first + count; number++) yield this.at(number);
  }

  #varied({ tool, service, word }: Origin, round: number, random: Random): LabelledTool {
    const number = (round - 1) * this.#services + service;
    const brand = serviceName(number);
    const change = this.#changeOf(number, word, brand);
    const id = change(word === '' ? `${brand}_${tool.id}` : tool.id);
    const sentence = random() < WITH_SENTENCE ? oneOf(this.#sentences, random) : undefined;
    const description = change(tool.description ?? '');
    return {
      id: id.length > MAX_NAME ? shortened(id) : id,
      description: sentence === undefined ? description : `${description} ${sentence}`.trim(),
      inputSchema: this.#schema(tool.inputSchema as Schema | undefined, change, random),
    };
  }

  /** One change for a service: its tools are about the same things. Neighbours are often of one service. */
  #changeOf(number: number, word: string, brand: string): Change {
    const key = `${number} ${word}`;
    if (this.#last?.key === key) return this.#last.change;
    const names = new Map(word === '' ? [] : [[word.toLowerCase(), brand]]);
    const change = this.#vocabulary.change(randomFrom(number), names);
    this.#last = { key, change };
    return change;
  }

  #schema({ properties = {}, required = [], ...schema }: Schema = {}, change: Change, random: Random): object {
    const entries = Object.entries(properties).map(([name, property]): [string, unknown] => {
      const { description } = property ?? {};
      return [
        change(name),
        typeof description === 'string' ? { ...property, description: change(description) } : property,
      ];
    });
    const added = random() < WITH_PARAMETER ? oneOf(this.#parameters, random) : undefined;
    const names = Array.isArray(required) ? required.map((name) => change(String(name))) : [];
    return {
      ...schema,
      properties: Object.fromEntries(added ? [...entries, added] : entries),
      ...(names.length > 0 ? { required: names } : {}),
    };
  }

  /** The first word of a name before an underline, unless it is a verb. */
  #serviceOf(name: string): string {
    const end = name.indexOf('_');
    const first = end < 0 ? '' : name.slice(0, end);
    return /^([A-Z]?[a-z]+|[A-Z]+)$/.test(first) && !this.#vocabulary.isVerb(first) ? first : '';
  }
}

/** A name of its own for each number below a million: three syllables. */
function serviceName(number: number): string {
  let rest = number;
  let name = '';
  for (let syllable = 0; syllable < 3; syllable++) {
    // Neighbouring numbers do not sound alike.
    const part = (rest * 37 + syllable * 11) % SYLLABLES;
    name += `${CONSONANTS[Math.floor(part / VOWELS.length)]}${VOWELS[part % VOWELS.length]}`;
    rest = Math.floor(rest / SYLLABLES);
  }
  return name;
}

/** The beginning of a name, and what tells it from others. */
function shortened(name: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const char of name) hash = BigInt.asUintN(64, (hash ^ BigInt(char.codePointAt(0) ?? 0)) * 0x100000001b3n);
  const end = hash.toString(36);
  return `${name.slice(0, MAX_NAME - 1 - end.length)}_${end}`;
}

function oneOf<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

// The words of tools, and other words in their place: each by one that is about as common, never two by the same.

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

class Vocabulary {
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
