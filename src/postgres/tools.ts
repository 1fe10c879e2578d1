/**
 * Prepares tools for the database: reads them in batches, as a catalog in memory does, and serialises them as JSON.
 *
 * @module
 */

import { invalidOption } from '../errors.ts';
import {
  type Catalog,
  type CatalogEntry,
  inputJsonSchema,
  isSearchable,
  type ListedTool,
  listedTools,
  MASTRA_TOOL_MARKER,
  type Reporter,
  readCatalog,
  repairName,
  type SearchableTool,
  type ToolDocument,
} from '../kit.ts';
import { asRecord } from '../util/record.ts';
import { nextTurn } from '../util/time-slices.ts';

/**
 * A tool as the database stores it, without functions. `toTool` creates the executable tool.
 *
 * @example
 * ```ts
 * const urlOf = ({ name, metadata }: StoredTool) => `${metadata?.['url'] ?? 'https://tools.example.com'}/${name}`;
 * ```
 */
export interface StoredTool {
  /** The name that the model calls. */
  readonly name: string;
  /** The `id` of the tool, if it is not valid as a name for a model. */
  readonly originalName?: string;
  readonly description: string;
  readonly title?: string;
  /** The MCP server of the tool, or its group. */
  readonly group?: string;
  /** A JSON schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The annotations of an MCP tool. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** The `metadata` of the tool that was given to `sync`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * A tool to store, without functions: as `tools/list` of an MCP server returns it, with the data that `toTool` needs.
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
  /** A JSON schema. Without it, the tool takes no input. */
  readonly inputSchema?: object | undefined;
  readonly annotations?: object | undefined;
  /** The MCP server of the tool, or its group. */
  readonly group?: string | undefined;
  /** Additional keywords for searches. */
  readonly keywords?: readonly string[] | undefined;
  /** JSON that is passed on to `toTool`. */
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
    const isWhole = typeof id === 'string' && isSearchable(item);
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

/** The fields of a tool that are stored. */
interface Kept extends SearchableTool {
  readonly mcp?: unknown;
}

/**
 * Serialises a tool for the database, without its name. Unreadable fields are left out.
 *
 * @param group - the server in the tool's document.
 * @param lost - called with each unreadable field.
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

/** Parses the columns of a row into a tool. */
export function storedTool(name: string, definition: unknown): StoredTool {
  const fields = asRecord(typeof definition === 'string' ? JSON.parse(definition) : definition) ?? {};
  return { description: '', inputSchema: NO_INPUT, ...fields, name };
}

/** A tool that was read. */
export interface ReadTool {
  readonly entry: CatalogEntry;
  readonly document: ToolDocument;
}

/** How {@link readBatches} reads. */
export interface ReadingOfTools {
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  /** Receives the problems of tools. */
  readonly reporter: Reporter;
  readonly batchSize: number;
  /** Reserves the names of a batch, and returns those that no earlier tool has reserved. */
  readonly claim: (names: readonly string[]) => Promise<ReadonlySet<string>>;
}

const NAMELESS = 'It has no name. Each tool of a list is an object with a "name", or a tool with an "id".';

/**
 * Reads the tools that `sync` is given: a record or a list as a whole, so that all names are known before one is repaired; an
 * iterable in batches, of which only one is held.
 */
export function readBatches(tools: unknown, reading: ReadingOfTools): AsyncIterable<readonly ReadTool[]> {
  if (Array.isArray(tools)) return readWhole(tools.map(listedItem), reading);
  if (isIterable(tools)) return readOn(tools, reading);
  return readWhole(listedTools(tools), reading);
}

/** @throws ToolSearchError `invalid-option` for a map, whose items are pairs. */
function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  const isOne =
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
  if (isOne && value instanceof Map) throw invalidOption('tools', value, 'a record, a list or an iterable of tools');
  return isOne;
}

async function* readWhole(tools: readonly ListedTool[], reading: ReadingOfTools): AsyncIterable<readonly ReadTool[]> {
  const { batchSize, claim } = reading;
  const catalog = catalogOf(tools, reading);
  const entries = [...catalog.entries];
  const documents: ToolDocument[] = [];
  for (const entry of entries) {
    if (documents.push(catalog.readDocument(entry)) % batchSize === 0) await nextTurn();
  }
  for (let start = 0; start < entries.length; start += batchSize) {
    const batch = entries.slice(start, start + batchSize);
    await claim(batch.map(({ name }) => name));
    yield batch.map((entry, at) => ({ entry, document: documents[start + at] as ToolDocument }));
  }
}

async function* readOn(
  tools: AsyncIterable<unknown> | Iterable<unknown>,
  reading: ReadingOfTools,
): AsyncIterable<readonly ReadTool[]> {
  const readBatch = async (items: readonly unknown[]): Promise<readonly ReadTool[]> => {
    const catalog = catalogOf(items.map(listedItem), reading);
    const entries = await named([...catalog.entries], reading);
    return entries.map((entry) => ({ entry, document: catalog.readDocument(entry) }));
  };
  let items: unknown[] = [];
  for await (const item of tools) {
    if (items.push(item) < reading.batchSize) continue;
    const batch = items;
    items = [];
    yield readBatch(batch);
  }
  if (items.length > 0) yield readBatch(items);
}

function catalogOf(tools: readonly ListedTool[], { keywords, reporter }: ReadingOfTools): Catalog {
  return readCatalog(tools, {
    ...{ keywords, reporter },
    onRefused: ({ message }, name) => leaveOut(reporter, name, name === '' ? NAMELESS : message),
  });
}

function leaveOut(reporter: Reporter, toolName: string, reason: string): void {
  const message = `Tool ${JSON.stringify(toolName)} is left out: ${reason}`;
  reporter.report({ type: 'tool-problem', toolName, problem: 'left-out', message });
}

/** The entries whose names are new in this sync. If a repaired name is taken, the name is repaired in another way. */
async function named(
  entries: readonly CatalogEntry[],
  { reporter, claim }: ReadingOfTools,
): Promise<readonly CatalogEntry[]> {
  const free = await claim(entries.map(({ name }) => name));
  const renamed = entries.map((entry) =>
    free.has(entry.name) || entry.originalName === undefined
      ? entry
      : { ...entry, name: repairName(entry.originalName, () => true) },
  );
  const repaired = renamed.filter((entry, at) => entry !== entries[at]).map(({ name }) => name);
  const alsoFree = repaired.length > 0 ? await claim(repaired) : free;
  return renamed.filter((entry, at) => {
    const { name } = entry;
    if (entry === entries[at] ? free.has(name) : alsoFree.has(name)) return true;
    leaveOut(reporter, name, `Another tool is called "${name}" as well. Give one of them another name.`);
    return false;
  });
}
