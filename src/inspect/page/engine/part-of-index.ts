import type { ToolIndex } from '../../../kit.ts';

/** The index of a part of the catalog, which answers as if there were no other tools: what a user sees who is let through to these. */
export async function partOfIndex(index: ToolIndex, names: ReadonlySet<string>): Promise<ToolIndex> {
  // Of an index without the method, nothing that it says of a tool depends on the others.
  const part = (await index.restrictedTo?.(names)) ?? index;
  return {
    search: async (query) => (await part.search(query)).filter(({ name }) => names.has(name)),
    ...(part.confidence ? { confidence: (query, shown) => part.confidence?.(query, shown) ?? [] } : {}),
    ...(part.explain ? { explain: (query, name) => part.explain?.(query, name) } : {}),
  };
}
