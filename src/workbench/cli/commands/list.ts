import {
  asMastraTool,
  callNameOf,
  ended,
  Groups,
  inputJsonSchema,
  keywordsOf,
  type ListedTool,
  listedTools,
  type MastraTool,
  messageOf,
} from '../../../kit.ts';
import { readDefinitions, type WrittenDefinition, writtenDefinition } from '../catalog/definition.ts';
import type { JsonExtras } from '../catalog/json.ts';
import { catalogOptions, type LoadedCatalog, loadCatalog } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { formatOf, markdownTable, several } from '../output.ts';
import { OK, shown, UsageError } from '../terminal.ts';

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
  const { definitions, extras, refused } = written(catalog);
  for (const message of refused) {
    if (values.flag('strict')) throw new UsageError(message);
    terminal.warn(`${terminal.colors.yellow('warning:')} ${message}`);
  }
  const file = { tools: definitions.map(writtenDefinition), ...extras };
  terminal.print(format === 'markdown' ? tableOf(definitions) : JSON.stringify(file, null, 2));
  terminal.warn(terminal.colors.dim(`${shown(catalog.title)}: ${several(definitions.length, 'tool')}.`));
  return OK;
}

/** What is written of a catalog. */
interface Written {
  readonly definitions: readonly WrittenDefinition[];
  readonly extras: JsonExtras;
  /** What is said of tools that are left out. */
  readonly refused: readonly string[];
}

function written({ list, tools, keywords = {}, groups }: LoadedCatalog): Written {
  const words = new Map(Object.entries(keywords));
  const toolGroups = groups && new Groups(groups);
  const definitions: WrittenDefinition[] = [];
  const refused: string[] = [];
  const wordsOf: [name: string, words: readonly string[]][] = [];
  const groupOf: [name: string, group: string | ReturnType<Groups['describe']>][] = [];
  const add = (key: string, definition: WrittenDefinition, tool: object): void => {
    const name = definition.id;
    const own = keywordsOf({ name, key }, words);
    const group = toolGroups?.describe(tool as MastraTool) ?? { name: '', description: '' };
    definitions.push(definition);
    if (own.length > 0) wordsOf.push([name, own]);
    if (group.name !== '') groupOf.push([name, group.description === '' ? group.name : group]);
  };
  for (const definition of list ?? []) add(definition.id, definition, definition);
  for (const listed of list ? [] : listedTools(tools)) {
    try {
      const { definition, tool } = defined(listed);
      add(listed.key, definition, tool);
    } catch (error) {
      refused.push(`The tool "${shown(listed.key)}" is left out: ${ended(shown(messageOf(error)))}`);
    }
  }
  const extras: JsonExtras = {
    ...(wordsOf.length > 0 ? { keywords: Object.fromEntries(wordsOf) } : {}),
    ...(toolGroups ? { groups: Object.fromEntries(groupOf) } : {}),
  };
  return { definitions, extras, refused };
}

/**
 * The definition of a module's tool, and the tool as the processor has it.
 *
 * @throws where it cannot be read.
 */
function defined({ key, tool: given, isTool, error }: ListedTool): { definition: WrittenDefinition; tool: MastraTool } {
  if (error !== undefined) throw error;
  if (!isTool) throw new Error('it is no tool');
  const value = given as object;
  const name = callNameOf(key, value);
  const tool = asMastraTool(name, value);
  const { description, title, annotations, mcp, _meta, mcpMetadata, metadata } = tool as unknown as Fields;
  const schemas = { inputSchema: inputJsonSchema(tool), outputSchema: outputSchemaOf(tool) };
  const fields = { name, description, title, ...schemas, annotations, mcp, _meta, mcpMetadata, metadata };
  const [definition] = readDefinitions([JSON.parse(JSON.stringify(fields))]).definitions;
  if (!definition) throw new Error('it has no name');
  return { definition, tool };
}

type Fields = Readonly<Record<string, unknown>>;

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
