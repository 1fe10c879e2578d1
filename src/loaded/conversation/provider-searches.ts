import { asRecord } from '../../util/record.ts';

/** The side that ran a search: the provider, or the application, which answered it. */
export type SearchSide = 'client' | 'server';

/** A provider's search tool, as its calls are written in conversations. */
export interface ProviderSearchTool {
  /** Whose it is. */
  readonly dialect: string;
  /** The names under which it is called. */
  readonly names: readonly string[];
  /** The side that ran a call of one of these names; undefined for a call that is none of the provider's. */
  sideOf(input: unknown): SearchSide | undefined;
}

/** The name of OpenAI's search tool, in requests and in conversations. */
export const OPENAI_SEARCH = 'tool_search';
/**
 * The names of Anthropic's search tools, by variant. Under any other key, their blocks would vanish from a history
 * without the tool.
 */
export const ANTHROPIC_SEARCHES = { bm25: 'tool_search_tool_bm25', regex: 'tool_search_tool_regex' } as const;

export const ANTHROPIC_SEARCH_TOOL: ProviderSearchTool = {
  dialect: 'anthropic',
  names: Object.values(ANTHROPIC_SEARCHES),
  sideOf: () => 'server',
};

export const OPENAI_SEARCH_TOOL: ProviderSearchTool = {
  dialect: 'openai',
  names: [OPENAI_SEARCH],
  sideOf: (input) => {
    // A meta-tool may have the same name, but never this input.
    const fields = asRecord(input);
    if (!fields || !('arguments' in fields || 'call_id' in fields)) return undefined;
    return typeof fields['call_id'] === 'string' ? 'client' : 'server';
  },
};

/** The search tools of providers. Conversations may hold their calls in every mode. */
const tools = new Map<string, ProviderSearchTool>();

/** Adds a provider's search tool: native mode adds those of its dialects. */
export function addSearchTool(tool: ProviderSearchTool): void {
  for (const name of tool.names) tools.set(name, tool);
}

addSearchTool(ANTHROPIC_SEARCH_TOOL);
addSearchTool(OPENAI_SEARCH_TOOL);

/** The names of all providers' search tools. */
export function providerSearchNames(): readonly string[] {
  return [...tools.keys()];
}

/** A call of a provider's search tool. */
export interface ProviderSearch {
  readonly dialect: string;
  readonly side: SearchSide;
}

/** Distinguishes the providers' search calls from others, by name and input. */
export function providerSearchOf(toolName: unknown, input: unknown): ProviderSearch | undefined {
  const tool = typeof toolName === 'string' ? tools.get(toolName) : undefined;
  const side = tool?.sideOf(input);
  return tool && side && { dialect: tool.dialect, side };
}

/** The names of the tools in the result of such a search: references, definitions, or namespaces of definitions. */
export function foundByProvider(result: unknown): readonly string[] {
  const found = Array.isArray(result) ? result : asRecord(result)?.['tools'];
  return Array.isArray(found) ? found.flatMap(namesIn) : [];
}

function namesIn(item: unknown): readonly string[] {
  const { type, toolName, name, tools: inner } = asRecord(item) ?? {};
  if (type === 'namespace') return Array.isArray(inner) ? inner.flatMap(namesIn) : [];
  return [toolName, name].filter((text): text is string => typeof text === 'string');
}
