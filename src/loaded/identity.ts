import type { RequestContext } from '@mastra/core/request-context';
import { asRecord, read } from '../util/record.ts';
import type { ConversationArgs } from './conversation/conversation.ts';

/**
 * The option `scope`: returns the name of the set of loaded tools that a request has; undefined for a set of its own.
 */
export type ScopeFunction = (request: ScopeRequest) => string | undefined;

export interface RequestIdentity {
  readonly threadId?: string;
  readonly resourceId?: string;
}

/**
 * The argument of the option `scope`.
 *
 * @example
 * ```ts
 * // One set of loaded tools for each user, over all threads.
 * const scope = ({ resourceId }: ScopeRequest) => resourceId;
 * new ToolSearchProcessor({ tools, scope });
 * ```
 */
export interface ScopeRequest extends RequestIdentity {
  readonly requestContext?: RequestContext;
}

/**
 * The thread and resource of a request: the keys that server middleware sets, else what Mastra's Memory resolved,
 * else, for an agent without Memory, the ids of the run's own message list.
 *
 * Empty where an id is there but is not a string, for example a number: if such an id counted as missing, all requests
 * with such ids could share one scope.
 */
export function identifyRequest(sources: ConversationArgs): RequestIdentity {
  const { requestContext } = sources;
  const memory = asRecord(read(requestContext, 'MastraMemory'));
  const thread = firstOf(read(requestContext, 'mastra__threadId'), asRecord(memory?.['thread'])?.['id']);
  const resource = firstOf(read(requestContext, 'mastra__resourceId'), memory?.['resourceId']);
  if (!isMissing(thread) && !isMissing(resource)) return identity(thread, resource);

  const list = idsOfList(isMissing(thread) ? sources : { messageList: sources.messageList });
  // The message list's resource counts only where the list is of the same thread.
  const isOfList = isMissing(thread) || thread === list.thread;
  return identity(firstOf(thread, list.thread), isOfList ? firstOf(resource, list.resource) : resource);
}

/** The default scope: thread and resource together; without a thread none, which means this request alone. */
export function defaultScope(request: ScopeRequest): string | undefined {
  const { threadId, resourceId } = identity(request.threadId, request.resourceId);
  return threadId === undefined ? undefined : JSON.stringify([resourceId ?? null, threadId]);
}

/** The default scope of a request, whatever the option says; none where the request context throws. */
export function threadScopeOf(sources: ConversationArgs): string | undefined {
  try {
    return defaultScope(identifyRequest(sources));
  } catch {
    return undefined;
  }
}

/** The thread of a default scope; undefined for a scope of another form. */
export function threadOfScope(scope: string): string | undefined {
  try {
    const parts: unknown = JSON.parse(scope);
    return Array.isArray(parts) && parts.length === 2 ? text(parts[1]) : undefined;
  } catch {
    return undefined;
  }
}

interface GivenIds {
  readonly thread: unknown;
  readonly resource: unknown;
}

/**
 * A real message list knows its own thread. Ids inside single messages count only where there is no such list:
 * a caller may pass on messages that a client wrote.
 */
function idsOfList({ messageList, messages }: ConversationArgs): GivenIds {
  const list = asRecord(messageList);
  if (typeof list?.['serialize'] === 'function') {
    try {
      return idsIn(asRecord((list as { serialize(): unknown }).serialize())?.['memoryInfo']);
    } catch {
      return idsIn(undefined);
    }
  }
  return idsIn(messages?.findLast((message) => !isMissing(idsIn(message).thread)));
}

function idsIn(value: unknown): GivenIds {
  const fields = asRecord(value);
  return { thread: firstOf(fields?.['threadId']), resource: firstOf(fields?.['resourceId']) };
}

/** The first id that is not missing; else an empty text, if there is one, which counts as an invalid id. */
function firstOf(...ids: readonly unknown[]): unknown {
  return ids.find((id) => !isMissing(id)) ?? (ids.includes('') ? '' : undefined);
}

/** Whether an id is left out, so that the next source counts: as in Mastra. */
function isMissing(id: unknown): boolean {
  return id === undefined || id === null || id === '';
}

function identity(thread: unknown, resource: unknown): RequestIdentity {
  if ([thread, resource].some((id) => id !== undefined && text(id) === undefined)) return {};
  const [threadId, resourceId] = [text(thread), text(resource)];
  return { ...(threadId === undefined ? {} : { threadId }), ...(resourceId === undefined ? {} : { resourceId }) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
