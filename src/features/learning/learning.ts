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

/** The voter of all requests without an id: together they have one vote. */
const ANONYMOUS = '';

interface OfRequest {
  /** The ids of calls that were counted. */
  readonly seen: Set<string>;
  learner?: Learner | undefined;
}

/** The option `learning`: says whose requests learn together, and which calls count. */
export class LearningRequests implements Feature {
  readonly #wing: Promise<Learning | undefined>;
  readonly #scope: ResolvedLearning['scope'];
  readonly #scopeOf: ScopeFunction;
  readonly #requests: Requests;
  readonly #memory = new Memory<OfRequest, RequestState>(() => ({ seen: new Set() }));

  /** @param timeout - milliseconds for one question to the store. */
  constructor(options: ResolvedLearning, timeout: number, reporter: Reporter) {
    const { scope } = options;
    this.#wing = loadWing(options, timeout, reporter);
    this.#scope = scope;
    this.#scopeOf = typeof scope === 'function' ? scope : learningScopes[scope];
    this.#requests = new Requests(this.#scopeOf, reporter);
  }

  /** Learns from the calls that succeeded since the step before, and gives the step its learner. Never throws. */
  async loaded(step: Step): Promise<void> {
    const wing = await this.#wing;
    const scope = wing && this.#requests.scopeOf(step.args);
    const memory = this.#memory.of(step.state);
    memory.learner = undefined;
    if (!wing || scope === undefined) return;
    const request = this.#requestOf(step, scope);
    const isMastras = sourceReader(step.args.messageList);
    for (const { toolName = '', message } of this.#succeeded(step)) {
      // A client may give its own tool the name of any other.
      const entry = isMastras(message) ? step.catalog.get(toolName) : undefined;
      if (entry && !isClients(entry)) wing.noteCall(request, entry.name, step.origin, step.state.steps - 1);
    }
    memory.learner = {
      reranker: wing.reranker(scope),
      noteShown: (query, shown) => wing.noteShown(request, query, shown),
      noteCall: (toolName) => wing.noteCall(request, toolName, step.origin, step.state.steps),
    };
  }

  /** What a search of a request uses; absent where nobody knows whose request it is. */
  learnerOf(state: RequestState): Learner | undefined {
    return this.#memory.known(state)?.learner;
  }

  /** The reranker for a search outside of a step. What such a search shows is not noted. */
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
    const { seen } = this.#memory.of(state);
    return callsOfRun(calls).filter((call) => {
      const { id, toolName } = call;
      if (id === undefined || toolName === undefined || seen.has(id) || !hasSucceeded(call)) return false;
      seen.add(id);
      return true;
    });
  }
}

/** Loads the wing that learns from use. Never rejects; where its code is not there, searches go on without. */
async function loadWing(options: ResolvedLearning, timeout: number, reporter: Reporter): Promise<Learning | undefined> {
  try {
    const wing = await wings.learning();
    return new wing.Learning(options, timeout, reporter);
  } catch (error) {
    reporter.report({ type: 'scorer-failed', scorer: 'learning', error, survived: true });
    return undefined;
  }
}

/** Mastra stores a call with wrong arguments, and one that an MCP server calls an error, with a result as well. */
function hasSucceeded({ state, result }: ToolCall): boolean {
  const { isError, error } = asRecord(result) ?? {};
  return state === 'result' && isError !== true && error !== true;
}
