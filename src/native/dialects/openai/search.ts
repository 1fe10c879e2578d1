import { asRecord, describeTool } from '../../../kit.ts';
import type { ClientSearchInput, Namespace } from '../../dialect.ts';
import { sentParameters } from '../../tools.ts';

/** A function as OpenAI takes it in a request and in the result of a search. */
interface OpenAIFunction {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly strict: boolean;
  readonly defer_loading: true;
}

interface NamespaceTool<Function> extends Namespace {
  readonly type: 'namespace';
  readonly tools: Function[];
}

/** OpenAI's `tool_search`, which runs in the request. */
export function hostedSearch(name: string): object {
  return { type: 'provider-defined', id: 'openai.tool_search', name, args: {} };
}

/**
 * OpenAI's `tool_search` with `execution: 'client'`: this package searches, and returns the definitions. The other fields
 * of a result than `tools` are for other models, in the same conversation.
 */
export function clientSearch(searchName: string, { search, toolOf, namespaceOf }: ClientSearchInput): object {
  const { description, parameters, answer } = search;
  const functionsOf = (names: readonly string[]): readonly OpenAIFunction[] =>
    names.flatMap((name) => {
      const known = toolOf(name);
      return known ? [openaiFunction(name, known.description, known.tool)] : [];
    });
  return {
    ...hostedSearch(searchName),
    args: { execution: 'client', description, parameters },
    execute: (input: unknown, context: Parameters<typeof answer>[1]) =>
      answer(asRecord(input)?.['arguments'], context, (result) => ({
        tools: ofOneKind(inNamespaces(functionsOf(result.loaded ?? []), namespaceOf)),
        ...result,
      })),
  };
}

/** @param tool - as it is sent: converted by Mastra where it was. */
function openaiFunction(name: string, description: string, tool: object): OpenAIFunction {
  const strict = asRecord(tool)?.['strict'] === true;
  return { type: 'function', name, description, parameters: sentParameters(tool), strict, defer_loading: true };
}

/** Functions as OpenAI takes them, those of one namespace together. */
export function inNamespaces<Function extends { readonly name: string }>(
  functions: readonly Function[],
  namespaceOf: (name: string) => Namespace | undefined,
): (Function | NamespaceTool<Function>)[] {
  const namespaces = new Map<string, NamespaceTool<Function>>();
  const all: (Function | NamespaceTool<Function>)[] = [];
  for (const definition of functions) {
    const own = namespaceOf(definition.name);
    if (!own) {
      all.push(definition);
      continue;
    }
    let namespace = namespaces.get(own.name);
    if (!namespace) {
      namespace = { type: 'namespace', ...own, tools: [] };
      namespaces.set(own.name, namespace);
      all.push(namespace);
    }
    namespace.tools.push(definition);
  }
  return all;
}

/**
 * Either functions or namespaces, as OpenAI wants the result of a search. A function is called in a namespace of its
 * own name anyway.
 */
export function ofOneKind(tools: readonly unknown[]): unknown[] {
  const isNamespace = (tool: unknown): boolean => asRecord(tool)?.['type'] === 'namespace';
  if (!tools.some(isNamespace)) return [...tools];
  return tools.map((tool) => {
    if (isNamespace(tool)) return tool;
    const { name, description } = asRecord(tool) ?? {};
    return { type: 'namespace', name, description: describeTool(String(description)) || name, tools: [tool] };
  });
}
