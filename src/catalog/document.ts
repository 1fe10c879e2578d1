import { toStandardSchema } from '@mastra/core/schema';
import { messageOf } from '../errors.ts';
import type { ToolDocument, ToolParameter } from '../scorers/document.ts';
import { resolve } from '../util/json-schema.ts';
import { asRecord, asText } from '../util/record.ts';
import { clean } from '../util/text.ts';

/** The fields of a tool that documents are made of. Each may be missing, or have a wrong type. */
export interface SearchableTool {
  readonly description?: unknown;
  readonly title?: unknown;
  readonly inputSchema?: unknown;
  /** The input schema of tools that Mastra has converted, and of older AI SDK tools. */
  readonly parameters?: unknown;
  /** MCP annotations and `_meta`, as Mastra's MCP client stores them. */
  readonly mcp?: unknown;
  /** MCP `_meta`, as the AI SDK's client and the server's own tool list have it. */
  readonly _meta?: unknown;
  readonly mcpMetadata?: unknown;
  readonly metadata?: unknown;
  /** MCP annotations, as the server's own tool list has them. */
  readonly annotations?: unknown;
}

/** A group with its description. Each is empty where `groups` gave none. */
export interface DescribedGroup {
  readonly name: string;
  readonly description: string;
}

export const NO_GROUP: DescribedGroup = { name: '', description: '' };

const MAX_DESCRIPTION = 4_000;
const MAX_TITLE = 200;
const MAX_INSTRUCTIONS = 1_000;
const MAX_KEYWORDS = 50;
const MAX_KEYWORD = 100;
const MAX_HINTS = 5;
const MAX_HINT = 200;

/**
 * The document of a tool. It never throws: each field that cannot be read is left empty, and `problem` holds the first
 * error. The function runs in browsers too.
 *
 * @param inputSchema - returns the JSON schema of the tool's input.
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
    title: attempt(() => text(tool.title, MAX_TITLE) || text(annotationsOf(tool)['title'], MAX_TITLE), ''),
    server: ofServer('serverName', MAX_TITLE) || group.name.trim(),
    keywords: distinct(
      [...keywords, ...attempt(() => ownKeywords(tool), [])]
        .slice(0, MAX_KEYWORDS)
        .map((each) => text(each, MAX_KEYWORD)),
    ),
    ...(hints.length > 0 ? { hints } : {}),
    ...(instructions === '' ? {} : { instructions }),
    parameters,
  };
  return problem === undefined ? { document } : { document, problem };
}

/** The annotations of an MCP tool; empty for any other. */
export function annotationsOf(tool: SearchableTool): Readonly<Record<string, unknown>> {
  return asRecord(asRecord(tool.mcp)?.['annotations']) ?? asRecord(tool.annotations) ?? {};
}

/** The tool author's keywords: `keywords`, or with a prefix, as MCP demands: `example.com/keywords`. */
function ownKeywords(tool: SearchableTool): string[] {
  return [asRecord(asRecord(tool.mcp)?.['_meta']), asRecord(tool._meta), asRecord(tool.metadata)].flatMap((record) =>
    Object.entries(record ?? {}).flatMap(([key, value]) => {
      if (key !== 'keywords' && !key.endsWith('/keywords')) return [];
      const list = typeof value === 'string' ? value.split(',') : value;
      return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
    }),
  );
}

/** Search hints of the MCP server: `_meta["anthropic/searchHint"]`, a string or a list of strings. */
function searchHints(tool: SearchableTool): readonly string[] {
  const hints = providedByServer(tool, 'anthropic/searchHint')
    .filter((hint) => typeof hint === 'string')
    .filter((hint) => hint.trim() !== '')
    .slice(0, MAX_HINTS);
  return distinct(hints.map((hint) => clean(hint.slice(0, 10 * MAX_HINT).replace(/<[^<>]*>/g, ' '), MAX_HINT)));
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((each) => each !== '');
}

function text(value: unknown, maxLength: number): string {
  return asText(value, maxLength).trim();
}

/** The document of a tool, made with the tool's own input schema. */
export function toolDocument(
  name: string,
  tool: SearchableTool,
  keywords?: readonly string[],
  group?: DescribedGroup,
): { document: ToolDocument; problem?: string } {
  return documentOf(name, tool, () => inputJsonSchema(tool), keywords, group);
}

/** The input schema of a lazy tool that does not list its parameters. */
export const UNKNOWN_INPUT: object = { type: 'object', properties: {}, required: [] };

/** The JSON schema of a tool's input, whatever the form of the tool's schema. Throws what reading that throws. */
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
  // Mastra's wrapper around a JSON schema. Its Standard Schema interface would copy the schema at each access.
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

