import { messageOf } from '../../../errors.ts';
import type { ToolGroup } from '../../../index.ts';
import { asRecord, given, isRecord } from '../../../util/record.ts';
import { definitionsOf } from '../../definitions.ts';
import { shown, UsageError } from '../terminal.ts';

/** The accepted forms of a JSON catalog, for messages. */
export const FORMS =
  'a list of tools, { "tools": […] } as tools/list of an MCP server returns it, tools by their names, or an mcp.json';

/** A tool of a catalog: what the model reads of it, in the form that Mastra's MCP client gives it. */
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

/** The server of a tool, as an MCP client reports it. */
export interface ServerInfo {
  readonly serverName: string;
  readonly serverInstructions?: string;
}

export interface WrittenDefinitions {
  readonly definitions: readonly WrittenDefinition[];
  /** The indexes of elements that are no tools. */
  readonly refused: readonly string[];
  /** The names of tools that a provider runs itself, such as its web search. */
  readonly provided: readonly string[];
}

/** The `keywords` and `groups` of a JSON catalog, by the names of tools. */
export interface JsonExtras {
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  readonly groups?: Readonly<Record<string, string | { name: string; description?: string }>>;
}

/**
 * Parses a JSON text, or JSON lines as a list. Comments and trailing commas are allowed, as in VS Code's mcp.json.
 *
 * @throws UsageError
 */
export function readJson(text: string, file: string): unknown {
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (plain.trim() === '') throw new UsageError(`${shown(file)} is empty. It must hold ${FORMS}.`);
  let first: unknown;
  for (const read of [JSON.parse, readLines, (source: string) => JSON.parse(withoutComments(source)) as unknown]) {
    try {
      return read(plain);
    } catch (error) {
      first ??= error;
    }
  }
  throw new UsageError(`${shown(file)} is no JSON (${shown(messageOf(first))}). It must hold ${FORMS}.`);
}

function readLines(text: string): unknown {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => JSON.parse(line) as unknown);
}

/** A string, or a comment. */
const COMMENTS = /("(?:\\.|[^"\\])*"?)|\/\/[^\n]*|\/\*.*?(?:\*\/|$)/gs;
/** A string, or a comma before a closing bracket. */
const LAST_COMMAS = /("(?:\\.|[^"\\])*"?)|,(?=\s*[\]}])/gs;

/** Removes comments and trailing commas from JSON. */
export function withoutComments(text: string): string {
  const onlyString = (_: string, string = ''): string => string;
  return text.replace(COMMENTS, onlyString).replace(LAST_COMMAS, onlyString);
}

