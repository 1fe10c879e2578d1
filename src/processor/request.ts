import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import { RunMemory } from '../filter/permissions.ts';
import type { ConversationArgs } from '../loaded/conversation/conversation.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { asRecord, read } from '../util/record.ts';

/** The arguments of a hook of Mastra: a step has all, a run that begins little more than its request context. */
export type HookArgs = ConversationArgs & {
  readonly [Name in 'state' | 'runId' | 'agent' | 'tracingContext' | 'writer' | 'tools' | 'abortSignal']?:
    | ProcessInputStepArgs[Name]
    | undefined;
};

/** The option `scope`: names whose loaded tools a request has; undefined for its own alone. */
export type ScopeFunction = (request: ScopeRequest) => string | undefined;

/**
 * Finds the state of the request that a step belongs to.
 *
 * The steps of a request share `args.state`, except in a processor workflow that the user made, and the message list,
 * except in a DurableAgent: either will do. The RequestContext will not: callers use one for many requests.
 */
export class Requests {
  readonly #scope: ScopeFunction;
  readonly #reporter: Reporter;
  readonly #states = new WeakMap<object, RequestState>();

  constructor(scope: ScopeFunction, reporter: Reporter) {
    this.#scope = scope;
    this.#reporter = reporter;
  }

  of(args: HookArgs): RequestState {
    const isObject = (key: unknown): key is object => typeof key === 'object' && key !== null;
    const keys = [args.state, args.messageList].filter(isObject);
    if (keys.length === 0 && args.requestContext) keys.push(args.requestContext);
    const found = keys.map((key) => this.#states.get(key)).find((state) => state !== undefined);
    // A request of an agent keeps its scope. Outside an agent the same list may come again for another thread.
    const state =
      found && (args.state || found.scope === this.scopeOf(args)) ? found : new RequestState(this.scopeOf(args));
    for (const key of keys) this.#states.set(key, state);
    return state;
  }

  /** The state of a request outside of a step, which nothing finds again. */
  outside(requestContext: RequestContext | undefined): RequestState {
    return new RequestState(this.scopeOf({ requestContext }));
  }

  /** A scope function that throws, or returns no text, leaves the request to itself: sharing would be the worse fault. */
  scopeOf(args: ConversationArgs): string | undefined {
    const { requestContext } = args;
    return this.#ask(() => ({ ...identifyRequest(args), ...(requestContext ? { requestContext } : {}) }));
  }

  /** The scope of a thread that is named by its ids, or else by a request context. */
  scopeOfIdentity({ threadId, resourceId, requestContext }: ScopeRequest): string | undefined {
    if (threadId === undefined) return this.scopeOf({ requestContext });
    return this.#ask(() => ({ threadId, ...(resourceId === undefined ? {} : { resourceId }) }));
  }

  #ask(identify: () => ScopeRequest): string | undefined {
    try {
      const scope: unknown = this.#scope(identify());
      if (scope === undefined || scope === null || scope === '') return undefined;
      if (typeof scope === 'string') return scope;
      // A rejection must not become an unhandled one.
      if (scope instanceof Promise) scope.catch(() => {});
      const what = scope instanceof Promise ? 'a promise' : `a ${typeof scope}`;
      throw new TypeError(`scope() has to return a text or undefined, at once; it returned ${what}`);
    } catch (error) {
      this.#reporter.report({ type: 'scope-failed', error });
      return undefined;
    }
  }
}

/** Everything remembered about one request across its steps: its loads, the filter's answers, hints for the model. */
export class RequestState {
  /** The scope of its loads; undefined for a request without a thread, which keeps them here alone. */
  readonly scope: string | undefined;
  /** Everything this request loaded itself, in order. */
  readonly own: Set<string> = new Set();
  /** What the store had when it last answered, but for what was unloaded since. */
  stored: readonly string[] = [];
  /** The part of `own` that the store could not take. */
  readonly unsaved: Set<string> = new Set();
  /** Names that were unloaded, where the store, or the conversation, still has them. */
  readonly removed: Set<string> = new Set();
  /** Tools that are sent for this run alone, as nobody has called them. */
  readonly preselected: Set<string> = new Set();
  /** Names that the last step sent. */
  sent: ReadonlySet<string> = new Set();
  /** Sentences that are added to the prompt until the request ends. */
  readonly hints: string[] = [];
  steps = 0;
  /** Told when a tool of this processor is called, and when such a call has ended. */
  whenCalled: (() => void) | undefined;
  /** Where the events of its latest step come from; empty as long as nobody listens. */
  origin: EventOrigin = {};
  /** Memory of the run under way: the filter's answers, and what has to stay the same over its steps. */
  run: RunMemory = new RunMemory();
  /** The catalog of its run, without the agent's own tools. Only where `tools` is a function. */
  base?: MaybePromise<Catalog>;

  constructor(scope: string | undefined) {
    this.scope = scope;
  }
}

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
 * Empty where one of them is there but is no text, a number for example: taken for none, it would be one for all who
 * have such an id.
 */
export function identifyRequest(sources: ConversationArgs): RequestIdentity {
  const { requestContext } = sources;
  const memory = asRecord(read(requestContext, 'MastraMemory'));
  const thread = firstOf(read(requestContext, 'mastra__threadId'), asRecord(memory?.['thread'])?.['id']);
  const resource = firstOf(read(requestContext, 'mastra__resourceId'), memory?.['resourceId']);
  if (!isMissing(thread) && !isMissing(resource)) return identity(thread, resource);

  const list = idsOfList(isMissing(thread) ? sources : { messageList: sources.messageList });
  // The resource of another thread says nothing of this one.
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

/** The first that is not missing. An empty text, where there is nothing else, is an id that is no text. */
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
