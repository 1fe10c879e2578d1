import type { Mastra } from '@mastra/core/mastra';
import type { ProcessInputStepArgs, Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { Tool } from '@mastra/core/tools';
import { type Catalog, type CatalogEntry, createCatalog } from './catalog/catalog.ts';
import { Groups } from './catalog/groups.ts';
import { IndexCache } from './catalog/index-cache.ts';
import { agentKey } from './catalog/names.ts';
import { RequestCatalogs } from './catalog/request-catalog.ts';
import { refuseUnknown } from './catalog/unknown-names.ts';
import { Reporter } from './events.ts';
import { Handover, isHandled, markSent } from './mastra/handover.ts';
import type { MastraTool } from './mastra/tool.ts';
import type { LoadToolInput, LoadToolResult } from './meta-tools/load-tool.ts';
import { keepWithinCaps } from './meta-tools/loading.ts';
import { createMetaTools, metaToolNames, refuseClash } from './meta-tools/meta-tools.ts';
import { loadMissedCalls } from './meta-tools/missed-calls.ts';
import type { SearchToolsInput, SearchToolsResult } from './meta-tools/search-tools.ts';
import type { Services, Step } from './meta-tools/step.ts';
import { type ResolvedOptions, resolveOptions, type ToolSearchProcessorOptions } from './options.ts';
import { Policy } from './policy.ts';
import { catalogText, systemText } from './prompts.ts';
import { type Conversation, conversationOf } from './registry/conversation.ts';
import { LoadedTools } from './registry/loaded-tools.ts';
import type { MemoryStore } from './registry/memory.ts';
import { createLoadState, Registry } from './registry/registry.ts';
import { Requests } from './registry/requests.ts';
import { defaultScope, type ScopeRequest, threadOfScope } from './registry/scope.ts';
import { type FoundTool, type SearchRequest, searchAs } from './search-as.ts';

/** What a step returns to Mastra. */
export interface ToolSearchStepResult {
  /** In the order meta-tools, resident tools, loaded tools. `metaTools` may give the first two other names. */
  tools: Record<string, unknown> & {
    search_tools: Tool<SearchToolsInput, SearchToolsResult>;
    load_tool?: Tool<LoadToolInput, LoadToolResult>;
  };
  /** Only where the caller restricted the tools: extended by what this processor adds. */
  activeTools?: string[];
}

export interface LoadedToolsArgs {
  requestContext?: RequestContext;
  stepArgs?: ProcessInputStepArgs;
  /** The tools the agent resolved for the request. Mastra sends them; leave them out to list the loaded tools. */
  tools?: Record<string, unknown>;
}

/**
 * An input processor through which an agent finds tools when it needs them, instead of being sent every definition
 * on every turn. It gives the model `search_tools` and `load_tool`; a loaded tool is callable from the next step.
 *
 * One instance serves any number of agents, requests and threads at once. Put it before a `TokenLimiter`.
 *
 * @throws ToolSearchError for wrong options, things that are no tools, and names that clash.
 */
export class ToolSearchProcessor implements Processor<'tool-search'> {
  readonly id = 'tool-search';
  readonly name = 'Tool Search Processor';
  readonly description = 'Enables dynamic tool discovery and loading via search';

  readonly #options: ResolvedOptions;
  readonly #reporter: Reporter;
  readonly #policy: Policy;
  readonly #registry: Registry;
  readonly #loadedTools: LoadedTools;
  readonly #requests: Requests;
  readonly #catalog: Catalog;
  readonly #catalogs: RequestCatalogs;
  readonly #handover: Handover;
  readonly #services: Services;

  constructor(options: ToolSearchProcessorOptions) {
    this.#options = resolveOptions(options);
    const { tools, filter, store, ttl, scope, scorer, metaTools, includeResolvedTools, onEvent } = this.#options;
    const { alwaysLoaded, keywords, storeTimeout, groups } = this.#options;
    this.#reporter = new Reporter(onEvent);
    this.#policy = new Policy(filter, this.#reporter);
    this.#registry = new Registry(store, ttl, storeTimeout, this.#reporter);
    this.#loadedTools = new LoadedTools(this.#registry, this.#policy, metaTools.names);
    this.#requests = new Requests(scope, this.#reporter);
    const { names, unloadName } = metaTools;
    const reserved = [names.search, names.load, ...(unloadName === undefined ? [] : [unloadName])];
    this.#catalog = createCatalog(tools, reserved, this.#reporter, keywords);
    const isSearchable = (tool: unknown): boolean => !isHandled(tool);
    this.#catalogs = new RequestCatalogs(this.#catalog, includeResolvedTools ? isSearchable : undefined);
    this.#handover = new Handover(this.#policy, this.#reporter, this);
    this.#services = {
      options: this.#options,
      policy: this.#policy,
      registry: this.#registry,
      indexes: new IndexCache(scorer, {
        report: (fault) => this.#reporter.report({ type: 'scorer-failed', ...fault, survived: true }),
      }),
      groups: new Groups(groups),
      reporter: this.#reporter,
    };
    // With the tools of requests, a name may be one of theirs.
    if (!includeResolvedTools) {
      refuseUnknown('alwaysLoaded', alwaysLoaded, this.#catalog);
      refuseUnknown('search.keywords', keywords.keys(), this.#catalog);
    }
  }

  /** Called by Mastra on registration: brings the logger, and the storage for a store that wants it. */
  __registerMastra(mastra: Mastra): void {
    this.#reporter.useLogger(mastra?.getLogger?.());
    this.#registry.useMastra(mastra);
    if (mastra) this.#handover.useMastra(mastra);
  }

  /**
   * Called by Mastra before every model call: gives the step its meta-tools, the agent's own tools and those that are
   * loaded and allowed.
   *
   * @throws ToolSearchError `meta-tool-clash`, when the step already has a tool of a meta-tool's name.
   */
  async processInputStep(args: ProcessInputStepArgs): Promise<ToolSearchStepResult> {
    this.#reporter.useLogger(undefined);
    const { requestContext } = args;
    const state = this.#requests.of(args);
    const loaded = new Set<string>();
    const residentNames = new Set<string>();
    const isLoaded = (name: string): boolean => loaded.has(name) || residentNames.has(name);

    const separated = this.#handover.separate(args.tools, isLoaded);
    const metaTools = metaToolNames(this.#services);
    refuseClash(separated.own, this.#services);
    const { catalog, resident } = this.#catalogs.of(state, separated.own);
    for (const name of [...metaTools, ...Object.keys(resident)]) residentNames.add(name);

    const pinned = await this.#pinned(catalog, resident, requestContext);
    for (const { name } of pinned) residentNames.add(name);
    for (const { name } of await this.#loadedTools.of(state, catalog, args)) {
      if (!residentNames.has(name)) loaded.add(name);
    }
    const messages = (): Conversation => conversationOf(args);
    const step: Step = { catalog, requestContext, state, messages, loaded, fresh: new Set(), resident: residentNames };
    state.steps += 1;
    if (state.steps === 1) await keepWithinCaps(step, this.#services);
    if (this.#options.loadOnMiss) await loadMissedCalls(step, this.#services);
    const entries = [...loaded].flatMap((name) => catalog.get(name) ?? []);
    const active = await this.#policy.allowed(entries, 'active', requestContext);
    await this.#writeSystemText(args, step);

    const info = { requestContext, isLoaded };
    const send = (entry: CatalogEntry): unknown => this.#handover.sendable(entry, separated, args.model, info);
    const ours = createMetaTools(step, this.#services);
    const discovered = Object.fromEntries([...pinned, ...active].map((entry) => [entry.name, send(entry)]));
    // Not the request's own tools: they come again with its next step.
    const ownCatalog = [...pinned, ...active].filter((entry) => !entry.isResolved);
    markSent([...Object.values(ours), ...ownCatalog.map(({ name }) => discovered[name])]);
    const tools = { ...ours, ...resident, ...discovered };
    state.sent = new Set(Object.keys(tools));
    const added = [...metaTools, ...Object.keys(discovered)];
    return {
      tools: tools as ToolSearchStepResult['tools'],
      ...(args.activeTools ? { activeTools: [...new Set([...args.activeTools, ...added])] } : {}),
    };
  }

  /**
   * The loaded tools of a request that it may use now, by name.
   *
   * Mastra calls it with `tools` at the start of every run, to convert what may be needed in the run or by a resumed
   * call; then it returns more than what is loaded. Never throws.
   */
  async getLoadedToolsForRequestContext(args: LoadedToolsArgs = {}): Promise<Record<string, MastraTool>> {
    const { stepArgs, tools } = args;
    const requestContext = args.requestContext ?? stepArgs?.requestContext;
    if (tools && !stepArgs) return this.#offer(tools, requestContext);

    const state = stepArgs ? this.#requests.of(stepArgs) : createLoadState(this.#requests.scopeOf({ requestContext }));
    const { own } = this.#handover.separate(stepArgs?.tools, (name) => state.own.has(name));
    const { catalog } = this.#catalogs.of(state, own);
    const entries = await this.#loadedTools.of(state, catalog, stepArgs ?? { requestContext });
    const active = await this.#policy.allowed(entries, 'active', requestContext);
    return Object.fromEntries(active.map(({ name, tool }) => [name, tool]));
  }

  /**
   * Searches as the model of a request would, for user interfaces and tests: the filter's search phase is asked,
   * nothing is loaded, no event is sent.
   *
   * @returns at most `limit` tools, best first; with `explain`, each with the reasons.
   * @throws ToolSearchError `search-failed`, when the scorer fails.
   */
  search(query: string, request: SearchRequest = {}): Promise<readonly FoundTool[]> {
    const { catalog } = this.#catalogs.of(request, request.tools ?? {});
    return searchAs(query, request, catalog, this.#services);
  }

  /**
   * Forgets what a thread has loaded, for one resource or for all. Requests without a thread keep their loads to
   * themselves, so there is nothing to clear without a thread id.
   *
   * With a store of your own and no `resourceId`, only the state of the thread without a resource is found.
   */
  clearState(threadId?: string, resourceId?: string): void | Promise<void> {
    if (threadId === undefined) return undefined;
    const known = this.#memory()?.scopes() ?? [];
    const scopes = resourceId === undefined ? known.filter((scope) => threadOfScope(scope) === threadId) : [];
    const exact = defaultScope({ threadId, ...(resourceId === undefined ? {} : { resourceId }) });
    return this.#registry.clear([...new Set([...scopes, ...(exact === undefined ? [] : [exact]), threadId])]);
  }

  /**
   * Unloads tools of a thread, from its next step on. Names that are not loaded are ignored.
   *
   * @param of - the thread with its resource, a request context that names them, or, as a text, the scope as
   * `options.scope` returns it.
   */
  async unload(of: string | ScopeRequest, names: readonly string[]): Promise<void> {
    const scope = typeof of === 'string' ? of : this.#requests.scopeOfIdentity(of);
    if (scope === undefined || scope === '') return;
    const asked = names.map((name) => this.#catalog.get(name)?.name ?? name);
    const toolNames = await this.#registry.unload(scope, asked);
    if (toolNames.length > 0) this.#reporter.report({ type: 'unload', toolNames });
  }

  /** Forgets what all threads have loaded. Only for `storage: 'in-memory'`. */
  clearAllState(): void {
    this.#memory()?.clearAll();
  }

  /** How many threads have loaded tools, and when the least recently used was read. Zero counts for other stores. */
  getStateStats(): { threadCount: number; oldestAccessTime: number | null } {
    const stats = this.#memory()?.stats();
    return { threadCount: stats?.scopeCount ?? 0, oldestAccessTime: stats?.oldestAccessTime ?? null };
  }

  /** Forgets expired threads now and says how many. They also go by themselves. Only for `storage: 'in-memory'`. */
  cleanupNow(): number {
    return this.#memory()?.cleanup() ?? 0;
  }

  /** Forgets everything held in this process. The instance stays usable; nothing else needs to be closed. */
  dispose(): void {
    this.clearAllState();
    this.#services.indexes.clear();
  }

  #offer(
    resolved: Record<string, unknown>,
    requestContext: RequestContext | undefined,
  ): Promise<Record<string, MastraTool>> {
    const searchable = this.#catalogs.of(resolved, resolved).catalog;
    // An agent's own tool wins over one of the constructor, under the name that Mastra will give it as well.
    const own = new Set(Object.keys(resolved).flatMap((key) => [key, agentKey(key)]));
    const entries: CatalogEntry[] = [];
    const guarded: CatalogEntry[] = [];
    for (const entry of searchable.entries) {
      if (entry.isResolved) guarded.push(entry);
      else if (!own.has(entry.name) && !own.has(agentKey(entry.name))) entries.push(entry);
    }
    return this.#handover.offer(entries, () => this.#namesLoadedBefore(requestContext), guarded, requestContext);
  }

  /** Before the first step only the request context tells the thread, and it may not know it yet. */
  async #namesLoadedBefore(requestContext: RequestContext | undefined): Promise<readonly string[]> {
    const loaded = await this.#registry.loaded(createLoadState(this.#requests.scopeOf({ requestContext })));
    return [...this.#options.alwaysLoaded, ...loaded];
  }

  /** The tools of `alwaysLoaded` that are not resident anyway, in the order of the option. */
  #pinned(catalog: Catalog, resident: object, requestContext: RequestContext | undefined): Promise<CatalogEntry[]> {
    const entries = [...this.#options.alwaysLoaded].flatMap((name) => catalog.get(name) ?? []);
    const missing = entries.filter(({ name }) => !Object.hasOwn(resident, name));
    return this.#policy.allowed(missing, 'active', requestContext);
  }

  /** Under a tag of its own, cleared first: a DurableAgent keeps all system messages over its steps, a plain agent the tagged ones. */
  async #writeSystemText({ messageList }: ProcessInputStepArgs, step: Step): Promise<void> {
    const { metaTools, autoLoad, injectCatalog } = this.#options;
    const { names } = metaTools;
    const texts = [systemText(names, autoLoad), ...step.state.hints];
    if (injectCatalog) {
      const deferred = [...step.catalog.entries].filter(({ name }) => !step.resident.has(name));
      texts.push(catalogText(await this.#policy.allowed(deferred, 'search', step.requestContext), names, autoLoad));
    }
    const tag = `${this.id}:${names.search}`;
    // A list that is not Mastra's own may lack the method.
    messageList.clearSystemMessages?.(tag);
    for (const text of texts) if (text !== '') messageList.addSystem(text, tag);
  }

  #memory(): MemoryStore | undefined {
    return this.#options.storage === 'in-memory' ? (this.#options.store as MemoryStore) : undefined;
  }
}
