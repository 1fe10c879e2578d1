import type { MissCause } from '../events/reasons.ts';
import type { Reporter } from '../events/reporter.ts';
import { callsOfRun, type FailedCall, failedCalls, succeededCalls } from '../loaded/conversation/conversation.ts';
import { type Loader, withSuggestions } from '../meta-tools/loading.ts';
import { MAX_MISSED, meant } from '../meta-tools/missed-calls.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { StepMode } from '../modes/mode.ts';
import type { RequestState } from '../step/request.ts';
import type { Step } from '../step/step.ts';
import { Memory } from '../util/memory.ts';
import { echo } from '../util/text.ts';
import type { Feature } from './feature.ts';
import type { Sentences } from './sentences.ts';

/**
 * The option `onMiss`: loads a tool whose call failed because the tool was not sent. In call mode, tells the model how to call
 * the tool instead.
 */
export class MissedCalls implements Feature {
  readonly #loader: Loader;
  readonly #reporter: Reporter;
  readonly #sentences: Sentences;
  /** The ids of failed calls that were already handled. */
  readonly #seen = new Memory<Set<string>, RequestState>(() => new Set());

  constructor(loader: Loader, reporter: Reporter, sentences: Sentences) {
    this.#loader = loader;
    this.#reporter = reporter;
    this.#sentences = sentences;
  }

  async active(step: Step, mode: StepMode): Promise<void> {
    if (failedCalls(step.calls).length === 0) return;
    for (const [called, ids] of [...this.#missed(step)].slice(0, MAX_MISSED)) {
      const sentence = await this.#answer(called, step, mode);
      if (sentence !== undefined) this.#sentences.say(sentence, ids, step, mode);
    }
  }

  /** The names of tools that were called but not sent, each with the ids of its calls. Each call is handled once. */
  #missed({ calls, state }: Step): ReadonlyMap<string, readonly string[]> {
    const seen = this.#seen.of(state);
    const isFirst = state.steps === 1;
    // The first step handles only calls since the user's last message, such as those of a resumed run. Older ones are history.
    const failed = failedCalls(isFirst ? callsOfRun(calls) : calls);
    if (isFirst) for (const { id } of failedCalls(calls)) seen.add(id);
    const isNew = ({ id }: FailedCall): boolean => isFirst || !seen.has(id);

    const names = new Map<string, string[]>();
    const succeeded = isFirst ? succeededCalls(calls) : undefined;
    for (const { id, toolName, missing } of failed.filter(isNew)) {
      seen.add(id);
      // The error text of a tool that was sent may name another tool.
      if (missing !== undefined && !state.sent.has(toolName) && !succeeded?.has(missing))
        names.set(missing, [...(names.get(missing) ?? []), id]);
    }
    return names;
  }

  /** Loads the tool that a called name means, and returns the sentence for the model. */
  async #answer(called: string, step: Step, mode: StepMode): Promise<string | undefined> {
    if (step.tools.isSpent(called)) return prompts.calledInCircle(called);
    const miss = (cause: MissCause): void => {
      // A name that a model invents may be of any length.
      this.#reporter.report({ type: 'miss', called: echo(called), cause }, step.origin);
    };
    const name = await meant(called, step);
    if (name === undefined) {
      miss(step.catalog.get(called) ? 'denied' : 'unknown');
      // The wording must not distinguish a forbidden tool from an unknown name.
      const [unknown] = await withSuggestions([called], step);
      const isLikeOthers = unknown && unknown.suggestions.length > 0;
      return isLikeOthers ? prompts.notFound(unknown, step.mode.names) : undefined;
    }
    if (mode.missed) return mode.missed(name);
    const outcome = await this.#loader.byName([name], step);
    if (outcome.loaded.length > 0) this.#reporter.report({ type: 'load-on-miss', called, loaded: name }, step.origin);
    if (outcome.failed.length > 0) {
      miss('failed');
      return prompts.roomNotes(outcome).trim();
    }
    if (outcome.leftOut.length > 0) miss('no-room');
    else if (outcome.notFound.length > 0) miss('denied');
    else return called === name ? prompts.calledLater(name) : prompts.calledUnderAnotherName(name);
    return undefined;
  }
}
