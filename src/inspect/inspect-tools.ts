import { messageOf } from '../errors.ts';
import { type Catalog, type CatalogEntry, documentsOf, inputJsonSchema } from '../kit.ts';
import { given } from '../util/record.ts';
import { cut } from '../util/text.ts';
import { runToEnd } from '../util/time-slices.ts';
import { definitionOf } from '../workbench/lint/lint.ts';
import type { InspectLint, InspectTool } from './data.ts';
import { toolTokens } from './document.ts';

/** Limits of characters of a description, and of a schema as JSON, in the page's data. */
const MAX_DESCRIPTION = 100_000;
const MAX_SCHEMA = 500_000;

/** The tools of a catalog in the form of the page, in the same order. No content of a tool makes this throw. */
export function inspectTools(catalog: Catalog): readonly InspectTool[] {
  const documents = new Map(runToEnd(documentsOf(catalog)).map((document) => [document.name, document]));
  const instructions = new Set<unknown>();
  return Array.from(catalog.entries, (entry): InspectTool => {
    const lint = readLint(entry, instructions);
    const { title = '', server = '', keywords = [], hints, instructions: ofServer } = documents.get(entry.name) ?? {};
    const { inputSchema, problem, tokens } = readSchema(entry);
    return {
      name: entry.name,
      description: cut(writtenDescription(entry), MAX_DESCRIPTION),
      ...(inputSchema === undefined ? {} : { inputSchema }),
      ...(title === '' ? {} : { title }),
      ...(server === '' ? {} : { group: server }),
      ...(keywords.length === 0 ? {} : { keywords }),
      ...(hints ? { hints } : {}),
      ...(ofServer === undefined ? {} : { instructions: ofServer }),
      ...(entry.isLazy ? { isLazyTool: true } : {}),
      ...(problem === undefined ? {} : { problem }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(lint ? { lint } : {}),
    };
  });
}

/** Reads the further data for lint. As in `lint`, only a server's first tool has the server's instructions. */
function readLint(entry: CatalogEntry, told: Set<unknown>): InspectLint | undefined {
  const { isJsonSchema, others } = definitionOf(entry);
  const { serverInstructions } = others;
  const isNew = typeof serverInstructions === 'string' && !told.has(serverInstructions);
  if (isNew) told.add(serverInstructions);
  const parts = given({ ...others, serverInstructions: isNew ? serverInstructions : undefined });
  const json = jsonOf(parts);
  const lint = given({
    originalName: entry.originalName,
    isJsonSchema: isJsonSchema || undefined,
    others: json === '{}' || json.length > MAX_SCHEMA ? undefined : (JSON.parse(json) as object),
  });
  return Object.keys(lint).length === 0 ? undefined : (lint as InspectLint);
}

function jsonOf(parts: object): string {
  try {
    return JSON.stringify(parts);
  } catch {
    return '{}';
  }
}

/** The untrimmed description, which is what is sent. */
function writtenDescription({ tool, description }: CatalogEntry): string {
  return description === '' ? '' : tool.description;
}

/** A copy of a tool's schema as plain JSON; for a definition too long to show, also its tokens. */
function readSchema({
  name,
  tool,
  description,
}: CatalogEntry): Pick<InspectTool, 'inputSchema' | 'problem' | 'tokens'> {
  try {
    const schema: unknown = inputJsonSchema(tool);
    const json = JSON.stringify(schema);
    const isLong = json !== undefined && json.length > MAX_SCHEMA;
    const isCut = description.length > MAX_DESCRIPTION;
    const problem = isLong
      ? 'The input schema is too large to be shown.'
      : 'The end of the description is too far away to be shown.';
    return {
      ...(json === undefined || isLong ? {} : { inputSchema: JSON.parse(json) }),
      ...(isLong || isCut ? { problem, tokens: toolTokens({ name, description, inputSchema: schema }) } : {}),
    };
  } catch (error) {
    return { problem: `The input schema cannot be read: ${cut(messageOf(error), 200)}` };
  }
}
