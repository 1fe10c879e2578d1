import { buildCatalog } from '../catalog/build-catalog.ts';
import { DocumentCache } from '../catalog/document-cache.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { Groups, type ToolGroup } from '../catalog/groups.ts';
import { type ListedTool, listedTools } from '../catalog/listed-tools.ts';
import { inputJsonSchema } from '../catalog/read-document.ts';
import { isStub } from '../catalog/stub.ts';
import { isTool, type MastraTool } from '../catalog/tool.ts';
import { ToolProblems } from '../catalog/tool-problems.ts';
import { Reporter } from '../reporter.ts';
import { asRecord, isRecord } from '../util/record.ts';
import { CHUNK, type SlicedWork } from '../util/time-slices.ts';
import { type LintedTool, lintedTool, type RefusedTool } from './linted-catalog.ts';

/** Names that the processor refuses: those of its meta-tools, in load mode. */
const RESERVED = ['search_tools', 'load_tool'];

/** Tools, as they were read. */
export interface ReadTools {
  readonly tools: readonly LintedTool[];
  readonly refused: readonly RefusedTool[];
}

/** Reads tools as the processor does, but goes on where that throws. */
export function* readTools(
  tools: unknown,
  groupOf: ToolGroup,
  keywords: ReadonlyMap<string, readonly string[]>,
): SlicedWork<ReadTools> {
  const listed = Array.isArray(tools) ? listedDefinitions(tools) : listedTools(tools);
  const groups = new Groups(groupOf);
  const serverOf = ({ tool, toolset = '' }: ListedTool): string =>
    (isRecord(tool) && groups.told(tool as unknown as MastraTool).name) || toolset;
  const refused: RefusedTool[] = [];
  const refuse = (name: string, why: RefusedTool['why'], message: string): void => {
    const alike = listed.filter(({ key, tool }) => key === name || idOf(tool) === name);
    refused.push({ name, why, message, servers: alike.map(serverOf) });
  };
  const reporter = new Reporter((event) => {
    if (event.type !== 'tool-problem') return;
    if (event.problem === 'left-out') refuse(event.toolName, 'left-out', event.message);
    if (event.problem === 'unreadable-schema') refuse(event.toolName, 'unreadable', event.message);
  });
  const documentCache = new DocumentCache(new ToolProblems(reporter), keywords, (tool) => groups.told(tool));
  const catalog = buildCatalog(listed, RESERVED, documentCache, ({ code, message }, name) => {
    refuse(name, code === 'duplicate-tool' || code === 'reserved-name' ? code : 'unreadable', message);
  });
  const given = new Map(listed.map((one) => [one.key, one]));
  const documents = yield* catalog.readDocuments();
  const read: LintedTool[] = [];
  for (const entry of catalog.entries) {
    const document = documents[read.length];
    const own = given.get(entry.key);
    if (document && own) read.push(readTool(entry, document, own.tool, serverOf(own)));
    if (read.length % CHUNK === 0) yield;
  }
  return { tools: read, refused };
}

function readTool(
  { name, originalName = name, description, tool }: CatalogEntry,
  document: LintedTool['document'],
  given: unknown,
  server: string,
): LintedTool {
  let schema: unknown;
  let title: unknown;
  try {
    schema = inputJsonSchema(tool);
    // Where a server lists it so; a tool of Mastra has no room for it.
    title = asRecord(asRecord(given)?.['annotations'])?.['title'];
  } catch {
    // The catalog reports it.
  }
  const shown = document.title || (typeof title === 'string' ? title : '');
  return lintedTool({ name, originalName, server, description, title: shown, document, schema });
}

/** A list of definitions. Two of one name stay two, so that the second one can be reported. */
function listedDefinitions(tools: readonly unknown[]): readonly ListedTool[] {
  return tools.map((tool, at) => {
    try {
      const name = asRecord(tool)?.['name'];
      return { key: typeof name === 'string' ? name : `${at}`, tool, isTool: isTool(tool) || isStub(tool) };
    } catch (error) {
      return { key: `${at}`, tool: undefined, isTool: false, error };
    }
  });
}

function idOf(tool: unknown): unknown {
  try {
    return asRecord(tool)?.['id'];
  } catch {
    return undefined;
  }
}
