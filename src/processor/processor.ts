import type { MessageList } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { ProcessInputArgs, ProcessInputStepArgs, Processor } from '@mastra/core/processors';
import type { MastraTool } from '../catalog/tool.ts';
import { isToolSource } from '../catalog/tool-source.ts';
import { checkOption } from '../errors.ts';
import { Reporter } from '../events/reporter.ts';
import type { FunnelCounter } from '../events/usage/counter.ts';
import type { Funnel } from '../events/usage/figures.ts';
import type { InspectorHandler } from '../inspect/handler.ts';
import type { InspectorOptions } from '../inspect/live-inspector.ts';
import { conversationOf } from '../loaded/conversation/messages.ts';
import { unusable } from '../meta-tools/load.ts';
import { reportDoubts } from '../options/doubts.ts';
import { type NamesOf, refuseUnknownOptions } from '../options/known-options.ts';
import type { NativeModel } from '../options/native.ts';
import type { ToolSearchProcessorOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve.ts';
import type { SearchResult } from '../search/search-result.ts';
import type { APIErrorArgs, LLMRequestArgs, LoadedToolsArgs, OutputResultArgs, ToolSearchStepResult } from './hooks.ts';
import { offerTools } from './offer-tools.ts';
import { openStep, prepareStep } from './prepare-step.ts';
import type { ScopeRequest } from './request/identity.ts';
import { createRequestState, type RequestState } from './request/request-state.ts';
import type { SearchRequest } from './search.ts';
import { ProcessorServices } from './services.ts';

const scopeOptions: NamesOf<ScopeRequest> = { threadId: true, resourceId: true, requestContext: true };

/**
 * An input processor through which an agent finds tools when it needs them, instead of being sent every definition
 * on every turn. It gives the model `search_tools` and `load_tool`; a loaded tool is callable from the next step.
 *
 * One instance serves any number of agents, requests and threads at once. Put it before a `TokenLimiter`.
 *
 * @throws ToolSearchError for wrong options, things that are no tools, and names that clash.
 *
 * @example
 * ```ts
 * import { Agent } from '@mastra/core/agent';
 *
 * const agent = new Agent({
 *   id: 'assistant',
 *   name: 'Assistant',
 *   instructions: 'You help.',
 *   model: 'openai/gpt-5-mini',
 *   inputProcessors: [new ToolSearchProcessor({ tools })],
 *   defaultOptions: { maxSteps: 20 },
 * });
 * ```
 */
export class ToolSearchProcessor implements Processor<'tool-search'> {
  readonly id = 'tool-search';
  readonly name = 'Tool Search Processor';
  readonly description = 'Enables dynamic tool discovery and loading via search';

  /**
   * Called by Mastra before every model call: gives the conversation the form in which the model reads what was
   * searched or called. Never throws. Only there with the modes `'native'` and `'call'`, as Mastra takes its time for
   * every hook.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the type of a prompt is that of the model's specification.
  declare processLLMRequest?: (args: LLMRequestArgs) => { prompt: any } | undefined;
  /**
   * Called by Mastra when a run begins, and not when one goes on. Changes nothing. Only there where `tools` is a source: what
   * the conversation has loaded is fetched at once.
   */
  declare processInput?: (args: ProcessInputArgs) => Promise<MessageList>;
  readonly #reporter: Reporter;
  #counter: FunnelCounter | undefined;
  readonly #services: ProcessorServices;

  constructor(options: ToolSearchProcessorOptions) {
    const resolved = resolveOptions(options);
    this.#reporter = new Reporter(resolved.onEvent);
    reportDoubts(resolved, this.#reporter);
    this.#services = new ProcessorServices(resolved, this.#reporter, this);
    const { native, call } = this.#services;
    if (isToolSource(resolved.tools)) {
      this.processInput = async ({ requestContext, messages, messageList }) => {
        (await import('./source-begin.ts')).noteInput(requestContext, messages);
        return messageList;
      };
    }
    if (!native && !resolved.call) return;
    this.processLLMRequest = (args) => {
      const state = this.#stateOf(args);
      const ofNative = native?.loaded?.rewrite(args.prompt, (args.model ?? {}) as NativeModel, state) ?? args.prompt;
      const prompt = call?.loaded?.rewrite(ofNative, state) ?? ofNative;
      return prompt === args.prompt ? undefined : { prompt };
    };
  }

  /** Called by Mastra on registration: brings the logger, and the storage for a store that wants it. */
  __registerMastra(mastra: Mastra): void {
    this.#reporter.useLogger(mastra?.getLogger?.());
    this.#services.registry.useMastra(mastra);
    if (!mastra) return;
    this.#services.handover.useMastra(mastra);
    void this.#services.preselect?.then((preselect) => preselect?.useMastra(mastra));
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
    return native?.loaded?.retryWithoutNative(args.error, this.#stateOf(args)) ? { retry: true } : undefined;
  }

  /**
   * Called by Mastra at the end of a run, where the instance stands in `outputProcessors` as well: reports at once a
   * run that ended before its answer, and not only when its thread goes on. Changes nothing.
   */
  processOutputResult(args: OutputResultArgs): OutputResultArgs['messages'] {
    this.#services.cutRuns.atEnd(conversationOf(args), this.#stateOf(args).origin);
    return args.messages;
  }

  /**
   * The loaded tools of a request that it may use now, by name; with those that are preselected for its run.
   *
   * Mastra calls it with `tools` at the start of every run, to convert what may be needed in the run or by a resumed
   * call; then it returns more than what is loaded. Never throws.
   */
  async getLoadedToolsForRequestContext(args: LoadedToolsArgs = {}): Promise<Record<string, MastraTool>> {
    const { stepArgs, tools, messages } = args;
    const requestContext = args.requestContext ?? stepArgs?.requestContext;
    if (tools && !stepArgs) return offerTools(tools, { requestContext, messages }, this.#services);

    const { requests, loadedTools, stubs } = this.#services;
    const state = stepArgs ? requests.of(stepArgs) : createRequestState(requests.scopeOf({ requestContext }));
    const opened = { ...(stepArgs ?? { messages }), requestContext };
    const { catalog, permissions, calls } = await openStep(opened, state, this.#services);
    const entries = await loadedTools.of(state, catalog, calls, opened, permissions);
    const preselected = [...state.preselected].flatMap((name) => catalog.get(name) ?? []);
    const active = await permissions.allowed([...entries, ...preselected], 'active');
    const failing = await unusable(active, { state, requestContext, model: stepArgs?.model }, this.#services);
    const ready = active.flatMap((entry) => (failing.has(entry.name) ? [] : (stubs.ready(entry, state.run) ?? [])));
    return Object.fromEntries(ready.map(({ name, tool }) => [name, tool]));
  }

  /**
   * Searches as the model of a request would, for user interfaces and tests: the filter's search phase is asked, and
   * with `autoLoad` the load phase; nothing is loaded. Faults are events and stand in the log, as in a run; what was
   * searched and found is no event.
   *
   * @returns at most `limit` tools, best first; with `explain`, each with the reasons. An empty list means that nothing
   * fits or is permitted, and never that something failed.
   * @throws ToolSearchError `search-failed` with the fault as its `cause`: when the function `tools`, the source or the
   * scorer fails, or nothing is left because the filter failed; `invalid-option`.
   */
  async search(query: string, request: SearchRequest = {}): Promise<readonly SearchResult[]> {
    const { checkSearch, searchAs } = await import('./search.ts');
    checkSearch(query, request);
    // Whoever checks a set-up has no agent yet that brings a logger.
    this.#reporter.useLogger(undefined);
    return searchAs(query, request, this.#services);
  }

  /**
   * A handler for a route of Mastra's server, or of any other, that shows the live processor in a page: the catalog,
   * searches as you type, and what the filter lets a user through.
   *
   * @throws ToolSearchError `invalid-option`
   */
  async inspector(options: InspectorOptions = {}): Promise<InspectorHandler> {
    const { inspectorOf } = await import('../inspect/live-inspector.ts');
    this.#reporter.useLogger(undefined);
    await this.stats(); // From now on, events are counted.
    return inspectorOf(this.#services, options, () => this.stats());
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
    return this.#services.registry.clearThread(threadId, resourceId);
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
    if (toolNames.length === 0) return;
    const { threadId, resourceId } = typeof of === 'string' ? {} : of;
    const origin = { ...(threadId ? { threadId } : {}), ...(resourceId ? { resourceId } : {}) };
    this.#reporter.report({ type: 'unload', toolNames, by: 'method' }, origin);
  }

  /**
   * Forgets what was learned from use.
   *
   * @param of - the resource, or a request context that names it; or, as a text, the id of the resource, or the scope as
   * the function `learning.scope` returns it. Ignored with the scope `'global'`.
   * @throws what the store throws: then it is not forgotten.
   */
  async clearLearning(of: string | ScopeRequest = {}): Promise<void> {
    if (typeof of !== 'string') refuseUnknownOptions('clearLearning()', of, scopeOptions);
    await (await this.#services.learning)?.clear(of);
  }

  /**
   * Forgets what all threads have loaded, where the store can do that: one in memory, or one of yours with `clearAll`.
   */
  clearAllState(): void {
    this.#services.registry.clearAll();
  }

  /**
   * Counts the threads that have loaded tools, and tells when the least recently used was read. Zero for a store that
   * does not count.
   */
  getStateStats(): { threadCount: number; oldestAccessTime: number | null } {
    return this.#services.registry.stats();
  }

  /** Forgets expired threads now and says how many, where the store can do that. They also go by themselves. */
  cleanupNow(): number {
    return this.#services.registry.cleanup();
  }

  /**
   * Counts events, from the first call of this method on: how far searches came, what became of loads, what was saved. A
   * processor that is never asked counts nothing.
   *
   * A thousand conversations are remembered at a time, and a thousand tools and queries in all. `funnel()` of
   * `mastra-tool-search/evaluate` counts a log in the same way.
   */
  async stats(): Promise<Funnel> {
    const { FunnelCounter, MANY } = await import('../events/usage/counter.ts');
    if (!this.#counter) {
      const counter = new FunnelCounter(MANY);
      this.#reporter.listen((event) => counter.add(event));
      this.#counter = counter;
    }
    return this.#counter.funnel();
  }

  /**
   * Forgets everything held in this process, but for a store that was passed, which others may share. The instance
   * stays usable; nothing else needs to be closed.
   */
  dispose(): void {
    const { options, indexes } = this.#services;
    if (options.storage === 'in-memory') this.clearAllState();
    indexes.clear();
  }

  /** The state of the request that a hook is called for: all hooks of a step lead to the same one. */
  #stateOf({ state, messageList, requestContext }: Omit<APIErrorArgs, 'error'>): RequestState {
    return this.#services.requests.of({
      state: state ?? undefined,
      messageList: messageList ?? undefined,
      requestContext,
    } as never);
  }
}
