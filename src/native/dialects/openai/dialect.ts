import {
  foundByProvider,
  mapToolParts,
  type Prompt,
  providerSearches,
  type ToolPart,
  toolPartsIn,
} from '../../../kit.ts';
import { asRecord } from '../../../util/record.ts';
import { describeTool } from '../../../util/text.ts';
import { type Dialect, isCalledDirectly, type NativeTools, optionsMessage, versionOf } from '../../dialect.ts';
import { asInLoadMode, itemIdOf, rewriteSearches, withoutProviders } from '../../history.ts';
import { sentParameters } from '../../tools.ts';

const NAME = 'openai';
/** The name of OpenAI's search tool, in requests and in conversations. */
const SEARCH = 'tool_search';

/** Azure is left out: its model ids are names of deployments, which do not tell the model. */
const PACKAGES = /^openai\.responses$/;

const FIRST_WITH_SEARCH = versionOf('5', '4');
/** The first version that was observed to accept definitions in mid-conversation. */
const FIRST_APPENDING = versionOf('5', '6');

/** OpenAI's tool search: results hold the definitions of the tools. */
export const openai: Dialect = {
  name: NAME,
  searchNames: [SEARCH],

  // OpenAI refuses tool search for its smallest model, `gpt-5.4-nano`.
  supports: (model) => {
    const isNewEnough = gpt(model.modelId) >= FIRST_WITH_SEARCH && !/-nano(?![a-z0-9])/.test(model.modelId ?? '');
    return isNewEnough && isCalledDirectly(model, NAME, PACKAGES);
  },
  // Azure accepts no definitions in mid-conversation.
  takesDefinitions: ({ provider, modelId }) => provider === 'openai.responses' && gpt(modelId) >= FIRST_APPENDING,
  searchName: () => SEARCH,

  hostedSearch: (name) => ({ type: 'provider-defined', id: 'openai.tool_search', name, args: {} }),
  /**
   * OpenAI's `tool_search` with `execution: 'client'`: this package searches, and returns the definitions in `tools`.
   * The other fields of a result are for other models in the same conversation.
   */
  clientSearch: (searchName, { description, parameters, answer }, toolOf) => {
    const functionOf = (name: string): readonly object[] => {
      const found = toolOf(name);
      if (!found) return [];
      const { description: about, tool } = found;
      const strict = asRecord(tool)?.['strict'] === true;
      const head = { type: 'function', name, description: about, parameters: sentParameters(tool) };
      return [{ ...head, strict, defer_loading: true }];
    };
    return {
      ...openai.hostedSearch(searchName),
      args: { execution: 'client', description, parameters },
      execute: (input: unknown, context: Parameters<typeof answer>[1]) =>
        answer(asRecord(input)?.['arguments'], context, (result) => ({
          tools: (result.loaded ?? []).flatMap(functionOf),
          ...result,
        })),
    };
  },
  refusedOptions: [],
  deferOptions: (options, namespace) => {
    // Azure's package reads the options of OpenAI if there are none for Azure.
    const providers = options['azure'] === undefined ? [NAME] : [NAME, 'azure'];
    const deferred = { deferLoading: true, ...(namespace ? { namespace } : {}) };
    return Object.fromEntries(providers.map((provider) => [provider, { ...options[provider], ...deferred }]));
  },
  namespaces: {
    /**
     * Adds the namespace to calls of tools that an earlier search has loaded, or that are sent eager in a namespace:
     * OpenAI refuses such calls without it. The namespace is missing if another model made the call, or if the tool was
     * in no namespace at that time.
     */
    named: (prompt, sent, eager) => {
      // The key under which the model's package reads its provider's options.
      const { provider: name } = sent.model;
      const provider = typeof name === 'string' && name.includes('azure') ? 'azure' : NAME;
      const noteOf = (part: ToolPart) => asRecord(asRecord(part.providerOptions)?.[provider]);
      const calls = callsInNamespaces(prompt, sent, eager);
      const missing = new Map([...calls].filter(([part]) => typeof noteOf(part)?.['namespace'] !== 'string'));
      if (missing.size === 0) return prompt;
      return mapToolParts(prompt, (part) => {
        const namespace = missing.get(part);
        if (namespace === undefined) return part;
        const note = { ...noteOf(part), namespace };
        return { ...part, providerOptions: { ...asRecord(part.providerOptions), [provider]: note } };
      });
    },
    called: (prompt, sent) => new Set([...callsInNamespaces(prompt, sent, []).keys()].map(({ toolName }) => toolName)),
  },

  reads: (toolName, side) => toolName === SEARCH && side !== undefined,
  isForgotten,
  isStored,
  namesRead: ({ toolName, output }) => {
    const isDefining = toolName === SEARCH && output?.type === 'json' && !Array.isArray(output.value);
    return isDefining ? foundByProvider(output.value) : [];
  },
  /**
   * Rewrites a search for OpenAI's models. A result of OpenAI's own search loses the tools that are gone: a result has
   * definitions, so the model could still call such a tool. A search that OpenAI stores is sent by its id, so it is
   * kept or left out as a whole. Calls of the meta-tools stay ordinary calls.
   */
  rewrite: (search, sent) => {
    const { origin, call, result, found, called } = search;
    if (origin === 'meta-tool') return { call: renamed(call), result: result && renamed(result) };
    if (call.toolName !== SEARCH) return origin === 'server' ? undefined : search.asPlain();
    const withTools = (toTools: (left: readonly unknown[]) => readonly unknown[]) => {
      // The result of a declined or failed call has another form, which names no tools.
      const tools = result?.output?.type === 'json' ? asRecord(result.output.value)?.['tools'] : undefined;
      const left = Array.isArray(tools) ? tools.flatMap((tool) => stillThere(tool, sent)) : [];
      return { call, result: result && { ...result, output: { type: 'json', value: { tools: toTools(left) } } } };
    };
    if (origin === 'client') {
      // A call without an item id belongs to a response that was taken apart. OpenAI accepts no search without an id.
      return itemIdOf(call) === undefined ? search.asPlain() : withTools(ofOneKind);
    }
    if (!isStored(sent.providerOptions)) return withTools((left) => left);
    const names = isForgotten(result?.output?.value) ? called : found;
    return names.some((name) => !sent.isReadable(name)) ? undefined : search;
  },
  fit: (prompt, { hasSearch, providerOptions, metaTools }) => {
    if (hasSearch) return prompt;
    // If the request lacks the search tool, OpenAI accepts a search of its own only by id.
    return rewriteSearches(prompt, metaTools, isStored(providerOptions) ? withoutProviders : asInLoadMode);
  },

  changes: {
    canRemove: false,
    message: (changes) => {
      const added = changes.flatMap((change) => (change.type === 'addition' ? [change.tool] : []));
      const additionalTools = added.map(({ name, description = '', inputSchema: parameters, strict = false }) => {
        return { type: 'function', name, description, parameters, strict };
      });
      return optionsMessage(NAME, { additionalTools });
    },
  },
};

