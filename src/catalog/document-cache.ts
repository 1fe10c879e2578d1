import type { ToolDocument } from '../scorers/document.ts';
import { regexFor } from '../util/text.ts';
import { estimateTokens } from '../util/tokens.ts';
import { type DescribedGroup, inputJsonSchema, NO_GROUP, type SearchableTool, toolDocument } from './document.ts';
import type { CatalogEntry, ToolProblems } from './entry.ts';
import type { MastraTool } from './tool.ts';

/** Characters of an original name that become keywords. */
const MAX_NAME = 1_000;

export type GroupOf = (tool: MastraTool) => DescribedGroup;

/**
 * Reads tools as documents. Documents are cached per tool object for the whole process, so that later requests and other
 * processors do not read a tool again.
 */
export class DocumentCache {
  readonly problems: ToolProblems;
  readonly #keywords: ReadonlyMap<string, readonly string[]>;
  readonly #groupOf: GroupOf | undefined;

  constructor(problems: ToolProblems, keywords: ReadonlyMap<string, readonly string[]>, groupOf?: GroupOf) {
    this.problems = problems;
    this.#keywords = keywords;
    this.#groupOf = groupOf;
  }

  read(entry: CatalogEntry): ToolDocument {
    const { name, tool, originalName } = entry;
    if (entry.document?.name === name) return entry.document;
    const own = this.#keywords.size === 0 ? [] : keywordsOf(entry, this.#keywords);
    // The original name is searchable too: the name that the model calls may have lost a part of it.
    const keywords = originalName === undefined ? own : [...piecesOf(originalName), ...own];
    const { document, problem } = readOnce(name, tool, keywords, this.#groupOf?.(tool) ?? NO_GROUP);
    if (problem !== undefined) this.problems.report(name, 'unreadable-schema', problem);
    return document;
  }
}

type ReadTool = ReturnType<typeof toolDocument> & { readonly values: readonly unknown[] | undefined };

const readTools = new WeakMap<object, ReadTool>();

/** The document of a tool, from the cache while the values it was read from are the same. */
function readOnce(name: string, tool: SearchableTool, keywords: readonly string[], group: DescribedGroup): ReadTool {
  const known = readTools.get(tool);
  const values = valuesOf(tool, [name, group.name, group.description, ...keywords]);
  const isSame = values && values.length === known?.values?.length;
  if (isSame && values.every((value, at) => value === known.values?.[at])) return known;
  const read = { ...toolDocument(name, tool, keywords, group), values };
  readTools.set(tool, read);
  return read;
}

/** The values that a document is read from; undefined where reading a field of the tool throws. */
function valuesOf(tool: SearchableTool, given: readonly string[]): readonly unknown[] | undefined {
  try {
    const { description, title, inputSchema, parameters, mcp, mcpMetadata, metadata, _meta } = tool;
    return [description, title, inputSchema, parameters, mcp, mcpMetadata, metadata, _meta, ...given];
  } catch {
    return undefined;
  }
}

/** The user's keywords for a tool, looked up by each of its names. */
export function keywordsOf(
  { name, key, originalName }: Pick<CatalogEntry, 'name' | 'key'> & { readonly originalName?: string | undefined },
  keywords: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return [...new Set([name, key, originalName])].flatMap((spelling) => keywords.get(spelling ?? '') ?? []);
}

/** Pieces of at most 100 characters, cut between words where that can be. */
const PIECES = regexFor(String.raw`.{1,100}(?![\p{L}\p{N}])|.{1,100}`, 'gsu');

function piecesOf(name: string): readonly string[] {
  const start = name.slice(0, MAX_NAME);
  return start.match(PIECES(start)) ?? [];
}

/** Cache: tokens by tool object, not by name, because a name may mean another tool in another request. */
const countedTokens = new WeakMap<object, number>();

/**
 * The tokens that a tool's definition takes in a prompt, estimated from its name, description and schema as JSON. An
 * unreadable schema counts as no tokens.
 */
export function definitionTokens({ name, tool, description }: CatalogEntry): number {
  const tokens = countedTokens.get(tool) ?? tokensOfDefinition(name, description, schemaOf(tool));
  countedTokens.set(tool, tokens);
  return tokens;
}

function schemaOf(tool: CatalogEntry['tool']): unknown {
  try {
    return inputJsonSchema(tool);
  } catch {
    return undefined;
  }
}

/** The tokens of a definition of these parts. Parameters that are no JSON count nothing. */
export function tokensOfDefinition(name: string, description: string, parameters: unknown): number {
  try {
    return estimateTokens(JSON.stringify({ name, description, parameters }));
  } catch {
    return estimateTokens(JSON.stringify({ name, description }));
  }
}
