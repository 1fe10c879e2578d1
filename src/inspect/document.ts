import { documentOf, type ToolDocument, tokensOfDefinition } from '../kit.ts';
import type { InspectTool } from './data.ts';

/** The document of a page's tool, as a scorer sees it in the processor. It needs neither Node nor Mastra. */
export function documentOfTool(tool: InspectTool): ToolDocument {
  const { name, inputSchema, keywords, group = '', hints, instructions = '' } = tool;
  const { document } = documentOf(name, tool, () => inputSchema, keywords, { name: group, description: instructions });
  return hints ? { ...document, hints } : document;
}

/** The tokens of a tool's definition, as lint, events and passthrough count them: with a trimmed description. */
export function toolTokens({
  name,
  description,
  inputSchema,
}: Pick<InspectTool, 'name' | 'description' | 'inputSchema'>): number {
  return tokensOfDefinition(name, description.trim(), inputSchema);
}
