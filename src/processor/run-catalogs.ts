import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Handover } from '../mastra/handover.ts';
import type { SeparatedTools } from '../mastra/separation.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import type { CatalogMaker } from './load-catalogs.ts';
import type { RequestState } from './request/request-state.ts';

/** The catalogs of runs: what can be searched besides the agent's own tools, once over all steps of a run. */
export class RunCatalogs {
  readonly #fixed: Catalog;
  readonly #maker: CatalogMaker | undefined;
  readonly #handover: Handover;
  /**
   * Cache: empty catalogs of runs that begin, so that a function that took its time and failed is not called again at
   * once.
   */
  readonly #empty = new WeakMap<object, Catalog>();

  /** @param maker - makes the catalog of each run; without it, all runs have the fixed one. */
  constructor(fixed: Catalog, maker: CatalogMaker | undefined, handover: Handover) {
    this.#fixed = fixed;
    this.#maker = maker;
    this.#handover = handover;
  }

  /** The catalog for a request outside a run. */
  of(requestContext: RequestContext | undefined, origin?: EventOrigin): MaybePromise<Catalog> {
    return this.#maker ? this.#maker.catalog(requestContext, origin) : this.#fixed;
  }

  /** The catalog of a run before its first step; {@link ofStep} finds it by the tools that are handed over. */
  async begin(requestContext: RequestContext | undefined): Promise<Catalog> {
    const catalog = await this.of(requestContext);
    // Nothing is handed over of an empty one.
    if (requestContext && catalog.size === 0) this.#empty.set(requestContext, catalog);
    else if (requestContext) this.#empty.delete(requestContext);
    return catalog;
  }

  /** The catalog of a step: what was resolved when its run began, else in the run's first step. */
  ofStep(
    state: RequestState,
    requestContext: RequestContext | undefined,
    separated: SeparatedTools,
  ): MaybePromise<Catalog> {
    if (!this.#maker) return this.#fixed;
    const begun = this.#handover.catalogOf(separated) ?? (requestContext && this.#empty.get(requestContext));
    state.base ??= begun ?? this.of(requestContext, state.origin);
    return state.base;
  }
}
