import type { RequestContext } from '@mastra/core/request-context';
import { type Catalog, createCatalog } from '../catalog/catalog.ts';
import { Groups } from '../catalog/groups.ts';
import { RequestCatalogs } from '../catalog/request-catalog.ts';
import { ToolSource, type ToolsFunction } from '../catalog/tool-source.ts';
import { refuseUnknown } from '../catalog/unknown-names.ts';
import { CutRuns } from '../conversation/cut-runs.ts';
import { PROVIDER_SEARCHES } from '../conversation/provider-searches.ts';
import { Policy } from '../filter/policy.ts';
import { LoadedTools } from '../loaded/loaded-tools.ts';
import { Registry } from '../loaded/registry.ts';
import { Handover } from '../mastra/handover.ts';
import { isHandled } from '../mastra/marks.ts';
import type { SeparatedTools } from '../mastra/separation.ts';
import type { Services } from '../meta-tools/step.ts';
import { Native } from '../native/native.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { Reporter } from '../reporter.ts';
import type { RequestState } from '../request/request-state.ts';
import { Requests } from '../request/requests.ts';
import { IndexCache } from '../search/index-cache.ts';

/** Everything that a processor is made of, put together from its options. */
export class Parts {
  readonly policy: Policy;
  readonly requests: Requests;
  readonly loadedTools: LoadedTools;
  readonly handover: Handover;
  readonly catalogs: RequestCatalogs;
  readonly services: Services;
  readonly cutRuns: CutRuns;
  /** Undefined in load mode. */
  readonly native: Native | undefined;
  /** Of the constructor's tools; empty where these are resolved for each run. */
  readonly catalog: Catalog;
  readonly #source: ToolSource | undefined;
  /** Empty catalogs of runs that begin: a function that took its time and failed is not called again at once. */
  readonly #empty = new WeakMap<object, Catalog>();

  /** @param processor - the one that agents have. */
  constructor(options: ResolvedOptions, reporter: Reporter, processor: object) {
    const { tools, metaTools, keywords, includeResolvedTools, native } = options;
    const registry = new Registry(options.store, options.ttl, options.timeouts.store, reporter);
    this.policy = new Policy(options.filter, reporter, options.timeouts.filter);
    this.requests = new Requests(options.scope, reporter);
    this.loadedTools = new LoadedTools(registry, options.loadingTools, options.maxLoaded);
    this.handover = new Handover(this.policy, reporter, processor, native !== undefined);
    const { names, unloadName } = metaTools;
    const searches = native ? PROVIDER_SEARCHES : [];
    const reservedNames = [names.search, names.load, ...(unloadName === undefined ? [] : [unloadName]), ...searches];
    this.cutRuns = new CutRuns(reservedNames, reporter);
    const isFunction = typeof tools === 'function';
    this.#source = isFunction
      ? new ToolSource(tools as ToolsFunction, { reservedNames, keywords, timeout: options.timeouts.tools }, reporter)
      : undefined;
    this.catalog = createCatalog(isFunction ? {} : tools, reservedNames, reporter, keywords);
    this.catalogs = new RequestCatalogs(includeResolvedTools, isHandled, reservedNames);
    const scorerContext = {
      report: (fault: { scorer: string; error: unknown }) =>
        reporter.report({ type: 'scorer-failed', ...fault, survived: true }),
    };
    this.services = {
      options,
      policy: this.policy,
      registry,
      indexes: new IndexCache(options.scorer, scorerContext, this.catalog),
      groups: new Groups(options.groups),
      reporter,
    };
    this.native = native ? new Native(native, this.services) : undefined;
    // With the tools of requests, a name may be one of theirs.
    if (isFunction || includeResolvedTools) return;
    refuseUnknown('alwaysLoaded', options.alwaysLoaded, this.catalog);
    refuseUnknown('search.keywords', keywords.keys(), this.catalog);
  }

  /** What can be searched besides the agent's own tools. */
  base(requestContext: RequestContext | undefined): Promise<Catalog> | Catalog {
    return this.#source ? this.#source.catalog(requestContext) : this.catalog;
  }

  /** The base of a run before its first step, where {@link baseOf} finds it by the tools that are handed over. */
  async baseOfRun(requestContext: RequestContext | undefined): Promise<Catalog> {
    const base = await this.base(requestContext);
    // Nothing is handed over of an empty one.
    if (requestContext && base.size === 0) this.#empty.set(requestContext, base);
    else if (requestContext) this.#empty.delete(requestContext);
    return base;
  }

  /** The same for a step: what was resolved when its run began, else in the run's first step. */
  baseOf(
    state: RequestState,
    requestContext: RequestContext | undefined,
    separated: SeparatedTools,
  ): Promise<Catalog> | Catalog {
    if (!this.#source) return this.catalog;
    const begun = this.handover.catalogOf(separated) ?? (requestContext && this.#empty.get(requestContext));
    state.base ??= begun ?? this.base(requestContext);
    return state.base;
  }
}
