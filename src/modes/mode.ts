import type { CatalogEntry } from '../catalog/catalog.ts';
import { stepError } from '../errors.ts';
import type { Prompt } from '../loaded/conversation/prompt.ts';
import type { RequestState } from '../processor/request.ts';
import type { ModeTools, Reach, Step } from '../processor/step.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

/**
 * How found tools reach the model. `load.ts`, `call.ts` and `native/mode.ts` implement it, and no other file asks which one a
 * processor has.
 */
export interface Mode {
  /** Called at the beginning of every step, also of one that sends the whole catalog. */
  begin?(step: Step): MaybePromise<void>;
  /** The mode in one step; undefined where it cannot serve the step's model, and the next mode of the processor does. */
  open(step: Step): MaybePromise<StepMode | undefined>;
  /** The prompt as the model reads it, where the model of the step is not wrapped. Never throws. */
  rewritePrompt?(prompt: Prompt, model: unknown, state: RequestState): Prompt;
  /** Whether a failed request is worth another try. */
  retry?(error: unknown, state: RequestState): boolean;
}

export interface StepMode extends Reach {
  /** The names of the tools that it adds. No other tool of the step may have one. */
  readonly metaNames: readonly string[];
  /** Other names that no tool of the step may have: those of a provider's search tools, which cannot be changed. */
  readonly fixedNames?: readonly string[];
  /** The part of `metaNames` that is sent even where the run repeats its calls. */
  readonly mandatory: readonly string[];
  /** Whether this processor searches, so that an index is wanted. */
  readonly searches: boolean;
  /** Whether tools are loaded for the thread, and sent. */
  readonly loads: boolean;
  /** Whether the model may read what became of a missed call with the result of that call. */
  readonly reportsWithResults: boolean;
  /** Whether a tool that `toolChoice` names has to be loaded before it is sent. */
  readonly loadsForced: boolean;
  /** Whether the model can call a tool that `toolChoice` names. */
  canForce(entry: CatalogEntry): boolean;
  /** Loads what the conversation shows as found by others, before anything else is loaded. */
  noteFinds?(step: Step): Promise<void>;
  /** How to search and load or call, for the system text. */
  systemText(step: Step): string;
  moreTexts?(step: Step): readonly string[];
  send(step: Step): MaybePromise<ModeTools>;
}

/** Native mode, which is a wing: its code is loaded when a processor is made that has it. */
export class LazyMode implements Mode {
  readonly #code: Promise<void>;
  readonly #fails: boolean;
  readonly #report: (error: unknown, step: Step) => void;
  readonly #reported = new WeakSet<RequestState>();
  #mode: Mode | undefined;
  #error: unknown;

  /** `fails` ends a step where the code cannot be loaded (`native.fallback: 'error'`); `report` is called once a request. */
  constructor(load: () => Promise<Mode>, fails: boolean, report: (error: unknown, step: Step) => void) {
    this.#fails = fails;
    this.#report = report;
    this.#code = this.#load(load);
  }

  async #load(load: () => Promise<Mode>): Promise<void> {
    try {
      this.#mode = await load();
    } catch (error) {
      this.#error = error;
    }
  }

  async begin(step: Step): Promise<void> {
    await this.#code;
    if (this.#mode) return this.#mode.begin?.(step);
    if (!this.#reported.has(step.state)) this.#report(this.#error, step);
    this.#reported.add(step.state);
    if (!this.#fails) return;
    throw stepError(
      'native-unsupported',
      `The code of native mode cannot be loaded, and native.fallback is 'error'. Deploy every file of the package, or allow load mode with native.fallback: 'load'.`,
    );
  }

  async open(step: Step): Promise<StepMode | undefined> {
    return this.#mode?.open(step);
  }

  rewritePrompt(prompt: Prompt, model: unknown, state: RequestState): Prompt {
    return this.#mode?.rewritePrompt?.(prompt, model, state) ?? prompt;
  }

  retry(error: unknown, state: RequestState): boolean {
    return this.#mode?.retry?.(error, state) ?? false;
  }
}
