import { toStandardSchema } from '@mastra/core/schema';
import { messageOf } from '../errors.ts';
import { regexFor } from '../util/lazy-regex.ts';
import { asRecord } from '../util/record.ts';
import type { ToolDocument } from './document.ts';
import type { CatalogEntry } from './entry.ts';
import { readParameters } from './parameters.ts';
import { type DescribedByServer, searchHints } from './server-hints.ts';
import type { MastraTool } from './tool.ts';
import type { ToolProblems } from './tool-problems.ts';

/** Characters of a refused name that become keywords. */
const MAX_NAME = 1_000;

/** Tells the group of a tool. */
export type GroupOf = (tool: MastraTool) => DescribedGroup;

/**
 * Reads tools as documents, each once in a process: a tool that comes again, with the next request or with another
 * processor, is not read again.
 */
export class DocumentCache {
  readonly problems: ToolProblems;
  readonly #keywords: ReadonlyMap<string, readonly string[]>;
  readonly #groupOf: GroupOf | undefined;
  /** Documents that were read elsewhere. */
  #kept: WeakMap<object, ToolDocument> | undefined;

  /** @param keywords - the user's words for tools, by any name of the tool. */
  constructor(problems: ToolProblems, keywords: ReadonlyMap<string, readonly string[]>, groupOf?: GroupOf) {
    this.problems = problems;
    this.#keywords = keywords;
    this.#groupOf = groupOf;
  }

  /** Keeps the document of a tool that was read elsewhere. */
  keep(tool: object, document: ToolDocument): void {
    this.#kept ??= new WeakMap();
    this.#kept.set(tool, document);
  }

