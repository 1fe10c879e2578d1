import { asRecord } from '../../../kit.ts';

/** A tool as a catalog has it: what the model reads of it, in the form in which Mastra's MCP client gives it. */
export interface WrittenDefinition {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
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
export interface WrittenDefinitions {
  readonly definitions: readonly WrittenDefinition[];
  readonly refused: readonly string[];
  /** The names of tools that a provider runs itself, as its web search. */
  readonly provided: readonly string[];
}

/**
 * Reads a list of definitions: of MCP, of Mastra, of Anthropic's, OpenAI's and Google's APIs.
 *
 * @param server - the server that all of them are of.
 * @param prefix - stands before their names.
 */
export function readDefinitions(list: readonly unknown[], server?: ServerInfo, prefix = ''): WrittenDefinitions {
  const definitions: WrittenDefinition[] = [];
  const refused: string[] = [];
  const provided: string[] = [];
  for (const [at, value] of list.flatMap(declarationsIn).entries()) {
    const byProvider = providedName(value);
    const definition = byProvider === undefined ? definitionOf(value, server, prefix) : undefined;
    if (byProvider !== undefined) provided.push(byProvider);
    else if (definition) definitions.push(definition);
    else refused.push(`${at + 1}`);
  }
  return { definitions, refused, provided };
}

/** Google lists functions inside a tool. */
function declarationsIn(value: unknown): readonly unknown[] {
  const fields = asRecord(value);
  const inner = fields?.['functionDeclarations'] ?? fields?.['function_declarations'];
  return Array.isArray(inner) ? inner : [value];
}

/** Types of definitions that are the user's own. */
const OWN_TYPES: readonly unknown[] = ['function', 'custom', undefined];

/** The name of a tool that a provider runs itself: a type that says what it is, and neither description nor schema. */
function providedName(value: unknown): string | undefined {
  const { type, name, description, ...fields } = asRecord(value) ?? {};
  if (OWN_TYPES.includes(type) || typeof type !== 'string') return undefined;
  const says = [description, fields['inputSchema'], fields['input_schema'], fields['parameters'], fields['function']];
  if (says.some((part) => part !== undefined)) return undefined;
  return typeof name === 'string' ? name : type;
}

function definitionOf(value: unknown, server: ServerInfo | undefined, prefix: string): WrittenDefinition | undefined {
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
  const outputSchema = asRecord(fields['outputSchema']);
  return {
    id: `${prefix}${name}`,
    description: typeof description === 'string' ? description : '',
    inputSchema: asRecord(schema) ?? { type: 'object', properties: {} },
    ...(outputSchema ? { outputSchema } : {}),
    ...(typeof title === 'string' ? { title } : {}),
    ...(annotations || meta
      ? { mcp: { ...(annotations ? { annotations } : {}), ...(meta ? { _meta: meta } : {}) } }
      : {}),
    ...(mcpMetadata ? { mcpMetadata } : {}),
    ...(metadata ? { metadata } : {}),
  };
}

/** A definition as `readDefinitions` reads it again: with the fields of MCP, and the server beside them. */
export function writtenDefinition({ id: name, title, description, mcp = {}, ...fields }: WrittenDefinition): object {
  const { inputSchema, outputSchema, mcpMetadata, metadata } = fields;
  return { name, title, description, inputSchema, outputSchema, ...mcp, mcpMetadata, metadata };
}
