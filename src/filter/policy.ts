import type { RequestContext } from '@mastra/core/request-context';
import type { MastraTool } from '../catalog/tool.ts';
import type { Reporter } from '../events.ts';
import { listenToFilter } from '../options/doubts.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { Permissions } from './permissions.ts';
import { Answers, Questions } from './questions.ts';

/**
 * Where the filter is asked: `search` before a tool is shown to the model (results, suggestions, the injected
 * catalog, patterns, a name in another spelling; for all but its exact name), `load` before it is loaded, and again before a call runs that may have waited for an approval or an answer,
 * `active` before a loaded or always-loaded tool is sent, and again before it runs.
 */
export type ToolSearchFilterPhase = 'search' | 'load' | 'active';

export type ToolSearchFilterArgs = {
  /** The name by which @mastra/core asks: the `id` of the tool, else its key. */
  toolName: string;
  /** The name the model calls: another one where providers refuse `toolName`, or where it is a provider's own id. */
  callableName: string;
  tool: MastraTool;
  requestContext?: RequestContext;
  phase: ToolSearchFilterPhase;
};

/** May this request see, load or use the tool? Whatever is not truthy, a throw and a rejection mean no. */
export type ToolSearchFilter = (args: ToolSearchFilterArgs) => MaybePromise<boolean>;

/** What the policy needs to know of a tool. */
export interface PolicySubject {
  readonly name: string;
  readonly tool: MastraTool;
  /** What the filter calls it, where that is another name. */
  readonly originalName?: string;
}

/** Who asks, and until when: the part of a step's or a call's arguments that is used. */
export interface Asker {
  readonly requestContext?: RequestContext | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** What is the same for all requests of a processor. */
export interface Rules {
  readonly filter: ToolSearchFilter | undefined;
  /** Milliseconds after which one question counts as denied. */
  readonly timeout: number;
  readonly reporter: Reporter;
  /** Told of every answer, as it was returned. */
  readonly heard?: (answer: unknown) => void;
}

/** The rules of one processor, from which requests get their permissions. */
export class Policy {
  readonly #rules: Rules;

  constructor(filter: ToolSearchFilter | undefined, reporter: Reporter, timeout: number = Number.POSITIVE_INFINITY) {
    this.#rules = { filter, reporter, timeout, heard: listenToFilter(reporter) };
  }

  /** Without a filter everything is allowed, and nothing needs to be asked. */
  get isOpen(): boolean {
    return this.#rules.filter === undefined;
  }

  /**
   * Whether a call may run now, whatever was answered before.
   *
   * @throws the reason of the abort, when the run is aborted.
   */
  async allowsCall(subject: PolicySubject, phases: readonly ToolSearchFilterPhase[], caller: Asker): Promise<boolean> {
    const permissions = this.permissions(caller);
    for (const phase of phases) {
      if (await permissions.allows(subject, phase)) continue;
      caller.abortSignal?.throwIfAborted();
      return false;
    }
    return true;
  }

  /** @param answers - those that the request has already; without them everything is asked anew. */
  permissions(asker: Asker, answers: Answers = new Answers()): Permissions {
    return new Permissions(this.#rules, new Questions(this.#rules, asker, answers));
  }

  /**
   * For one step of a request. A DurableAgent goes on under the same state when a call has been approved, whenever
   * that was. It has another signal by then, and its old answers are no longer worth anything.
   */
  permissionsOfStep(state: { answers: Answers }, step: Asker): Permissions {
    if (state.answers.signal !== step.abortSignal) state.answers = new Answers(step.abortSignal);
    return this.permissions(step, state.answers);
  }
}
