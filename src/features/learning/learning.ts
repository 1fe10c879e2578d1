import { isClients } from '../../catalog/catalog.ts';
import { invalidOption } from '../../errors.ts';
import type { Reporter } from '../../events/reporter.ts';
import { callsOfRun, sourceReader, type ToolCall } from '../../loaded/conversation/conversation.ts';
import { identifyRequest, type ScopeFunction, type ScopeRequest } from '../../loaded/identity.ts';
import { learningScopes } from '../../loaded/stores/learning-store.ts';
import type { Learner } from '../../meta-tools/meta-tool.ts';
import type { Reranker } from '../../search/rerank.ts';
import { type HookArgs, type RequestState, Requests } from '../../step/request.ts';
import type { Step } from '../../step/step.ts';
import { Memory } from '../../util/memory.ts';
import { asRecord } from '../../util/record.ts';
import { type Learning, type LearningRequest, wings } from '../../wings.ts';
import type { Feature } from '../feature.ts';
import type { ResolvedLearning } from './options.ts';

/** The voter id of requests without an id: all of them share one vote. */
const ANONYMOUS = '';

interface OfRequest {
  /** The ids of calls that were already counted. */
  readonly seen: Set<string>;
  learner?: Learner | undefined;
}

/** The option `learning`: determines which requests share what is learned, and which calls count. */
export class LearningRequests implements Feature {
  readonly #wing: Promise<Learning | undefined>;
  readonly #scope: ResolvedLearning['scope'];
  readonly #scopeOf: ScopeFunction;
  readonly #requests: Requests;
  readonly #memory = new Memory<OfRequest, RequestState>(() => ({ seen: new Set() }));

  /** @param timeout - milliseconds for one operation of the store. */
  constructor(options: ResolvedLearning, timeout: number, reporter: Reporter) {
    const { scope } = options;
    this.#wing = loadWing(options, timeout, reporter);
    this.#scope = scope;
    this.#scopeOf = typeof scope === 'function' ? scope : learningScopes[scope];
    this.#requests = new Requests(this.#scopeOf, reporter);
  }

  /** Learns from calls that succeeded since the previous step, and sets the learner of the step. Never throws. */
  async loaded(step: Step): Promise<void> {
    const wing = await this.#wing;
    const scope = wing && this.#requests.scopeOf(step.args);
    const memory = this.#memory.of(step.state);
    memory.learner = undefined;
    if (!wing || scope === undefined) return;
    const request = this.#requestOf(step, scope);
    const isMastras = sourceReader(step.args.messageList);
    for (const { toolName = '', message } of this.#succeeded(step)) {
      // A client may give its own tool the name of a catalog tool.
      const entry = isMastras(message) ? step.catalog.get(toolName) : undefined;
      if (entry && !isClients(entry)) wing.noteCall(request, entry.name, step.origin, step.state.steps - 1);
    }
    memory.learner = {
      reranker: wing.reranker(scope),
      noteShown: (query, shown) => wing.noteShown(request, query, shown),
      noteCall: (toolName) => wing.noteCall(request, toolName, step.origin, step.state.steps),
    };
  }

  /** The learner for the searches of a request; undefined if the request has no scope. */
  learnerOf(state: RequestState): Learner | undefined {
    return this.#memory.known(state)?.learner;
  }

  /** The reranker for a search outside a step. Nothing is learned from the results of such a search. */
  async rerankerFor(args: HookArgs): Promise<Reranker | undefined> {
    const wing = await this.#wing;
    const scope = wing && this.#requests.scopeOf(args);
    return scope === undefined ? undefined : wing?.reranker(scope);
  }

  /**
   * Forgets everything learned in a scope. Rejects if `of` has no scope, since nothing would be forgotten.
   *
   * @param of - whose scope; as a string, what the scope function returns or, for a built-in scope, the resource id.
   */
  async clear(of: string | ScopeRequest): Promise<void> {
    const wing = await this.#wing;
    const request: string | ScopeRequest =
      typeof of === 'string' && typeof this.#scope === 'string' ? { resourceId: of } : of;
    const { requestContext, resourceId = '', threadId = '' } = typeof request === 'string' ? {} : request;
    const ids = requestContext ? identifyRequest({ requestContext }) : {};
    const scope = typeof request === 'string' ? request : this.#scopeOf({ ...ids, ...request });
    // An id that is not a string belongs to no scope that was ever written.
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

  /** Returns the successful calls of the run that it has not returned before. */
  #succeeded({ state, calls }: Step): readonly ToolCall[] {
    const { seen } = this.#memory.of(state);
    return callsOfRun(calls).filter((call) => {
      const { id, toolName } = call;
      if (id === undefined || toolName === undefined || seen.has(id) || !hasSucceeded(call)) return false;
      seen.add(id);
      return true;
    });
  }
}

/** Loads the learning wing. Never rejects: if the code of the wing is missing, searches run without learning. */
async function loadWing(options: ResolvedLearning, timeout: number, reporter: Reporter): Promise<Learning | undefined> {
  try {
    const wing = await wings.learning();
    return new wing.Learning(options, timeout, reporter);
  } catch (error) {
    reporter.report({ type: 'scorer-failed', scorer: 'learning', error, survived: true });
    return undefined;
  }
}

/** Mastra also stores a result for a call with invalid arguments (`error`), or that an MCP server marks with `isError`. */
function hasSucceeded({ state, result }: ToolCall): boolean {
  const { isError, error } = asRecord(result) ?? {};
  return state === 'result' && isError !== true && error !== true;
}
