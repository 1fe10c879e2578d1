import { asRecord } from '../kit.ts';

/**
 * The definitions in an element of a list: itself, as MCP and Anthropic have it; what is inside it, as in the lists of OpenAI's chat
 * completions and of Google's API.
 */
export function innerDefinitions(value: unknown): readonly unknown[] {
  const fields = asRecord(value);
  const functions = fields?.['functionDeclarations'] ?? fields?.['function_declarations'];
  return Array.isArray(functions) ? functions : [asRecord(fields?.['function']) ?? value];
}

/** The definitions in a list, with the schema as MCP calls it; what is no definition of another form stays as it is. */
export function definitionsOf(list: readonly unknown[]): readonly unknown[] {
  return list.flatMap(innerDefinitions).map((value) => {
    const { input_schema: inputSchema, ...fields } = asRecord(value) ?? {};
    return inputSchema === undefined ? value : { ...fields, inputSchema };
  });
}
