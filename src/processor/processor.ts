import type { Mastra } from '@mastra/core/mastra';
import type { ProcessInputStepArgs, Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { Tool } from '@mastra/core/tools';
import type { CatalogEntry } from '../catalog/entry.ts';
import { agentKey } from '../catalog/names.ts';
import type { MastraTool } from '../catalog/tool.ts';
import { callsIn } from '../conversation/calls.ts';
import type { ConversationArgs } from '../conversation/loads.ts';
import { conversationOf } from '../conversation/messages.ts';
import { checkOption } from '../errors.ts';
import type { StoreOperation } from '../events.ts';
import { type NamesOf, refuseUnknownOptions } from '../known-options.ts';
import type { LoadToolInput, LoadToolResult } from '../meta-tools/load-tool.ts';
import type { SearchToolsInput, SearchToolsResult } from '../meta-tools/search-tools.ts';
import { reportDoubts } from '../options/doubts.ts';
import type { NativeModel } from '../options/native.ts';
import type { ToolSearchProcessorOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve.ts';
import { Reporter } from '../reporter.ts';
import { defaultScope, type ScopeRequest, threadOfScope } from '../request/identity.ts';
import { createRequestState, type RequestState } from '../request/request-state.ts';
import type { LoadedToolStore } from '../stores/store.ts';
import { openStep, prepareStep } from './prepare-step.ts';
import { checkSearch, type FoundTool, type SearchRequest, searchAs } from './search.ts';
import { ProcessorServices } from './services.ts';

const scopeOptions: NamesOf<ScopeRequest> = { threadId: true, resourceId: true, requestContext: true };

/** What a step returns to Mastra. */
export interface ToolSearchStepResult {
  /** In the order meta-tools, resident tools, loaded tools. `metaTools` may give the first two other names. */
  tools: Record<string, unknown> & {
    search_tools: Tool<SearchToolsInput, SearchToolsResult>;
    load_tool?: Tool<LoadToolInput, LoadToolResult>;
  };
  /** Where the caller restricted the tools: extended by what this processor adds. With `mode: 'native'` always. */
  activeTools?: string[];
  /** With `mode: 'native'`: the model of the step, which gets a last look at what it is called with. */
  model?: ProcessInputStepArgs['model'];
}

export interface LoadedToolsArgs {
  requestContext?: RequestContext;
  stepArgs?: ProcessInputStepArgs;
  /** The stored conversation of a run that goes on, where there is no step yet. Read where the storage reads it. */
  messages?: ProcessInputStepArgs['messages'];
  /** The tools the agent resolved for the request. Mastra sends them; leave them out to list the loaded tools. */
  tools?: Record<string, unknown>;
}

/** The prompt of a model call, as Mastra hands it to `processLLMRequest`. */
export interface LLMRequestArgs {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly model: unknown;
  readonly messageList?: unknown;
  readonly requestContext?: RequestContext | undefined;
  readonly state?: Record<string, unknown>;
}

/** What a run came to, as Mastra hands it to `processOutputResult`. */
export type OutputResultArgs = Parameters<NonNullable<Processor['processOutputResult']>>[0];

/** A failed model call, as Mastra hands it to `processAPIError`. */
export interface APIErrorArgs {
  readonly error: unknown;
  readonly messageList?: unknown;
  readonly requestContext?: RequestContext | undefined;
  readonly state?: Record<string, unknown>;
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

  /**
   * Called by Mastra before every model call: gives the conversation the form in which the model reads what was searched.
   * Never throws. Only there with `mode: 'native'`, as Mastra takes its time for every hook.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the type of a prompt is that of the model's specification.
  declare processLLMRequest?: (args: LLMRequestArgs) => { prompt: any } | undefined;
  readonly #reporter: Reporter;
  readonly #services: ProcessorServices;

  constructor(options: ToolSearchProcessorOptions) {
    const resolved = resolveOptions(options);
    this.#reporter = new Reporter(resolved.onEvent);
    reportDoubts(resolved, this.#reporter);
    this.#services = new ProcessorServices(resolved, this.#reporter, this);
    const { native } = this.#services;
    if (!native) return;
    this.processLLMRequest = (args) => {
      const prompt = native.rewrite(args.prompt, (args.model ?? {}) as NativeModel, this.#stateOf(args));
      return prompt === args.prompt ? undefined : { prompt };
    };
  }

  /** Called by Mastra on registration: brings the logger, and the storage for a store that wants it. */
  __registerMastra(mastra: Mastra): void {
    this.#reporter.useLogger(mastra?.getLogger?.());
    this.#services.registry.useMastra(mastra);
    if (mastra) this.#services.handover.useMastra(mastra);
  }

  /**
   * Called by Mastra before every model call: gives the step its meta-tools, the agent's own tools and those that are
   * loaded and allowed.
   *
   * @throws ToolSearchError `meta-tool-clash`, when the step already has a tool of a meta-tool's name.
   */
  async processInputStep(args: ProcessInputStepArgs): Promise<ToolSearchStepResult> {
    this.#reporter.useLogger(undefined);
    return (await prepareStep(args, this.#services)) as ToolSearchStepResult;
  }

  /**
   * Called by Mastra after a model call that failed, where the instance stands in `errorProcessors` as well: with
   * `mode: 'native'`, a request whose tool search the provider refused is tried again without.
   */
  processAPIError(args: APIErrorArgs): { retry: boolean } | undefined {
    const { native } = this.#services;
    return native?.retryWithoutNative(args.error, this.#stateOf(args)) ? { retry: true } : undefined;
  }

  /**
   * Called by Mastra at the end of a run, where the instance stands in `outputProcessors` as well: reports at once a run
   * that ended before its answer, and not only when its thread goes on. Changes nothing.
   */
  processOutputResult(args: OutputResultArgs): OutputResultArgs['messages'] {
    this.#services.cutRuns.atEnd(conversationOf(args));
    return args.messages;
  }

  /**
   * The loaded tools of a request that it may use now, by name.
   *
   * Mastra calls it with `tools` at the start of every run, to convert what may be needed in the run or by a resumed
   * call; then it returns more than what is loaded. Never throws.
   */
  async getLoadedToolsForRequestContext(args: LoadedToolsArgs = {}): Promise<Record<string, MastraTool>> {
    const { stepArgs, tools, messages } = args;
    const requestContext = args.requestContext ?? stepArgs?.requestContext;
    if (tools && !stepArgs) return this.#offer(tools, { requestContext, messages });

    const { requests, loadedTools } = this.#services;
    const state = stepArgs ? requests.of(stepArgs) : createRequestState(requests.scopeOf({ requestContext }));
    const opened = { ...(stepArgs ?? { messages }), requestContext };
    const { catalog, permissions, calls } = await openStep(opened, state, this.#services);
    const entries = await loadedTools.of(state, catalog, calls, opened, permissions);
    const active = await permissions.allowed(entries, 'active');
    return Object.fromEntries(active.map(({ name, tool }) => [name, tool]));
  }

  /**
   * Searches as the model of a request would, for user interfaces and tests: the filter's search phase is asked, and
   * with `autoLoad` the load phase; nothing is loaded, no event is sent.
   *
   * @returns at most `limit` tools, best first; with `explain`, each with the reasons.
   * @throws ToolSearchError `search-failed`, when the scorer fails; `invalid-option`.
   */
  async search(query: string, request: SearchRequest = {}): Promise<readonly FoundTool[]> {
    checkSearch(query, request);
    const base = await this.#services.runCatalogs.of(request.requestContext);
    const { catalog } = this.#services.requestCatalogs.of(request, base, request.tools ?? {});
    return searchAs(query, request, catalog, this.#services);
  }

  /**
   * Forgets what a thread has loaded, for one resource or for all. Requests without a thread keep their loads to
   * themselves: there is nothing to clear for them, nor with `storage: 'context'`, where the conversation remembers.
   *
   * With a store of your own and no `resourceId`, only the state of the thread without a resource is found.
   *
   * @param threadId - as in @mastra/core, the thread "default" when it is left out.
   * @throws ToolSearchError `invalid-option` for an id that is no text.
   */
  clearState(threadId = 'default', resourceId?: string): void | Promise<void> {
    for (const [name, id] of Object.entries({ threadId, resourceId })) {
      checkOption(id === undefined || typeof id === 'string', name, id, 'a text');
    }
    const kept: unknown = this.#ask('get', (store) => store.scopes?.());
    const known: readonly string[] = Array.isArray(kept) ? kept : [];
    const scopes = resourceId === undefined ? known.filter((scope) => threadOfScope(scope) === threadId) : [];
    const exact = defaultScope({ threadId, ...(resourceId === undefined ? {} : { resourceId }) });
    return this.#services.registry.clear([...new Set([...scopes, ...(exact === undefined ? [] : [exact]), threadId])]);
  }

  /**
   * Unloads tools of a thread, from its next step on. Names that are not loaded are ignored.
   *
   * @param of - the thread with its resource, a request context that names them, or, as a text, the scope as
   * `options.scope` returns it.
   * @throws ToolSearchError `invalid-option` for names that are no list. What names no thread has nothing to unload.
   */
  async unload(of: string | ScopeRequest, names: readonly string[]): Promise<void> {
    const areNames = Array.isArray(names) && names.every((name) => typeof name === 'string');
    checkOption(areNames, 'names', names, `a list of tool names, e.g. ['get_weather']`);
    if (typeof of !== 'string') refuseUnknownOptions('unload()', of, scopeOptions);
    const scope = typeof of === 'string' ? of : this.#services.requests.scopeOfIdentity(of);
    if (scope === undefined || scope === '') return;
    const { catalog, registry } = this.#services;
    const asked = names.flatMap((name) => catalog.spellingsOf(catalog.nameOf(name)));
    const unloaded = await registry.unload(scope, [...new Set(asked)]);
    const toolNames = [...new Set(unloaded.map((name) => catalog.nameOf(name)))];
    if (toolNames.length > 0) this.#reporter.report({ type: 'unload', toolNames });
  }

  /** Forgets what all threads have loaded, where the store can do that: one in memory, or one of yours with `clearAll`. */
  clearAllState(): void {
    this.#ask('clear', (store) => store.clearAll?.());
  }

  /** How many threads have loaded tools, and when the least recently used was read. Zero for a store that does not count. */
  getStateStats(): { threadCount: number; oldestAccessTime: number | null } {
    const { scopeCount, oldestAccessTime } = this.#ask('get', (store) => store.stats?.()) ?? {};
    return { threadCount: typeof scopeCount === 'number' ? scopeCount : 0, oldestAccessTime: oldestAccessTime ?? null };
  }

  /** Forgets expired threads now and says how many, where the store can do that. They also go by themselves. */
  cleanupNow(): number {
    const count: unknown = this.#ask('clear', (store) => store.cleanup?.());
    return typeof count === 'number' ? count : 0;
  }

  /**
   * Forgets everything held in this process, but for a store that was passed, which others may share. The instance stays
   * usable; nothing else needs to be closed.
   */
  dispose(): void {
    const { options, indexes } = this.#services;
    if (options.storage === 'in-memory') this.clearAllState();
    indexes.clear();
  }

  /** What the hooks of one step are given leads to the same request. */
  #stateOf({ state, messageList, requestContext }: Omit<APIErrorArgs, 'error'>): RequestState {
    return this.#services.requests.of({
      state: state ?? undefined,
      messageList: messageList ?? undefined,
      requestContext,
    } as never);
  }

  async #offer(
    resolved: Record<string, unknown>,
    args: Pick<ConversationArgs, 'requestContext' | 'messages'>,
  ): Promise<Record<string, MastraTool>> {
    const { requestContext } = args;
    const { options, handover, registry, requests, runCatalogs, requestCatalogs, loadedTools, policy } = this.#services;
    const base = await runCatalogs.begin(requestContext);
    const searchable = requestCatalogs.of(resolved, base, resolved).catalog;
    // An agent's own tool wins over one of the constructor, under the name that Mastra will give it as well.
    const own = new Set(Object.keys(resolved).flatMap((key) => [key, agentKey(key)]));
    const entries: CatalogEntry[] = [];
    const guarded: CatalogEntry[] = [];
    for (const entry of searchable.entries) {
      if (entry.isResolved) guarded.push(entry);
      else if (!own.has(entry.name) && !own.has(agentKey(entry.name))) entries.push(entry);
    }
    const loadedNames = async (): Promise<readonly string[]> => {
      const pinned = [...options.alwaysLoaded].map((name) => searchable.nameOf(name));
      // The first step may find the Mastra instance.
      if (registry.wantsMastra) return pinned;
      // Before the first step only the request context tells the thread, and it may not know it yet.
      const state = createRequestState(requests.scopeOf({ requestContext }));
      const permissions = policy.permissionsOfStep(state, { requestContext });
      const calls = args.messages && callsIn(args.messages);
      const loaded = await loadedTools.of(state, searchable, calls, args, permissions);
      return [...pinned, ...loaded.map(({ name }) => name)];
    };
    return handover.offer(base, entries, guarded, loadedNames, requestContext);
  }

  #ask<Value>(operation: StoreOperation, task: (store: LoadedToolStore) => Value): Value | undefined {
    return this.#services.registry.ask(operation, task);
  }
}
