import { itemsOfArrays } from './arrays.ts';
import type { Provider } from './provider.ts';
import { COMBINATIONS, plainRoot } from './root.ts';
import { wellFormed } from './well-formed.ts';

/**
 * OpenAI's models, also on Azure. The rules prevent these errors:
 *
 * - `Invalid schema for function 'x': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`
 * - `Invalid schema for function 'x': In context=('properties', 'tags'), array schema missing items.`
 * - `Invalid schema for function 'x': ['a'] is not of type 'object', 'boolean'.`
 *
 * OpenAI has many more rules for strict schemas, so a mended schema is not sent as strict.
 */
export const openai: Provider = {
  name: 'openai',
  title: 'OpenAI',
  serves: ({ provider, modelId }) => {
    if (/claude|gemini/i.test(modelId)) return false;
    if (/(?:^|[/.])(?:gpt-\d|chatgpt-|codex-|o[134](?:$|-))/i.test(modelId)) return true;
    return /(?:^|[./-])(?:openai|azure)(?!-compatible)/i.test(provider);
  },
  rules: [wellFormed, plainRoot([...COMBINATIONS, 'enum', 'not']), itemsOfArrays],
  isLooseWhenMended: true,
};
