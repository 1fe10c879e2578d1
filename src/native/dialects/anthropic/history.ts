import {
  ANTHROPIC_SEARCHES,
  asRecord,
  foundByProvider,
  type LoadingCalls,
  loadedNames,
  mapToolParts,
  type NativeModel,
  type Prompt,
  metaToolsPrompts as prompts,
  type ToolPart,
} from '../../../kit.ts';
import type { RewrittenSearch, Search, SentTools } from '../../dialect.ts';
import { asPlainCall } from '../../history/plain-calls.ts';

/** The name of the provider. */
export const NAME = 'anthropic';

export function isAnthropicSearch(toolName: unknown): boolean {
  return toolName === ANTHROPIC_SEARCHES.bm25 || toolName === ANTHROPIC_SEARCHES.regex;
}

/**
 * Searches as Anthropic's models read them: results of this processor's as references to deferred tools. References are
 * made for each request, never stored, so that any other model can go on with the conversation. A reference to a tool
 * that is gone, which would be refused, is left out.
 */
export function rewrite(search: Search, sent: SentTools, metaTools: LoadingCalls): RewrittenSearch | undefined {
  const { origin, call, result, called } = search;
  if (origin === 'meta-tool') {
    const names = loadedNames(result?.output?.value, call.toolName === metaTools.search);
    return { call, result: result && withReferences(result, names, sent) };
  }
  if (origin.dialect === NAME) {
    if (sent.execution === 'client') return undefined;
    return ofVariant({ call, result: result && acceptable(withReferableFinds(result, called, sent), sent) });
  }
  if (origin.side === 'server') return undefined;
  const plain = asPlainCall(search, metaTools);
  const names = foundByProvider(result?.output?.value);
  return { call: plain.call, result: plain.result && withReferences(plain.result, names, sent) };
}

/**
 * Leaves out references to tools that a request does not defer, and, where Anthropic's own search tool is not in the
 * request, that search as a whole.
 *
 * @param names - of all the tools of the request.
 */
export function withoutLostReferences(
  prompt: Prompt,
  names: ReadonlySet<string>,
  isReferable: (name: string) => boolean,
): Prompt {
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

/** This processor's reference to a deferred tool. */
function reference(toolName: string): object {
  // Mastra's TokenLimiter takes a part without data for a medium of unknown size.
  return { type: 'custom', data: '', providerOptions: { [NAME]: { type: 'tool-reference', toolName } } };
}

/** A reference as Anthropic's own search makes it. */
function foundReference(toolName: string): object {
  return { type: 'tool_reference', toolName };
}

function withReferences(part: ToolPart, names: readonly string[], sent: SentTools): ToolPart {
  if (part.output?.type !== 'json' || names.length === 0) return part;
  const references = names.filter((name) => sent.isReferable(name)).map(reference);
  if (references.length > 0) return { ...part, output: { type: 'content', value: references } };
  return { ...part, output: insteadOfReferences(names, sent.eager) };
}

/** The text in a result that has no tool left to refer to. */
function insteadOfReferences(
  names: readonly string[],
  sentEager: ReadonlySet<string>,
): { type: 'text'; value: string } {
  const there = names.filter((name) => sentEager.has(name));
  return { type: 'text', value: there.length > 0 ? prompts.sentAnyway(there) : prompts.noLongerLoaded(names) };
}

/**
 * The search under the name of its variant. The packages give a result that comes one answer later the name of the other
 * one, and Mastra names the call so.
 */
function ofVariant({ call, result }: RewrittenSearch): RewrittenSearch {
  const input = asRecord(call.input) ?? {};
  const variant = 'query' in input ? 'bm25' : 'pattern' in input ? 'regex' : undefined;
  const toolName = variant === undefined ? call.toolName : ANTHROPIC_SEARCHES[variant];
  if (call.toolName === toolName) return { call, result };
  return { call: { ...call, toolName }, result: result && { ...result, toolName } };
}

/** A result that packages accept: that of Mastra's router takes no error of a search, and none takes what is no JSON. */
function acceptable(part: ToolPart, { model }: SentTools): ToolPart {
  const { type, value } = part.output ?? {};
  const isError = type === 'error-json' || (type === 'json' && !Array.isArray(value));
  const isRouted = (model as NativeModel).gatewayId !== undefined;
  if (isError ? !isRouted : type === 'json') return part;
  return { ...part, output: { type: 'json', value: [] } };
}

function withReferableFinds(part: ToolPart, called: readonly string[], sent: SentTools): ToolPart {
  const value = part.output?.value;
  if (part.output?.type === 'json' && (typeof value !== 'object' || value === null)) {
    // A DurableAgent forgets what was found. What was called of it was found, and nothing else can be known.
    const found = called.filter((name) => sent.isReferable(name));
    return { ...part, output: { type: 'json', value: found.map(foundReference) } };
  }
  if (!Array.isArray(value)) return part;
  const kept = value.filter((item) => sent.isReferable(String(asRecord(item)?.['toolName'])));
  return kept.length === value.length ? part : { ...part, output: { type: 'json', value: kept } };
}

/** References to deferred tools in a result: this processor's, and those of Anthropic's own search. */
export function referencesIn(part: ToolPart): readonly { readonly name: string; readonly item: unknown }[] {
  const { output } = part;
  if (!Array.isArray(output?.value)) return [];
  return output.value.flatMap((item) => {
    const { toolName, providerOptions } = asRecord(item) ?? {};
    const own = asRecord(asRecord(providerOptions)?.[NAME]);
    const name = isAnthropicSearch(part.toolName) ? toolName : own?.['type'] === 'tool-reference' && own['toolName'];
    return typeof name === 'string' ? [{ name, item }] : [];
  });
}
