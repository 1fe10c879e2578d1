import { namespacesFound, OPENAI_SEARCH } from '../conversation/provider-searches.ts';
import type { NativeModel } from '../options/native.ts';
import { asRecord } from '../util/record.ts';
import { isForgottenSearch } from './covered.ts';
import type { SentNatively } from './native-state.ts';
import { mapToolParts, type Prompt, type ToolPart, toolPartsIn } from './prompt.ts';

/** What has to be known of the tools of a request. */
type Sent = Pick<SentNatively, 'deferred' | 'namespaceOf'>;

/**
 * Names the namespace in calls of tools that a search before them has loaded, or that are sent at once in a namespace:
 * OpenAI refuses those without. Another model made them, or OpenAI's while the tool stood elsewhere.
 *
 * @param atOnce - the tools of the catalog that are sent so.
 * @returns the same prompt where none lacks it.
 */
export function withNamespaces(prompt: Prompt, sent: Sent, model: unknown, atOnce: Iterable<string>): Prompt {
  const provider = optionsName(model);
  const noteOf = (part: ToolPart) => asRecord(asRecord(part.providerOptions)?.[provider]);
  const calls = callsInNamespaces(prompt, sent, atOnce);
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

/** The tools of such calls. */
export function calledInNamespaces(prompt: Prompt, sent: Sent): ReadonlySet<string> {
  return new Set([...callsInNamespaces(prompt, sent, []).keys()].map(({ toolName }) => toolName));
}

function callsInNamespaces(prompt: Prompt, sent: Sent, atOnce: Iterable<string>): ReadonlyMap<ToolPart, string> {
  const searches = new Map<string, unknown>();
  const loaded = new Map<string, string>();
  const calls = new Map<ToolPart, string>();
  let isForgotten = false;
  for (const name of atOnce) {
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
      isForgotten ||= isForgottenSearch(toolName, searches.get(toolCallId), found);
    }
  }
  return calls;
}

/** Where the package of a model reads what belongs to its provider. */
function optionsName(model: unknown): 'azure' | 'openai' {
  const { provider } = (model ?? {}) as NativeModel;
  return typeof provider === 'string' && provider.includes('azure') ? 'azure' : 'openai';
}
