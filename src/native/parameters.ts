import { asRecord, inputJsonSchema } from '../kit.ts';

/** The parameters as the AI SDK completes them in a request. The index reports a schema that cannot be read. */
export function parametersOf(tool: object): unknown {
  try {
    const schema = asRecord(inputJsonSchema(tool)) ?? NO_PARAMETERS;
    const isEmpty = schema['type'] === 'object' && Object.keys(asRecord(schema['properties']) ?? {}).length === 0;
    return isEmpty && schema['additionalProperties'] === undefined
      ? { ...schema, additionalProperties: false }
      : schema;
  } catch {
    return NO_PARAMETERS;
  }
}

const NO_PARAMETERS: Record<string, unknown> = { type: 'object', properties: {}, additionalProperties: false };
