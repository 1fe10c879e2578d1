import type { LoadingCalls } from '../../loaded/conversation/loads.ts';
import { mapToolParts, type Prompt, type ToolPart, toolPartsIn } from '../../loaded/conversation/prompt.ts';
import { type ProviderSearch, providerSearchOf } from '../../loaded/conversation/provider-searches.ts';
import { asRecord } from '../../util/record.ts';
import { firstBehindReasoning, takeApart } from './responses.ts';

/** Who made a search. */
type SearchOrigin = ProviderSearch | 'meta-tool';

/** A search in a prompt. */
export interface Search {
  readonly origin: SearchOrigin;
  readonly call: ToolPart;
  readonly result: ToolPart | undefined;
  /** Tools that were called between this search and the next, and never before. */
  readonly called: readonly string[];
  /** Whether the result may still come: the call stands in the last message, or only results stand behind it. */
  readonly isUnderWay: boolean;
}

/** A search as it stands in the prompt for one model. */
export type RewrittenSearch = Pick<Search, 'call' | 'result'>;

/** Rewrites a search for one model. Undefined leaves the search out. */
export type SearchRewriting = (search: Search) => RewrittenSearch | undefined;

/**
 * Rewrites the searches in a prompt, and leaves out those of a provider that have no result: a message list that was cut
 * may hold a call without it.
 *
 * @returns the same prompt where there is nothing to rewrite.
 */
export function rewriteSearches(prompt: Prompt, metaTools: LoadingCalls, rewriting: SearchRewriting): Prompt {
  const searches = searchesIn(prompt, metaTools);
  const rewritten = rewriteEach(searches, rewriting);
  const whole = takeApart(prompt, (response) => {
    const id = toolCallIdOf(firstBehindReasoning(response));
    const search = searches.get(id);
    return search?.origin.startsWith('openai') === true && rewritten.get(id)?.call !== search.call;
  });
  // Without their ids some are to be rewritten in another way.
  const parts = whole === prompt ? rewritten : rewriteEach(searchesIn(whole, metaTools, searches), rewriting);
  return mapToolParts(whole, (part) => {
    if (!parts.has(part.toolCallId)) return part;
    const search = parts.get(part.toolCallId);
    return part.type === 'tool-call' ? search?.call : search?.result;
  });
}

function rewriteEach(
  searches: ReadonlyMap<string, Search>,
  rewriting: SearchRewriting,
): ReadonlyMap<string, RewrittenSearch | undefined> {
  const rewrite = (search: Search): RewrittenSearch | undefined => {
    const { origin, result, isUnderWay } = search;
    const isAlone = origin.endsWith('-server') && !isUnderWay && !result;
    return isAlone ? undefined : rewriting(search);
  };
  return new Map([...searches].map(([id, search]) => [id, rewrite(search)]));
}

function toolCallIdOf(part: unknown): string {
  return String(asRecord(part)?.['toolCallId']);
}

/**
 * The searches of a prompt, by id.
 *
 * @param before - the same before responses were taken apart: `called` stays as it was then.
 */
function searchesIn(
  prompt: Prompt,
  metaTools: LoadingCalls,
  before?: ReadonlyMap<string, Search>,
): ReadonlyMap<string, Search> {
  const parts = toolPartsIn(prompt);
  const origins = new Map<string, SearchOrigin>();
  for (const part of parts) {
    const origin = part.type === 'tool-call' ? originOf(part, metaTools) : undefined;
    if (origin) origins.set(part.toolCallId, origin);
  }
  if (origins.size === 0) return new Map();
  const behind = before ? undefined : calledBehind(parts, origins);
  const results = new Map(parts.filter(({ type }) => type === 'tool-result').map((part) => [part.toolCallId, part]));
  const last = new Set(toolPartsIn(prompt.slice(prompt.findLastIndex(({ role }) => role !== 'tool'))));
  const searches = new Map<string, Search>();
  for (const call of parts) {
    const { type, toolCallId: id } = call;
    const origin = type === 'tool-call' ? origins.get(id) : undefined;
    if (!origin) continue;
    const called = behind?.get(id) ?? before?.get(id)?.called ?? [];
    searches.set(id, { origin, call, result: results.get(id), called, isUnderWay: last.has(call) });
  }
  return searches;
}

/** Tools that were called between each search and the next. A tool counts for its first call alone. */
function calledBehind(
  parts: readonly ToolPart[],
  searches: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, readonly string[]> {
  const called = new Map<string, string[]>();
  const seen = new Set<string>();
  let names: string[] = [];
  for (const { type, toolCallId, toolName } of parts) {
    if (type === 'tool-result') continue;
    if (searches.has(toolCallId)) {
      names = [];
      called.set(toolCallId, names);
    } else if (!seen.has(toolName)) {
      seen.add(toolName);
      names.push(toolName);
    }
  }
  return called;
}

function originOf({ toolName, input }: ToolPart, metaTools: LoadingCalls): SearchOrigin | undefined {
  const provider = providerSearchOf(toolName, input);
  if (provider) return provider;
  return toolName === metaTools.search || toolName === metaTools.load ? 'meta-tool' : undefined;
}
