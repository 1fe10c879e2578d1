import { fileURLToPath } from 'node:url';
import { MCPClient } from '@mastra/mcp';

const program = fileURLToPath(new URL('hinting-mcp-server.ts', import.meta.url));

/** A tool of an MCP server, as the server lists it. */
export interface ServedTool {
  readonly name: string;
  readonly description: string;
  readonly _meta?: object;
}

/** A client of real servers over stdio, each with its tools, and some with instructions. */
export function hintingServers(
  id: string,
  servers: Readonly<Record<string, readonly ServedTool[]>>,
  instructions: Readonly<Record<string, string>> = {},
): MCPClient {
  const definitions = Object.entries(servers).map(([server, tools]) => {
    // Node 22 has to be told that it may run TypeScript.
    const args = ['--experimental-strip-types', '--no-warnings', program];
    const env = { TOOLS: JSON.stringify(tools), INSTRUCTIONS: instructions[server] ?? '' };
    return [server, { command: process.execPath, args, env, stderr: 'ignore' }] as const;
  });
  return new MCPClient({ id, servers: Object.fromEntries(definitions), timeout: 120_000 });
}
