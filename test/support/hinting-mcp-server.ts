// An MCP server over stdio whose tools have hints: TOOLS is a list of { name, description, _meta }, INSTRUCTIONS what it
// says of all of them.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

interface HintingTool {
  readonly name: string;
  readonly description: string;
  readonly _meta?: Record<string, unknown>;
}

const server = new McpServer(
  { name: 'hinting', version: '1.0.0' },
  { instructions: process.env['INSTRUCTIONS'] ?? '' },
);
for (const { name, ...tool } of JSON.parse(process.env['TOOLS'] ?? '[]') as HintingTool[]) {
  server.registerTool(name, { ...tool, inputSchema: { text: z.string().optional() } }, () => ({
    content: [{ type: 'text', text: `${name} ran` }],
  }));
}
await server.connect(new StdioServerTransport());
