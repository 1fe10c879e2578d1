import {
  asRecord,
  foundByProvider,
  mapToolParts,
  type NativeModel,
  OPENAI_SEARCH,
  type Prompt,
  providerSearchOf,
  type ToolPart,
  toolPartsIn,
} from '../../../kit.ts';
import type { SentTools } from '../../dialect.ts';
import { isForgotten as isLost } from './history.ts';

/**
 * Names the namespace in calls of tools that a search before them has loaded, or that are sent eager in a namespace:
 * OpenAI refuses such calls without. Another model made them, or OpenAI's while the tool stood elsewhere.
 *
 * @param eager - the tools of the catalog that are sent so.
 * @returns the same prompt where no call lacks it.
 */
export function withNamespaces(prompt: Prompt, sent: SentTools, eager: Iterable<string>): Prompt {
  const provider = optionsName(sent.model);
  const noteOf = (part: ToolPart) => asRecord(asRecord(part.providerOptions)?.[provider]);
  const calls = callsInNamespaces(prompt, sent, eager);
  const missing = new Map([...calls].filter(([part]) => typeof noteOf(part)?.['namespace'] !== 'string'));
  if (missing.size === 0) return prompt;
  return mapToolParts(prompt, (part) => {
    const namespace = missing.get(part);
    if (namespace === undefined) return part;
    return {
      ...part,
      providerOptions: { ...asRecord(part.providerOptions), [provider]: { ...noteOf(part), namespace } },
    };
  });
}

/** The tools that a prompt calls in namespaces. */
export function calledInNamespaces(prompt: Prompt, sent: SentTools): ReadonlySet<string> {
  return new Set([...callsInNamespaces(prompt, sent, []).keys()].map(({ toolName }) => toolName));
}

/** The calls that OpenAI wants a namespace in, each with its name. */
function callsInNamespaces(prompt: Prompt, sent: SentTools, eager: Iterable<string>): ReadonlyMap<ToolPart, string> {
  const searches = new Map<string, unknown>();
  const loaded = new Map<string, string>();
  const calls = new Map<ToolPart, string>();
  let isForgotten = false;
  for (const name of eager) {
    const namespace = sent.namespaceOf(name);
    if (namespace !== undefined) loaded.set(name, namespace);
  }
  for (const part of toolPartsIn(prompt)) {
    const { type, toolName, toolCallId, input, output } = part;
    if (type === 'tool-call') {
      if (toolName === OPENAI_SEARCH) searches.set(toolCallId, input);
      const unknown = isForgotten && sent.deferred.has(toolName) ? (sent.namespaceOf(toolName) ?? toolName) : undefined;
      const namespace = loaded.get(toolName) ?? unknown;
      if (namespace !== undefined) calls.set(part, namespace);
    } else if (searches.has(toolCallId)) {
      const found = output?.type === 'json' ? output.value : undefined;
      for (const [name, namespace] of namespacesFound(found)) if (!loaded.has(name)) loaded.set(name, namespace);
      isForgotten ||= providerSearchOf(toolName, searches.get(toolCallId))?.side === 'server' && isLost(found);
    }
  }
  return calls;
}

/** The key under which the package of a model reads what belongs to its provider. */
function optionsName(model: unknown): 'azure' | 'openai' {
  const { provider } = (model ?? {}) as NativeModel;
  return typeof provider === 'string' && provider.includes('azure') ? 'azure' : 'openai';
}

/**
 * The tools that a search of OpenAI's found, with their namespaces: a tool in none is called in one of its own name.
 */
function namespacesFound(result: unknown): ReadonlyMap<string, string> {
  const tools = asRecord(result)?.['tools'];
  const found = Array.isArray(tools) ? tools : [];
  return new Map(found.flatMap((item) => foundByProvider([item]).map((name) => [name, namespaceIn(item) ?? name])));
}

function namespaceIn(item: unknown): string | undefined {
  const { type, name } = asRecord(item) ?? {};
  return type === 'namespace' && typeof name === 'string' ? name : undefined;
}
