import { asRecord } from '../record.ts';
import { foundByProvider, providerSearchOf } from './provider-searches.ts';

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

/** The names of the meta-tools that load. */
export interface MetaToolNames {
  readonly search: string;
  readonly load: string;
  /** Whether the providers' own searches count as well: with `mode: 'native'`. */
  readonly withProviders?: boolean;
}

/**
 * The tools that completed results of the meta-tools in these messages loaded, oldest first, each name once. Only
 * what assistant messages hold counts, and only what really loaded: a plain search result does not.
 */
export function loadsInConversation(
  messages: readonly ConversationMessage[],
  metaTools: MetaToolNames,
  sourceOf: (message: ConversationMessage) => MessageSource,
): readonly ConversationLoad[] {
  const loads = new Map<string, ConversationLoad>();
  for (const message of messages) {
    const found = [...invocationsIn([message])].flatMap((invocation) => loadedBy(invocation, metaTools));
    if (found.length === 0) continue;
    const source = sourceOf(message);
    for (const name of found) {
      // A trusted source wins over the caller's word for the same name.
      if (!loads.has(name) || (loads.get(name)?.source === 'caller' && source === 'own')) {
        loads.set(name, { name, source });
      }
    }
  }
  return [...loads.values()];
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
export function loadedBy(invocation: Record<string, unknown>, metaTools: MetaToolNames): readonly string[] {
  const { state, toolName, args, result } = invocation;
  if (state !== 'result') return [];
  if (metaTools.withProviders && providerSearchOf(toolName, args)) return foundByProvider(result);
  if (toolName !== metaTools.search && toolName !== metaTools.load) return [];
  return loadedNames(result, toolName === metaTools.search);
}

/** Reads our own result shapes and those of @mastra/core, which has no `loaded` in the results of a search. */
export function loadedNames(value: unknown, isSearch: boolean): readonly string[] {
  const result = asRecord(value);
  if (!result) return [];
  const names = [...strings(result['loaded']), ...strings(result['alreadyLoaded'])];
  if (names.length > 0) return names;
  if (!isSearch) {
    const { toolName } = result;
    return result['success'] === true && typeof toolName === 'string' ? [toolName] : [];
  }
  const { message, results } = result;
  const loadedAll = typeof message === 'string' && message.startsWith('Found and loaded') && !('loaded' in result);
  return loadedAll && Array.isArray(results) ? strings(results.map((match) => asRecord(match)?.['name'])) : [];
}

/** Of a stored message. */
export function partsOf(content: unknown): readonly unknown[] {
  const parts = asRecord(content)?.['parts'];
  return Array.isArray(parts) ? parts : [];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
