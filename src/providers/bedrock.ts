import type { Provider } from './provider.ts';
import { plainRoot } from './root.ts';

/**
 * The Converse interface of Amazon Bedrock, whatever the model. What it takes, the model's own provider may refuse.
 *
 * - `The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.`
 */
export const bedrock: Provider = {
  name: 'bedrock',
  title: 'Amazon Bedrock',
  // Where Anthropic's own interface is called, Bedrock reads no schema.
  serves: ({ provider }) => /bedrock/i.test(provider) && !/bedrock\.anthropic/i.test(provider),
  rules: [plainRoot([])],
};
