import {
  asRecord,
  foundByProvider,
  type LoadingCalls,
  mapToolParts,
  type Prompt,
  providerSearchOf,
  type ToolPart,
  toolPartsIn,
} from '../../kit.ts';
import { notesAmong } from '../append/changes.ts';
import type { RewrittenSearch, Search } from '../dialect.ts';
import { firstBehindReasoning, takeApart } from './responses.ts';

/** Searches as every model reads them: calls of the meta-tool like any other, and nothing of a provider's own. */
export function loadModeRewriting(metaTools: LoadingCalls): SearchRewriting {
  return (search) => {
    if (isClients(search)) return asPlainCall(search, metaTools);
    return search.origin === 'meta-tool' ? search : undefined;
  };
}

/** Searches as a provider reads them without its search tool: those that its models called become calls of the meta-tool. */
export function asPlainCalls(metaTools: LoadingCalls, dialect: string): SearchRewriting {
  return (search) => (isClients(search, dialect) ? asPlainCall(search, metaTools) : search);
}

function isClients({ origin }: Search, dialect?: string): boolean {
  return origin !== 'meta-tool' && origin.side === 'client' && (dialect ?? origin.dialect) === origin.dialect;
}

/** A search that a provider's model called, as a call of the meta-tool, without what only the provider knows. */
export function asPlainCall({ call, result }: RewrittenSearch, metaTools: LoadingCalls): RewrittenSearch {
  return { call: ownCall(call, metaTools), result: result && ownResult(result, metaTools) };
}

function ownCall({ type, toolCallId, input, providerOptions }: ToolPart, { search }: LoadingCalls): ToolPart {
  const notes = notesAmong(providerOptions);
  const kept = Object.keys(notes).length > 0 ? { providerOptions: notes } : {};
  return { type, toolCallId, toolName: search, input: asRecord(asRecord(input)?.['arguments']) ?? {}, ...kept };
}

/** The result without the definitions. */
function ownResult({ type, toolCallId, output }: ToolPart, { search }: LoadingCalls): ToolPart {
  if (output?.type !== 'json') return { type, toolCallId, toolName: search, ...(output ? { output } : {}) };
  const { tools: _, ...value } = asRecord(output.value) ?? {};
  const names = foundByProvider(output.value);
  const results = Array.isArray(value['results']) ? value : { results: names.map((name) => ({ name })), loaded: names };
  return { type, toolCallId, toolName: search, output: { type: 'json', value: results } };
}

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
    return search !== undefined && search.origin !== 'meta-tool' && rewritten.get(id)?.call !== search.call;
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
    const isAlone = origin !== 'meta-tool' && origin.side === 'server' && !isUnderWay && !result;
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
  const origins = new Map<string, Search['origin']>();
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

function originOf({ toolName, input }: ToolPart, metaTools: LoadingCalls): Search['origin'] | undefined {
  const provider = providerSearchOf(toolName, input);
  if (provider) return provider;
  return toolName === metaTools.search || toolName === metaTools.load ? 'meta-tool' : undefined;
}
