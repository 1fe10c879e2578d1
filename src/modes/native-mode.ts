import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { stepError } from '../errors.ts';
import type { Services } from '../meta-tools/step.ts';
import type { Native } from '../native/native.ts';
import type { NativeModel, ResolvedNative } from '../options/native.ts';
import { Chunk } from '../processor/chunk.ts';
import type { RequestState } from '../processor/request/request-state.ts';

/** Native mode of one processor. */
export class NativeMode {
  readonly #fallback: ResolvedNative['fallback'];
  readonly #services: Services;
  readonly #code: Chunk<Native>;

  constructor(options: ResolvedNative, services: Services) {
    this.#fallback = options.fallback;
    this.#services = services;
    this.#code = new Chunk(async () => {
      const { Native } = await import('../native/native.ts');
      return new Native(options, services);
    });
    void this.#code.begin();
  }

  get loaded(): Native | undefined {
    return this.#code.loaded;
  }

  /**
   * Native mode, for a step; undefined where its code cannot be loaded, which is reported once a request.
   *
   * @throws ToolSearchError `native-unsupported`, with `fallback: 'error'`.
   */
  async forStep(state: RequestState, args: ProcessInputStepArgs): Promise<Native | undefined> {
    const native = await this.#code.forStep(state, (error) => {
      const { modelId } = (args.model ?? {}) as NativeModel;
      const model = typeof modelId === 'string' ? modelId : '';
      this.#services.reporter.report({ type: 'native-off', reason: 'failed', model, error }, state.origin);
    });
    if (native || this.#fallback !== 'error') return native;
    throw stepError(
      'native-unsupported',
      `The code of native mode cannot be loaded, and native.fallback is 'error'. Deploy every file of the package, or allow load mode with native.fallback: 'load'.`,
    );
  }
}
