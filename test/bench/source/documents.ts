// Tools, as many as are wanted, without holding them: the real ones, then variations of them.
import type { LabelledTool } from '../retrieval/sets.ts';
import { type Random, randomFrom } from '../speed/random.ts';
import { MAX_NAME } from './corpus.ts';
import { Vocabulary } from './vocabulary.ts';

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
