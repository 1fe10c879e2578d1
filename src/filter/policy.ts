import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import type { ToolSearchFilter } from './filter.ts';
import { Permissions } from './permissions.ts';
import type { ToolSearchFilterPhase } from './phase.ts';
import { type Asker, type PolicySubject, Questions, type Rules, RunMemory } from './questions.ts';

/** The filter of one processor, from which requests get their permissions. */
export class Policy {
  readonly #rules: Rules;

  constructor(filter: ToolSearchFilter | undefined, reporter: Reporter, timeout: number = Number.POSITIVE_INFINITY) {
    this.#rules = { filter, reporter, timeout, heard: listenToFilter(reporter) };
  }

  /** Whether there is no filter: everything is allowed, and nothing needs to be asked. */
  get isOpen(): boolean {
    return this.#rules.filter === undefined;
  }

  /**
   * Whether a call may run now. The filter is asked anew.
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

  /**
   * The permissions of a request.
   *
   * @param memory - the answers that the request has already; without it, everything is asked anew.
   */
  permissions(asker: Asker, memory: RunMemory = new RunMemory()): Permissions {
    return new Permissions(this.#rules, new Questions(this.#rules, asker, memory));
  }

  /**
   * The permissions of one step of a request. A DurableAgent goes on under the same state after a call was approved,
   * however long that took. Its signal is another one by then, and what was answered before no longer counts.
   */
  permissionsOfStep(state: { run: RunMemory; origin?: EventOrigin }, step: Asker): Permissions {
    if (state.run.signal !== step.abortSignal) state.run = new RunMemory(step.abortSignal);
    const { requestContext, abortSignal } = step;
    return this.permissions({ requestContext, abortSignal, origin: state.origin }, state.run);
  }
}

/** Answers `undefined`, and nothing else, after which a `return` is probably missing. */
const MANY_ANSWERS = 20;

/** A listener that reports a filter which never returns anything, and so denies everything. */
export function listenToFilter(reporter: Reporter): (answer: unknown) => void {
  let count = 0;
  return (answer) => {
    if (answer !== undefined) count = Number.NEGATIVE_INFINITY;
    count += 1;
    if (count !== MANY_ANSWERS) return;
    const message = `The filter has returned undefined ${MANY_ANSWERS} times and nothing else, which denies everything. Is there a "return" missing?`;
    reporter.report({ type: 'option-doubt', option: 'filter', message });
  };
}
