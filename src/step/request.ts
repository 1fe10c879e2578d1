import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import { RunMemory } from '../filter/permissions.ts';
import type { ConversationArgs } from '../loaded/conversation/conversation.ts';
import { identifyRequest, type ScopeFunction, type ScopeRequest } from '../loaded/identity.ts';
import type { LoadingRequest } from '../loaded/registry.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

/** The arguments of a hook of Mastra: a step has all, a run that begins little more than its request context. */
export type HookArgs = ConversationArgs & {
  readonly [Name in 'state' | 'runId' | 'agent' | 'tracingContext' | 'writer' | 'tools' | 'abortSignal']?:
    | ProcessInputStepArgs[Name]
    | undefined;
};

/**
 * Finds the state of the request that a step belongs to.
 *
 * The steps of a request share `args.state`, except in a processor workflow that the user made, and the message list,
 * except in a DurableAgent: either identifies a request. A RequestContext does not: callers use one for many requests.
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

  /** A new state for a request outside of a step. */
  outside(requestContext: RequestContext | undefined): RequestState {
    return new RequestState(this.scopeOf({ requestContext }));
  }

  /** Undefined where the scope function throws or returns no text: the request then shares its loads with no other. */
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

/** What the stops of a step remember of a request across its steps. A feature remembers in a `Memory` keyed by this. */
export class RequestState implements LoadingRequest {
  /** The scope of its loads; undefined for a request without a thread, which keeps them here alone. */
  readonly scope: string | undefined;
  /** Preselected tools that no call has asked for yet. */
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
