import { createTool } from '@mastra/core/tools';
import type { MastraTool } from '../../../src/index.ts';
import type { CatalogTool } from './catalogs.ts';

/** As `@mastra/mcp` makes them of what a server lists: new objects, schemas too, each time. */
export function mastraTools(tools: readonly CatalogTool[]): Record<string, MastraTool> {
  return Object.fromEntries(
    tools.map(({ id, description, inputSchema }) => [
      id,
      createTool({
        id,
        description,
        inputSchema: structuredClone(inputSchema),
        execute: async () => ({}),
      } as never) as MastraTool,
    ]),
  );
}

let editions = 0;

/** The tools with one that no other run has: processors share the indexes of equal tools. */
export function unseen([first, ...others]: readonly CatalogTool[]): readonly CatalogTool[] {
  return first ? [{ ...first, description: `${first.description} Edition ${editions++}.` }, ...others] : [];
}
