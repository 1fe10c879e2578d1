import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { Reporter } from '../../events/reporter.ts';
import { identifyRequest, type ScopeRequest } from './identity.ts';
import { createRequestState, type RequestState } from './request-state.ts';

/** The arguments by which a request is known: all of a step's, or the request context alone before the first step. */
type RequestArgs = { readonly requestContext?: RequestContext | undefined } & Partial<
  Pick<ProcessInputStepArgs, 'state' | 'messageList' | 'messages'>
>;

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

  of(args: RequestArgs): RequestState {
    const keys: object[] = [args.state, args.messageList].filter((key) => key !== undefined);
    if (keys.length === 0 && args.requestContext) keys.push(args.requestContext);
    const found = keys.map((key) => this.#states.get(key)).find((state) => state !== undefined);
    // A request of an agent keeps its scope. Outside an agent the same list may come again for another thread.
    const state =
      found && (args.state || found.scope === this.scopeOf(args)) ? found : createRequestState(this.scopeOf(args));
    for (const key of keys) this.#states.set(key, state);
    return state;
  }

  /**
   * A scope function that throws, or returns no text, leaves the request to itself: sharing would be the worse fault.
   */
  scopeOf({ requestContext, messageList, messages }: RequestArgs): string | undefined {
    return this.#ask(() => {
      const identity = identifyRequest({ requestContext, messageList, messages });
      return { ...identity, ...(requestContext ? { requestContext } : {}) };
    });
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
