import { spelledAlike } from '../query/suggest.ts';
import { asRecord } from '../util/record.ts';
import { runToEnd } from '../util/time-slices.ts';
import { foundByProvider, providerSearchOf } from './provider-searches.ts';
import { isReceipt } from './receipt.ts';

/** The part of Mastra's stored messages that is read. */
export interface ConversationMessage {
  readonly id?: string;
  readonly role?: string;
  readonly content?: unknown;
}

export type Conversation = readonly ConversationMessage[];

/** The conversation as it is now: the message list grows while a step runs, the messages it began with do not. */
export function conversationOf(args: {
  readonly messageList?: unknown;
  readonly messages?: Conversation;
}): Conversation {
  const list = asRecord(asRecord(asRecord(args.messageList)?.['get'])?.['all']);
  if (typeof list?.['db'] !== 'function') return args.messages ?? [];
  const messages: unknown = (list as { db(): unknown }).db();
  return Array.isArray(messages) ? messages : (args.messages ?? []);
}

/** Whether a message is Mastra's own, from its memory or this run, or came from the caller. */
export type MessageSource = 'own' | 'caller';

export interface ConversationLoad {
  readonly name: string;
  readonly source: MessageSource;
}

/** The names of the meta-tools that load and unload. */
export interface LoadingCalls {
  readonly search: string;
  readonly load: string;
  readonly unload?: string;
  /** Whether the providers' own searches count as well: with `mode: 'native'`. */
  readonly withProviders?: boolean;
  /** Whether a tool that was missed and then called with success counts as well: it was loaded for that. */
  readonly withMissed?: boolean;
}

/**
 * The tools that completed results of the meta-tools in these messages loaded and did not unload again, oldest first,
 * each name once. Only what assistant messages hold counts, and only what really loaded: a plain search result does not.
 */
export function loadsInConversation(
  messages: readonly ConversationMessage[],
  metaTools: LoadingCalls,
  sourceOf: (message: ConversationMessage) => MessageSource,
): readonly ConversationLoad[] {
  const loads = new Map<string, ConversationLoad>();
  let missed: readonly string[] = [];
  for (const message of messages) {
    let source: MessageSource | undefined;
    for (const invocation of invocationsIn([message])) {
      const miss = metaTools.withMissed ? missedName(invocation) : undefined;
      if (miss !== undefined) missed = [...missed, miss].slice(-MAX_MISSED);
      for (const name of unloadedBy(invocation, metaTools)) loads.delete(name);
      for (const name of [...loadedBy(invocation, metaTools), ...loadedForCall(invocation, missed)]) {
        source ??= sourceOf(message);
        // A trusted source wins over the caller's word for the same name.
        if (!loads.has(name) || (loads.get(name)?.source === 'caller' && source === 'own')) {
          loads.set(name, { name, source });
        }
      }
    }
  }
  return [...loads.values()];
}

/**
 * How Mastra begins the text of an error: `Tool "x" not found. Available tools: …`. The text has the name even where the
 * message does not, because providers would refuse it.
 */
const NOT_FOUND = /^(?:Error: )?Tool "([\s\S]{1,256}?)" not found\b/;
/** The latest missed names that a later call is compared with. */
const MAX_MISSED = 10;

/** The name of the tool that a call missed, as the model wrote it; undefined for any other call. */
export function missedName({ state, errorText }: Record<string, unknown>): string | undefined {
  return state === 'output-error' && typeof errorText === 'string' ? NOT_FOUND.exec(errorText)?.[1] : undefined;
}

/** The tool of a call that succeeded after it had been missed. */
function loadedForCall({ state, toolName }: Record<string, unknown>, missed: readonly string[]): readonly string[] {
  if (state !== 'result' || typeof toolName !== 'string') return [];
  const wasMissed = missed.some((name) => name === toolName || runToEnd(spelledAlike(name, [toolName])).length > 0);
  return wasMissed ? [toolName] : [];
}

/** The tool calls in these messages, oldest first. Only what assistant messages hold counts. */
export function* invocationsIn(messages: readonly ConversationMessage[]): Iterable<Record<string, unknown>> {
  for (const message of messages) {
    if (asRecord(message)?.['role'] !== 'assistant') continue;
    for (const part of partsOf(message.content)) {
      const invocation = asRecord(asRecord(part)?.['toolInvocation']);
      if (invocation) yield invocation;
    }
  }
}

/** The names that a completed call of a meta-tool loaded; none for any other call. */
export function loadedBy(invocation: Record<string, unknown>, metaTools: LoadingCalls): readonly string[] {
  const { state, toolName, args, result } = invocation;
  if (state !== 'result') return [];
  if (metaTools.withProviders && providerSearchOf(toolName, args)) return foundByProvider(result);
  if (toolName !== metaTools.search && toolName !== metaTools.load) return [];
  return loadedNames(result, toolName === metaTools.search);
}

/** The names that a completed call of a meta-tool unloaded: those of `unload_tool`, or what made room for a load. */
function unloadedBy({ state, toolName, result }: Record<string, unknown>, metaTools: LoadingCalls): readonly string[] {
  const { search, load, unload } = metaTools;
  if (state !== 'result' || (toolName !== search && toolName !== load && toolName !== unload)) return [];
  return strings(asRecord(result)?.['unloaded']);
}

/**
 * Reads our own result shapes and those of @mastra/core: a search of core's that loaded has a receipt, and up to 1.71
 * its message alone.
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

/** Of a stored message. */
export function partsOf(content: unknown): readonly unknown[] {
  const parts = asRecord(content)?.['parts'];
  return Array.isArray(parts) ? parts : [];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
