import type { RequestContext } from '@mastra/core/request-context';
import type { Permissions } from '../../filter/permissions.ts';
import type { PolicySubject } from '../../filter/questions.ts';
import { spelledAlike } from '../../scorers/words/suggest.ts';
import { asRecord } from '../../util/record.ts';
import { readContext } from '../../util/request-context.ts';
import { runToEnd } from '../../util/time-slices.ts';
import { callsOfRun, missedName, type ToolCall } from './calls.ts';
import type { ConversationMessage } from './messages.ts';
import { foundByProvider, providerSearchOf } from './provider-searches.ts';
import { isReceipt } from './receipt.ts';

/** The calls of a conversation that load and unload tools: those of the meta-tools, by their names, and others. */
export interface LoadingCalls {
  readonly search: string;
  readonly load: string;
  readonly unload?: string;
  /** Whether the providers' own searches count as well: with `mode: 'native'`. */
  readonly withProviders?: boolean;
  /** Whether a tool that was missed and then called with success counts as well: it was loaded for that. */
  readonly withMissed?: boolean;
  /** Whether every tool that was called with success counts: with `preselect`, one may be called without a load. */
  readonly withCalled?: boolean;
}

/** A tool that a call of the conversation loaded, with the message that says so. */
export interface ConversationLoad {
  readonly name: string;
  readonly message: ConversationMessage;
}

/** The latest missed names that a later call is compared with. */
const MAX_MISSED = 10;

/**
 * The tools that completed calls loaded and did not unload again, oldest first, each name once. Only what really loaded
 * counts: a plain search result does not.
 *
 * @param isTrusted - whether a message wins over an earlier one that is not trusted, for the same name.
 */
export function loadsInConversation(
  calls: readonly ToolCall[],
  loading: LoadingCalls,
  isTrusted: (message: ConversationMessage) => boolean = () => true,
): readonly ConversationLoad[] {
  const loads = new Map<string, ConversationLoad>();
  let missed: readonly string[] = [];
  for (const call of calls) {
    const { message } = call;
    const miss = loading.withMissed ? missedName(call) : undefined;
    if (miss !== undefined) missed = [...missed, miss].slice(-MAX_MISSED);
    for (const name of unloadedBy(call, loading)) loads.delete(name);
    for (const name of [...loadedBy(call, loading), ...loadedForCall(call, missed, loading.withCalled)]) {
      const earlier = loads.get(name);
      if (!earlier || (!isTrusted(earlier.message) && isTrusted(message))) loads.set(name, { name, message });
    }
  }
  return [...loads.values()];
}

/** The origin of a conversation, which tells what can be believed of it. */
export interface ConversationArgs {
  readonly messages?: readonly ConversationMessage[] | undefined;
  readonly messageList?: unknown;
  readonly requestContext?: RequestContext | undefined;
}

/**
 * The names that the conversation shows as loaded, as far as it can be believed.
 *
 * Only what this request loaded itself is believed at once. Every other result may have been written by a client, even
 * one that Memory brings, which stores what clients send: its names have to pass the load phase of the filter again.
 * What the caller of this turn sent is ignored where Memory has the history.
 *
 * @param own - the names that this request loaded.
 */
export async function believableLoads(
  calls: readonly ToolCall[],
  { messageList, requestContext }: ConversationArgs,
  loading: LoadingCalls,
  subjectOf: (name: string) => PolicySubject | undefined,
  permissions: Permissions,
  own: ReadonlySet<string>,
): Promise<readonly string[]> {
  const isMastras = sourceReader(messageList);
  const loads = loadsInConversation(calls, loading, isMastras);
  const hasMemory = Boolean(readContext(requestContext, 'MastraMemory', true));
  const verdicts = await Promise.all(
    loads.map(({ name, message }) => {
      if (own.has(name)) return true;
      if (!isMastras(message) && hasMemory) return false;
      const subject = subjectOf(name);
      return subject !== undefined && permissions.allows(subject, 'load');
    }),
  );
  return loads.filter((_, position) => verdicts[position]).map(({ name }) => name);
}

/**
 * Whether a message is Mastra's own, from its memory or this run, or came from the caller. A list that is not Mastra's
 * own does not tell; then there is no client behind it either.
 */
export function sourceReader(messageList: unknown): (message: ConversationMessage) => boolean {
  const list = messageList as { makeMessageSourceChecker?(): { getSource?(message: unknown): unknown } } | undefined;
  const checker = list?.makeMessageSourceChecker?.();
  const sources = new Map<ConversationMessage, boolean>();
  return (message) => {
    if (!checker?.getSource) return true;
    const cached = sources.get(message);
    if (cached !== undefined) return cached;
    const source = checker.getSource(message);
    const isMastras = source === 'memory' || source === 'response';
    sources.set(message, isMastras);
    return isMastras;
  };
}

