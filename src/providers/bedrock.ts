import type { Provider } from './provider.ts';
import { plainRoot } from './root.ts';

/**
 * The Converse API of Amazon Bedrock, for every model. The model's own provider may refuse a schema that this API
 * accepts. The rule prevents this error:
 *
 * - `The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.`
 */
export const bedrock: Provider = {
  name: 'bedrock',
  title: 'Amazon Bedrock',
  // Bedrock does not validate schemas of requests through Anthropic's own API.
  serves: ({ provider }) => /bedrock/i.test(provider) && !/bedrock\.anthropic/i.test(provider),
  rules: [plainRoot([])],
};
