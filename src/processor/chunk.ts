import type { RequestState } from './request/request-state.ts';

/** A part of the processor whose code is a chunk of the package: nobody loads it who does not use it. */
export class Chunk<Part extends object> {
  readonly #load: () => Promise<Part>;
  #loading: Promise<void> | undefined;
  #loaded: Part | undefined;
  #error: unknown;
  readonly #reported = new WeakSet<RequestState>();

  /** @param load - imports the code, and makes the part. */
  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  /** Begins to load. Ends when the code is there, or when it is known why not; never rejects. */
  begin(): Promise<void> {
    this.#loading ??= this.#load().then(
      (part) => {
        this.#loaded = part;
      },
      (error: unknown) => {
        this.#error = error;
      },
    );
    return this.#loading;
  }

  /** The part, where its code is there: after {@link forStep}, that of every hook of the step. */
  get loaded(): Part | undefined {
    return this.#loaded;
  }

  /**
   * The part, for a step; undefined where its code cannot be loaded.
   *
   * @param report - told why, once a request.
   */
  async forStep(state: RequestState, report: (error: unknown) => void): Promise<Part | undefined> {
    await this.begin();
    if (!this.#loaded && !this.#reported.has(state)) {
      this.#reported.add(state);
      report(this.#error);
    }
    return this.#loaded;
  }
}
