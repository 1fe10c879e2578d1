import type { CatalogEntry } from '../catalog/entry.ts';
import { MAX_SIGNATURE, parametersOf } from '../catalog/signature.ts';
import { estimateTokens } from '../util/tokens.ts';
import { definitionOf } from './validation.ts';

/** What a model needs to call a tool. */
export type Definition = { readonly parameters: unknown } | { readonly signature: string };

/** How a tool is called: `isWhole` gives its definition whatever the room. */
type Define = (entry: CatalogEntry, isDefined: boolean, isWhole?: boolean) => Definition;

/**
 * Tells how tools are called that are not sent: with the JSON schema of their parameters as long as there is room, the
 * best first; then with a signature.
 *
 * @param model - for which the schemas are.
 * @param tokens - the room for all of them.
 */
export function definer(model: unknown, tokens: number): Define {
  let left = tokens;
  return (entry, isDefined, isWhole = false) => {
    const parameters = isDefined && (isWhole || left > 0) ? definitionOf(entry, model) : undefined;
    const size = parameters === undefined ? Number.POSITIVE_INFINITY : estimateTokens(JSON.stringify(parameters));
    if (parameters === undefined || (size > left && !isWhole))
      return { signature: parametersOf(entry.tool, MAX_SIGNATURE) };
    left -= size;
    return { parameters };
  };
}
