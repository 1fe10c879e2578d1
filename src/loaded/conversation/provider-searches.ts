import { asRecord } from '../../util/record.ts';

/** The name of OpenAI's search tool, in requests and in conversations. */
export const OPENAI_SEARCH = 'tool_search';
/**
 * The names of Anthropic's search tools, by variant. Under any other key, their blocks would vanish from a history
 * without the tool.
 */
export const ANTHROPIC_SEARCHES = { bm25: 'tool_search_tool_bm25', regex: 'tool_search_tool_regex' } as const;

/** The names of all providers' search tools. */
export const PROVIDER_SEARCHES: readonly string[] = [OPENAI_SEARCH, ...Object.values(ANTHROPIC_SEARCHES)];

/** The provider whose search a call was, and the side that ran it. */
export type ProviderSearch = 'anthropic-server' | 'openai-server' | 'openai-client';

export function isAnthropicSearch(toolName: unknown): boolean {
  return toolName === ANTHROPIC_SEARCHES.bm25 || toolName === ANTHROPIC_SEARCHES.regex;
}

/** Tells the providers' search calls from others, by name and input. */
export function providerSearchOf(toolName: unknown, input: unknown): ProviderSearch | undefined {
  if (isAnthropicSearch(toolName)) return 'anthropic-server';
  if (toolName !== OPENAI_SEARCH) return undefined;
  // A meta-tool may have the same name, but never this input.
  const fields = asRecord(input);
  if (!fields || !('arguments' in fields || 'call_id' in fields)) return undefined;
  return typeof fields['call_id'] === 'string' ? 'openai-client' : 'openai-server';
}

/** The names of the tools in the result of such a search. */
export function foundByProvider(result: unknown): readonly string[] {
  const found = Array.isArray(result) ? result : asRecord(result)?.['tools'];
  return Array.isArray(found) ? found.flatMap(namesIn) : [];
}

/**
 * The tools that a search of OpenAI's found, with their namespaces: a tool in none is called in one of its own name.
 */
export function namespacesFound(result: unknown): ReadonlyMap<string, string> {
  const tools = asRecord(result)?.['tools'];
  const found = Array.isArray(tools) ? tools : [];
  return new Map(found.flatMap((item) => namesIn(item).map((name) => [name, namespaceIn(item) ?? name])));
}

function namespaceIn(item: unknown): string | undefined {
  const { type, name } = asRecord(item) ?? {};
  return type === 'namespace' && typeof name === 'string' ? name : undefined;
}

/**
 * The names in a reference of Anthropic's, or in a definition of OpenAI's: of a function, or of a namespace of them.
 */
function namesIn(item: unknown): readonly string[] {
  const { type, toolName, name, tools } = asRecord(item) ?? {};
  if (type === 'namespace') return Array.isArray(tools) ? tools.flatMap(namesIn) : [];
  return [toolName, name].filter((text): text is string => typeof text === 'string');
}
