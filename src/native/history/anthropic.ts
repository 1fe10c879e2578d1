import { type LoadingCalls, loadedNames } from '../../loaded/conversation/loads.ts';
import { mapToolParts, type Prompt, type ToolPart } from '../../loaded/conversation/prompt.ts';
import { ANTHROPIC_SEARCHES, foundByProvider, isAnthropicSearch } from '../../loaded/conversation/provider-searches.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import type { NativeModel } from '../../options/native.ts';
import { asRecord } from '../../util/record.ts';
import { referencesIn } from '../readable.ts';
import type { SentStep } from '../sent-step.ts';
import { asPlainCall } from './plain-calls.ts';
import type { RewrittenSearch, SearchRewriting } from './rewrite.ts';

/**
 * Searches as Anthropic's models read them: results of this processor's as references to deferred tools. References are
 * made for each request, never stored, so that any other model can go on with the conversation. A reference to a tool
 * that is gone, which would be refused, is left out.
 */
export function anthropicRewriting(sent: SentStep, metaTools: LoadingCalls): SearchRewriting {
  return (search) => {
    const { origin, call, result, called } = search;
    switch (origin) {
      case 'meta-tool': {
        const names = loadedNames(result?.output?.value, call.toolName === metaTools.search);
        return { call, result: result && withReferences(result, names, sent) };
      }
      case 'openai-client': {
        const plain = asPlainCall(search, metaTools);
        const names = foundByProvider(result?.output?.value);
        return { call: plain.call, result: plain.result && withReferences(plain.result, names, sent) };
      }
      case 'openai-server':
        return undefined;
      case 'anthropic-server':
        if (sent.plan.execution === 'client') return undefined;
        return ofVariant({ call, result: result && acceptable(withReferableFinds(result, called, sent), sent) });
    }
  };
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
  return { type: 'custom', data: '', providerOptions: { anthropic: { type: 'tool-reference', toolName } } };
}

/** A reference as Anthropic's own search makes it. */
function foundReference(toolName: string): object {
  return { type: 'tool_reference', toolName };
}

function withReferences(part: ToolPart, names: readonly string[], sent: SentStep): ToolPart {
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
function acceptable(part: ToolPart, { model }: SentStep): ToolPart {
  const { type, value } = part.output ?? {};
  const isError = type === 'error-json' || (type === 'json' && !Array.isArray(value));
  const isRouted = (model as NativeModel).gatewayId !== undefined;
  if (isError ? !isRouted : type === 'json') return part;
  return { ...part, output: { type: 'json', value: [] } };
}

function withReferableFinds(part: ToolPart, called: readonly string[], sent: SentStep): ToolPart {
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