  read({ name, tool, originalName, key }: CatalogEntry): ToolDocument {
    const kept = this.#kept?.get(tool);
    if (kept?.name === name) return kept;
    const own = this.#keywords.size === 0 ? NONE : keywordsOf({ name, key, originalName }, this.#keywords);
    // A tool is found by all of its original name, also where the name that the model calls has lost a part of it.
    const keywords = originalName === undefined ? own : [...piecesOf(originalName), ...own];
    const { document, problem } = readOnce(name, tool, keywords, this.#groupOf?.(tool) ?? NO_GROUP);
    if (problem !== undefined) this.problems.report(name, 'unreadable-schema', problem);
    return document;
  }
}

const NONE: readonly never[] = [];

/** A tool as it was read, with the fields that it was read from. */
interface ReadTool {
  readonly document: ToolDocument;
  readonly problem?: string;
  readonly fields: SearchableTool;
  readonly keywords: readonly string[];
  readonly group: DescribedGroup;
}

const readTools = new WeakMap<object, ReadTool>();

/** The document of a tool; that of before, where none of the fields has another value. */
function readOnce(name: string, tool: SearchableTool, keywords: readonly string[], group: DescribedGroup): ReadTool {
  const known = readTools.get(tool);
  if (known && isAsRead(known, name, tool, keywords, group)) return known;
  const read = { ...toolDocument(name, tool, keywords, group), fields: fieldsOf(tool), keywords, group };
  readTools.set(tool, read);
  return read;
}

/** The fields that a document is read from; none of a tool that cannot be looked at. */
function fieldsOf(tool: SearchableTool): SearchableTool {
  try {
    const { description, title, inputSchema, parameters, mcp, mcpMetadata, metadata, _meta } = tool;
    return { description, title, inputSchema, parameters, mcp, mcpMetadata, metadata, _meta };
  } catch {
    return {};
  }
}

function isAsRead(
  { document, fields, keywords: before, group: groupBefore }: ReadTool,
  name: string,
  tool: SearchableTool,
  keywords: readonly string[],
  group: DescribedGroup,
): boolean {
  try {
    return (
      document.name === name &&
      tool.description === fields.description &&
      tool.title === fields.title &&
      tool.inputSchema === fields.inputSchema &&
      tool.parameters === fields.parameters &&
      tool.mcp === fields.mcp &&
      tool.mcpMetadata === fields.mcpMetadata &&
      tool.metadata === fields.metadata &&
      tool._meta === fields._meta &&
      group.name === groupBefore.name &&
      group.description === groupBefore.description &&
      keywords.length === before.length &&
      keywords.every((keyword, at) => keyword === before[at])
    );
  } catch {
    return false;
  }
}

/** The user's words for a tool, by any of its names. */
export function keywordsOf(
  { name, key, originalName }: Pick<CatalogEntry, 'name' | 'key'> & { readonly originalName?: string | undefined },
  keywords: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return [...new Set([name, key, originalName])].flatMap((spelling) => keywords.get(spelling ?? '') ?? []);
}

/** Pieces of at most 100 characters, cut between words where that can be. */
const PIECES = regexFor(String.raw`.{1,100}(?![\p{L}\p{N}])|.{1,100}`, 'gsu');

/** A name as keywords. */
function piecesOf(name = ''): readonly string[] {
  const start = name.slice(0, MAX_NAME);
  return start.match(PIECES(start)) ?? [];
}

/** The fields of a tool that are read. Each may be missing, or of another type. */
export interface SearchableTool extends DescribedByServer {
  readonly description?: unknown;
  readonly title?: unknown;
  readonly inputSchema?: unknown;
  /** The schema of a tool that Mastra has converted, and of older AI SDK tools. */
  readonly parameters?: unknown;
  readonly mcpMetadata?: unknown;
  readonly metadata?: unknown;
}

/** A group with its description. Each is empty where `groups` gave none. */
export interface DescribedGroup {
  readonly name: string;
  readonly description: string;
}

const NO_GROUP: DescribedGroup = { name: '', description: '' };

const MAX_DESCRIPTION = 4_000;
const MAX_TITLE = 200;
const MAX_INSTRUCTIONS = 1_000;
const MAX_KEYWORDS = 50;
const MAX_KEYWORD = 100;

/**
 * The document of a tool. A schema that is broken costs the tool its parameters, or those in the broken part, and
 * `problem` says so; nothing a tool contains makes this throw. It runs in browsers too.
 *
 * @param inputSchema - gives the JSON schema of its input.
 */
export function documentOf(
  name: string,
  tool: SearchableTool,
  inputSchema: () => unknown,
  keywords: readonly string[] = [],
  group: DescribedGroup = NO_GROUP,
): { document: ToolDocument; problem?: string } {
  let problem: string | undefined;
  const attempt = <Value>(read: () => Value, otherwise: Value): Value => {
    try {
      return read();
    } catch (error) {
      problem ??= messageOf(error);
      return otherwise;
    }
  };
  const parameters = attempt(() => readParameters(inputSchema()), []);
  const hints = attempt(() => searchHints(tool), []);
  const ofServer = (key: string, maxLength: number): string =>
    attempt(() => text(asRecord(tool.mcpMetadata)?.[key], maxLength), '');
  const instructions = text(
    `${group.description}\n${ofServer('serverInstructions', MAX_INSTRUCTIONS)}`,
    MAX_INSTRUCTIONS,
  );
  const document: ToolDocument = {
    name,
    description: attempt(() => text(tool.description, MAX_DESCRIPTION), ''),
    title: attempt(
      () => text(tool.title, MAX_TITLE) || text(asRecord(asRecord(tool.mcp)?.['annotations'])?.['title'], MAX_TITLE),
      '',
    ),
    server: ofServer('serverName', MAX_TITLE) || group.name,
    keywords: bounded([...keywords, ...attempt(() => ownKeywords(tool), [])]),
    ...(hints.length > 0 ? { hints } : {}),
    ...(instructions === '' ? {} : { instructions }),
    parameters,
  };
  return problem === undefined ? { document } : { document, problem };
}

/** The keywords that the author of a tool or of its MCP server gives it: `keywords`, or as MCP wants `example.com/keywords`. */
function ownKeywords(tool: SearchableTool): string[] {
  return [asRecord(asRecord(tool.mcp)?.['_meta']), asRecord(tool.metadata)].flatMap((record) =>
    Object.entries(record ?? {}).flatMap(([key, value]) => {
      if (key !== 'keywords' && !key.endsWith('/keywords')) return [];
      const list = typeof value === 'string' ? value.split(',') : value;
      return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
    }),
  );
}

function bounded(keywords: readonly string[]): readonly string[] {
  const texts = keywords.slice(0, MAX_KEYWORDS).map((keyword) => text(keyword, MAX_KEYWORD));
  return [...new Set(texts.filter((keyword) => keyword !== ''))];
}

function text(value: unknown, maxLength: number): string {
  return typeof value === 'string' ? value.slice(0, maxLength).trim() : '';
}

/** The document of a tool, whatever describes its input. */
export function toolDocument(
  name: string,
  tool: SearchableTool,
  keywords?: readonly string[],
  group?: DescribedGroup,
): { document: ToolDocument; problem?: string } {
  return documentOf(name, tool, () => inputJsonSchema(tool), keywords, group);
}

/** The JSON schema of a tool's input, from whatever describes it. Throws what reading that throws. */
export function inputJsonSchema(tool: SearchableTool): unknown {
  return jsonSchemaOf(tool.inputSchema ?? tool.parameters);
}

/**
 * The JSON schema behind whatever describes a tool's input: a Standard Schema (zod 4, and everything that went through
 * Mastra's createTool), zod 3, an AI SDK schema, a JSON schema, or a function that returns one of them.
 */
function jsonSchemaOf(source: unknown): unknown {
  const schema = typeof source === 'function' && !('~standard' in source) ? (source as () => unknown)() : source;
  const fields = typeof schema === 'function' ? (schema as unknown as Record<string, unknown>) : asRecord(schema);
  if (!fields) return undefined;
  const standard = asRecord(fields['~standard']);
  // Mastra's wrapper around a JSON schema, of which its Standard Schema side makes a copy at each look.
  if (standard && typeof fields['getSchema'] === 'function') {
    return jsonSchemaOf((schema as { getSchema(): unknown }).getSchema());
  }
  if (standard)
    return standardJson(standard) ?? standardJson(asRecord(asRecord(toStandardSchema(fields as never))?.['~standard']));
  if ('jsonSchema' in fields) return fields['jsonSchema'];
  return '_def' in fields ? jsonSchemaOf(toStandardSchema(fields as never)) : fields;
}

function standardJson(standard: Record<string, unknown> | undefined): unknown {
  const input = asRecord(standard?.['jsonSchema'])?.['input'];
  // What JSON cannot say (dates, transforms) becomes "anything" instead of an error.
  const options = { target: 'draft-07', libraryOptions: { unrepresentable: 'any' } };
  return typeof input === 'function' ? (input as (options: object) => unknown)(options) : undefined;
}
