// An MCP server over stdio whose tools come and go: its tool `change` adds, removes and describes others, and clients
// are told so (notifications/tools/list_changed). Its first tools are those of TOOLS; while the file DOWN exists, it
// does not start.
import { existsSync } from 'node:fs';
import type { RegisteredTool } from '@modelcontextprotocol/sdk/server/mcp.js';

const { TOOLS = '{}', DOWN = '', OWNER = 'nobody' } = process.env;
// Before the rest is imported, which takes seconds each time that a client tries.
if (existsSync(DOWN)) process.exit(1);
const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
const { z } = await import('zod');

const server = new McpServer({ name: 'changing', version: '1.0.0' });
const tools = new Map<string, RegisteredTool>();
const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: value }],
});

function add(name: string, description: string): void {
  tools.set(
    name,
    server.registerTool(name, { description, inputSchema: { text: z.string().optional() } }, () =>
      text(`${name} ran for ${OWNER}`),
    ),
  );
}

server.registerTool(
  'change',
  {
    description: 'Changes what this server has.',
    inputSchema: { set: z.record(z.string(), z.string()).optional(), remove: z.array(z.string()).optional() },
  },
  ({ set = {}, remove = [] }) => {
    for (const [name, description] of Object.entries(set)) {
      const known = tools.get(name);
      if (known) known.update({ description });
      else add(name, description);
    }
    for (const name of remove) {
      tools.get(name)?.remove();
      tools.delete(name);
    }
    return text(String(process.pid));
  },
);

for (const [name, description] of Object.entries(JSON.parse(TOOLS) as Record<string, string>)) add(name, description);
await server.connect(new StdioServerTransport());
