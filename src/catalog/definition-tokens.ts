import { estimateTokens } from '../util/tokens.ts';
import { inputJsonSchema } from './documents.ts';
import type { CatalogEntry } from './entry.ts';

/** Cache: tokens by tool object. A name may mean another tool in another request. */
const cached = new WeakMap<object, number>();

/**
 * The tokens that a tool's definition takes in a prompt, estimated from its name, description and schema as JSON. A schema
 * that cannot be read takes none.
 */
export function definitionTokens({ name, tool, description }: CatalogEntry): number {
  const counted = cached.get(tool);
  if (counted !== undefined) return counted;
  const tokens = estimateTokens(textOf(name, description, tool));
  cached.set(tool, tokens);
  return tokens;
}

function textOf(name: string, description: string, tool: CatalogEntry['tool']): string {
  try {
    return JSON.stringify({ name, description, parameters: inputJsonSchema(tool) });
  } catch {
    return JSON.stringify({ name, description });
  }
}
