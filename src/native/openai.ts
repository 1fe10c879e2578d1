import type { CatalogEntry } from '../catalog/entry.ts';
import { inputJsonSchema } from '../catalog/read-document.ts';
import type { ToolContext } from '../catalog/tool.ts';
import type { LoadingCalls } from '../conversation/loads.ts';
import { foundByProvider, OPENAI_SEARCH } from '../conversation/provider-searches.ts';
import { asObject } from '../meta-tools/lenient-schema.ts';
import { readSearchInput, type SearchToolsResult, searchParameters, searchTools } from '../meta-tools/search-tools.ts';
import { duringCall, type Services, type Step } from '../meta-tools/step.ts';
import type { NativeDialect, OpenAINamespace } from '../options/native.ts';
import { searchDescription, searchOutOfOrder } from '../prompts.ts';
import { asRecord } from '../util/record.ts';
import { describeTool } from '../util/text.ts';
import { isForgottenSearch } from './covered.ts';
import type { SentNatively } from './native-state.ts';
import { asPlainCall } from './portable.ts';
import type { ToolPart } from './prompt.ts';
import { itemIdOf } from './response-items.ts';
import type { Search, SearchRewriting } from './rewriting.ts';

/** A function as OpenAI takes it in a request and in the result of a search. */
export interface OpenAIFunction {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly strict: boolean;
  readonly defer_loading: true;
}

interface NamespaceTool extends OpenAINamespace {
  readonly type: 'namespace';
  readonly tools: OpenAIFunction[];
}

/** What a search returns to OpenAI. What stands in it besides `tools` is for other models, in the same conversation. */
export interface OpenAISearchResult extends SearchToolsResult {
  readonly tools: readonly unknown[];
}

/** Whether a search is OpenAI's, with our ranking: what it finds need not be in the request. */
export function isAnsweredHere(form: {
  readonly dialect: NativeDialect;
  readonly execution: 'client' | 'server';
}): boolean {
  return form.dialect === 'openai' && form.execution === 'client';
}

/** OpenAI's own search, which runs in the request. */
export function openaiHostedSearch(): object {
  return { type: 'provider-defined', id: 'openai.tool_search', name: OPENAI_SEARCH, args: {} };
}

/** OpenAI's search tool, answered here. */
export function openaiClientSearch(
  step: Step,
  services: Services,
  definitionOf: (name: string) => OpenAIFunction | undefined,
  namespaceOf: (name: string) => Required<OpenAINamespace> | undefined,
): object {
  const { metaTools } = services.options;
  const { properties, required } = searchParameters;
  return {
    ...openaiHostedSearch(),
    args: {
      execution: 'client',
      description: metaTools.searchDescription ?? searchDescription(metaTools.names, true),
      parameters: { type: 'object', properties, required, additionalProperties: false },
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

/** A schema that cannot be read is reported where the tool is indexed. */
function parametersOf(tool: object): unknown {
  try {
    const schema = asRecord(inputJsonSchema(tool)) ?? NO_PARAMETERS;
    // As the AI SDK completes it in a request.
    const isEmpty = schema['type'] === 'object' && Object.keys(asRecord(schema['properties']) ?? {}).length === 0;
    return isEmpty && schema['additionalProperties'] === undefined
      ? { ...schema, additionalProperties: false }
      : schema;
  } catch {
    return NO_PARAMETERS;
  }
}

const NO_PARAMETERS: Record<string, unknown> = { type: 'object', properties: {}, additionalProperties: false };

function inNamespaces(
  functions: readonly OpenAIFunction[],
  namespaceOf: (name: string) => Required<OpenAINamespace> | undefined,
): (OpenAIFunction | NamespaceTool)[] {
  const namespaces = new Map<string, NamespaceTool>();
  const all: (OpenAIFunction | NamespaceTool)[] = [];
  for (const definition of functions) {
    const told = namespaceOf(definition.name);
    if (!told) {
      all.push(definition);
      continue;
    }
    const namespace = namespaces.get(told.name) ?? { type: 'namespace', ...told, tools: [] };
    if (!namespaces.has(told.name)) all.push(namespace);
    namespaces.set(told.name, namespace);
    namespace.tools.push(definition);
  }
  return all;
}

/**
 * Either functions or namespaces, as OpenAI wants the result of a search. A function is called in a namespace of its own
 * name anyway.
 */
function alike(tools: readonly unknown[]): unknown[] {
  const isNamespace = (tool: unknown): boolean => asRecord(tool)?.['type'] === 'namespace';
  if (!tools.some(isNamespace)) return [...tools];
  return tools.map((tool) => {
    if (isNamespace(tool)) return tool;
    const { name, description } = asRecord(tool) ?? {};
    return { type: 'namespace', name, description: describeTool(String(description)) || name, tools: [tool] };
  });
}

/**
 * Searches as OpenAI's models read them. The results of its own search stay, without tools that are gone: their
 * definitions stand in them, so the model could still call one. What OpenAI stores is sent by its id, and can only go as
 * a whole. Those of the meta-tools are calls like any other.
 */
export function openaiRewriting(sent: SentNatively, metaTools: LoadingCalls): SearchRewriting {
  return (search) => {
    const { origin, call, result } = search;
    switch (origin) {
      case 'meta-tool':
        return { call: renamed(call), result: result && renamed(result) };
      case 'anthropic-server':
        return undefined;
      case 'openai-client':
        // It was part of a response that is not whole any more, and OpenAI takes no search without an id.
        if (itemIdOf(call) === undefined) return asPlainCall(search, metaTools);
        return { call, result: result && withTools(result, alike(toolsLeft(result, sent))) };
      case 'openai-server':
        if (!sent.isStored) return { call, result: result && withTools(result, toolsLeft(result, sent)) };
        return hasFoundLostTools(search, sent) ? undefined : search;
    }
  };
}

/** A meta-tool of that name would be taken for OpenAI's, and its results refused. */
function renamed(part: ToolPart): ToolPart {
  return part.toolName === OPENAI_SEARCH ? { ...part, toolName: 'search_tools' } : part;
}

function hasFoundLostTools({ call, result, called }: Search, { readable }: SentNatively): boolean {
  const value = result?.output?.value;
  const found = isForgottenSearch(call.toolName, call.input, value) ? called : foundByProvider(value);
  return found.some((name) => !readable.has(name));
}

function withTools(part: ToolPart, tools: readonly unknown[]): ToolPart {
  return { ...part, output: { type: 'json', value: { tools } } };
}

/** None of a call that was declined, or failed: its result has another form, which is refused for a search. */
function toolsLeft({ output }: ToolPart, sent: SentNatively): readonly unknown[] {
  const tools = output?.type === 'json' ? asRecord(output.value)?.['tools'] : undefined;
  return Array.isArray(tools) ? tools.flatMap((tool) => without(tool, sent)) : [];
}

function without(tool: unknown, sent: SentNatively): readonly unknown[] {
  const nested = asRecord(tool)?.['tools'];
  if (!Array.isArray(nested)) return foundByProvider([tool]).every((name) => sent.referable.has(name)) ? [tool] : [];
  const kept = nested.flatMap((inner) => without(inner, sent));
  return kept.length > 0 ? [{ ...asRecord(tool), tools: kept }] : [];
}
