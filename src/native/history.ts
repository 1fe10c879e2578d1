import {
  type Conversation,
  foundByProvider,
  isReasoning,
  loadedNames,
  type MetaToolNames,
  mapContent,
  mapToolParts,
  type Prompt,
  partsOf,
  providerSearches,
  type ToolPart,
  toolPartsIn,
} from '../kit.ts';
import { asRecord } from '../util/record.ts';
import { notesAmong } from './append.ts';
import type { ProviderSearch, RewrittenSearch } from './dialect.ts';

/** Rewrites a search for one model. Undefined leaves the search out. */
export type SearchRewriting = (search: ProviderSearch) => RewrittenSearch | undefined;

/**
 * Rewrites a search for any model: a search that this processor ran becomes an ordinary call of the meta-tool, and one
 * that a provider ran is left out.
 */
export const asInLoadMode: SearchRewriting = (search) =>
  search.origin === 'server' ? undefined : withoutProviders(search);

/**
 * Rewrites a search for a provider without its search tool: a search that this processor ran becomes an ordinary call
 * of the meta-tool.
 */
export const withoutProviders: SearchRewriting = (search) => (search.origin === 'client' ? search.asPlain() : search);

/** Turns a search into a call of the meta-tool with this name. */
function asPlain({ call, result }: RewrittenSearch, names: readonly string[], toolName: string): RewrittenSearch {
  const notes = notesAmong(call.providerOptions);
  const options = Object.keys(notes).length > 0 ? { providerOptions: notes } : {};
  const input = asRecord(asRecord(call.input)?.['arguments']) ?? {};
  const plain = { type: call.type, toolCallId: call.toolCallId, toolName, input, ...options };
  if (!result) return { call: plain, result };
  const { output, type, toolCallId } = result;
  const { tools: _, ...value } = asRecord(output?.value) ?? {};
  const results = Array.isArray(value['results']) ? value : { results: names.map((name) => ({ name })), loaded: names };
  const given = output?.type === 'json' ? { type: 'json', value: results } : output;
  return { call: plain, result: { type, toolCallId, toolName, ...(given ? { output: given } : {}) } };
}

/**
 * Rewrites the searches in a prompt. A search that a provider ran is left out if its result is missing, as in a message
 * list that was cut.
 */
export function rewriteSearches(prompt: Prompt, metaTools: MetaToolNames, rewriting: SearchRewriting): Prompt {
  const searches = searchesIn(prompt, metaTools);
  const rewritten = rewriteEach(searches, rewriting);
  const whole = takeApart(prompt, (response) => {
    const first = asRecord(response.find((part) => !isReasoning(part)));
    const id = String(first?.['toolCallId']);
    const search = searches.get(id);
    return search !== undefined && search.origin !== 'meta-tool' && rewritten.get(id)?.call !== search.call;
  });
  // Without item ids, some searches have to be rewritten in another way.
  const parts = whole === prompt ? rewritten : rewriteEach(searchesIn(whole, metaTools, searches), rewriting);
  return mapToolParts(whole, (part) => {
    if (!parts.has(part.toolCallId)) return part;
    const search = parts.get(part.toolCallId);
    return part.type === 'tool-call' ? search?.call : search?.result;
  });
}

function rewriteEach(
  searches: ReadonlyMap<string, ProviderSearch>,
  rewriting: SearchRewriting,
): ReadonlyMap<string, RewrittenSearch | undefined> {
  const isCut = ({ origin, result, isUnderWay }: ProviderSearch) => origin === 'server' && !isUnderWay && !result;
  return new Map([...searches].map(([id, search]) => [id, isCut(search) ? undefined : rewriting(search)]));
}

/** The searches of a prompt, by id. After responses were taken apart, `called` stays as it was `before`. */
function searchesIn(
  prompt: Prompt,
  { search, load }: MetaToolNames,
  before?: ReadonlyMap<string, ProviderSearch>,
): ReadonlyMap<string, ProviderSearch> {
  const originOf = ({ toolName, input }: ToolPart): ProviderSearch['origin'] | undefined =>
    providerSearches.get(toolName)?.(input) ?? (toolName === search || toolName === load ? 'meta-tool' : undefined);
  const parts = toolPartsIn(prompt);
  const results = new Map(parts.filter(({ type }) => type === 'tool-result').map((part) => [part.toolCallId, part]));
  const last = new Set(toolPartsIn(prompt.slice(prompt.findLastIndex(({ role }) => role !== 'tool'))));
  const searches = new Map<string, ProviderSearch>();
  // Only the first call of a tool counts.
  const seen = new Set<string>();
  let called: string[] = [];
  for (const call of parts) {
    const { type, toolCallId: id, toolName } = call;
    if (type === 'tool-result') continue;
    const origin = originOf(call);
    if (origin) {
      called = [];
      const kept = before ? (before.get(id)?.called ?? []) : called;
      const result = results.get(id);
      const value = result?.output?.value;
      const found =
        origin === 'meta-tool' ? loadedNames(value, toolName === search ? 'search' : 'load') : foundByProvider(value);
      const ofCall = { origin, call, result, found, called: kept, isUnderWay: last.has(call) };
      searches.set(id, { ...ofCall, asPlain: () => asPlain(ofCall, found, search) });
    } else if (!seen.has(toolName)) {
      seen.add(toolName);
      called.push(toolName);
    }
  }
  return searches;
}