/** The definitions in a JSON value; undefined if it has none. */
export function definitionsIn(value: unknown): WrittenDefinitions | undefined {
  if (Array.isArray(value)) return readDefinitions(value);
  const fields = asRecord(value);
  if (!fields) return undefined;
  // The value may be the whole response of a server.
  const { tools = asRecord(fields['result'])?.['tools'] } = fields;
  if (Array.isArray(tools)) return readDefinitions(tools);
  const named = Object.entries(asRecord(tools) ?? fields).map(([key, one]) => [key, asRecord(one)] as const);
  const isDefinition = (one: Fields | undefined): boolean =>
    ['description', 'inputSchema', 'input_schema', 'parameters', 'function'].some((field) => one?.[field]);
  if (named.length === 0 || !named.every(([, one]) => isDefinition(one))) return undefined;
  return readDefinitions(named.map(([key, one]) => ({ name: one?.['id'] ?? key, ...one })));
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a list of definitions: of MCP, of Mastra, of Anthropic's, OpenAI's and Google's APIs.
 *
 * @param server - the server of all definitions.
 * @param prefix - a prefix for the names of the tools.
 */
export function readDefinitions(list: readonly unknown[], server?: ServerInfo, prefix = ''): WrittenDefinitions {
  const definitions: WrittenDefinition[] = [];
  const refused: string[] = [];
  const provided: string[] = [];
  for (const [at, value] of definitionsOf(list).entries()) {
    const byProvider = providedName(value);
    const definition = byProvider === undefined ? definitionOf(value, server, prefix) : undefined;
    if (byProvider !== undefined) provided.push(byProvider);
    else if (definition) definitions.push(definition);
    else refused.push(`${at + 1}`);
  }
  return { definitions, refused, provided };
}

/** The name of a tool that a provider runs itself: it has a type of its own, and neither description nor schema. */
function providedName(value: unknown): string | undefined {
  const { type, name, description, ...fields } = asRecord(value) ?? {};
  // The user's own definitions have no other types.
  if (typeof type !== 'string' || type === 'function' || type === 'custom') return undefined;
  if ([description, fields['inputSchema'], fields['parameters']].some((part) => part !== undefined)) return undefined;
  return typeof name === 'string' ? name : type;
}

function definitionOf(value: unknown, server: ServerInfo | undefined, prefix: string): WrittenDefinition | undefined {
  const fields = asRecord(value);
  const name = fields?.['name'] ?? fields?.['id'];
  if (!fields || typeof name !== 'string' || name.trim() === '') return undefined;
  const schema = fields['inputSchema'] ?? fields['parameters'];
  const { description, title } = fields;
  const mcp = asRecord(fields['mcp']);
  const annotations = asRecord(fields['annotations']) ?? asRecord(mcp?.['annotations']);
  const _meta = asRecord(fields['_meta']) ?? asRecord(mcp?.['_meta']);
  return {
    id: `${prefix}${name}`,
    description: typeof description === 'string' ? description : '',
    inputSchema: asRecord(schema) ?? { type: 'object', properties: {} },
    ...given({
      outputSchema: asRecord(fields['outputSchema']),
      title: typeof title === 'string' ? title : undefined,
      mcp: annotations || _meta ? given({ annotations, _meta }) : undefined,
      mcpMetadata: server ?? asRecord(fields['mcpMetadata']),
      metadata: asRecord(fields['metadata']),
    }),
  };
}

/** Writes a definition so that `readDefinitions` can read it: MCP's fields, and the server beside them. */
export function writtenDefinition({ id: name, title, description, mcp = {}, ...fields }: WrittenDefinition): object {
  const { inputSchema, outputSchema, mcpMetadata, metadata } = fields;
  return { name, title, description, inputSchema, outputSchema, ...mcp, mcpMetadata, metadata };
}

/**
 * Reads the `keywords` and `groups` beside the tools of a JSON catalog.
 *
 * @throws UsageError if they have another form.
 */
export function extrasIn(value: unknown, file: string): Pick<JsonExtras, 'keywords'> & { readonly groups?: ToolGroup } {
  const { tools, keywords, groups } = asRecord(value) ?? {};
  if (tools === undefined) return {};
  return {
    ...(keywords === undefined ? {} : { keywords: checkedKeywords(keywords, `"keywords" of ${shown(file)}`) }),
    ...(groups === undefined ? {} : { groups: groupsOf(groups, `"groups" of ${shown(file)}`) }),
  };
}

/** @throws UsageError for anything other than lists of words by tool. */
export function checkedKeywords(value: unknown, what: string): NonNullable<JsonExtras['keywords']> {
  const areWords = (words: unknown): boolean => Array.isArray(words) && words.every((word) => typeof word === 'string');
  if (isRecord(value) && Object.values(value).every(areWords)) return value as Record<string, readonly string[]>;
  throw new UsageError(`${what} must hold lists of words by tool: { "send_email": ["mail", "write"] }.`);
}

function groupsOf(value: unknown, what: string): ToolGroup {
  const isGroup = (group: unknown): boolean => typeof (asRecord(group)?.['name'] ?? group) === 'string';
  if (!isRecord(value) || !Object.values(value).every(isGroup))
    throw new UsageError(`${what} must hold the group of each tool: { "send_email": "mail" }.`);
  const groups = new Map(Object.entries(value));
  return ({ id }) => groups.get(id) as ReturnType<ToolGroup>;
}
