// Tools, as many as are wanted, without holding them: the real ones, then variations of them.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { MAX_NAME } from '../../../src/catalog/names.ts';
import { isStopWord } from '../../../src/util/words.ts';
import { type LabelledSet, type LabelledTool, readLines, readSet, setsIn } from '../retrieval/sets.ts';
import { type Random, randomFrom } from '../speed/random.ts';

interface Corpus {
  /** Each name once. */
  readonly tools: readonly LabelledTool[];
  /** The sets that quality is measured on. All their tools are among `tools`. */
  readonly sets: readonly LabelledSet[];
}

/** The sets that quality is measured on, where a folder has them. */
const MEASURED: readonly string[] = ['mcp-large', 'bfcl-live', 'sealtools'];

/**
 * All tools of a folder of sets, those of the measured sets first: of two tools of one name, the first counts.
 *
 * @param folder - without one, the set that comes with the project.
 */
export function readCorpus(folder?: string): Corpus {
  if (folder === undefined) return { tools: setsIn()[0]!.tools, sets: setsIn() };
  const named = readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'tools.jsonl')));
  const measured = MEASURED.filter((name) => named.includes(name));
  const tools = new Map<string, LabelledTool>();
  for (const name of [...measured, ...named.filter((one) => !measured.includes(one)).sort()]) {
    for (const tool of readLines<LabelledTool>(path.join(folder, name, 'tools.jsonl'))) {
      const id = acceptedName(tool.id);
      if (!tools.has(id)) tools.set(id, { ...tool, id });
    }
  }
  return { tools: [...tools.values()], sets: measured.map((name) => accepted(readSet(path.join(folder, name)))) };
}

/** A set with names that providers accept. */
function accepted({ name, tools, queries }: LabelledSet): LabelledSet {
  return {
    name,
    tools: tools.map((tool) => ({ ...tool, id: acceptedName(tool.id) })),
    queries: queries.map(({ relevant, groups, ...query }) => ({
      ...query,
      relevant: relevant.map(acceptedName),
      ...(groups ? { groups: groups.map((group) => group.map(acceptedName)) } : {}),
    })),
  };
}

/** A name that is too long without its first words, which tell the field that a tool belongs to. */
function acceptedName(name: string): string {
  let rest = name;
  while (rest.length > MAX_NAME && rest.includes('_')) rest = rest.slice(rest.indexOf('_') + 1);
  return rest;
}

/** A sample that the labelled tools fill more of has none of them on purpose. */
const LABELLED_SHARE = 4;

/**
 * So many of the first `total` documents: evenly from all over them, and where there is room, behind the first `labelled`,
 * which are those that queries ask for.
 */
export function* sample(
  documents: Documents,
  size: number,
  { total, labelled }: { readonly total: number; readonly labelled: number },
): Generator<LabelledTool, void, undefined> {
  const first = size >= labelled * LABELLED_SHARE ? labelled : 0;
  yield* documents.take(first);
  const rest = size - first;
  for (let at = 0; at < rest; at++) yield documents.at(first + Math.floor((at * (total - first)) / rest));
}

type Change = (text: string) => string;

interface Property {
  readonly description?: string;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

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
  /** The place of each tool's service among all, and the word of its name that is the service; '' without one. */
  readonly #origins: readonly { readonly service: number; readonly word: string }[];
  readonly #services: number;
  readonly #vocabulary: Vocabulary;
  readonly #sentences: readonly string[];
  readonly #parameters: readonly (readonly [name: string, property: Property])[];
  #last: { readonly key: string; readonly change: Change } | undefined;