/**
 * Takes apart responses of OpenAI's models that have lost a part. OpenAI rejects reasoning without the action that
 * followed it, and an item sent by its id without its reasoning. So the reasoning is removed, with the calls that ran
 * at OpenAI, and the other parts lose their ids.
 *
 * Mastra may spread a response over several messages, and does not mark its end. Here a response begins with reasoning,
 * and ends at the next reasoning or at the user's next message.
 */
export function takeApart(prompt: Prompt, isBroken: (response: readonly unknown[]) => boolean): Prompt {
  const broken = new Set(responsesIn(prompt).filter(isBroken).flat());
  if (broken.size === 0) return prompt;
  const dropped = new Set<unknown>();
  return mapContent(prompt, (parts) => {
    const pieces = parts.flatMap((part) => {
      if (!broken.has(part)) return [part];
      if (isReasoning(part)) return [];
      const { type, toolCallId, providerExecuted } = fieldsOf(part);
      if (type !== 'tool-call' || providerExecuted !== true) return [withoutItemId(part)];
      dropped.add(toolCallId);
      return [];
    });
    return pieces.filter((part) => !dropped.has(fieldsOf(part)['toolCallId']));
  });
}

/**
 * Takes apart responses whose first call is missing in the prompt. Mastra leaves out a call that was not answered, and
 * a call that ran at a provider whose model did not end the run. The stored messages show which calls are missing.
 */
export function withoutLostCalls(prompt: Prompt, messages: () => Conversation): Prompt {
  if (responsesIn(prompt).length === 0) return prompt;
  const there = new Set<unknown>(toolPartsIn(prompt).map(({ toolCallId }) => toolCallId));
  const alone = new Set<unknown>();
  for (const message of messages()) {
    // Backwards, because reasoning belongs to the part that follows it.
    let isLost = false;
    for (const part of partsOf(message?.content).toReversed()) {
      const { type, toolInvocation } = fieldsOf(part);
      const id = isReasoning(part) ? itemIdOf(part) : undefined;
      if (isLost && id !== undefined) alone.add(id);
      if (type === 'text') isLost = false;
      if (toolInvocation) isLost = !there.has(fieldsOf(toolInvocation)['toolCallId']);
    }
  }
  if (alone.size === 0) return prompt;
  const isAlone = (part: unknown): boolean => isReasoning(part) && alone.has(itemIdOf(part));
  const whole = takeApart(prompt, (response) => isAlone(response.findLast(isReasoning)));
  // If a response has lost everything but its reasoning, that reasoning stands right before the next response.
  return mapContent(whole, (parts) => parts.filter((part) => !isAlone(part)));
}

function responsesIn(prompt: Prompt): readonly (readonly unknown[])[] {
  const responses: unknown[][] = [];
  let response: unknown[] = [];
  for (const { role, content } of prompt) {
    if (role === 'tool') continue;
    const parts = role === 'assistant' && Array.isArray(content) ? content : undefined;
    if (!parts) response = [];
    for (const [at, part] of parts?.entries() ?? []) {
      if (isReasoning(part) && !isReasoning(parts?.[at - 1])) {
        response = [];
        if (itemIdOf(part) !== undefined) responses.push(response);
      }
      response.push(part);
    }
  }
  return responses;
}

function fieldsOf(part: unknown): Record<string, unknown> {
  return asRecord(part) ?? {};
}

/** The id of an item of a response, as `openai` or `azure` noted it in a prompt or a stored message; undefined for none. */
export function itemIdOf(part: unknown): unknown {
  const { providerOptions, providerMetadata } = fieldsOf(part);
  const notes = [providerOptions, providerMetadata].flatMap((all) => Object.values(fieldsOf(all)));
  return notes.map((note) => fieldsOf(note)['itemId']).find((id) => typeof id === 'string');
}

function withoutItemId(part: unknown): unknown {
  if (itemIdOf(part) === undefined) return part;
  const notes = Object.entries(fieldsOf(fieldsOf(part)['providerOptions'])).map(([provider, note]) => {
    const { itemId: _, ...others } = fieldsOf(note);
    return [provider, others];
  });
  return { ...fieldsOf(part), providerOptions: Object.fromEntries(notes) };
}

/**
 * Removes thinking that precedes the user's last message. Claude's newest models bind thinking to all messages before
 * it, and Anthropic refuses thinking whose messages have changed. Earlier thinking may be left out.
 */
export function withoutEarlierThinking(prompt: Prompt): Prompt {
  const last = prompt.findLastIndex(({ role }) => role === 'user') + 1;
  const earlier = mapContent(prompt.slice(0, last), (parts) => parts.filter((part) => !isReasoning(part)));
  return [...earlier, ...prompt.slice(last)];
}
