import type { Services } from '../meta-tools/step.ts';
import { Chunk } from '../processor/chunk.ts';
import type { RequestState } from '../processor/request/request-state.ts';
import type { Calling } from './call/call.ts';

/** Call mode of one processor. */
export class CallMode {
  readonly #services: Services;
  readonly #code: Chunk<Calling>;

  constructor(services: Services) {
    this.#services = services;
    this.#code = new Chunk(async () => {
      const { Calling } = await import('./call/call.ts');
      return new Calling(services);
    });
    void this.#code.begin();
  }

  get loaded(): Calling | undefined {
    return this.#code.loaded;
  }

  /** Call mode, for a step; undefined where its code cannot be loaded, which is reported once a request. */
  forStep(state: RequestState): Promise<Calling | undefined> {
    return this.#code.forStep(state, (error) =>
      this.#services.reporter.report({ type: 'call-off', error }, state.origin),
    );
  }
}
