import { fileURLToPath } from 'node:url';
import { MCPClient } from '@mastra/mcp';

type ServerDefinition = ConstructorParameters<typeof MCPClient>[0]['servers'][string];

/** How to start a server from node_modules over stdio, whatever the PATH is. */
export function server(bin: string, args: readonly string[] = [], env: Record<string, string> = {}): ServerDefinition {
  const script = fileURLToPath(new URL(`../../node_modules/.bin/${bin}`, import.meta.url));
  return { command: process.execPath, args: [script, ...args], env, stderr: 'ignore' };
}

export type Servers = Record<string, ServerDefinition>;

/** A client for these servers. Close it with `disconnect()`, which also ends them. */
export function mcpClient(id: string, servers: Servers): MCPClient {
  return new MCPClient({ id, servers, timeout: 60_000 });
}
