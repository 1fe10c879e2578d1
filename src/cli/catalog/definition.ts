import { asRecord } from '../../util/record.ts';

/** A tool as a catalog has it: what the model reads of it, in the form in which Mastra's MCP client gives it. */
export interface Definition {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly title?: string;
  readonly mcp?: { readonly annotations?: object; readonly _meta?: object };
  readonly mcpMetadata?: object;
  readonly metadata?: object;
}

/** The server of a tool, as its client knows it. */
export interface ServerInfo {
  readonly serverName: string;
  readonly serverInstructions?: string;
}

/** Definitions, and the places of what is none. */
export interface Definitions {
  readonly definitions: readonly Definition[];
  readonly refused: readonly string[];
}

/**
 * Reads a list of definitions: of MCP, of Mastra, of Anthropic's, OpenAI's and Google's APIs.
 *
 * @param server - the server that all of them are of.
 * @param prefix - stands before their names.
 */
export function readDefinitions(list: readonly unknown[], server?: ServerInfo, prefix = ''): Definitions {
  const definitions: Definition[] = [];
  const refused: string[] = [];
  for (const [at, value] of list.flatMap(declarationsIn).entries()) {
    const definition = definitionOf(value, server, prefix);
    if (definition) definitions.push(definition);
    else refused.push(`${at + 1}`);
  }
  return { definitions, refused };
}

/** Google lists functions inside a tool. */
function declarationsIn(value: unknown): readonly unknown[] {
  const fields = asRecord(value);
  const inner = fields?.['functionDeclarations'] ?? fields?.['function_declarations'];
  return Array.isArray(inner) ? inner : [value];
}

function definitionOf(value: unknown, server: ServerInfo | undefined, prefix: string): Definition | undefined {
  const outer = asRecord(value);
  // OpenAI's chat completions have the function inside.
  const fields = asRecord(outer?.['function']) ?? outer;
  const name = fields?.['name'] ?? fields?.['id'];
  if (!fields || typeof name !== 'string' || name.trim() === '') return undefined;
  const schema = fields['inputSchema'] ?? fields['input_schema'] ?? fields['parameters'];
  const { description, title } = fields;
  const mcp = asRecord(fields['mcp']);
  const annotations = asRecord(fields['annotations']) ?? asRecord(mcp?.['annotations']);
  const meta = asRecord(fields['_meta']) ?? asRecord(mcp?.['_meta']);
  const mcpMetadata = server ?? asRecord(fields['mcpMetadata']);
  const metadata = asRecord(fields['metadata']);
  return {
    id: `${prefix}${name}`,
    description: typeof description === 'string' ? description : '',
    inputSchema: asRecord(schema) ?? { type: 'object', properties: {} },
    ...(typeof title === 'string' ? { title } : {}),
    ...(annotations || meta
      ? { mcp: { ...(annotations ? { annotations } : {}), ...(meta ? { _meta: meta } : {}) } }
      : {}),
    ...(mcpMetadata ? { mcpMetadata } : {}),
    ...(metadata ? { metadata } : {}),
  };
}
