import type { LoadingCalls } from '../conversation/loads.ts';
import { type ProviderSearch, providerSearchOf } from '../conversation/provider-searches.ts';
import { asRecord } from '../util/record.ts';
import { mapToolParts, type Prompt, type ToolPart, toolPartsIn } from './prompt.ts';
import { firstBehindReasoning, takeApart } from './response-items.ts';

/** Whose search a part of a prompt is of. */
type SearchOrigin = ProviderSearch | 'meta-tool';

/** A search in a prompt. */
export interface Search {
  readonly origin: SearchOrigin;
  readonly call: ToolPart;
  readonly result: ToolPart | undefined;
  /** The tools that were called behind it, and not before. */
  readonly called: readonly string[];
  /** Whether its result may still come: it stands in the last message, or nothing but results stands behind it. */
  readonly isUnderWay: boolean;
}

/** As a search stands in the prompt for one model. */
export type RewrittenSearch = Pick<Search, 'call' | 'result'>;

/** Undefined leaves a search out. */
export type SearchRewriting = (search: Search) => RewrittenSearch | undefined;

/**
 * Rewrites the searches in a prompt, and leaves out those of a provider that have no result, or no call: a message list
 * that was cut may hold one without the other.
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
 * By id.
 *
 * @param before - the searches before some went: what was called behind one stays as it was.
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

/** The tools that were called behind each search and before the next, each by the first. */
function calledBehind(
  parts: readonly ToolPart[],
  searches: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, readonly string[]> {
  const called = new Map<string, string[]>();
  const known = new Set<string>();
  let names: string[] = [];
  for (const { type, toolCallId, toolName } of parts) {
    if (type === 'tool-result') continue;
    if (searches.has(toolCallId)) {
      names = [];
      called.set(toolCallId, names);
    } else if (!known.has(toolName)) {
      known.add(toolName);
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
