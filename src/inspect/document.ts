import { documentOf, type ToolDocument, tokensOfDefinition } from '../kit.ts';
import type { InspectTool } from './data.ts';

/** What a scorer sees of a tool of the page: the same that it sees in the processor. It needs neither Node nor Mastra. */
export function documentOfTool(tool: InspectTool): ToolDocument {
  const { name, inputSchema, keywords, group = '', hints, instructions = '' } = tool;
  const { document } = documentOf(name, tool, () => inputSchema, keywords, { name: group, description: instructions });
  return hints ? { ...document, hints } : document;
}

/** The tokens of a tool's definition, as lint, events and passthrough count them: without blanks around the description. */
export function toolTokens({
  name,
  description,
  inputSchema,
}: Pick<InspectTool, 'name' | 'description' | 'inputSchema'>): number {
  return tokensOfDefinition(name, description.trim(), inputSchema);
}
