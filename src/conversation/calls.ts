import { asRecord } from '../util/record.ts';
import { type ConversationMessage, invocationsIn, type LoadingCalls, loadedBy, missedName } from './messages.ts';
import { providerSearchOf } from './provider-searches.ts';

/** A tool call that ended in an error. */
export interface FailedCall {
  readonly id: string;
  /** The name of a tool that the step did not have, as the model wrote it; absent for a fault of the tool itself. */
  readonly missing?: string;
  /** The name as Mastra keeps it. */
  readonly toolName: string;
}

/** The calls in these messages that ended in an error, oldest first. Only what assistant messages hold counts. */
export function failedCalls(messages: readonly ConversationMessage[]): readonly FailedCall[] {
  const found: FailedCall[] = [];
  for (const invocation of invocationsIn(messages)) {
    const { state, toolCallId: id, toolName } = invocation;
    if (state !== 'output-error' || typeof id !== 'string' || typeof toolName !== 'string') continue;
    const missing = missedName(invocation);
    found.push(missing === undefined ? { id, toolName } : { id, toolName, missing });
  }
  return found;
}

/** When each tool was last called or loaded, by name: a larger number is later. */
export function lastUses(
  messages: readonly ConversationMessage[],
  metaTools: LoadingCalls,
): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  let position = 0;
  for (const invocation of invocationsIn(messages)) {
    position += 1;
    const { toolName } = invocation;
    if (typeof toolName === 'string') uses.set(toolName, position);
    for (const name of loadedBy(invocation, metaTools)) uses.set(name, position);
  }
  return uses;
}

/** The tools whose calls have no result yet: they wait for an approval, a resumption or their end. */
export function pendingCalls(messages: readonly ConversationMessage[]): ReadonlySet<string> {
  const pending = new Set<string>();
  for (const { toolName, state } of invocationsIn(messages)) {
    if (typeof toolName === 'string' && !ENDED.has(state)) pending.add(toolName);
  }
  return pending;
}

const ENDED: ReadonlySet<unknown> = new Set(['result', 'output-error', 'output-available', 'output-denied']);

/** The messages of the run under way: those behind the last one of the user. */
export function sinceLastRequest(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const last = messages.findLastIndex((message) => asRecord(message)?.['role'] === 'user');
  return messages.slice(last + 1);
}

/** The tools that were called with success in these messages. */
export function succeededCalls(messages: readonly ConversationMessage[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { toolName, state } of invocationsIn(messages)) {
    if (typeof toolName === 'string' && state === 'result') names.add(toolName);
  }
  return names;
}

/** How many searches of the run under way have ended since it last loaded a tool or called one. */
export function searchesInVain(messages: readonly ConversationMessage[], metaTools: LoadingCalls): number {
  let count = 0;
  for (const invocation of invocationsIn(sinceLastRequest(messages))) {
    const { toolName, args, state } = invocation;
    const isSearch = toolName === metaTools.search || providerSearchOf(toolName, args) !== undefined;
    if (isSearch && loadedBy(invocation, metaTools).length === 0) count += state === 'result' ? 1 : 0;
    else if (isSearch || toolName !== metaTools.load || loadedBy(invocation, metaTools).length > 0) count = 0;
  }
  return count;
}
