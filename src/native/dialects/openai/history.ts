import {
  asRecord,
  foundByProvider,
  type LoadingCalls,
  mapToolParts,
  type NativeModel,
  type Prompt,
  searchSideOf,
  type ToolPart,
  toolPartsIn,
} from '../../../kit.ts';
import type { NativeTools, ProviderSearch, RewrittenSearch } from '../../dialect.ts';
import { asPlainCall, itemIdOf } from '../../history.ts';
import { ofOneKind } from './search.ts';

export const OPENAI = 'openai';

/** The name of OpenAI's search tool, in requests and in conversations. */
export const SEARCH = 'tool_search';

/** Whether the result of OpenAI's own search lacks what it found: a DurableAgent forgets it. */
export function isForgotten(result: unknown): boolean {
  return !Array.isArray(asRecord(result)?.['tools']);
}

/** Whether OpenAI is sent ids of items that it stores, rather than the items. */
export function isStored(providerOptions: unknown): boolean {
  const options = asRecord(providerOptions);
  return (asRecord(options?.['azure']) ?? asRecord(options?.[OPENAI]))?.['store'] !== false;
}

/**
 * Searches as OpenAI's models read them. Results of OpenAI's own search stay, without tools that are gone: definitions
 * stand in them, so that the model could still call such a tool. An item that OpenAI stores is sent by its id, and can
 * only go as a whole. Calls of the meta-tools stay calls like any other.
 */
export function rewrite(
  search: ProviderSearch,
  sent: NativeTools,
  metaTools: LoadingCalls,
): RewrittenSearch | undefined {
  const { origin, call, result } = search;
  if (origin === 'meta-tool') return { call: renamed(call), result: result && renamed(result) };
  if (call.toolName !== SEARCH) return origin === 'server' ? undefined : asPlainCall(search, metaTools);
  if (origin === 'client') {
    // It was part of a response that is not whole any more, and OpenAI takes no search without an id.
    if (itemIdOf(call) === undefined) return asPlainCall(search, metaTools);
    return { call, result: result && withTools(result, ofOneKind(toolsLeft(result, sent))) };
  }
  if (!isStored(sent.providerOptions)) return { call, result: result && withTools(result, toolsLeft(result, sent)) };
  return hasFoundLostTools(search, sent) ? undefined : search;
}

/** The part under a name that OpenAI takes for none of its own: it would refuse the results. */
function renamed(part: ToolPart): ToolPart {
  return part.toolName === SEARCH ? { ...part, toolName: 'search_tools' } : part;
}

function hasFoundLostTools({ result, called }: ProviderSearch, sent: NativeTools): boolean {
  const value = result?.output?.value;
  const found = isForgotten(value) ? called : foundByProvider(value);
  return found.some((name) => !sent.isReadable(name));
}

function withTools(part: ToolPart, tools: readonly unknown[]): ToolPart {
  return { ...part, output: { type: 'json', value: { tools } } };
}

/** Found tools that are still there. A call that was declined, or failed, has a result of another form, which names none. */
function toolsLeft({ output }: ToolPart, sent: NativeTools): readonly unknown[] {
  const tools = output?.type === 'json' ? asRecord(output.value)?.['tools'] : undefined;
  return Array.isArray(tools) ? tools.flatMap((tool) => left(tool, sent)) : [];
}

/** A function that is still there, or a namespace with those of its functions that are. */
function left(tool: unknown, sent: NativeTools): readonly unknown[] {
  const nested = asRecord(tool)?.['tools'];
  if (!Array.isArray(nested)) return foundByProvider([tool]).every((name) => sent.isReferable(name)) ? [tool] : [];
  const kept = nested.flatMap((inner) => left(inner, sent));
  return kept.length > 0 ? [{ ...asRecord(tool), tools: kept }] : [];
}

/** Tools that OpenAI's definitions in the result of a search are of. */
export function definedIn({ toolName, output }: ToolPart): readonly string[] {
  const isDefining = toolName === SEARCH && output?.type === 'json' && !Array.isArray(output.value);
  return isDefining ? foundByProvider(output.value) : [];
}

/**
 * Names the namespace in calls of tools that a search before them has loaded, or that are sent eager in a namespace:
 * OpenAI refuses such calls without. Another model made them, or OpenAI's while the tool stood elsewhere.
 *
 * @returns the same prompt where no call lacks it.
 */
export function withNamespaces(prompt: Prompt, sent: NativeTools, eager: Iterable<string>): Prompt {
  const provider = optionsName(sent.model);
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
}

/** The tools that a prompt calls in namespaces. */
export function calledInNamespaces(prompt: Prompt, sent: NativeTools): ReadonlySet<string> {
  return new Set([...callsInNamespaces(prompt, sent, []).keys()].map(({ toolName }) => toolName));
}

/** The calls that OpenAI wants a namespace in, each with its name. */
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
      hasForgotten ||= searchSideOf(toolName, searches.get(toolCallId)) === 'server' && isForgotten(found);
    }
  }
  return calls;
}

/** The key under which the package of a model reads what belongs to its provider. */
function optionsName(model: unknown): 'azure' | 'openai' {
  const { provider } = (model ?? {}) as NativeModel;
  return typeof provider === 'string' && provider.includes('azure') ? 'azure' : OPENAI;
}

/** The tools that a search of OpenAI's found, with their namespaces: a tool in none is called in one of its own name. */
function namespacesFound(result: unknown): readonly (readonly [name: string, namespace: string])[] {
  const tools = asRecord(result)?.['tools'];
  return (Array.isArray(tools) ? tools : []).flatMap((item) => {
    const { type, name: group } = asRecord(item) ?? {};
    const namespace = type === 'namespace' && typeof group === 'string' ? group : undefined;
    return foundByProvider([item]).map((name) => [name, namespace ?? name] as const);
  });
}
