import { readFileSync } from 'node:fs';
import type { EvaluationCase } from '../../../src/options/inspector.ts';

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

/** Tools of a few servers. */
export function someTools(): readonly BenchTool[] {
  const servers = new Map<string, BenchTool[]>();
  for (const tool of publicTools()) {
    const { serverName } = tool.mcpMetadata;
    servers.set(serverName, [...(servers.get(serverName) ?? []), tool]);
  }
  const large = [...servers.values()].sort((one, other) => other.length - one.length);
  return large.slice(2, 10).flat();
}

/** A case for each third tool: the first words of its description. */
export function casesOf(tools: readonly BenchTool[]): readonly EvaluationCase[] {
  const some = tools.filter(({ description }, at) => at % 3 === 0 && description.length > 20);
  return [
    ...some.map(({ name, description }) => ({
      query: description
        .split(/\s+/)
        .slice(0, 3 + (name.length % 9))
        .join(' '),
      relevant: [name],
    })),
    { query: 'book a flight to the moon', relevant: [] },
  ];
}
