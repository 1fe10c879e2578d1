import type { RequestContext } from '@mastra/core/request-context';
import { asRecord } from '../record.ts';
import type { ConversationMessage } from './conversation.ts';

/** Whose conversation a request belongs to, as far as it is known. */
export interface RequestIdentity {
  readonly threadId?: string;
  readonly resourceId?: string;
}

/** What `options.scope` is asked with. */
export interface ScopeRequest extends RequestIdentity {
  readonly requestContext?: RequestContext;
}

/** Where an identity is read from: a step has all three, a resume only the request context. */
export interface IdentitySources {
  readonly requestContext?: RequestContext | undefined;
  readonly messageList?: unknown;
  readonly messages?: readonly ConversationMessage[] | undefined;
}

/**
 * The thread and resource of a request: the keys that server middleware sets, else what Mastra's Memory resolved,
 * else, for an agent without Memory, the ids of the run's own message list.
 */
export function identifyRequest(sources: IdentitySources): RequestIdentity {
  const { requestContext } = sources;
  const memory = asRecord(read(requestContext, 'MastraMemory'));
  const threadId = text(read(requestContext, 'mastra__threadId')) ?? text(asRecord(memory?.['thread'])?.['id']);
  const resourceId = text(read(requestContext, 'mastra__resourceId')) ?? text(memory?.['resourceId']);
  if (threadId !== undefined) return identity(threadId, resourceId);

  const list = identityOfList(sources);
  return identity(list.threadId, resourceId ?? list.resourceId);
}

/** The default scope: thread and resource together; without a thread none, which means this request alone. */
export function defaultScope({ threadId, resourceId }: ScopeRequest): string | undefined {
  return threadId === undefined ? undefined : JSON.stringify([resourceId ?? null, threadId]);
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

/**
 * A real message list knows its own thread. Ids inside single messages count only where there is no such list:
 * a caller may pass on messages that a client wrote.
 */
function identityOfList({ messageList, messages }: IdentitySources): RequestIdentity {
  const list = asRecord(messageList);
  if (typeof list?.['serialize'] === 'function') {
    try {
      const info = asRecord(asRecord((list as { serialize(): unknown }).serialize())?.['memoryInfo']);
      return identity(text(info?.['threadId']), text(info?.['resourceId']));
    } catch {
      return {};
    }
  }
  const newest = messages?.findLast((message) => text(asRecord(message)?.['threadId']) !== undefined);
  return identity(text(asRecord(newest)?.['threadId']), text(asRecord(newest)?.['resourceId']));
}

function identity(threadId: string | undefined, resourceId: string | undefined): RequestIdentity {
  return { ...(threadId === undefined ? {} : { threadId }), ...(resourceId === undefined ? {} : { resourceId }) };
}

function read(requestContext: RequestContext | undefined, key: string): unknown {
  return typeof requestContext?.get === 'function' ? requestContext.get(key) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
