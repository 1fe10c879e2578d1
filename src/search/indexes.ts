import type { Catalog } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { ScorerContext, ToolIndex, ToolScorer } from '../scorers/scorer.ts';
import type { IndexCache } from './index-cache.ts';

/** The indexes of a processor. Their code is a chunk of the package, which is loaded for the first of them. */
export class Indexes {
  readonly #parts: ConstructorParameters<typeof IndexCache>;
  readonly #base: Catalog | undefined;
  #cache: Promise<IndexCache> | undefined;
  #isPrepared = false;

  /** @param base - a catalog that stays, whose index is kept beside the others. */
  constructor(scorer: ToolScorer, context: ScorerContext, base?: Catalog) {
    this.#parts = [scorer, context, base];
    this.#base = base;
  }

  /**
   * The index of a catalog. It is built at the first call, in slices, so that other requests are served meanwhile. After
   * a failure the next search builds it again.
   *
   * @param origin - where the search comes from.
   */
  async get(catalog: Catalog, origin?: EventOrigin): Promise<ToolIndex> {
    this.#cache ??= this.#load();
    return (await this.#cache).get(catalog, origin);
  }

  /**
   * Builds the index of the base as soon as the process has time, so that the first search need not wait for it. A
   * failure is left to the first search to report.
   *
   * @param origin - where the step comes from that is likely to be followed by a search.
   */
  prepare(origin?: EventOrigin): void {
    const base = this.#base;
    if (this.#isPrepared || base === undefined || base.size === 0) return;
    this.#isPrepared = true;
    setImmediate(() => this.get(base, origin).catch(() => {}));
  }

  /** Lets go of all indexes; they are built again when they are needed. */
  clear(): void {
    this.#cache = undefined;
    this.#isPrepared = false;
  }

  async #load(): Promise<IndexCache> {
    try {
      const { IndexCache } = await import('./index-cache.ts');
      return new IndexCache(...this.#parts);
    } catch (error) {
      this.#cache = undefined;
      throw error;
    }
  }
}
