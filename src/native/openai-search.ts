import type { CatalogEntry } from '../catalog/entry.ts';
import { inputJsonSchema } from '../catalog/read-document.ts';
import type { ToolContext } from '../catalog/tool.ts';
import { asObject, jsonSchemaOf } from '../meta-tools/meta-tool.ts';
import { searchDescription, searchOutOfOrder } from '../meta-tools/prompts.ts';
import { searchTools } from '../meta-tools/search-call.ts';
import { readSearchInput, SEARCH_PARAMETERS, type SearchToolsResult } from '../meta-tools/search-shapes.ts';
import { duringCall, type Services, type Step } from '../meta-tools/step.ts';
import type { OpenAINamespace } from '../options/native.ts';
import { asRecord } from '../util/record.ts';
import { describeTool } from '../util/text.ts';
import { hostedSearch, type NativePlan } from './plan.ts';

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

/** What a search returns to OpenAI. The fields besides `tools` are for other models, in the same conversation. */
interface OpenAISearchResult extends SearchToolsResult {
  readonly tools: readonly unknown[];
}

type NamespaceOfName = (name: string) => Required<OpenAINamespace> | undefined;

/** OpenAI's `tool_search` with `execution: 'client'`: this package searches, and returns the definitions. */
export function openaiClientSearch(
  plan: NativePlan,
  step: Step,
  services: Services,
  definitionOf: (name: string) => OpenAIFunction | undefined,
  namespaceOf: NamespaceOfName,
): object {
  const { metaTools } = services.options;
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
        const result = await searchTools(asked, duringCall(step, context), services, tell);
        const found = (result.loaded ?? []).flatMap((name) => definitionOf(name) ?? []);
        return { tools: alike(inNamespaces(found, namespaceOf)), ...result };
      } catch {
        // An error would be sent as the result of a function, which OpenAI refuses for this call, now and ever after.
        return { tools: [], results: [], message: searchOutOfOrder(asked.query.join(', ')) };
      }
    },
  };
}

/** @param tool - as it is sent: converted by Mastra where it was. */
export function openaiFunction({ name, description }: CatalogEntry, tool: object): OpenAIFunction {
  const strict = asRecord(tool)?.['strict'] === true;
  return { type: 'function', name, description, parameters: parametersOf(tool), strict, defer_loading: true };
}

/** The parameters as the AI SDK completes them in a request. The index reports a schema that cannot be read. */
export function parametersOf(tool: object): unknown {
  try {
    const schema = asRecord(inputJsonSchema(tool)) ?? NO_PARAMETERS;
    const isEmpty = schema['type'] === 'object' && Object.keys(asRecord(schema['properties']) ?? {}).length === 0;
    return isEmpty && schema['additionalProperties'] === undefined
      ? { ...schema, additionalProperties: false }
      : schema;
  } catch {
    return NO_PARAMETERS;
  }
}

const NO_PARAMETERS: Record<string, unknown> = { type: 'object', properties: {}, additionalProperties: false };

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
