// What is searched for: queries that are read from a file, or words of tools.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type PlainCatalog, readLines } from './catalogs.ts';
import { pick, randomFrom } from './random.ts';

const DEFAULT_FILE = fileURLToPath(
  new URL('../../../../shared/tool-retrieval/livemcp-agent/queries.jsonl', import.meta.url),
);
const GENERATED = 150;

export interface Queries {
  /** Where they are from. */
  readonly name: string;
  readonly texts: readonly string[];
}

/** @param file - JSON lines with a `query` each, or `generated`. Without one, the default if it is there. */
export function queriesFor(catalog: PlainCatalog, file?: string): Queries {
  const isGenerated = file === 'generated' || (file === undefined && !existsSync(DEFAULT_FILE));
  if (isGenerated) return { name: 'generated', texts: generatedQueries(catalog, GENERATED) };
  const name = file ?? DEFAULT_FILE;
  // Each once: what is asked twice is no first time.
  return { name, texts: [...new Set(readLines(name).map(({ query }) => String(query)))] };
}

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