/** The version in model ids such as `gpt-5.4`, `gpt-5.4-mini-2026-03-05`, `gpt-6`. */
function gpt(modelId = ''): number {
  const found = /^gpt-(\d{1,2})(?:\.(\d{1,2}))?(?![\d.])/.exec(modelId);
  return versionOf(found?.[1], found?.[2]);
}

/** Whether the result of OpenAI's own search lacks the found tools: a DurableAgent drops them. */
function isForgotten(result: unknown): boolean {
  return !Array.isArray(asRecord(result)?.['tools']);
}

/** Whether requests refer by id to items that OpenAI stores, instead of sending the items. */
function isStored(providerOptions: unknown): boolean {
  const options = asRecord(providerOptions);
  return (asRecord(options?.['azure']) ?? asRecord(options?.[NAME]))?.['store'] !== false;
}

/**
 * Puts each function into a namespace if one already is: OpenAI accepts either functions or namespaces. OpenAI calls a
 * function without a namespace in one of the function's own name anyway.
 */
function ofOneKind(tools: readonly unknown[]): unknown[] {
  const isNamespace = (tool: unknown): boolean => asRecord(tool)?.['type'] === 'namespace';
  if (!tools.some(isNamespace)) return [...tools];
  return tools.map((tool) => {
    if (isNamespace(tool)) return tool;
    const { name, description } = asRecord(tool) ?? {};
    return { type: 'namespace', name, description: describeTool(String(description)) || name, tools: [tool] };
  });
}

/** Renames a part that OpenAI would take for its own search tool: OpenAI would refuse the result. */
function renamed(part: ToolPart): ToolPart {
  return part.toolName === SEARCH ? { ...part, toolName: 'search_tools' } : part;
}

/** Removes functions that are gone: from a namespace, or the given function itself. Empty if nothing is left. */
function stillThere(tool: unknown, sent: NativeTools): readonly unknown[] {
  const nested = asRecord(tool)?.['tools'];
  if (!Array.isArray(nested)) return foundByProvider([tool]).every((name) => sent.isReferable(name)) ? [tool] : [];
  const kept = nested.flatMap((inner) => stillThere(inner, sent));
  return kept.length > 0 ? [{ ...asRecord(tool), tools: kept }] : [];
}

/** The calls in which OpenAI requires a namespace, each with the name of the namespace. */
function callsInNamespaces(prompt: Prompt, sent: NativeTools, eager: Iterable<string>): ReadonlyMap<ToolPart, string> {
  const searches = new Map<string, unknown>();
  const loaded = new Map<string, string>();
  const calls = new Map<ToolPart, string>();
  let hasForgotten = false;
  for (const name of eager) {
    const namespace = sent.namespaceOf(name);
    if (namespace !== undefined) loaded.set(name, namespace);
  }
  for (const part of toolPartsIn(prompt)) {
    const { type, toolName, toolCallId, input, output } = part;
    if (type === 'tool-call') {
      if (toolName === SEARCH) searches.set(toolCallId, input);
      const unknown =
        hasForgotten && sent.deferred.has(toolName) ? (sent.namespaceOf(toolName) ?? toolName) : undefined;
      const namespace = loaded.get(toolName) ?? unknown;
      if (namespace !== undefined) calls.set(part, namespace);
    } else if (searches.has(toolCallId)) {
      const found = output?.type === 'json' ? output.value : undefined;
      for (const [name, namespace] of namespacesFound(found)) if (!loaded.has(name)) loaded.set(name, namespace);
      hasForgotten ||= providerSearches.get(toolName)?.(searches.get(toolCallId)) === 'server' && isForgotten(found);
    }
  }
  return calls;
}

/**
 * Returns the tools that a search of OpenAI's found, each with its namespace. A tool without a namespace is called in
 * one of its own name.
 */
function namespacesFound(result: unknown): readonly (readonly [name: string, namespace: string])[] {
  const tools = asRecord(result)?.['tools'];
  return (Array.isArray(tools) ? tools : []).flatMap((item) => {
    const { type, name: group } = asRecord(item) ?? {};
    const namespace = type === 'namespace' && typeof group === 'string' ? group : undefined;
    return foundByProvider([item]).map((name) => [name, namespace ?? name] as const);
  });
}
