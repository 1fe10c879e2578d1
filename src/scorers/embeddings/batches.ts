import type { EmbedLimits } from './embedder.ts';

/**
 * Runs batches of work over all callers with a bound on how many run at once.
 *
 * Texts of one call to `run` go out in order. After a batch that failed the call sends no further ones.
 */
export class Batches {
  readonly #limits: () => Promise<EmbedLimits>;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limits: () => Promise<EmbedLimits>) {
    this.#limits = limits;
  }

  /** @throws what the first batch that failed threw, once the batches in flight have ended. */
  async run<Item>(items: readonly Item[], work: (batch: readonly Item[]) => Promise<void>): Promise<void> {
    const { batchSize, concurrency } = await this.#limits();
    let failure: { error: unknown } | undefined;
    const batches: Promise<void>[] = [];
    for (let start = 0; start < items.length; start += batchSize) {
      const batch = items.slice(start, start + batchSize);
      const attempt = async (): Promise<void> => {
        await this.#enter(concurrency);
        try {
          if (!failure) await work(batch);
        } catch (error) {
          failure ??= { error };
        } finally {
          this.#leave();
        }
      };
      batches.push(attempt());
    }
    await Promise.all(batches);
    if (failure) throw failure.error;
  }

  async #enter(concurrency: number): Promise<void> {
    if (this.#running >= concurrency) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
  }

  /** Hands the place on, so that nobody can slip in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}
