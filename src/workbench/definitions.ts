import { asRecord } from '../util/record.ts';

/**
 * The definitions in an element of a list: the element itself (MCP, Anthropic), or those inside it (OpenAI's chat completions,
 * Google's API).
 */
export function innerDefinitions(value: unknown): readonly unknown[] {
  const fields = asRecord(value);
  const functions = fields?.['functionDeclarations'] ?? fields?.['function_declarations'];
  return Array.isArray(functions) ? functions : [asRecord(fields?.['function']) ?? value];
}

/** The definitions in a list, with the schema renamed to MCP's `inputSchema`; other elements stay unchanged. */
export function definitionsOf(list: readonly unknown[]): readonly unknown[] {
  return list.flatMap(innerDefinitions).map((value) => {
    const { input_schema: inputSchema, ...fields } = asRecord(value) ?? {};
    return inputSchema === undefined ? value : { ...fields, inputSchema };
  });
}
