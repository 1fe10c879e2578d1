import type { LoadingCalls } from '../conversation/loads.ts';
import { foundByProvider, isAnthropicSearch, OPENAI_SEARCH } from '../conversation/provider-searches.ts';
import { asRecord } from '../util/record.ts';
import { insteadOfReferences } from './anthropic.ts';
import { calledInNamespaces, withNamespaces } from './call-namespaces.ts';
import { isForgottenSearch, isStored } from './covered.ts';
import { withoutDeferral } from './deferral.ts';
import { type CalledTool, forcedTool, type ModelCall } from './model.ts';
import type { SentNatively } from './native-state.ts';
import { isAnsweredHere } from './openai.ts';
import { asPlainCalls, portableRewriting } from './portable.ts';
import { mapToolParts, type Prompt, type ToolPart, toolPartsIn } from './prompt.ts';
import { rewriteSearches } from './rewriting.ts';

/**
 * Makes the tools and the prompt of a request fit each other, whatever has been taken away since the step was prepared.
 * Without the search tool, what is deferred and not loaded goes, and what is loaded is sent at once, as is a tool that the
 * model is forced to call. A reference to a tool that is not there, or not deferred, goes as well. A loaded tool that the
 * prompt does not name could not be called, so that it is sent at once, as is one whose calls would lose their
 * namespace. What OpenAI reads in the results of searches is not sent again.
 *
 * @param carry - told of those, which stay so.
 */
export function reconcile(
  call: ModelCall,
  sent: SentNatively,
  metaTools: LoadingCalls,
  carry: (name: string) => void,
): ModelCall {
  const { deferred, loaded, searchName, unused } = sent;
  const hasSearch = call.tools?.some(({ name }) => name === searchName) === true;
  const forced = forcedTool(call.toolChoice);
  const isSent = ({ name }: CalledTool): boolean =>
    name !== unused && (hasSearch || !deferred.has(name) || loaded.has(name));
  const tools = call.tools?.filter(isSent) ?? [];
  const isAtOnce = (name: string): boolean => deferred.has(name) && (!hasSearch || name === forced);

  const names = new Set(tools.map(({ name }) => name));
  const isReferable = (name: string): boolean => names.has(name) && !isAtOnce(name);
  let { prompt } = call;
  if (sent.dialect === 'anthropic') prompt = withoutReferences(prompt, names, isReferable);
  // OpenAI takes a search for its own only where the request has the search tool, or by its id.
  else if (!hasSearch) {
    const rewriting = isStored(call.providerOptions) ? asPlainCalls(metaTools) : portableRewriting(metaTools);
    prompt = rewriteSearches(prompt, metaTools, rewriting);
  }

  const named = namesIn(prompt, call.providerOptions);
  const refused = sent.losesNamespaces ? calledInNamespaces(prompt, sent) : NONE;
  const isLost = (name: string): boolean => loaded.has(name) && (!named.has(name) || refused.has(name));
  if (hasSearch) for (const name of names) if (isLost(name)) carry(name);
  const atOnce = new Set([...names].filter((name) => isAtOnce(name) || isLost(name)));
  if (sent.dialect === 'openai') prompt = withNamespaces(prompt, sent, sent.model, atOnce);
  if (!call.tools) return { ...call, prompt };
  const isRead = ({ name }: CalledTool): boolean => isAnsweredHere(sent) && deferred.has(name) && !atOnce.has(name);
  const changed = tools.filter((tool) => !isRead(tool));
  return { ...call, prompt, tools: changed.map((tool) => (atOnce.has(tool.name) ? withoutDeferral(tool) : tool)) };
}

const NONE: ReadonlySet<string> = new Set();

/** Keeps references that stand for something; without the search tool, what it found goes as a whole. */
function withoutReferences(prompt: Prompt, names: ReadonlySet<string>, isReferable: (name: string) => boolean): Prompt {
  return mapToolParts(prompt, (part) => {
    if (isAnthropicSearch(part.toolName) && !names.has(part.toolName)) return undefined;
    const referred = referencesIn(part);
    const kept = referred.filter(({ name }) => isReferable(name));
    if (part.type !== 'tool-result' || kept.length === referred.length) return part;
    const values = kept.map(({ item }) => item);
    if (part.output?.type === 'json') return { ...part, output: { type: 'json', value: values } };
    if (kept.length > 0) return { ...part, output: { type: 'content', value: values } };
    const all = referred.map(({ name }) => name);
    return { ...part, output: insteadOfReferences(all, names) };
  });
}

/** What the prompt gives the definitions of: by references, or by OpenAI's definitions themselves. */
function namesIn(prompt: Prompt, providerOptions: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const called = new Set<string>();
  const searches = new Map<string, unknown>();
  let isForgotten = false;
  for (const part of toolPartsIn(prompt)) {
    const { type, toolName, toolCallId, input, output } = part;
    if (type === 'tool-call') {
      called.add(toolName);
      searches.set(toolCallId, input);
      continue;
    }
    for (const { name } of referencesIn(part)) names.add(name);
    if (output?.type === 'json') for (const name of definedIn(part)) names.add(name);
    isForgotten ||= isForgottenSearch(toolName, searches.get(toolCallId), output?.value);
  }
  return isForgotten && isStored(providerOptions) ? new Set([...names, ...called]) : names;
}

function definedIn({ toolName, output }: ToolPart): readonly string[] {
  return toolName === OPENAI_SEARCH && !Array.isArray(output?.value) ? foundByProvider(output?.value) : [];
}

/** References to deferred tools in a result: ours, and those of Anthropic's own search. */
function referencesIn(part: ToolPart): readonly { readonly name: string; readonly item: unknown }[] {
  const { output } = part;
  if (!Array.isArray(output?.value)) return [];
  return output.value.flatMap((item) => {
    const { toolName, providerOptions } = asRecord(item) ?? {};
    const own = asRecord(asRecord(providerOptions)?.['anthropic']);
    const name = isAnthropicSearch(part.toolName) ? toolName : own?.['type'] === 'tool-reference' && own['toolName'];
    return typeof name === 'string' ? [{ name, item }] : [];
  });
}
