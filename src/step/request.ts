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

/** The arguments of a Mastra hook. A step's hook gets all of them; the hook at a run's start gets few but `requestContext`. */
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
    // Agents pass `args.state`: their request keeps its scope. Outside agents, another thread may reuse a message list.
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

/** What the core keeps of a request across its steps. A feature keeps its own data in a `Memory` keyed by this object. */
export class RequestState implements LoadingRequest {
  /** The scope of the request's loads. Undefined without a thread: the loads then live in this object alone. */
  readonly scope: string | undefined;
  /** Preselected tools that no call has asked for yet. */
  readonly preselected: Set<string> = new Set();
  /** Names that the last step sent. */
  sent: ReadonlySet<string> = new Set();
  /** Sentences that are added to the prompt until the request ends. */
  readonly hints: string[] = [];
  steps = 0;
  /** Called when a call of one of this processor's tools begins, and when it ends. */
  onCall: (() => void) | undefined;
  /** The origin of the latest step's events; empty as long as nobody listens. */
  origin: EventOrigin = {};
  /** Memory of the current run: the filter's answers, and what must stay the same across the run's steps. */
  run: RunMemory = new RunMemory();
  /** The run's catalog before the agent's own tools are taken out. Set only where `tools` is a function. */
  base?: MaybePromise<Catalog>;

  constructor(scope: string | undefined) {
    this.scope = scope;
  }
}
