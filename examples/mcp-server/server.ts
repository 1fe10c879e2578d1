// A catalog behind an MCP server: its clients (Claude Code, Cursor) see three tools, and search the others.
import { createTool } from '@mastra/core/tools';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { type MastraTool, type ToolSearchProcessorOptions, toolSearchTools } from 'mastra-tool-search';

const clock = createTool({
  id: 'clock',
  description: 'Tells the time.',
  execute: async () => new Date().toISOString(),
});

/** An MCP server over a catalog, to be connected with a transport: stdio, HTTP. Mastra's own MCPServer takes the same tools. */
export async function catalogServer(options: Omit<ToolSearchProcessorOptions, 'mode'>): Promise<Server> {
  const tools: Record<string, MastraTool> = { ...(await toolSearchTools(options)), clock: clock as never };
  const server = new Server({ name: 'catalog', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema: schemaOf(inputSchema),
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = Object.hasOwn(tools, params.name) ? tools[params.name] : undefined;
    const result = await tool?.execute?.((params.arguments ?? {}) as never, { abortSignal: signal } as never);
    return { content: [{ type: 'text', text: JSON.stringify(result) ?? '' }] };
  });
  return server;
}

function schemaOf(schema: unknown): { type: 'object' } {
  const { '~standard': standard } = (schema ?? {}) as {
    '~standard'?: { jsonSchema?: { input(options: object): { type: 'object' } } };
  };
  return standard?.jsonSchema?.input({ target: 'draft-07' }) ?? { type: 'object' };
}
