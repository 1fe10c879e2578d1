import { readFileSync } from 'node:fs';
import type { MastraTool } from 'mastra-tool-search';

interface Line {
  readonly id: string;
  readonly description?: string;
  readonly inputSchema?: object;
}

const FILE = new URL('../fixtures/mcp-dev/tools.jsonl', import.meta.url);

/** The tools of public MCP servers, as an MCP client lists them. The server is the first part of the name. */
export function realTools(): readonly MastraTool[] {
  const lines = readFileSync(FILE, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { id, description = '', inputSchema = {} } = JSON.parse(line) as Line;
    const [serverName = ''] = id.split('_');
    const execute = async (): Promise<object> => ({ ran: id });
    return { id, description, inputSchema, execute, mcpMetadata: { serverName } } as unknown as MastraTool;
  });
}
