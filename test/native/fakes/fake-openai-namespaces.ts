import type { OpenAIItem, OpenAITool } from './fake-openai.ts';

/** The namespaces into which an item loads tools, by their names. What a search loads into none stands in one of its own. */
export function namespacesIn({ tools = [] }: OpenAIItem): ReadonlyMap<string, string> {
  const inner = (tool: OpenAITool): [string, string][] =>
    (tool.tools ?? [tool]).map(({ name = '' }) => [name, tool.name ?? '']);
  return new Map(tools.flatMap(inner));
}

/** The namespaces that calls behind an item have to name. A function that is added outside of any stands in none. */
export function neededNamespacesIn(item: OpenAIItem): ReadonlyMap<string, string> {
  if (item.type === 'tool_search_output') return namespacesIn(item);
  if (item.type !== 'additional_tools') return new Map();
  return namespacesIn({ ...item, tools: item.tools?.filter(({ type }) => type === 'namespace') ?? [] });
}
