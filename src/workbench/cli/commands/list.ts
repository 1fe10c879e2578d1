import { messageOf } from '../../../errors.ts';
import {
  Groups,
  inputJsonSchema,
  keywordsOf,
  type ListedTool,
  listedTools,
  type MastraTool,
  namedTool,
} from '../../../kit.ts';
import { ended } from '../../../util/text.ts';
import { type JsonExtras, readDefinitions, type WrittenDefinition, writtenDefinition } from '../catalog/json.ts';
import { catalogOptions, loadCatalog } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { formatOf, markdownTable, several } from '../output.ts';
import { OK, shown, UsageError, warning } from '../terminal.ts';

export const listCommand: Command = {
  name: 'list',
  summary: 'Write the tools as JSON, so that MCP servers are asked once.',
  usage: 'CATALOG',
  about: [
    'The other commands read the file, and find the same. It has what a search, a check or a model reads of each tool: name, description, schemas, annotations, hints and server; of a module the keywords and groups too, but neither scorer, filter nor cases. Nothing of the mcp.json itself is in it: no variable, no header.',
    'Write it again when the servers change.',
  ],
  options: catalogOptions,
  examples: [
    ['list mcp.json > tools.json', 'ask the servers once'],
    ['list mcp.json --strict > tools.json', 'in CI: all of the servers, or none'],
    ['list --mcp "npx -y @modelcontextprotocol/server-github" > tools.json', 'the tools of a server'],
    ['list mcp.json --markdown', 'a table'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { terminal, values } = call;
  const format = formatOf(call);
  const { catalog } = await loadCatalog(call);
  const { list, tools, keywords: given = {}, groups } = catalog;
  const words = new Map(Object.entries(given));
  const toolGroups = groups && new Groups(groups);
  const definitions: WrittenDefinition[] = [];
  const keywords: [name: string, words: readonly string[]][] = [];
  const groupOf: [name: string, group: NonNullable<JsonExtras['groups']>[string]][] = [];
  const add = (key: string, definition: WrittenDefinition, tool: object): void => {
    const name = definition.id;
    const own = keywordsOf({ name, key }, words);
    const group = toolGroups?.describe(tool as MastraTool) ?? { name: '', description: '' };
    definitions.push(definition);
    if (own.length > 0) keywords.push([name, own]);
    if (group.name !== '') groupOf.push([name, group.description === '' ? group.name : group]);
  };
  for (const definition of list ?? []) add(definition.id, definition, definition);
  for (const listed of list ? [] : listedTools(tools)) {
    try {
      const { definition, tool } = defined(listed);
      add(listed.key, definition, tool);
    } catch (error) {
      const message = `The tool "${shown(listed.key)}" is left out: ${ended(shown(messageOf(error)))}`;
      if (values.flag('strict')) throw new UsageError(message);
      warning(terminal, message);
    }
  }
  const file = {
    tools: definitions.map(writtenDefinition),
    ...(keywords.length > 0 ? { keywords: Object.fromEntries(keywords) } : {}),
    ...(toolGroups ? { groups: Object.fromEntries(groupOf) } : {}),
  };
  terminal.print(format === 'markdown' ? tableOf(definitions) : JSON.stringify(file, null, 2));
  terminal.warn(terminal.colors.dim(`${shown(catalog.title)}: ${several(definitions.length, 'tool')}.`));
  return OK;
}

/**
 * The definition of a module's tool, and the tool as the processor reads it.
 *
 * @throws an error if the tool cannot be read.
 */
function defined({ key, tool: given, isTool, error }: ListedTool): { definition: WrittenDefinition; tool: MastraTool } {
  if (error !== undefined) throw error;
  if (!isTool) throw new Error('it is no tool');
  const { name, tool } = namedTool(key, given as object);
  const fields = tool as unknown as Readonly<Record<string, unknown>>;
  const { description, title, annotations, mcp, _meta, mcpMetadata, metadata } = fields;
  const schemas = { inputSchema: inputJsonSchema(tool), outputSchema: outputSchemaOf(tool) };
  const written = { name, description, title, ...schemas, annotations, mcp, _meta, mcpMetadata, metadata };
  const [definition] = readDefinitions([JSON.parse(JSON.stringify(written))]).definitions;
  if (!definition) throw new Error('it has no name');
  return { definition, tool };
}

/** The output schema of a tool as JSON; undefined for one that JSON cannot express. */
function outputSchemaOf({ outputSchema }: MastraTool): unknown {
  try {
    return inputJsonSchema({ inputSchema: outputSchema });
  } catch {
    return undefined;
  }
}

function tableOf(definitions: readonly WrittenDefinition[]): string {
  const rows = definitions.map(({ id, description, mcpMetadata = {} }) => {
    const { serverName } = mcpMetadata as { serverName?: unknown };
    return [id, typeof serverName === 'string' ? serverName : '', description];
  });
  return markdownTable([{ title: 'tool' }, { title: 'server' }, { title: 'description' }], rows);
}
