import {
  asRecord,
  type CatalogEntry,
  inputJsonSchema,
  isLazyTool,
  isTool,
  type ListedTool,
  MASTRA_TOOL_MARKER,
  type SearchableTool,
} from '../kit.ts';

/**
 * A tool as the database keeps it: all of it that is no function. `toTool` makes the tool that runs.
 *
 * @example
 * ```ts
 * const urlOf = ({ name, metadata }: StoredTool) => `${metadata?.['url'] ?? 'https://tools.example.com'}/${name}`;
 * ```
 */
export interface StoredTool {
  /** The name that the model calls. */
  readonly name: string;
  /** The `id` of the tool, where it is no name for a model. */
  readonly originalName?: string;
  readonly description: string;
  readonly title?: string;
  /** The MCP server that it comes from, or its group. */
  readonly group?: string;
  /** A JSON schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The annotations of an MCP tool. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** The `metadata` of the tool that was given to `sync`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * A tool to be stored, without anything that runs: as `tools/list` of an MCP server returns it, with what `toTool` needs.
 *
 * @example
 * ```ts
 * const definition: ToolDefinition = {
 *   name: 'send_email',
 *   description: 'Send an email.',
 *   inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
 *   group: 'mail',
 *   metadata: { url: 'https://mail.example.com/send' },
 * };
 * ```
 */
export interface ToolDefinition {
  /** The name that the model calls. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly title?: string | undefined;
  /** A JSON schema. Left out, the tool takes no input. */
  readonly inputSchema?: object | undefined;
  readonly annotations?: object | undefined;
  /** The MCP server that it comes from, or its group. */
  readonly group?: string | undefined;
  /** Other words for the tool. */
  readonly keywords?: readonly string[] | undefined;
  /** What `toTool` is given again. It has to be JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

const NO_INPUT = { type: 'object', properties: {} };

/** An item of a list of tools or definitions, as the catalog reads it. */
export function listedItem(item: unknown): ListedTool {
  let key = '';
  try {
    const fields = asRecord(item) ?? {};
    const { id, name } = fields;
    key = typeof id === 'string' && id !== '' ? id : typeof name === 'string' ? name : '';
    const isWhole = typeof id === 'string' && (isTool(item) || isLazyTool(item));
    const tool = isWhole ? item : asTool(key, fields);
    return { key, tool, isTool: key !== '' };
  } catch (error) {
    return { key, tool: undefined, isTool: false, error };
  }
}

/** A definition in the form of a Mastra tool. */
function asTool(
  key: string,
  { annotations, _meta, group, keywords, metadata, ...fields }: Record<string, unknown>,
): object {
  return {
    [MASTRA_TOOL_MARKER]: true,
    ...fields,
    id: key,
    inputSchema: fields['inputSchema'] ?? fields['parameters'] ?? NO_INPUT,
    mcp: { annotations, _meta: keywords === undefined ? _meta : { ...asRecord(_meta), keywords } },
    ...(typeof group === 'string' ? { mcpMetadata: { serverName: group } } : {}),
    metadata,
  };
}

/** The fields of a tool that are kept. */
interface Kept extends SearchableTool {
  readonly mcp?: unknown;
}

/**
 * The JSON of what the database keeps of a tool, without its name. What cannot be read is left out.
 *
 * @param group - of its document.
 * @param lost - told of a field that is left out.
 */
export function definitionJson(
  entry: CatalogEntry,
  group: string,
  lost: (field: string, error: unknown) => void = () => {},
): string {
  const { name, originalName, description } = entry;
  const tool = entry.tool as Kept;
  const fields: readonly [field: string, read: () => unknown, instead?: object][] = [
    ['originalName', () => (originalName === name ? undefined : originalName)],
    ['description', () => description],
    ['title', () => textOr(tool.title)],
    ['group', () => textOr(group)],
    ['inputSchema', () => asRecord(inputJsonSchema(tool)) ?? NO_INPUT, NO_INPUT],
    ['annotations', () => asRecord(asRecord(tool.mcp)?.['annotations'])],
    ['metadata', () => asRecord(tool.metadata)],
  ];
  const written = fields.flatMap(([field, read, instead]) => {
    let value: string | undefined;
    try {
      value = JSON.stringify(read());
    } catch (error) {
      lost(field, error);
    }
    value ??= JSON.stringify(instead);
    return value === undefined ? [] : [`${JSON.stringify(field)}:${value}`];
  });
  return `{${written.join(',')}}`;
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The tool behind a row. */
export function storedTool(name: string, definition: unknown): StoredTool {
  const fields = asRecord(typeof definition === 'string' ? JSON.parse(definition) : definition) ?? {};
  return { description: '', inputSchema: NO_INPUT, ...fields, name };
}
