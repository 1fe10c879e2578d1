import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { stepError } from '../errors.ts';
import type { Services } from '../meta-tools/step.ts';
import type { Native } from '../native/native.ts';
import type { NativeModel, ResolvedNative } from '../options/native.ts';
import type { RequestState } from '../request/request-state.ts';

/** Native mode of one processor. Its code is a chunk of the package, which nobody loads who does not use the mode. */
export class NativeMode {
  readonly #fallback: ResolvedNative['fallback'];
  readonly #services: Services;
  /** Ends when the code is there, or when it is known why not; never rejects. */
  readonly #loading: Promise<void>;
  #loaded: Native | undefined;
  #error: unknown;
  readonly #reported = new WeakSet<RequestState>();

  constructor(options: ResolvedNative, services: Services) {
    this.#fallback = options.fallback;
    this.#services = services;
    this.#loading = this.#load(options);
  }

  /** Native mode, where its code is there: after {@link forStep}, that of every hook of the step. */
  get loaded(): Native | undefined {
    return this.#loaded;
  }

  /**
   * Native mode, for a step; undefined where its code cannot be loaded, which is reported once a request.
   *
   * @throws ToolSearchError `native-unsupported`, with `fallback: 'error'`.
   */
  async forStep(state: RequestState, args: ProcessInputStepArgs): Promise<Native | undefined> {
    await this.#loading;
    if (this.#loaded) return this.#loaded;
    if (!this.#reported.has(state)) {
      this.#reported.add(state);
      const { modelId } = (args.model ?? {}) as NativeModel;
      const model = typeof modelId === 'string' ? modelId : '';
      this.#services.reporter.report({ type: 'native-off', reason: 'failed', model, error: this.#error });
    }
    if (this.#fallback !== 'error') return undefined;
    throw stepError(
      'native-unsupported',
      `The code of native mode cannot be loaded, and native.fallback is 'error'. Deploy every file of the package, or allow load mode with native.fallback: 'load'.`,
    );
  }

  async #load(options: ResolvedNative): Promise<void> {
    try {
      const { Native } = await import('../native/native.ts');
      this.#loaded = new Native(options, this.#services);
    } catch (error) {
      this.#error = error;
    }
  }
}
