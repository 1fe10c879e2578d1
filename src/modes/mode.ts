import { stepError } from '../errors.ts';
import type { Prompt } from '../loaded/conversation/prompt.ts';
import type { RequestState } from '../step/request.ts';
import type { MetaToolNames, ModeTools, Reach, Step } from '../step/step.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

/** How found tools reach the model. No other file than the three that implement it asks which one a processor has. */
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
  /** Whether the model may read what became of a missed call with the result of that call. */
  readonly reportsWithResults?: boolean;
  /** Whether a tool that `toolChoice` names has to be loaded before it is sent. */
  readonly loadsForced?: boolean;
  /** Loads what the conversation shows as found by others, before anything else is loaded. */
  noteFinds?(step: Step): Promise<void>;
  /** The text before the list of the option `injectCatalog`, where it is not that of load mode. */
  readonly catalogIntro?: string;
  /** What the model is told that called a found tool by its own name; absent where such a call loads the tool. */
  missed?(name: string): string;
  /** How to search and load or call, for the system text. */
  systemText(step: Step): string;
  moreTexts?(step: Step): readonly string[];
  /**
   * What the step sends.
   *
   * @param pinned - its pinned tools, as they are sent.
   * @param texts - the parts of its system text.
   */
  send(step: Step, pinned: Readonly<Record<string, unknown>>, texts: readonly string[]): MaybePromise<ModeTools>;
}

/** The names of the meta-tools as a step sends them. A mode may send its search under another name than results have for it. */
export function sentNames(mode: StepMode, names: MetaToolNames): MetaToolNames {
  return { ...names, search: mode.metaNames[0] ?? names.search };
}

/**
 * Native mode, which is a wing: its code is loaded when a processor is made that has it. Where it cannot be, that is
 * reported once a request, and with `native.fallback: 'error'` it `fails` the step.
 */
export function lazyMode(
  load: () => Promise<Mode>,
  fails: boolean,
  report: (error: unknown, step: Step) => void,
): Mode {
  let mode: Mode | undefined;
  let error: unknown;
  const code = load().then(
    (loaded) => {
      mode = loaded;
    },
    (reason: unknown) => {
      error = reason;
    },
  );
  const reported = new WeakSet<RequestState>();
  return {
    async begin(step) {
      await code;
      if (mode) return mode.begin?.(step);
      if (!reported.has(step.state)) report(error, step);
      reported.add(step.state);
      if (!fails) return;
      throw stepError(
        'native-unsupported',
        `The code of native mode cannot be loaded, and native.fallback is 'error'. Deploy every file of the package, or allow load mode with native.fallback: 'load'.`,
      );
    },
    open: (step) => mode?.open(step),
    rewritePrompt: (prompt, model, state) => mode?.rewritePrompt?.(prompt, model, state) ?? prompt,
    retry: (fault, state) => mode?.retry?.(fault, state) ?? false,
  };
}
