import type { MessageList } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { ProcessInputArgs, ProcessInputStepArgs, Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { Tool } from '@mastra/core/tools';
import type { Catalog } from '../catalog/catalog.ts';
import type { MastraTool } from '../catalog/tool.ts';
import { checkOption, ToolSearchError } from '../errors.ts';
import type { EventOrigin } from '../events/origin.ts';
import { Reporter } from '../events/reporter.ts';
import type { ToolSearchEvent } from '../events/table.ts';
import { conversationOf } from '../loaded/conversation/conversation.ts';
import type { Prompt } from '../loaded/conversation/prompt.ts';
import type { ScopeRequest } from '../loaded/identity.ts';
import type { LoadToolInput, LoadToolResult } from '../meta-tools/load-tool.ts';
import type { SearchToolsInput, SearchToolsResult } from '../meta-tools/search-tool.ts';
import { reportDoubts, resolveOptions } from '../options/resolve.ts';
import type { ToolSearchProcessorOptions } from '../options/table.ts';
import type { SearchResult } from '../search/search-result.ts';
import { type NamesOf, refuseUnknownOptions } from '../util/check.ts';
import { type Funnel, type FunnelCounter, type InspectorHandler, type InspectorOptions, wings } from '../wings.ts';
import { asTools } from './as-tools.ts';
import { assemble, type ProcessorParts } from './assemble.ts';
import { noteInput } from './run-begin.ts';
import { checkSearch, RequestSearch, type SearchRequest } from './search.ts';

/**
 * Which definition `acceptDefinition()` accepts.
 *
 * @example
 * ```ts
 * // After a person has looked at the event's `diff`.
 * const acceptSeen = ({ toolName, ...seen }: { toolName: string } & AcceptOptions) =>
 *   processor.acceptDefinition(toolName, { digest: seen.digest, scope: seen.scope });
 * ```
 */
export interface AcceptOptions {
  readonly digest?: string | undefined;
  readonly scope?: string | undefined;
}

const acceptOptions: NamesOf<AcceptOptions> = { digest: true, scope: true };
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
   * Called by Mastra before every model call. Rewrites earlier searches and calls in the prompt into the form that the
   * model reads, and adds the outcome to the results of missed calls. Never throws. Absent in load mode with `onMiss:
   * 'error'`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the type of a prompt is that of the model's specification.
  declare processLLMRequest?: (args: LLMRequestArgs) => { prompt: any } | undefined;
  /**
   * Called by Mastra when a run begins, but not when it is resumed. Changes nothing. Present only if `tools` is a
   * source: the tools that the conversation has loaded are then fetched at once.
   */
  declare processInput?: (args: ProcessInputArgs) => Promise<MessageList>;
  readonly #reporter: Reporter;
  #counter: Promise<FunnelCounter> | undefined;
  /** Whether a step was prepared. */
  #hasStep = false;
  readonly #parts: ProcessorParts;
  readonly #search: RequestSearch;

  constructor(options: ToolSearchProcessorOptions) {
    const resolved = resolveOptions(options, wings.semantic);
    this.#reporter = new Reporter(resolved.onEvent);
    reportDoubts(resolved, this.#reporter);
    this.#parts = assemble(resolved, this.#reporter, this);
    const { catalogs } = this.#parts;
    const catalogOf = async (request: SearchRequest, origin: EventOrigin): Promise<Catalog> => {
      const { requestContext } = request;
      const base = await catalogs.base(requestContext, origin);
      const { catalog } = catalogs.split(request, base, request.tools ?? {});
      await this.#parts.trust?.review(catalog, { requestContext, origin });
      return catalog;
    };
    this.#search = new RequestSearch({ ...this.#parts, catalogOf });
    if (resolved.source) {
      this.processInput = async ({ requestContext, messages, messageList }) => {
        noteInput(requestContext, messages);
        return messageList;
      };
    }
    const { features, modes } = this.#parts;
    const rewriting = [...features, ...modes].filter(({ rewritePrompt }) => rewritePrompt);
    if (rewriting.length === 0) return;
    this.processLLMRequest = (args) => {
      const state = this.#parts.requests.of(args);
      let prompt = args.prompt as Prompt;
      for (const part of rewriting) prompt = part.rewritePrompt?.(prompt, args.model, state) ?? prompt;
      return prompt === args.prompt ? undefined : { prompt };
    };
  }

  /** Called by Mastra on registration, with the logger, and with the storage that a store may need. */
  __registerMastra(mastra: Mastra): void {
    this.#reporter.useLogger(mastra?.getLogger?.());
    this.#parts.registry.useMastra(mastra);
    if (!mastra) return;
    this.#parts.registration.useMastra(mastra);
    for (const feature of this.#parts.features) feature.useMastra?.(mastra);
  }

  /**
   * Called by Mastra before every model call: gives the step its meta-tools, the agent's own tools and those that are
   * loaded and allowed.
   *
   * @throws ToolSearchError `meta-tool-clash`, when the step already has a tool of a meta-tool's name.
   */
  async processInputStep(args: ProcessInputStepArgs): Promise<ToolSearchStepResult> {
    this.#hasStep = true;
    this.#reporter.useLogger(undefined);
    return (await this.#parts.steps.prepare(args)) as ToolSearchStepResult;
  }

  /**
   * Called by Mastra after a failed model call, if the instance is also in `errorProcessors`. If the provider refused
   * the definition of a catalog tool, the request is repeated without that tool. In native mode, if the provider
   * refused its tool search, the request is repeated without the search.
   */
  processAPIError(args: APIErrorArgs): { retry: boolean } | undefined {
    this.#doubtPlace('errorProcessors');
    const state = this.#parts.requests.of(args);
    for (const feature of this.#parts.features) {
      const isWorthIt = feature.retry?.(args.error, state);
      if (isWorthIt !== undefined) return isWorthIt ? { retry: true } : undefined;
    }
    return this.#parts.modes.some((mode) => mode.retry?.(args.error, state)) ? { retry: true } : undefined;
  }

  /**
   * Called by Mastra at the end of a run, if the instance is also in `outputProcessors`. A run that ended before its
   * answer is then reported at once; otherwise that may wait until its thread continues. Changes nothing.
   */
  processOutputResult(args: OutputResultArgs): OutputResultArgs['messages'] {
    this.#doubtPlace('outputProcessors');
    const state = this.#parts.requests.of(args);
    for (const feature of this.#parts.features) feature.end?.(conversationOf(args), state);
    return args.messages;
  }

  /**
   * Reports if the instance is in this list of an agent's processors, but not in `inputProcessors`, where it gives
   * tools.
   */
  #doubtPlace(list: 'outputProcessors' | 'errorProcessors'): void {
    if (this.#hasStep) return;
    this.#reporter.useLogger(undefined);
    const message = `The ToolSearchProcessor stands in "${list}" and not in "inputProcessors": the agent is given none of its tools. Put the instance into "inputProcessors" as well.`;
    this.#reporter.report({ type: 'option-doubt', option: 'processors', message });
  }

  /**
   * Returns the tools that a request may use now, by name: the loaded ones, and those preselected for its run.
   *
   * Mastra calls this method with `tools` at the start of every run, to convert the tools that the run or a resumed
   * call may need. The result then has more than the loaded tools. Never throws.
   */
  async getLoadedToolsForRequestContext(args: LoadedToolsArgs = {}): Promise<Record<string, MastraTool>> {
    const { stepArgs, tools, messages } = args;
    const requestContext = args.requestContext ?? stepArgs?.requestContext;
    if (tools && !stepArgs) return this.#parts.runBegin.tools(tools, { requestContext, messages });

    const { requests, steps } = this.#parts;
    const state = stepArgs ? requests.of(stepArgs) : requests.outside(requestContext);
    const ready = await steps.readyTools({ ...(stepArgs ?? { messages }), requestContext }, state);
    return Object.fromEntries(ready.map(({ name, tool }) => [name, tool]));
  }

  /**
   * Searches like the model of a request, for user interfaces and tests. Asks the filter in the search phase, and with
   * `autoLoad` in the load phase; loads nothing. Faults are reported and logged, as in a run; the search itself is not
   * reported.
   *
   * @returns at most `limit` tools, best first; with `explain`, each with the reasons. An empty list means that nothing
   * fits or is permitted, and never that something failed.
   * @throws ToolSearchError `search-failed` with the fault as its `cause`: when the function `tools`, the source or the
   * scorer fails, or nothing is left because the filter failed; `invalid-option`.
   */
  async search(query: string, request: SearchRequest = {}): Promise<readonly SearchResult[]> {
    checkSearch(query, request);
    // Without an agent there is no logger, so warnings go to the console.
    this.#reporter.useLogger(undefined);
    return (await this.#search.search(query, request)).results;
  }

  /**
   * Returns `search_tools` and `call_tool` as plain Mastra tools, for places where no processor runs: `MCPServer({
   * tools })`, workflows, voice. `toolSearchTools()` calls this method.
   *
   * @throws ToolSearchError `invalid-option` without `mode: 'call'`.
   */
  asTools(): Promise<Record<string, MastraTool>> {
    return asTools(this.#parts.options, (args) => this.#parts.steps.prepare(args));
  }

  /**
   * Returns a handler for a route of Mastra's server, or of any other. Its page shows the live processor: the catalog,
   * searches as you type, the tools that the filter permits a user, and the agent's searches. Unless `stats()` already
   * counts, the last 200 events before this call are included.
   *
   * @throws ToolSearchError `invalid-option`
   */
  async inspector(options: InspectorOptions = {}): Promise<InspectorHandler> {
    const { inspectorOf } = await wings.inspector();
    this.#reporter.useLogger(undefined);
    await this.#count(this.#reporter.kept);
    return inspectorOf(this.#search, this.#parts.options, options, () => this.stats());
  }

  /**
   * Forgets the loaded tools of a thread, for one resource or for all. There is nothing to clear for requests without a
   * thread, which share their loaded tools with no other request, nor with `storage: 'context'`, which reads loaded
   * tools from the conversation.
   *
   * With a custom store and without `resourceId`, only the state of the thread without a resource is cleared.
   *
   * @param threadId - as in @mastra/core, the thread "default" when it is left out.
   * @throws ToolSearchError `invalid-option` for an id that is no text.
   */
  clearState(threadId = 'default', resourceId?: string): void | Promise<void> {
    for (const [name, id] of Object.entries({ threadId, resourceId })) {
      checkOption(id === undefined || typeof id === 'string', name, id, 'a text');
    }
    return this.#parts.registry.clearThread(threadId, resourceId);
  }

  /**
   * Unloads tools of a thread, from its next step on. Names that are not loaded are ignored.
   *
   * @param of - the thread with its resource, a request context that names them, or, as a text, the scope as
   * `options.scope` returns it.
   * @throws ToolSearchError `invalid-option` for names that are no list. If `of` names no thread, nothing is unloaded.
   */
  async unload(of: string | ScopeRequest, names: readonly string[]): Promise<void> {
    const areNames = Array.isArray(names) && names.every((name) => typeof name === 'string');
    checkOption(areNames, 'names', names, `a list of tool names, e.g. ['get_weather']`);
    if (typeof of !== 'string') refuseUnknownOptions('unload()', of, scopeOptions);
    const scope = typeof of === 'string' ? of : this.#parts.requests.scopeOfIdentity(of);
    if (scope === undefined || scope === '') return;
    const { catalog, registry } = this.#parts;
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
   * @throws what the store throws. Nothing is forgotten then.
   */
  async clearLearning(of: string | ScopeRequest = {}): Promise<void> {
    if (typeof of !== 'string') refuseUnknownOptions('clearLearning()', of, scopeOptions);
    await this.#parts.learning?.clear(of);
  }

  /**
   * Accepts a definition that `pins` or `onSuspicious` has reported. From the next run on, its tool can be searched,
   * loaded and called again.
   *
   * @param toolName - as in the event.
   * @param of - `digest` of the event, which makes sure that you accept the definition that you looked at; `scope` of
   * the event, if it has one.
   * @throws ToolSearchError `invalid-option` if no such definition waits in this process, or if several do and there is
   * no `digest`. Errors of the store are thrown as well; nothing is accepted then.
   */
  async acceptDefinition(toolName: string, of: AcceptOptions = {}): Promise<void> {
    checkOption(typeof toolName === 'string', 'toolName', toolName, 'the name of a tool');
    refuseUnknownOptions('acceptDefinition()', of, acceptOptions);
    for (const key of ['digest', 'scope'] as const)
      checkOption(of[key] === undefined || typeof of[key] === 'string', key, of[key], `the ${key} of the event`);
    const { trust } = this.#parts;
    if (!trust) {
      const message = 'acceptDefinition() has nothing to accept: the processor has neither "pins" nor "onSuspicious".';
      throw new ToolSearchError('invalid-option', message);
    }
    await trust.accept(toolName, of.digest, of.scope);
  }

  /**
   * Forgets the loaded tools of all threads, if the store can do that: the store in memory, or a custom one with
   * `clearAll`.
   */
  clearAllState(): void {
    this.#parts.registry.clearAll();
  }

  /**
   * Counts the threads that have loaded tools, and tells when the least recently used was read. Zero for a store that
   * does not count.
   */
  getStateStats(): { threadCount: number; oldestAccessTime: number | null } {
    return this.#parts.registry.stats();
  }

  /**
   * Forgets expired threads now and returns their number, if the store can do that. Expired threads also go by
   * themselves.
   */
  cleanupNow(): number {
    return this.#parts.registry.cleanup();
  }

  /**
   * Counts events from the first call of this method on: how far searches came, what became of loaded tools, what was
   * saved. Before that call, nothing is counted.
   *
   * At most a thousand conversations are remembered at a time, and a thousand tools and queries in all. `funnel()` of
   * `mastra-tool-search/evaluate` counts a log in the same way.
   */
  async stats(): Promise<Funnel> {
    return (await this.#count()).funnel();
  }

  /** Counts events from now on. @param before - events that are counted first. */
  #count(before: readonly ToolSearchEvent[] = []): Promise<FunnelCounter> {
    if (!this.#counter) {
      const counter = wings.usage().then(({ FunnelCounter, MANY }) => {
        const made = new FunnelCounter(MANY);
        for (const event of before) made.add(event);
        return made;
      });
      this.#reporter.listen((event) => counter.then((loaded) => loaded.add(event)));
      this.#counter = counter;
    }
    return this.#counter;
  }

  /**
   * Forgets everything that the instance holds in this process. A store that was passed keeps its content, because
   * others may share it. The instance stays usable; nothing else needs to be closed.
   */
  dispose(): void {
    if (this.#parts.options.storage === 'in-memory') this.clearAllState();
    this.#parts.searcher.clear();
  }
}

/**
 * The result of `processInputStep`: the step as Mastra is to run it.
 *
 * @example
 * ```ts
 * const step: ToolSearchStepResult = await processor.processInputStep(stepArgs);
 * console.log(Object.keys(step.tools)); // ['search_tools', 'load_tool', …]
 * ```
 */
export interface ToolSearchStepResult {
  /** Tools in the order meta-tools, resident, loaded. `metaTools` may give the meta-tools other names. */
  tools: Record<string, unknown> & {
    search_tools: Tool<SearchToolsInput, SearchToolsResult>;
    load_tool?: Tool<LoadToolInput, LoadToolResult>;
  };
  /**
   * Names of the tools that may be used: the caller's list, extended by what this processor adds. Always present in
   * native mode.
   */
  activeTools?: string[];
  /**
   * Present if the caller's `toolChoice` names a catalog tool that is sent under another name, is called through
   * another tool, or is not sent.
   */
  toolChoice?: 'auto' | { readonly type: 'tool'; readonly toolName: string };
  /**
   * The wrapped model of the step. Present in native mode, and in a step that sends a tool with other parameter names
   * than the tool's own.
   */
  model?: ProcessInputStepArgs['model'];
}

/** The arguments of `getLoadedToolsForRequestContext`. */
export interface LoadedToolsArgs {
  requestContext?: RequestContext;
  stepArgs?: ProcessInputStepArgs;
  /**
   * The stored conversation of a resumed run that has no step yet. Used by a storage that reads loaded tools from the
   * conversation, and over a source.
   */
  messages?: ProcessInputStepArgs['messages'];
  /** The tools the agent resolved for the request. Mastra sends them; leave them out to list the loaded tools. */
  tools?: Record<string, unknown>;
}

/** The prompt of a model call, as Mastra hands it to `processLLMRequest`. */
export interface LLMRequestArgs extends Pick<APIErrorArgs, 'messageList' | 'requestContext' | 'state'> {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly model: unknown;
}

/** The end of a run, as Mastra hands it to `processOutputResult`. */
export type OutputResultArgs = Parameters<NonNullable<Processor['processOutputResult']>>[0];

/** A failed model call, as Mastra hands it to `processAPIError`. */
export interface APIErrorArgs {
  readonly error: unknown;
  readonly messageList?: unknown;
  readonly requestContext?: RequestContext | undefined;
  readonly state?: Record<string, unknown>;
}
