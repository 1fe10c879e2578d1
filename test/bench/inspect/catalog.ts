import { OWN_SET, readLines } from '../retrieval/sets.ts';

/** A tool of a public MCP server. */
export interface BenchTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly mcpMetadata: { readonly serverName: string };
}

/** So many tools: those of public servers, again and again under other names. */
export function manyTools(count: number): readonly BenchTool[] {
  const listed = readLines<{ id: string; description?: string; inputSchema?: object }>(`${OWN_SET}/tools.jsonl`);
  return Array.from({ length: count }, (_, at): BenchTool => {
    const { id, description = '', inputSchema = {} } = listed[at % listed.length]!;
    const round = Math.floor(at / listed.length);
    const name = round === 0 ? id : `${id.slice(0, 60)}_${round}`;
    return { name, description, inputSchema, mcpMetadata: { serverName: id.split('_')[0] ?? '' } };
  });
}
