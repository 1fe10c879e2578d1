import type { EvaluationCase } from 'mastra-tool-search/evaluate';
import { readSet } from '../bench/retrieval/sets.ts';

const { tools, queries } = readSet('test/fixtures/mcp-dev');

/** A third of the cases of a real catalog. */
export const realCases: readonly EvaluationCase[] = queries
  .filter((_, at) => at % 3 === 0)
  .map(({ task: _, ...one }) => one);
const wanted = new Set(realCases.flatMap(({ relevant }) => relevant));

/** A tool as a list of an MCP server has it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly mcpMetadata?: { readonly serverName: string };
}

/** The tools that these want, and some of the others: few enough for pages to show at once. */
export const realTools: readonly ListedTool[] = tools
  .filter(({ id }, at) => wanted.has(id) || at % 6 === 0)
  .map(({ id, description, inputSchema }) => {
    return { name: id, description, inputSchema, mcpMetadata: { serverName: id.split('_')[0] ?? '' } };
  });

export const plain = (name: string, description: string): ListedTool => ({ name, description, inputSchema: {} });
