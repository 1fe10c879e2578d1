import { propertyKeys } from './property-keys.ts';
import type { Provider } from './provider.ts';
import { COMBINATIONS, plainRoot } from './root.ts';
import { wellFormed } from './well-formed.ts';

/**
 * Anthropic's models on any host: Bedrock and Vertex pass on Anthropic's errors. The rules prevent these errors:
 *
 * - `tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`
 * - `tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`
 * - `tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
 * - `tools.0.custom.input_schema.type: Field required`
 */
export const anthropic: Provider = {
  name: 'anthropic',
  title: 'Anthropic',
  serves: ({ provider, modelId }) => /claude/i.test(modelId) || /(?:^|[./-])anthropic/i.test(provider),
  renames: true,
  rules: [wellFormed, propertyKeys(/^[a-zA-Z0-9_.-]{1,64}$/), plainRoot(COMBINATIONS)],
};
