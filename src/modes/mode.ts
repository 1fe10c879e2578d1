import { stepError } from '../errors.ts';
import type { Prompt } from '../loaded/conversation/prompt.ts';
import type { RequestState } from '../step/request.ts';
import type { MetaToolNames, ModeTools, Reach, Step } from '../step/step.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

/** How found tools reach the model. Only files that implement a mode may depend on which mode a processor has. */
export interface Mode {
  /** Called at the beginning of every step, even of a step that sends the whole catalog. */
  begin?(step: Step): MaybePromise<void>;
  /** The mode in one step. Undefined if the mode cannot serve the step's model; then the processor tries its next mode. */
  open(step: Step): MaybePromise<StepMode | undefined>;
  /** Rewrites the prompt for the model, if the model of the step is not wrapped. Never throws. */
  rewritePrompt?(prompt: Prompt, model: unknown, state: RequestState): Prompt;
  /** Whether to retry a failed request. */
  retry?(error: unknown, state: RequestState): boolean;
}

export interface StepMode extends Reach {
  /** The names of the tools that the mode adds. No other tool of the step may have such a name. */
  readonly metaNames: readonly string[];
  /** Further names that no tool of the step may have: the fixed names of a provider's search tools. */
  readonly fixedNames?: readonly string[];
  /** The part of `metaNames` that the loop guard never withholds. */
  readonly mandatory: readonly string[];
  /** Whether this processor searches, and so needs an index; false if the provider searches. */
  readonly searches: boolean;
  /** Whether sentences about a missed call may be added to the result of that call. */
  readonly reportsWithResults?: boolean;
  /** Whether a tool that `toolChoice` names must be loaded before the mode can send the tool. */
  readonly loadsForced?: boolean;
  /** Loads tools that the conversation shows as found, before anything else is loaded. */
  noteFinds?(step: Step): Promise<void>;
  /** The text before the list of the option `injectCatalog`; absent for the text of load mode. */
  readonly catalogIntro?: string;
  /** The sentence for a model that called a found tool by its own name; absent if such a call loads the tool. */
  missed?(name: string): string;
  /** The part of the system text that says how to search, and how to load or call. */
  systemText(step: Step): string;
  moreTexts?(step: Step): readonly string[];
  /**
   * What the step sends.
   *
   * @param pinned - the pinned tools of the step, in the form in which they are sent.
   * @param texts - the parts of the system text.
   */
  send(step: Step, pinned: Readonly<Record<string, unknown>>, texts: readonly string[]): MaybePromise<ModeTools>;
}

/** The names under which a step sends the meta-tools. A mode may send its search under another name than `names.search`. */
export function sentNames(mode: StepMode, names: MetaToolNames): MetaToolNames {
  return { ...names, search: mode.metaNames[0] ?? names.search };
}

/**
 * Native mode, whose code is a wing: creating a processor with the mode starts loading the code. A failure to load is
 * reported once a request, and makes the step throw if `fails` is set (`native.fallback: 'error'`).
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
