import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../reporter.ts';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';
import { type Conversation, partsOf, roleOf } from './messages.ts';

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
    if (roleOf(messages.at(-1)) === 'assistant') this.#report(messages, origin);
  }

  /** Reports the last run of these messages, where it was cut. */
  #report(messages: Conversation, origin: EventOrigin): void {
    const run = messages.slice(messages.findLastIndex((message) => roleOf(message) !== 'assistant') + 1);
    const parts = run.flatMap(({ content }) => partsOf(content).map((part) => asRecord(part) ?? {}));
    if (!parts.some((part) => this.#metaTools.has(asRecord(part['toolInvocation'])?.['toolName']))) return;
    const last = parts.findLast(({ type }) => type === 'text' || type === 'tool-invocation');
    const state = asRecord(last?.['toolInvocation'])?.['state'];
    if (state !== 'result' && state !== 'output-error') return;
    const { id } = run.at(-1) ?? {};
    if (typeof id === 'string') {
      if (this.#reported.get(id)) return;
      this.#reported.set(id, true);
    }
    this.#reporter.report({ type: 'run-cut', steps: stepsIn(run) }, origin);
  }
}

/** Mastra keeps the steps of a run in one message, a DurableAgent in one each. */
function stepsIn(run: Conversation): number {
  let steps = 0;
  for (const { content } of run) {
    const starts = partsOf(content).map((part) => asRecord(part)?.['type'] === 'step-start');
    steps += starts.filter(Boolean).length + (starts[0] ? 0 : 1);
  }
  return steps;
}
