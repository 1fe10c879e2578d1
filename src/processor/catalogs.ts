import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';
import { isTool } from '../catalog/tool.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { SeparatedTools } from '../mastra/marks.ts';
import type { ToolRegistration } from '../mastra/tool-registration.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import type { RequestState } from './request.ts';

/** Makes the catalog of each run. */
export interface CatalogMaker {
  /** Never rejects. */
  catalog(requestContext: RequestContext | undefined, origin?: EventOrigin): MaybePromise<Catalog>;
}

/** The catalogs of runs: what can be searched in addition to the agent's own tools, once over all steps of a run. */
export class RunCatalogs {
  readonly #fixed: Catalog;
  readonly #maker: CatalogMaker | undefined;
  readonly #registration: ToolRegistration;
  /** Remembers failed `tools()` results, so that the first step does not call it again. */
  readonly #empty = new WeakMap<object, Catalog>();

  /** @param maker - makes the catalog of each run; without it, all runs have the fixed one. */
  constructor(fixed: Catalog, maker: CatalogMaker | undefined, registration: ToolRegistration) {
    this.#fixed = fixed;
    this.#maker = maker;
    this.#registration = registration;
  }

  /** The catalog for a request outside a run. */
  of(requestContext: RequestContext | undefined, origin?: EventOrigin): MaybePromise<Catalog> {
    return this.#maker ? this.#maker.catalog(requestContext, origin) : this.#fixed;
  }

  /** The catalog of a run before its first step; {@link ofStep} finds it by the tools that are registered. */
  async begin(requestContext: RequestContext | undefined): Promise<Catalog> {
    const catalog = await this.of(requestContext);
    // Nothing is registered of an empty one.
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
    const begun = this.#registration.catalogOf(separated) ?? (requestContext && this.#empty.get(requestContext));
    state.base ??= begun ?? this.of(requestContext, state.origin);
    return state.base;
  }
}

/** The tools of a request, split into those that are searched and those that are sent. */
export interface RequestTools {
  readonly catalog: Catalog;
  /** The tools that are sent on every step, in the order they came. */
  readonly own: Readonly<Record<string, unknown>>;
}

type Tools = Readonly<Record<string, unknown>>;
type Named = readonly (readonly [name: string, tool: unknown])[];

/** The split of a request's last step, with what it was made of. */
interface View extends RequestTools {
  readonly base: Catalog;
  readonly tools: object;
}

/** Makes the catalog of each request, once over all its steps as long as its tools stay the same. */
export class RequestCatalogs {
  readonly #isIncluded: boolean;
  readonly #isHandled: (tool: unknown) => boolean;
  readonly #reservedNames: readonly string[];
  readonly #views = new WeakMap<object, View>();

  /**
   * @param isIncluded - whether the tools of requests are searched; else all of them are sent.
   * @param isHandled - whether a ToolSearchProcessor handed a tool over or sent it: such a tool comes and goes.
   */
  constructor(isIncluded: boolean, isHandled: (tool: unknown) => boolean, reservedNames: readonly string[]) {
    this.#isIncluded = isIncluded;
    this.#isHandled = isHandled;
    this.#reservedNames = reservedNames;
  }

  /**
   * @param request - any object that stands for the request, over all its steps.
   * @param base - the catalog of the processor or of the run.
   * @param tools - the tools of the step: the same object for the same tools.
   */
  of(request: object, base: Catalog, tools: Tools): RequestTools {
    const cached = this.#views.get(request);
    if (cached?.tools === tools && cached.base === base) return cached;
    const own = Object.entries(tools).filter(([, tool]) => isTool(tool) && !this.#isHandled(tool));
    const split = this.#isIncluded ? this.#searched(base, tools, own) : this.#sent(base, tools, own);
    const view: View = { ...split, base, tools };
    this.#views.set(request, view);
    return view;
  }

  #sent(base: Catalog, tools: Tools, own: Named): RequestTools {
    base.noteSentAnyway(own);
    return { catalog: base.without(own.map(([name]) => name)), own: tools };
  }

  #searched(base: Catalog, tools: Tools, own: Named): RequestTools {
    const searchable = Object.fromEntries(own);
    const left = Object.fromEntries(Object.entries(tools).filter(([name]) => !Object.hasOwn(searchable, name)));
    const isTaken = (name: string): boolean => Object.hasOwn(left, name) || this.#reservedNames.includes(name);
    return { catalog: own.length === 0 ? base : base.withResolved(searchable, isTaken), own: left };
  }
}
