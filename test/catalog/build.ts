import type { ToolSearchError, ToolSearchEvent } from 'mastra-tool-search';
import { z } from 'zod';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { Reporter } from '../../src/events/reporter.ts';

export const RESERVED: readonly string[] = ['search_tools', 'load_tool'];

/** A tool without an id of its own. */
export const nameless = (description = 'Does it.'): object => ({
  description,
  inputSchema: z.object({}),
  execute: async () => 'ran',
});

export function catalogOf(tools: unknown): { catalog: Catalog; events: ToolSearchEvent[] } {
  const events: ToolSearchEvent[] = [];
  const catalog = readCatalog(listedTools(tools), {
    reservedNames: RESERVED,
    reporter: new Reporter((event) => events.push(event)),
  });
  return { catalog, events };
}

export const namesOf = (tools: unknown): string[] => [...catalogOf(tools).catalog.names];

export const problemsOf = (tools: unknown): string[] =>
  catalogOf(tools).events.flatMap((event) =>
    event.type === 'tool-problem' ? [`${event.toolName}: ${event.problem}`] : [],
  );

/** What the catalog throws for these tools. */
export function refusal(tools: unknown): ToolSearchError {
  try {
    catalogOf(tools);
  } catch (error) {
    return error as ToolSearchError;
  }
  throw new Error('the catalog was accepted');
}
