import type { CatalogEntry } from './entry.ts';
import { inputJsonSchema } from './read-document.ts';

/** By tool object, which a name may stand for in one request only. */
const known = new WeakMap<object, number>();

/**
 * What a tool's definition costs in a prompt: a quarter of the characters of its name, description and schema as JSON.
 * A schema that cannot be read costs nothing.
 */
export function definitionTokens({ name, tool, description }: CatalogEntry): number {
  const counted = known.get(tool);
  if (counted !== undefined) return counted;
  const tokens = Math.ceil(textOf(name, description, tool).length / 4);
  known.set(tool, tokens);
  return tokens;
}

function textOf(name: string, description: string, tool: CatalogEntry['tool']): string {
  try {
    return JSON.stringify({ name, description, parameters: inputJsonSchema(tool) });
  } catch {
    return JSON.stringify({ name, description });
  }
}
