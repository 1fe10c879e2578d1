import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog, OwnTool } from '../catalog/catalog.ts';
import { isTool } from '../catalog/tool.ts';
import type { EventOrigin } from '../events/origin.ts';
import { isHandled, type SeparatedTools } from '../mastra/marks.ts';
import type { ToolRegistration } from '../mastra/tool-registration.ts';
import type { RequestState } from '../step/request.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

interface CatalogParts {
  readonly fixed: Catalog;
  /** Creates the catalog of each run. Without `maker`, all runs use `fixed`. Never rejects. */
  readonly maker: { catalog(requestContext?: RequestContext, origin?: EventOrigin): MaybePromise<Catalog> } | undefined;
  readonly registration: ToolRegistration;
  /** Whether the tools of requests are searched. If not, all of these are sent. */
  readonly isIncluded: boolean;
  readonly reservedNames: readonly string[];
}

/** The tools of a request, split into those that are searched and those that are sent. */
interface RequestTools {
  readonly catalog: Catalog;
  /** The tools that every step sends, in the order received. */
  readonly own: Readonly<Record<string, unknown>>;
}

interface View extends RequestTools {
  readonly base: Catalog;
  readonly tools: object;
}

/**
 * The catalogs of requests. The base of a run holds the tools of the processor, for all steps. The catalog of a request is
 * the base without, or with, the agent's own tools, and is cached while these tools stay the same.
 */
export class RequestCatalogs {
  readonly #parts: CatalogParts;
  /** Empty catalogs, such as after a failed `tools()`, so that the first step does not call `tools()` again. */
  readonly #empty = new WeakMap<object, Catalog>();
  readonly #views = new WeakMap<object, View>();

  constructor(parts: CatalogParts) {
    this.#parts = parts;
  }

  /** The tools of the processor, for a request outside a run. */
  base(requestContext: RequestContext | undefined, origin?: EventOrigin): MaybePromise<Catalog> {
    return this.#parts.maker?.catalog(requestContext, origin) ?? this.#parts.fixed;
  }

  /** Creates the base of a run before its first step. {@link ofStep} finds the base by the registered tools. */
  async begin(requestContext: RequestContext | undefined): Promise<Catalog> {
    const base = await this.base(requestContext);
    // An empty base registers no tools by which it could be found.
    if (requestContext && base.size === 0) this.#empty.set(requestContext, base);
    else if (requestContext) this.#empty.delete(requestContext);
    return base;
  }

  /** The tools of a step. The base is resolved when the run begins, or else in the first step of the run. */
  async ofStep(
    state: RequestState,
    requestContext: RequestContext | undefined,
    separated: SeparatedTools,
  ): Promise<RequestTools> {
    const { maker, fixed, registration } = this.#parts;
    if (!maker) return this.split(state, fixed, separated.own);
    const begun = registration.catalogOf(separated) ?? (requestContext && this.#empty.get(requestContext));
    state.base ??= begun ?? this.base(requestContext, state.origin);
    return this.split(state, await state.base, separated.own);
  }

  /**
   * @param request - any object that identifies the request over all its steps.
   * @param tools - the tools of the agent. The same object means the same tools.
   */
  split(request: object, base: Catalog, tools: RequestTools['own']): RequestTools {
    const cached = this.#views.get(request);
    if (cached?.tools === tools && cached.base === base) return cached;
    // Tools that a ToolSearchProcessor registered or sent are not the agent's own.
    const own = Object.entries(tools).filter(
      (entry): entry is [string, object] => isTool(entry[1]) && !isHandled(entry[1]),
    );
    const view = { ...this.#split(base, tools, own), base, tools };
    this.#views.set(request, view);
    return view;
  }

  #split(base: Catalog, tools: RequestTools['own'], own: readonly OwnTool[]): RequestTools {
    const { isIncluded, reservedNames } = this.#parts;
    if (!isIncluded) return { catalog: base.withoutOwn(own), own: tools };
    const searchable = Object.fromEntries(own);
    const left = Object.fromEntries(Object.entries(tools).filter(([name]) => !Object.hasOwn(searchable, name)));
    const isTaken = (name: string): boolean => Object.hasOwn(left, name) || reservedNames.includes(name);
    return { catalog: own.length === 0 ? base : base.withResolved(searchable, isTaken), own: left };
  }
}
