import { messageOf } from '../errors.ts';
import { asRecord } from '../util/record.ts';
import type { ToolDocument } from './document.ts';
import { readParameters } from './parameters.ts';
import { type DescribedByServer, searchHints } from './server-hints.ts';

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

/** A group as it was told; its parts are empty where they were not told. */
export interface ToldGroup {
  readonly name: string;
  readonly description: string;
}

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
  group: ToldGroup = { name: '', description: '' },
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