const MAX_SCHEMA_DEPTH = 8;
const MAX_PARAMETERS = 200;
const MAX_VALUES = 50;
const MAX_PARAMETER_DESCRIPTION = 1_000;
const MAX_PARAMETER_NAME = 128;
/** Nodes read of a schema: getters that return new objects would otherwise never end. */
const MAX_NODES = 10_000;

/** Keywords of JSON schema whose schemas describe the same value. */
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;
/** Keywords of JSON schema that may hold further parameters. */
const INNER = [...ALTERNATIVES, 'items', 'prefixItems', 'additionalProperties'] as const;

/**
 * The parameters of a JSON schema, outer ones first, each name and description once. Cycles and what lies deeper than
 * eight levels are left out.
 */
export function readParameters(schema: unknown): readonly ToolParameter[] {
  const found = new Map<string, ToolParameter>();
  const seen = new Set<object>();
  let level: readonly unknown[] = [schema];
  // Level by level, so that the bound cuts the deepest ones.
  for (let depth = 0; level.length > 0 && depth <= MAX_SCHEMA_DEPTH; depth++) {
    const next: unknown[] = [];
    for (const node of level) {
      const fields = resolve(node, schema);
      if (!fields || seen.has(fields)) continue;
      if (seen.size >= MAX_NODES) return [...found.values()];
      seen.add(fields);
      for (const [name, property] of ownEntries(fields['properties'])) {
        if (found.size >= MAX_PARAMETERS) return [...found.values()];
        const parameter = toParameter(name, property, schema);
        const key = `${parameter.name}\n${parameter.description}`;
        const known = found.get(key);
        found.set(key, known ? withValues(known, parameter.values) : parameter);
        if (hasInner(property)) next.push(property);
      }
      for (const place of INNER) {
        const inner = fields[place];
        if (Array.isArray(inner)) next.push(...inner.slice(0, MAX_PARAMETERS));
        else if (inner !== undefined) next.push(inner);
      }
    }
    level = next;
  }
  return [...found.values()];
}

function hasInner(node: unknown): boolean {
  const fields = asRecord(node);
  return fields !== undefined && ['$ref', 'properties', ...INNER].some((place) => fields[place] !== undefined);
}

/** Adds values to a parameter: each branch of a union may list others. */
function withValues(parameter: ToolParameter, values: readonly string[]): ToolParameter {
  return { ...parameter, values: [...new Set([...parameter.values, ...values])].slice(0, MAX_VALUES) };
}

function toParameter(name: string, property: unknown, root: unknown): ToolParameter {
  const fields = resolve(property, root) ?? {};
  // A description beside a $ref overrides the referenced one.
  const own = asRecord(property)?.['description'];
  const description = typeof own === 'string' ? own : fields['description'];
  return {
    name: name.slice(0, MAX_PARAMETER_NAME),
    description: asText(description, MAX_PARAMETER_DESCRIPTION),
    values: valuesOf(fields, root),
  };
}

/** The strings of `enum` and `const`: of the value itself, of its items and of its alternatives. */
function valuesOf(fields: Record<string, unknown>, root: unknown): readonly string[] {
  const values: string[] = [];
  const candidates = [fields, resolve(fields['items'], root)];
  for (const place of ALTERNATIVES) {
    const inner = fields[place];
    if (Array.isArray(inner)) candidates.push(...inner.slice(0, MAX_VALUES).map((node) => resolve(node, root)));
  }
  for (const candidate of candidates) {
    const { enum: listed, const: constant } = candidate ?? {};
    for (const value of [...(Array.isArray(listed) ? listed.slice(0, MAX_VALUES) : []), constant]) {
      if (typeof value === 'string' && values.length < MAX_VALUES) values.push(value.slice(0, MAX_PARAMETER_NAME));
    }
  }
  return values;
}

/** The first own properties of an object; empty for any other value. */
export function ownEntries(value: unknown): [string, unknown][] {
  const record = asRecord(value);
  if (!record) return [];
  const entries: [string, unknown][] = [];
  // Object.entries would read all of 100,000 properties; this loop stops early.
  for (const key in record) {
    if (entries.length >= MAX_PARAMETERS) break;
    if (Object.hasOwn(record, key)) entries.push([key, record[key]]);
  }
  return entries;
}

/** The values of an MCP tool's `_meta` under one key. */
export function providedByServer(tool: Pick<SearchableTool, 'mcp' | '_meta'>, key: string): readonly unknown[] {
  return [asRecord(tool.mcp)?.['_meta'], tool._meta].flatMap((meta) => asRecord(meta)?.[key] ?? []);
}
