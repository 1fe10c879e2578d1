import { type Catalog, type CatalogEntry, cut, inputJsonSchema, messageOf, runToEnd } from '../kit.ts';
import type { InspectTool } from './data.ts';
import { toolTokens } from './document.ts';

/** Characters of a description, and of a schema as JSON, that a page is given. */
const MAX_DESCRIPTION = 100_000;
const MAX_SCHEMA = 500_000;

/** The tools of a catalog as the page is given them, in its order. Nothing that a tool contains makes this throw. */
export function inspectTools(catalog: Catalog): readonly InspectTool[] {
  const documents = new Map(runToEnd(catalog.readDocuments()).map((document) => [document.name, document]));
  return Array.from(catalog.entries, (entry): InspectTool => {
    const { title = '', server = '', keywords = [], hints, instructions } = documents.get(entry.name) ?? {};
    const { inputSchema, problem, tokens } = readSchema(entry);
    return {
      name: entry.name,
      description: cut(writtenDescription(entry), MAX_DESCRIPTION),
      ...(inputSchema === undefined ? {} : { inputSchema }),
      ...(title === '' ? {} : { title }),
      ...(server === '' ? {} : { group: server }),
      ...(keywords.length === 0 ? {} : { keywords }),
      ...(hints ? { hints } : {}),
      ...(instructions === undefined ? {} : { instructions }),
      ...(entry.isLazy ? { isLazyTool: true } : {}),
      ...(problem === undefined ? {} : { problem }),
      ...(tokens === undefined ? {} : { tokens }),
    };
  });
}

/** The description with the blanks around it, which are sent as well. */
function writtenDescription({ tool, description }: CatalogEntry): string {
  return description === '' ? '' : tool.description;
}

/** A copy of a tool's schema that is plain JSON; of a definition that is too long to be shown, its tokens as well. */
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
