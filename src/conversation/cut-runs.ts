import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../reporter.ts';
import { Lru } from '../util/lru.ts';
import { type Conversation, roleOf } from './messages.ts';

/** Runs that were reported and are remembered: one of a thread is seen by whoever goes on in it. */
const MAX_REPORTED = 1_000;

/**
 * Reports runs with a call of a meta-tool that ended with a tool's result, without an answer: most often Mastra's
 * `maxSteps` has ended them. Each is reported once by a process.
 */
export class CutRuns {
  readonly #metaTools: ReadonlySet<unknown>;
  readonly #reporter: Reporter;
  readonly #reported = new Lru<true>(MAX_REPORTED);

  constructor(metaTools: readonly string[], reporter: Reporter) {
    this.#metaTools = new Set(metaTools);
    this.#reporter = reporter;
  }

  /**
   * @param messages - as a run finds them when it begins: Mastra has no hook for the end of the one before.
   * @param next - the origin of the run that begins: the thread is the same.
   */
  atBegin(messages: Conversation, next: EventOrigin): void {
    const end = messages.findLastIndex((message) => roleOf(message) === 'assistant') + 1;
    // A run that goes on after an approval has no new message of the user.
    if (end === 0 || end === messages.length) return;
    const { runId: _run, step: _step, ...thread } = next;
    this.#report(messages.slice(0, end), thread);
  }

  /** @param messages - as a run leaves them. */
  atEnd(messages: Conversation, origin: EventOrigin): void {
    if (roleOf(messages.at(-1)) === 'assistant') this.#report([...messages], origin);
  }

  /** Reports the last run of these messages, where it was cut; a little later, as the code for that is a chunk. */
  #report(messages: Conversation, origin: EventOrigin): void {
    const report = ({ cutRunIn }: typeof import('./cut-run.ts')): void => {
      const { id, steps } = cutRunIn(messages, this.#metaTools) ?? {};
      if (steps === undefined) return;
      if (typeof id === 'string') {
        if (this.#reported.get(id)) return;
        this.#reported.set(id, true);
      }
      this.#reporter.report({ type: 'run-cut', steps }, origin);
    };
    void import('./cut-run.ts').then(report).catch(() => {});
  }
}