/** The last call or load of each tool, by name: a larger number is later. */
export function lastUses(calls: readonly ToolCall[], loading: LoadingCalls): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const [position, call] of calls.entries()) {
    if (call.toolName !== undefined) uses.set(call.toolName, position + 1);
    for (const name of loadedBy(call, loading)) uses.set(name, position + 1);
  }
  return uses;
}

/** Counts the calls of the run under way that loaded a tool, or were told that it is loaded. */
export function timesLoaded(name: string, calls: readonly ToolCall[], { load }: LoadingCalls): number {
  return callsOfRun(calls).filter(({ toolName, state, result }) => {
    if (toolName !== load || state !== 'result') return false;
    const { loaded, alreadyLoaded, toolName: one, success } = asRecord(result) ?? {};
    return [...strings(loaded), ...strings(alreadyLoaded), ...(success === true ? strings([one]) : [])].includes(name);
  }).length;
}

/** Calls with the same input in a run, from which on the tool is not sent: they tell the model nothing new. */
const REPEATS = 2;

/**
 * The meta-tools that the run under way has called twice with the same input since it last called any other tool. A model
 * that would do so again goes in a circle.
 */
export function repeatedTools(
  calls: readonly ToolCall[],
  metaTools: readonly string[],
  loading: LoadingCalls,
): ReadonlySet<string> {
  const repeated = new Set<string>();
  const counts = new Map<string, number>();
  for (const call of callsOfRun(calls)) {
    const { toolName = '', args, state } = call;
    // What was unloaded may be loaded again.
    if (!metaTools.includes(toolName) || unloadedBy(call, loading).length > 0) {
      repeated.clear();
      counts.clear();
    } else if (state === 'result') {
      const key = JSON.stringify([toolName, args]);
      // One call loads 20 tools at most: the next may load more of the same group.
      const loadsMore = Number(asRecord(call.result)?.['loadedCount']) > 0;
      const count = loadsMore ? 1 : (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count >= REPEATS) repeated.add(toolName);
    }
  }
  return repeated;
}

/** Counts the searches of the run under way that have ended since it last loaded a tool or called one. */
export function searchesInVain(calls: readonly ToolCall[], loading: LoadingCalls): number {
  let count = 0;
  for (const call of callsOfRun(calls)) {
    const { toolName, args, state } = call;
    const isSearch = toolName === loading.search || providerSearchOf(toolName, args) !== undefined;
    const hasLoaded = loadedBy(call, loading).length > 0;
    if (isSearch && !hasLoaded) count += state === 'result' ? 1 : 0;
    else if (isSearch || toolName !== loading.load || hasLoaded) count = 0;
  }
  return count;
}

/** The names that a completed call of a meta-tool loaded; none for any other call. */
export function loadedBy({ state, toolName, args, result }: ToolCall, loading: LoadingCalls): readonly string[] {
  if (state !== 'result') return [];
  if (loading.withProviders && providerSearchOf(toolName, args)) return foundByProvider(result);
  if (toolName !== loading.search && toolName !== loading.load) return [];
  return loadedNames(result, toolName === loading.search);
}

/**
 * The tool of a call that succeeded after it had been missed.
 *
 * @param isEnough - whether it need not have been missed.
 */
function loadedForCall({ state, toolName }: ToolCall, missed: readonly string[], isEnough = false): readonly string[] {
  if (state !== 'result' || toolName === undefined) return [];
  const wasMissed =
    isEnough || missed.some((name) => name === toolName || runToEnd(spelledAlike(name, [toolName])).length > 0);
  return wasMissed ? [toolName] : [];
}

/** The names that a completed call of a meta-tool unloaded: those of `unload_tool`, or what made room for a load. */
function unloadedBy({ state, toolName, result }: ToolCall, { search, load, unload }: LoadingCalls): readonly string[] {
  if (state !== 'result' || (toolName !== search && toolName !== load && toolName !== unload)) return [];
  return strings(asRecord(result)?.['unloaded']);
}

/**
 * The names in a result that were loaded. Reads our own result shapes and those of @mastra/core: a search of core's
 * that loaded has a receipt, and up to 1.71 its message alone.
 */
export function loadedNames(value: unknown, isSearch: boolean): readonly string[] {
  const result = asRecord(value);
  if (!result) return [];
  const names = [...strings(result['loaded']), ...strings(result['alreadyLoaded'])];
  if (names.length > 0) return names;
  if (!isSearch) {
    const { toolName } = result;
    return result['success'] === true && typeof toolName === 'string' ? [toolName] : [];
  }
  const { message, results, activation } = result;
  if ('loaded' in result || !Array.isArray(results)) return [];
  const shown = strings(results.map((match) => asRecord(match)?.['name']));
  if (activation === undefined) {
    return typeof message === 'string' && message.startsWith('Found and loaded') ? shown : [];
  }
  return isReceipt(activation) ? strings(activation.loaded).filter((name) => shown.includes(name)) : [];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
