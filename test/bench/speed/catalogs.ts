// Tools to be searched: those of a folder, cut or extended by variation to any size. And what is searched for.
import path from 'node:path';
import { MAX_NAME } from '../../../src/catalog/names.ts';
import type { ListedTool } from '../agent-request.ts';
import { OWN_SET, readLines } from '../retrieval/sets.ts';
import { pick, type Random, randomFrom } from './random.ts';

/** @param folder - one that holds tools.jsonl; without it, the set that comes with the project. */
export function plainCatalog(folder: string = OWN_SET): readonly ListedTool[] {
  const listed = readLines<Record<string, unknown>>(path.join(folder, 'tools.jsonl'));
  return listed.map(({ id, name, description, inputSchema, parameters }) => ({
    id: String(id ?? name),
    description: String(description ?? ''),
    inputSchema: (inputSchema ?? parameters ?? { type: 'object' }) as object,
  }));
}

/** So many of these tools, taken evenly from all over them, or all with variations of them. */
export function toolsOf(tools: readonly ListedTool[], size: number): readonly ListedTool[] {
  if (size > tools.length) return [...tools, ...variations(tools, size - tools.length)];
  return Array.from({ length: size }, (_, n) => tools[Math.floor((n * tools.length) / size)]!);
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Tools like these, with words and a parameter of others, and with words of their own now and then. */
function variations(tools: readonly ListedTool[], count: number): readonly ListedTool[] {
  const random = randomFrom(1);
  const taken = new Set(tools.map(({ id }) => id));
  return Array.from({ length: count }, (_, n) => {
    const tool = tools[n % tools.length]!;
    const other = pick(tools, random);
    const name = mixed(tool.id, other.id, '_', random).slice(0, MAX_NAME);
    let id = name;
    while (taken.has(id)) id = `${id.slice(0, MAX_NAME)}_${newWord(random)}`;
    taken.add(id);
    const description = mixed(tool.description, other.description, ' ', random);
    const schema = tool.inputSchema as Schema;
    const others = Object.entries((other.inputSchema as Schema).properties ?? {});
    const added = others.length > 0 ? Object.fromEntries([pick(others, random)]) : {};
    return { id, description, inputSchema: { ...schema, properties: { ...schema.properties, ...added } } };
  });
}

/** A third of the words from the other text, two of a hundred from none. */
function mixed(text: string, other: string, separator: string, random: Random): string {
  const others = other.split(separator);
  const words = text.split(separator).map((word) => {
    const chance = random();
    if (chance < 0.02) return newWord(random);
    return chance < 0.35 ? pick(others, random) : word;
  });
  return words.join(separator);
}

const NEW_WORDS = 200_000;
const BEGINNINGS = 'b d f g k l m n p r s t v z br cl dr fl gr pl st tr'.split(' ');
const ENDS = 'a e i o u an el ir on um'.split(' ');

/** A made-up word as often as Zipf's law has it, so that the more text is written, the more words it has. */
function newWord(random: Random): string {
  let rest = Math.floor(NEW_WORDS ** random()) - 1;
  let word = '';
  // At least two syllables, so that no word is taken for a stop word.
  for (let syllable = 0; syllable < 2 || rest > 0; syllable++) {
    word += BEGINNINGS[rest % BEGINNINGS.length]!;
    rest = Math.floor(rest / BEGINNINGS.length);
    word += ENDS[rest % ENDS.length]!;
    rest = Math.floor(rest / ENDS.length);
  }
  return word;
}

/** A first search that is none of the measured queries. */
export const FIRST_QUERY = 'find the files of a project';

/** @param file - JSON lines with a `query` each; without it, the queries of the set that comes with the project. */
export function queriesIn(file: string = path.join(OWN_SET, 'queries.jsonl')): readonly string[] {
  // Each once: what is asked twice is no first time.
  return [...new Set(readLines<Record<string, unknown>>(file).map(({ query }) => String(query)))];
}

/** Messages of so many characters: several queries each, as sentences. */
export function longQueries(queries: readonly string[], count: number, length: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => {
    let text = '';
    for (let next = n; text.length < length; next += count) text += `${queries[next % queries.length]}. `;
    return text.slice(0, length);
  });
}
