// Tools to be searched: a catalog that is read from a folder or generated, and more or fewer tools than it has.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ListedTool } from '../agent-request.ts';
import { readLines } from '../retrieval/sets.ts';
import { pick, type Random, randomFrom } from './random.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** The catalog of a run, before it is cut or extended to a size. */
export interface PlainCatalog {
  /** Where it is from. */
  readonly name: string;
  readonly tools: readonly ListedTool[];
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DEFAULT_FOLDER = path.join(ROOT, '../shared/tool-retrieval/catalog-toucan');
/** As many as a plain catalog that is generated has. */
const GENERATED = 15_000;
/** As many words as tools have that are generated, and as many as there are for variations. */
const VOCABULARY = 20_000;
const NEW_WORDS = 200_000;
/** A longer name is not accepted by all providers. */
const MAX_NAME = 64;

/** @param folder - one that holds tools.jsonl, or `generated`. Without one, the default if it is there. */
export function plainCatalog(folder?: string): PlainCatalog {
  const isGenerated = folder === 'generated' || (folder === undefined && !existsSync(DEFAULT_FOLDER));
  if (isGenerated) return { name: 'generated', tools: generatedTools(GENERATED) };
  const name = folder ?? DEFAULT_FOLDER;
  return { name, tools: readLines<Record<string, unknown>>(path.join(name, 'tools.jsonl')).map(toTool) };
}

/** Of a plain catalog: so many, taken evenly from all over it, or all with variations of them. */
export function toolsOf({ tools }: PlainCatalog, size: number): readonly ListedTool[] {
  if (size <= tools.length) {
    return Array.from({ length: size }, (_, n) => tools[Math.floor((n * tools.length) / size)] as ListedTool);
  }
  return [...tools, ...variations(tools, size - tools.length)];
}

function toTool({ id, name, description, inputSchema, parameters }: Record<string, unknown>): ListedTool {
  return {
    id: String(id ?? name),
    description: String(description ?? ''),
    inputSchema: (inputSchema ?? parameters ?? { type: 'object' }) as object,
  };
}

/** Tools like these, with words and a parameter of others, and with words of their own now and then. */
function variations(tools: readonly ListedTool[], count: number): readonly ListedTool[] {
  const random = randomFrom(1);
  const taken = new Set(tools.map(({ id }) => id));
  return Array.from({ length: count }, (_, n) => {
    const tool = tools[n % tools.length] as ListedTool;
    const other = pick(tools, random);
    const id = unique(mixed(tool.id, other.id, '_', random), taken, random);
    const description = mixed(tool.description, other.description, ' ', random);
    return { id, description, inputSchema: withOneOf(tool.inputSchema, other.inputSchema, random) };
  });
}

/** A third of the words from the other text, two of a hundred from none. */
function mixed(text: string, other: string, separator: string, random: Random): string {
  const others = other.split(separator);
  return text
    .split(separator)
    .map((word) => {
      const chance = random();
      if (chance < 0.02) return zipfWord(random, NEW_WORDS);
      return chance < 0.35 ? pick(others, random) : word;
    })
    .join(separator);
}

function withOneOf(schema: Schema, other: Schema, random: Random): object {
  const others = Object.entries(other.properties ?? {});
  const added = others.length > 0 ? Object.fromEntries([pick(others, random)]) : {};
  return { ...schema, properties: { ...schema.properties, ...added } };
}

/** Takes the name, longer by a word where it is taken already. */
function unique(name: string, taken: Set<string>, random: Random): string {
  let free = name.slice(0, MAX_NAME);
  while (taken.has(free)) free = `${free.slice(0, MAX_NAME)}_${zipfWord(random, NEW_WORDS)}`;
  taken.add(free);
  return free;
}

function generatedTools(count: number): readonly ListedTool[] {
  const random = randomFrom(2);
  const taken = new Set<string>();
  const text = (least: number, most: number, separator = ' '): string => {
    const length = least + Math.floor(random() * (most - least + 1));
    return Array.from({ length }, () => zipfWord(random, VOCABULARY)).join(separator);
  };
  return Array.from({ length: count }, () => {
    const id = unique(text(2, 4, '_'), taken, random);
    const parameters = Array.from({ length: Math.floor(random() * 6) }, () => [
      text(1, 2, '_'),
      { type: 'string', description: text(3, 12) },
    ]);
    const inputSchema = { type: 'object', properties: Object.fromEntries(parameters) };
    return { id, description: `${text(6, 14)}. ${text(0, 40)}`, inputSchema };
  });
}

// Words of made-up tools: a few that tools are full of, then syllables without a meaning.

const COMMON =
  'the a of to and for get list create update delete search find send read write file user message issue project ' +
  'repository page document table row query report account order customer invoice payment event calendar task team ' +
  'channel image video weather city route map price stock market news article summary language text code build test ' +
  'deploy server cluster container volume bucket object key value token session password role group permission ' +
  'policy log metric alert dashboard chart email contact lead deal campaign product catalog cart shipment';
const WORDS: readonly string[] = COMMON.split(' ');
const BEGINNINGS = 'b d f g k l m n p r s t v z br cl dr fl gr pl st tr'.split(' ');
const ENDS = 'a e i o u an el ir on um'.split(' ');

/** A word for each rank from 0 on, the most common one first. */
function wordAt(rank: number): string {
  const common = WORDS[rank];
  if (common !== undefined) return common;
  let rest = rank - WORDS.length;
  let word = '';
  // At least two syllables, so that no word is taken for a stop word.
  for (let syllable = 0; syllable < 2 || rest > 0; syllable++) {
    word += BEGINNINGS[rest % BEGINNINGS.length];
    rest = Math.floor(rest / BEGINNINGS.length);
    word += ENDS[rest % ENDS.length];
    rest = Math.floor(rest / ENDS.length);
  }
  return word;
}

/** A word as often as Zipf's law has it, so that the more text is written, the more words it has. */
function zipfWord(random: Random, vocabulary: number): string {
  return wordAt(Math.floor(vocabulary ** random()) - 1);
}

// What is searched for: queries that are read from a file, or words of tools.

const DEFAULT_FILE = fileURLToPath(
  new URL('../../../../shared/tool-retrieval/livemcp-agent/queries.jsonl', import.meta.url),
);
const GENERATED_QUERIES = 150;

interface Queries {
  /** Where they are from. */
  readonly name: string;
  readonly texts: readonly string[];
}

/** @param file - JSON lines with a `query` each, or `generated`. Without one, the default if it is there. */
export function queriesFor(catalog: PlainCatalog, file?: string): Queries {
  const isGenerated = file === 'generated' || (file === undefined && !existsSync(DEFAULT_FILE));
  if (isGenerated) return { name: 'generated', texts: generatedQueries(catalog, GENERATED_QUERIES) };
  const name = file ?? DEFAULT_FILE;
  // Each once: what is asked twice is no first time.
  return { name, texts: [...new Set(readLines<Record<string, unknown>>(name).map(({ query }) => String(query)))] };
}

/** A first search that is none of the measured queries. */
export const FIRST_QUERY = 'find the files of a project';

/** Messages of so many characters: several queries each, as sentences. */
export function longQueries(queries: readonly string[], count: number, length: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => {
    let text = '';
    for (let next = n; text.length < length; next += count) text += `${queries[next % queries.length]}. `;
    return text.slice(0, length);
  });
}

/** Two to eight words each, of one tool. */
export function generatedQueries({ tools }: PlainCatalog, count: number): readonly string[] {
  const random = randomFrom(3);
  return Array.from({ length: count }, () => {
    const { id, description } = pick(tools, random);
    const words = `${id} ${description}`.split(/[\s_]+/).filter((word) => word !== '');
    return Array.from({ length: 2 + Math.floor(random() * 7) }, () => pick(words, random)).join(' ');
  });
}
