import { type LoadingCalls, loadedNames } from '../conversation/loads.ts';
import { ANTHROPIC_SEARCHES, foundByProvider } from '../conversation/provider-searches.ts';
import type { NativeModel } from '../options/native.ts';
import { noLongerLoaded, sentAnyway } from '../prompts.ts';
import { asRecord } from '../util/record.ts';
import type { SentNatively } from './native-state.ts';
import { asPlainCall } from './portable.ts';
import type { ToolPart } from './prompt.ts';
import type { RewrittenSearch, SearchRewriting } from './rewriting.ts';

/** Anthropic's own search, which runs in the request. */
export function anthropicSearch(variant: 'bm25' | 'regex'): object {
  return {
    type: 'provider-defined',
    id: `anthropic.tool_search_${variant}_20251119`,
    name: ANTHROPIC_SEARCHES[variant],
    args: {},
  };
}

/**
 * Searches as Anthropic's models read them: results of this processor's as references to deferred tools. They are made
 * for each request, never stored, so that any other model can go on with the conversation, and a reference to a tool that
 * is gone, which would be refused, is left out.
 */
export function anthropicRewriting(sent: SentNatively, metaTools: LoadingCalls): SearchRewriting {
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
        if (sent.execution === 'client') return undefined;
        return ofVariant({ call, result: result && readable(withoutLostReferences(result, called, sent), sent) });
    }
  };
}

/** A result that comes one answer later has the name of the other variant in the packages, and Mastra names the call so. */
function ofVariant({ call, result }: RewrittenSearch): RewrittenSearch {
  const input = asRecord(call.input) ?? {};
  const variant = 'query' in input ? 'bm25' : 'pattern' in input ? 'regex' : undefined;
  const toolName = variant === undefined ? call.toolName : ANTHROPIC_SEARCHES[variant];
  if (call.toolName === toolName) return { call, result };
  return { call: { ...call, toolName }, result: result && { ...result, toolName } };
}

/** The package of Mastra's router takes no error of a search, and none takes a result that is no JSON. */
function readable(part: ToolPart, { model }: SentNatively): ToolPart {
  const { type, value } = part.output ?? {};
  const isError = type === 'error-json' || (type === 'json' && !Array.isArray(value));
  const isRouted = (model as NativeModel).gatewayId !== undefined;
  if (isError ? !isRouted : type === 'json') return part;
  return { ...part, output: { type: 'json', value: [] } };
}

function withReferences(part: ToolPart, names: readonly string[], sent: SentNatively): ToolPart {
  if (part.output?.type !== 'json' || names.length === 0) return part;
  const references = names.filter((name) => sent.referable.has(name)).map(reference);
  if (references.length > 0) return { ...part, output: { type: 'content', value: references } };
  return { ...part, output: insteadOfReferences(names, sent.eager) };
}

/** What stands in a result that has no tool left to refer to. */
export function insteadOfReferences(
  names: readonly string[],
  sentAtOnce: ReadonlySet<string>,
): { type: 'text'; value: string } {
  const there = names.filter((name) => sentAtOnce.has(name));
  return { type: 'text', value: there.length > 0 ? sentAnyway(there) : noLongerLoaded(names) };
}

function foundReference(toolName: string): object {
  return { type: 'tool_reference', toolName };
}

function reference(toolName: string): object {
  // Mastra's TokenLimiter takes a part without data for a medium of unknown size.
  return { type: 'custom', data: '', providerOptions: { anthropic: { type: 'tool-reference', toolName } } };
}

function withoutLostReferences(part: ToolPart, called: readonly string[], sent: SentNatively): ToolPart {
  const value = part.output?.value;
  if (part.output?.type === 'json' && (typeof value !== 'object' || value === null)) {
    // A DurableAgent forgets what was found. What was called of it was found, and nothing else can be known.
    const found = called.filter((name) => sent.referable.has(name));
    return { ...part, output: { type: 'json', value: found.map(foundReference) } };
  }
  if (!Array.isArray(value)) return part;
  const kept = value.filter((item) => sent.referable.has(String(asRecord(item)?.['toolName'])));
  return kept.length === value.length ? part : { ...part, output: { type: 'json', value: kept } };
}
