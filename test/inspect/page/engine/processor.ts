import { type ToolDocument, toolDocument } from '../../../../src/catalog/document.ts';
import { ToolSearchProcessor } from '../../../../src/index.ts';
import type { InspectTool } from '../../../../src/inspect/data.ts';

/** A processor over the tools of a page. */
export function simpleProcessor(tools: readonly InspectTool[]): ToolSearchProcessor {
  const entries = tools.map(({ name, description, inputSchema }) => [
    name,
    { id: name, description, inputSchema, execute: async () => null },
  ]);
  return new ToolSearchProcessor({ tools: Object.fromEntries(entries) });
}

export function documents(tools: readonly InspectTool[]): readonly ToolDocument[] {
  return tools.map((tool) => toolDocument(tool.name, tool).document);
}
