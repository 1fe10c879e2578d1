import type { Groups } from '../catalog/groups.ts';
import { stepError } from '../errors.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Policy } from '../filter/permissions.ts';
import type { Prompt } from '../loaded/conversation/prompt.ts';
import type { Registry } from '../loaded/registry.ts';
import type { SearchTool } from '../meta-tools/search-tool.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { RequestState } from '../processor/request.ts';
import type { Step } from '../processor/step.ts';
import type { MetaTools } from './load.ts';
import type { Mode, StepMode } from './mode.ts';

/** The parts of a processor that native mode is given. */
export interface NativeParts {
  /** Those of load mode. */
  readonly metaTools: MetaTools;
  readonly searchTool: SearchTool;
  readonly registry: Registry;
  readonly policy: Policy;
  readonly groups: Groups;
  readonly reporter: Reporter;
  readonly options: Pick<ResolvedOptions, 'metaTools' | 'loadingTools' | 'keywords'>;
}

/** Native mode, which is a wing: its code is loaded when a processor is made that has it. */
export class LazyMode implements Mode {
  readonly #code: Promise<void>;
  readonly #fails: boolean;
  readonly #report: (error: unknown, step: Step) => void;
  readonly #reported = new WeakSet<RequestState>();
  #mode: Mode | undefined;
  #error: unknown;

  /**
   * @param load - imports the code. A step waits for it.
   * @param fails - whether a step ends where the code cannot be loaded: `native.fallback: 'error'`.
   * @param report - called once a request where the code cannot be loaded.
   */
  constructor(load: () => Promise<Mode>, fails: boolean, report: (error: unknown, step: Step) => void) {
    this.#fails = fails;
    this.#report = report;
    this.#code = load().then(
      (mode) => {
        this.#mode = mode;
      },
      (error: unknown) => {
        this.#error = error;
      },
    );
  }

  async begin(step: Step): Promise<void> {
    await this.#code;
    if (this.#mode) return this.#mode.begin?.(step);
    if (!this.#reported.has(step.state)) {
      this.#reported.add(step.state);
      this.#report(this.#error, step);
    }
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
