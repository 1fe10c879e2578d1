import { readFileSync } from 'node:fs';

/** A tool of a public MCP server. */
export interface BenchTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly mcpMetadata: { readonly serverName: string };
}

const FILE = new URL('../../fixtures/mcp-dev/tools.jsonl', import.meta.url);

function publicTools(): readonly BenchTool[] {
  const lines = readFileSync(FILE, 'utf8').trim().split('\n');
  return lines.map((line): BenchTool => {
    const {
      id,
      description = '',
      inputSchema = {},
    } = JSON.parse(line) as {
      readonly id: string;
      readonly description?: string;
      readonly inputSchema?: object;
    };
    return { name: id, description, inputSchema, mcpMetadata: { serverName: id.split('_')[0] ?? '' } };
  });
}

/** So many tools: those of public servers, again and again under other names. */
export function manyTools(count: number): readonly BenchTool[] {
  const tools = publicTools();
  return Array.from({ length: count }, (_, at): BenchTool => {
    const tool = tools[at % tools.length] as BenchTool;
    const round = Math.floor(at / tools.length);
    return round === 0 ? tool : { ...tool, name: `${tool.name.slice(0, 60)}_${round}` };
  });
}
