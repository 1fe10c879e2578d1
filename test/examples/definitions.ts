import type { MastraTool } from 'mastra-tool-search';
import type { Definition } from '../../examples/support/services.ts';
import { inputJsonSchema } from '../../src/catalog/document.ts';
import { serverOf } from '../../src/catalog/groups.ts';
import type { SourceTool } from '../support/memory-source.ts';

/** Tools as the examples keep them, whose catalogs lie outside the process. */
export function definitionsOf(tools: Readonly<Record<string, SourceTool>>): readonly Definition[] {
  return Object.entries(tools).map(([name, tool]) => {
    const group = serverOf(tool as MastraTool);
    const inputSchema = inputJsonSchema(tool as MastraTool) as Definition['inputSchema'];
    return { name, description: tool.description ?? '', ...(group ? { group } : {}), inputSchema };
  });
}
