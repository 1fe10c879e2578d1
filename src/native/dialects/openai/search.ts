import {
  asObject,
  asRecord,
  describeTool,
  duringCall,
  jsonSchemaOf,
  type OpenAINamespace,
  readSearchInput,
  SEARCH_PARAMETERS,
  type SearchToolsResult,
  searchDescription,
  searchOutOfOrder,
  type ToolContext,
} from '../../../kit.ts';
import type { ClientSearchInput, NativePlan } from '../../dialect.ts';
import { parametersOf } from '../../parameters.ts';

/** A function as OpenAI takes it in a request and in the result of a search. */
interface OpenAIFunction {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly strict: boolean;
  readonly defer_loading: true;
}

interface NamespaceTool<Function> extends OpenAINamespace {
  readonly type: 'namespace';
  readonly tools: Function[];
}

/** What a search returns to OpenAI. The other fields than `tools` are for other models, in the same conversation. */
interface OpenAISearchResult extends SearchToolsResult {
  readonly tools: readonly unknown[];
}

type NamespaceOfName = (name: string) => Required<OpenAINamespace> | undefined;

/** OpenAI's `tool_search` with `execution: 'client'`: this package searches, and returns the definitions. */
export function clientSearch(
  plan: NativePlan,
  { step, searchTool, metaTools, toolOf, namespaceOf }: ClientSearchInput,
): object {
  return {
    ...hostedSearch(plan),
    args: {
      execution: 'client',
      description: metaTools.searchDescription ?? searchDescription(metaTools.names, true),
      parameters: jsonSchemaOf(SEARCH_PARAMETERS),
    },
    execute: async (input: unknown, context?: ToolContext): Promise<OpenAISearchResult> => {
      const asked = readSearchInput(asObject(asRecord(input)?.['arguments']));
      try {
        const { hints } = step.state;
        const tell = (text: string): void => {
          if (!hints.includes(text)) hints.push(text);
        };
        const result = await searchTool.answer(asked, duringCall(step, context), tell);
        const found = (result.loaded ?? []).flatMap((name) => {
          const known = toolOf(name);
          return known ? [openaiFunction(name, known.description, known.tool)] : [];
        });
        return { tools: alike(inNamespaces(found, namespaceOf)), ...result };
      } catch {
        // An error would be sent as the result of a function, which OpenAI refuses for this call, now and ever after.
        return { tools: [], results: [], message: searchOutOfOrder(asked.query.join(', ')) };
      }
    },
  };
}

/** OpenAI's `tool_search`, which runs in the request. */
export function hostedSearch({ searchName }: Pick<NativePlan, 'searchName'>): object {
  return { type: 'provider-defined', id: 'openai.tool_search', name: searchName, args: {} };
}

/** @param tool - as it is sent: converted by Mastra where it was. */
function openaiFunction(name: string, description: string, tool: object): OpenAIFunction {
  const strict = asRecord(tool)?.['strict'] === true;
  return { type: 'function', name, description, parameters: parametersOf(tool), strict, defer_loading: true };
}

/** Functions as OpenAI takes them, those of one namespace together. */
export function inNamespaces<Function extends { readonly name: string }>(
  functions: readonly Function[],
  namespaceOf: NamespaceOfName,
): (Function | NamespaceTool<Function>)[] {
  const namespaces = new Map<string, NamespaceTool<Function>>();
  const all: (Function | NamespaceTool<Function>)[] = [];
  for (const definition of functions) {
    const told = namespaceOf(definition.name);
    if (!told) {
      all.push(definition);
      continue;
    }
    const namespace: NamespaceTool<Function> = namespaces.get(told.name) ?? { type: 'namespace', ...told, tools: [] };
    if (!namespaces.has(told.name)) all.push(namespace);
    namespaces.set(told.name, namespace);
    namespace.tools.push(definition);
  }
  return all;
}

/**
 * Either functions or namespaces, as OpenAI wants the result of a search. A function is called in a namespace of its
 * own name anyway.
 */
export function alike(tools: readonly unknown[]): unknown[] {
  const isNamespace = (tool: unknown): boolean => asRecord(tool)?.['type'] === 'namespace';
  if (!tools.some(isNamespace)) return [...tools];
  return tools.map((tool) => {
    if (isNamespace(tool)) return tool;
    const { name, description } = asRecord(tool) ?? {};
    return { type: 'namespace', name, description: describeTool(String(description)) || name, tools: [tool] };
  });
}
