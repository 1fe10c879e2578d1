import type { ToolGroup } from '../../../index.ts';
import { asRecord, isRecord } from '../../../kit.ts';
import { shown, UsageError } from '../terminal.ts';
import { readDefinitions, type WrittenDefinitions } from './definition.ts';

/** What a JSON catalog may be. */
export const FORMS =
  'a list of tools, { "tools": […] } as tools/list of an MCP server returns it, tools by their names, or an mcp.json';

/** What a JSON catalog says besides its tools, by their names: the words and the groups that a module may tell. */
export interface JsonExtras {
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  readonly groups?: Readonly<Record<string, string | { name: string; description?: string }>>;
}

/**
 * The value of a JSON text, or of JSON lines as a list. Comments and commas too many are allowed, as in VS Code's
 * mcp.json.
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
  const why = first instanceof Error ? shown(first.message) : '';
  throw new UsageError(`${shown(file)} is no JSON (${why}). It must hold ${FORMS}.`);
}

function readLines(text: string): unknown {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => JSON.parse(line) as unknown);
}

/** JSON without comments, and without the commas before a closing bracket. */
export function withoutComments(text: string): string {
  let json = '';
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = endOfString(text, at);
      json += text.slice(at, end + 1);
      at = end;
    } else if (character === '/' && text.charAt(at + 1) === '/') {
      const end = text.indexOf('\n', at);
      at = (end === -1 ? text.length : end) - 1;
    } else if (character === '/' && text.charAt(at + 1) === '*') {
      const end = text.indexOf('*/', at + 2);
      at = end === -1 ? text.length : end + 1;
    } else if (character === ']' || character === '}') {
      const before = json.trimEnd();
      json = `${before.endsWith(',') ? before.slice(0, -1) : json}${character}`;
    } else {
      json += character;
    }
  }
  return json;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++;
    else if (text.charAt(at) === '"') return at;
  }
  return text.length;
}

/** The definitions in a JSON value; undefined where it has none. */
export function definitionsIn(value: unknown): WrittenDefinitions | undefined {
  if (Array.isArray(value)) return readDefinitions(value);
  const fields = asRecord(value);
  if (!fields) return undefined;
  // The whole response of a server.
  const { tools = asRecord(fields['result'])?.['tools'] } = fields;
  if (Array.isArray(tools)) return readDefinitions(tools);
  const named = Object.entries(asRecord(tools) ?? fields).map(([key, one]) => [key, asRecord(one)] as const);
  if (named.length === 0 || !named.every(([, one]) => isDefinition(one))) return undefined;
  return readDefinitions(named.map(([key, one]) => ({ name: one?.['id'] ?? key, ...one })));
}

/** Whether a member of a record is a definition. */
function isDefinition(value: Readonly<Record<string, unknown>> | undefined): boolean {
  return ['description', 'inputSchema', 'input_schema', 'parameters', 'function'].some((field) => value?.[field]);
}

/**
 * The `keywords` and `groups` beside the tools of a JSON catalog, as a module has them.
 *
 * @throws UsageError where they are something else.
 */
export function extrasIn(
  value: unknown,
  file: string,
): { readonly keywords?: Readonly<Record<string, readonly string[]>>; readonly groups?: ToolGroup } {
  const { tools, keywords, groups } = asRecord(value) ?? {};
  if (tools === undefined) return {};
  return {
    ...(keywords === undefined ? {} : { keywords: checkedKeywords(keywords, `"keywords" of ${shown(file)}`) }),
    ...(groups === undefined ? {} : { groups: groupsOf(groups, `"groups" of ${shown(file)}`) }),
  };
}

/** @throws UsageError for anything but lists of words by tool. */
export function checkedKeywords(value: unknown, what: string): Readonly<Record<string, readonly string[]>> {
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