  constructor(tools: readonly LabelledTool[]) {
    this.#tools = tools;
    this.#vocabulary = new Vocabulary(tools.map(({ id }) => id));
    const services = new Map<string, number>();
    this.#origins = tools.map(({ id }, at) => {
      // The first word of a name before an underline, unless it is a verb.
      const [, first = ''] = /^([A-Z]?[a-z]+|[A-Z]+)_/.exec(id) ?? [];
      const word = this.#vocabulary.isVerb(first) ? '' : first;
      const key = word === '' ? `${Math.floor(at / SERVICE)}` : `_${word}`;
      const service = services.get(key) ?? services.size;
      services.set(key, service);
      return { service, word };
    });
    this.#services = services.size;
    this.#sentences = tools.flatMap(
      ({ description }) => (description ?? '').match(/[A-Z][^.\n]{20,160}\.(?=\s|$)/g) ?? [],
    );
    this.#parameters = tools.flatMap(({ inputSchema }) => Object.entries((inputSchema as Schema)?.properties ?? {}));
  }

  at(number: number): LabelledTool {
    const place = number % this.#tools.length;
    const round = Math.floor(number / this.#tools.length);
    return round === 0 ? this.#tools[place]! : this.#varied(place, round, randomFrom(number));
  }

  /** The documents from `first` on, one at a time. */
  *take(count: number, first = 0): Generator<LabelledTool, void, undefined> {
    for (let number = first; number < first + count; number++) yield this.at(number);
  }

  #varied(place: number, round: number, random: Random): LabelledTool {
    const tool = this.#tools[place]!;
    const { service, word } = this.#origins[place]!;
    const number = (round - 1) * this.#services + service;
    const brand = serviceName(number);
    // One change for a service: its tools are about the same things. Neighbours are often of one service.
    const key = `${number} ${word}`;
    if (this.#last?.key !== key) {
      const change = this.#vocabulary.change(randomFrom(number), [word.toLowerCase(), brand]);
      this.#last = { key, change };
    }
    const { change } = this.#last;
    const id = change(word === '' ? `${brand}_${tool.id}` : tool.id);
    const sentence =
      random() < WITH_SENTENCE ? ` ${this.#sentences[Math.floor(random() * this.#sentences.length)]}` : '';
    const description = change(tool.description ?? '');
    const { properties = {}, required = [], ...schema } = (tool.inputSchema ?? {}) as Schema;
    const entries: [string, unknown][] = Object.entries(properties).map(([name, property]) => {
      const text = property?.description;
      return [change(name), typeof text === 'string' ? { ...property, description: change(text) } : property];
    });
    if (random() < WITH_PARAMETER) entries.push([...this.#parameters[Math.floor(random() * this.#parameters.length)]!]);
    const names = Array.isArray(required) ? required.map((name) => change(String(name))) : [];
    return {
      id: id.length > MAX_NAME ? shortened(id) : id,
      description: sentence === '' ? description : `${description}${sentence}`.trim(),
      inputSchema: {
        ...schema,
        properties: Object.fromEntries(entries),
        ...(names.length > 0 ? { required: names } : {}),
      },
    };
  }
}

const CONSONANTS = 'bcdfghjklmnprstvwxyz';
const VOWELS = 'aeiou';
const SYLLABLES = CONSONANTS.length * VOWELS.length;

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

/** Verbs of equal meaning, in the forms in which names and descriptions have them. */
const VERBS = [
  'get fetch retrieve read load',
  'gets fetches retrieves reads loads',
  'list show enumerate',
  'lists shows enumerates',
  'create add make insert',
  'creates adds makes inserts',
  'update edit modify change',
  'updates edits modifies changes',
  'delete remove drop',
  'deletes removes drops',
  'search find lookup',
  'searches finds lookups',
  'send post publish',
  'sends posts publishes',
].map((group) => group.split(' '));
/** So many entities of neighbouring frequency change places with one another. */
const BLOCK = 64;
/** One entity in so many stays. */
const STAYS = 3;
/** Too short to be an entity. */
const SHORT = 3;
/** A word within an identifier or a sentence: `getHTTPCode` has three. */
const WORD = /[A-Z]?[a-z]+|[A-Z]+/g;

/** The words of tools, and other words in their place: each by one that is about as common, never two by the same. */
class Vocabulary {
  /** The names' words that are no verbs, in the singular, the most frequent one first. */
  readonly #entities: readonly string[];
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #verbs = new Map(VERBS.flatMap((group) => group.map((verb, at) => [verb, { group, at }] as const)));

  constructor(names: readonly string[]) {
    const counts = new Map<string, number>();
    for (const word of names.flatMap((name) => name.match(WORD) ?? []).map((each) => each.toLowerCase())) {
      if (word.length >= SHORT && !isStopWord(word) && !this.#verbs.has(word))
        counts.set(word, (counts.get(word) ?? 0) + 1);
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
   * @param service - lower-case, and what stands in its place.
   */
  change(random: Random, [service, brand]: readonly [string, string]): Change {
    const turn = 1 + Math.floor(random() * (BLOCK - 1));
    const stays = Math.floor(random() * STAYS);
    /** The entity in this one's place: those of a block that do not stay move up by `turn`. */
    const entityAt = (rank: number): string => {
      if (rank % STAYS === stays) return this.#entities[rank]!;
      const first = rank - (rank % BLOCK);
      const block = this.#entities.slice(first, first + BLOCK).map((_, at) => first + at);
      const moving = block.filter((one) => one % STAYS !== stays);
      return this.#entities[moving[(moving.indexOf(rank) + turn) % moving.length]!]!;
    };
    const changed = (lower: string): string => {
      if (lower === service) return brand;
      const verb = this.#verbs.get(lower);
      if (verb) return verb.group[(verb.at + turn) % verb.group.length]!;
      const rank = this.#ranks.get(lower);
      if (rank !== undefined) return entityAt(rank);
      const singular = lower.endsWith('s') ? this.#ranks.get(lower.slice(0, -1)) : undefined;
      return singular === undefined ? lower : `${entityAt(singular)}s`;
    };
    const known = new Map<string, string>();
    return (text) =>
      text.replace(WORD, (word) => {
        if (!known.has(word)) known.set(word, inCasing(word, changed(word.toLowerCase())));
        return known.get(word)!;
      });
  }
}

function inCasing(model: string, word: string): string {
  const lower = model.toLowerCase();
  if (word === lower) return model;
  if (model === lower) return word;
  if (model.length > 1 && model === model.toUpperCase()) return word.toUpperCase();
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
