import type { Calling } from '../call/call.ts';
import type { Services } from '../meta-tools/step.ts';
import type { RequestState } from '../request/request-state.ts';

/** Call mode of one processor. Its code is a chunk of the package, which nobody loads who does not use the mode. */
export class CallMode {
  readonly #services: Services;
  /** Ends when the code is there, or when it is known why not; never rejects. */
  readonly #loading: Promise<void>;
  #loaded: Calling | undefined;
  #error: unknown;
  readonly #reported = new WeakSet<RequestState>();

  constructor(services: Services) {
    this.#services = services;
    this.#loading = this.#load();
  }

  /** Call mode, where its code is there: after {@link forStep}, that of every hook of the step. */
  get loaded(): Calling | undefined {
    return this.#loaded;
  }

  /** Call mode, for a step; undefined where its code cannot be loaded, which is reported once a request. */
  async forStep(state: RequestState): Promise<Calling | undefined> {
    await this.#loading;
    if (!this.#loaded && !this.#reported.has(state)) {
      this.#reported.add(state);
      this.#services.reporter.report({ type: 'call-off', error: this.#error });
    }
    return this.#loaded;
  }

  async #load(): Promise<void> {
    try {
      const { Calling } = await import('../call/call.ts');
      this.#loaded = new Calling(this.#services);
    } catch (error) {
      this.#error = error;
    }
  }
}
