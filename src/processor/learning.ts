import { isClients } from '../catalog/catalog.ts';
import { invalidOption } from '../errors.ts';
import type { Reporter } from '../events/reporter.ts';
import { callsOfRun, sourceReader, type ToolCall } from '../loaded/conversation/conversation.ts';
import { learningScopes } from '../loaded/stores/learning-store.ts';
import type { ResolvedLearning } from '../options/learning.ts';
import type { Reranker } from '../search/rerank.ts';
import { asRecord } from '../util/record.ts';
import type { Learning, LearningRequest } from '../wings.ts';
import {
  type HookArgs,
  identifyRequest,
  type RequestState,
  Requests,
  type ScopeFunction,
  type ScopeRequest,
} from './request.ts';
import type { Step } from './step.ts';

/** The conversation of users that nobody knows: all of them together have one vote. */
const ANONYMOUS = '';

/** Says whose requests learn together, and which calls count. */
export class LearningRequests {
  readonly #wing: Promise<Learning | undefined>;
  readonly #scope: ResolvedLearning['scope'];
  readonly #scopeOf: ScopeFunction;
  readonly #requests: Requests;
  /** The calls of each request that were counted. */
  readonly #seen = new WeakMap<RequestState, Set<string>>();

  /** @param wing - undefined where its code is not there. */
  constructor(wing: Promise<Learning | undefined>, { scope }: ResolvedLearning, reporter: Reporter) {
    this.#wing = wing;
    this.#scope = scope;
    this.#scopeOf = typeof scope === 'function' ? scope : learningScopes[scope];
    this.#requests = new Requests(this.#scopeOf, reporter);
  }

  /** Learns from the calls that succeeded since the step before, and gives the step its learner. Never throws. */
  async addTo(step: Step): Promise<void> {
    const wing = await this.#wing;
    const scope = wing && this.#requests.scopeOf(step.args);
    if (!wing || scope === undefined) return;
    const request = this.#requestOf(step, scope);
    const isMastras = sourceReader(step.args.messageList);
    for (const { toolName = '', message } of this.#succeeded(step)) {
      // A client may give its own tool the name of any other.
      const entry = isMastras(message) ? step.catalog.get(toolName) : undefined;
      if (entry && !isClients(entry)) wing.noteCall(request, entry.name, step.origin);
    }
    step.learner = {
      reranker: wing.reranker(scope),
      noteShown: (query, shown) => wing.noteShown(request, query, shown),
    };
  }

  /** The reranker for a search outside of a step. Nothing that it shows is noted. */
  async rerankerFor(args: HookArgs): Promise<Reranker | undefined> {
    const wing = await this.#wing;
    const scope = wing && this.#requests.scopeOf(args);
    return scope === undefined ? undefined : wing?.reranker(scope);
  }

  /**
   * Forgets a scope. Rejects where there is none, as nothing would be forgotten.
   *
   * @param of - who it is of, or, as a text, the scope as the function returns it; for the scope `'resource'` its id.
   */
  async clear(of: string | ScopeRequest): Promise<void> {
    const wing = await this.#wing;
    const request: string | ScopeRequest =
      typeof of === 'string' && typeof this.#scope === 'string' ? { resourceId: of } : of;
    const { requestContext, resourceId = '', threadId = '' } = typeof request === 'string' ? {} : request;
    const ids = requestContext ? identifyRequest({ requestContext }) : {};
    const scope = typeof request === 'string' ? request : this.#scopeOf({ ...ids, ...request });
    // An id that is no text would be nobody's.
    const areTexts = typeof resourceId === 'string' && typeof threadId === 'string';
    if (typeof scope !== 'string' || scope === '' || !areTexts) {
      throw invalidOption('of', of, 'somebody who has a scope: nothing was forgotten');
    }
    await wing?.clear(scope);
  }

  #requestOf({ state, args }: Step, scope: string): LearningRequest {
    const { threadId, resourceId } = identifyRequest(args);
    return {
      state,
      scope,
      conversation: threadId === undefined ? undefined : JSON.stringify([scope, resourceId ?? null, threadId]),
      voter: (this.#scope === 'resource' ? threadId : resourceId) ?? ANONYMOUS,
    };
  }

  /** The calls of the run that succeeded, each once. */
  #succeeded({ state, calls }: Step): readonly ToolCall[] {
    const seen = this.#seen.get(state) ?? new Set();
    this.#seen.set(state, seen);
    return callsOfRun(calls).filter((call) => {
      const { id, toolName } = call;
      if (id === undefined || toolName === undefined || seen.has(id) || !hasSucceeded(call)) return false;
      seen.add(id);
      return true;
    });
  }
}

/** Mastra stores a call with wrong arguments, and one that an MCP server calls an error, with a result as well. */
function hasSucceeded({ state, result }: ToolCall): boolean {
  const { isError, error } = asRecord(result) ?? {};
  return state === 'result' && isError !== true && error !== true;
}
