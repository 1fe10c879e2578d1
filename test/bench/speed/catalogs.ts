// Tools to be searched: a catalog that is read from a folder or generated, and more or fewer tools than it has.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pick, type Random, randomFrom } from './random.ts';
import { zipfWord } from './words.ts';

/** A tool as MCP servers list it, under the name a model calls. */
export interface CatalogTool {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
}

export interface InputSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** The catalog of a run, before it is cut or extended to a size. */
export interface PlainCatalog {
  /** Where it is from. */
  readonly name: string;
  readonly tools: readonly CatalogTool[];
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
  return { name, tools: readLines(path.join(name, 'tools.jsonl')).map(toTool) };
}

/** Of a plain catalog: so many, taken evenly from all over it, or all with variations of them. */
export function toolsOf({ tools }: PlainCatalog, size: number): readonly CatalogTool[] {
  if (size <= tools.length) {
    return Array.from({ length: size }, (_, n) => tools[Math.floor((n * tools.length) / size)] as CatalogTool);
  }
  return [...tools, ...variations(tools, size - tools.length)];
}

export function readLines(file: string): readonly Record<string, unknown>[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
}

function toTool({ id, name, description, inputSchema, parameters }: Record<string, unknown>): CatalogTool {
  return {
    id: String(id ?? name),
    description: String(description ?? ''),
    inputSchema: (inputSchema ?? parameters ?? { type: 'object' }) as InputSchema,
  };
}

/** Tools like these, with words and a parameter of others, and with words of their own now and then. */
export function variations(tools: readonly CatalogTool[], count: number): readonly CatalogTool[] {
  const random = randomFrom(1);
  const taken = new Set(tools.map(({ id }) => id));
  return Array.from({ length: count }, (_, n) => {
    const tool = tools[n % tools.length] as CatalogTool;
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

function withOneOf(schema: InputSchema, other: InputSchema, random: Random): InputSchema {
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

export function generatedTools(count: number): readonly CatalogTool[] {
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
