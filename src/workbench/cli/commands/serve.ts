import { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from '../../../errors.ts';
import type { MastraTool } from '../../../index.ts';
import { inputJsonSchema } from '../../../kit.ts';
import { ended } from '../../../util/text.ts';
import { readDefinitions, readJson, type WrittenDefinition } from '../catalog/json.ts';
import { catalogOptions, fault, headersOf, readText, timeoutOf } from '../catalog/load.ts';
import { type OpenServer, openServer } from '../catalog/mcp.ts';
import { type BrokenServer, isUrl, type Server, serversIn, writtenServer } from '../catalog/mcp-config.ts';
import { type Call, type Command, type CommandOption, NAME, packageVersion } from '../command.ts';
import { OK, shown, UsageError } from '../terminal.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Serve the tools of MCP servers as one MCP server with two tools: search_tools and call_tool.',
  usage: 'MCP.JSON',
  about: [
    'For Claude Code, Cursor and others that send every definition to their model: put this command into their own list of servers, in place of the servers of MCP.JSON. It speaks MCP over stdin and stdout, until its client leaves.',
    'A tool has the name of its server in front, as github_create_issue. --only leaves out all others: they are neither found nor called.',
  ],
  options: {
    mcp: { multiple: true, hint: 'COMMAND|URL', text: 'A server, in place of MCP.JSON' },
    only: {
      multiple: true,
      hint: 'SERVER|PATTERN',
      text: 'Only tools of this server, or of names such as github_get_*',
    },
    header: catalogOptions['header'] as CommandOption,
    timeout: { hint: 'SECONDS', text: 'For a server to start, and for its list of tools (60)' },
    strict: { text: 'End with 2 where a server cannot be reached' },
  },
  examples: [
    ['serve mcp.json', 'all servers'],
    ['serve mcp.json --only github --only "slack_read_*"', 'a part of them'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { terminal, values } = call;
  const opened = await Promise.all(serversOf(call).map((server) => opening(server, call)));
  const tools = new Map<string, MastraTool>();
  for (const server of opened) {
    if (!server) continue;
    const { serverName } = server.server;
    const prefix = serverName === '' ? '' : `${serverName}_`;
    for (const definition of readDefinitions(server.tools, server.server, prefix).definitions) {
      const tool = toolOf(definition, definition.id.slice(prefix.length), server);
      if (isWanted(definition.id, serverName, values.texts('only'))) tools.set(definition.id, tool);
    }
  }
  if (tools.size === 0) throw new UsageError('There is no tool to serve. Look at the servers, and at --only.');
  const { toolSearchTools } = await import('../../../index.ts');
  const served = new Map(Object.entries(await toolSearchTools({ tools: Object.fromEntries(tools) })));
  const server = new McpServer({ name: NAME, version: packageVersion() }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...served].map(([name, tool]) => ({
      name,
      description: tool.description,
      inputSchema: inputJsonSchema(tool) as { type: 'object' },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = served.get(params.name);
    if (!tool) return failed(`There is no tool "${shown(params.name)}".`);
    try {
      const result: unknown = await tool.execute?.((params.arguments ?? {}) as never, { abortSignal: signal } as never);
      // The result of an MCP server is passed on unchanged.
      if (isAnswer(result)) return result as never;
      return { content: [{ type: 'text', text: JSON.stringify(result) ?? '' }] };
    } catch (error) {
      return failed(messageOf(error));
    }
  });
  const transport = new StdioServerTransport();
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
    process.stdin.once('end', resolve);
  });
  await server.connect(transport);
  terminal.warn(`Serving ${tools.size} tools as ${[...served.keys()].join(' and ')}.`);
  await closed;
  await Promise.all(opened.map((one) => one?.close()));
  return OK;
}

function serversOf({ positionals, values }: Call): readonly (Server | BrokenServer)[] {
  const commands = values.texts('mcp');
  const headers = headersOf(values.texts('header'));
  const [file, extra] = commands.length > 0 ? [undefined, ...positionals] : positionals;
  if (extra !== undefined) throw new UsageError(`"${shown(extra)}" is one argument too many.`);
  if (commands.length > 0 || (file !== undefined && isUrl(file)))
    return (commands.length > 0 ? commands : [file ?? '']).map((one) => writtenServer(one, headers, process.env));
  if (file === undefined) throw new UsageError('Which servers? Give an mcp.json, or a server with --mcp "npx -y …".');
  const servers = serversIn(readJson(readText(file), shown(file)), process.env);
  if (!servers) throw new UsageError(`${shown(file)} names no MCP servers. It must have "mcpServers" or "servers".`);
  return servers;
}

/** Opens a server. A failing server is reported, and only its own tools are missing. */
async function opening(server: Server | BrokenServer, call: Call): Promise<OpenServer | undefined> {
  try {
    if ('error' in server) throw server.error;
    return await openServer(server, timeoutOf(call.values));
  } catch (error) {
    fault(call, `The server "${shown(server.name ?? '')}" is left out: ${ended(shown(messageOf(error)))}`);
    return undefined;
  }
}

function toolOf(definition: WrittenDefinition, name: string, server: OpenServer): MastraTool {
  const execute = (input: unknown, context?: { readonly abortSignal?: AbortSignal }): Promise<unknown> =>
    server.call(name, (input ?? {}) as object, context?.abortSignal);
  return { ...definition, execute } as unknown as MastraTool;
}

/** Whether a tool's server or name matches one of the patterns; true if there are none. */
function isWanted(name: string, server: string, only: readonly string[]): boolean {
  const matches = (pattern: string): boolean =>
    pattern.includes('*') ? isLike(name, pattern.split('*')) : pattern === server || pattern === name;
  return only.length === 0 || only.some(matches);
}

/** Whether a name consists of these parts in their order, with anything between them. */
function isLike(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop() ?? '';
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

function isAnswer(result: unknown): boolean {
  return Array.isArray((result as { readonly content?: unknown } | undefined)?.content);
}

function failed(text: string): { isError: true; content: { type: 'text'; text: string }[] } {
  return { isError: true, content: [{ type: 'text', text }] };
}
