import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { RequestTools } from '../catalog/request-catalog.ts';
import { type Conversation, conversationOf } from '../conversation/messages.ts';
import { PROVIDER_SEARCHES } from '../conversation/provider-searches.ts';
import type { Permissions } from '../filter/permissions.ts';
import { isSearched, markSent } from '../mastra/marks.ts';
import type { SeparatedTools } from '../mastra/separation.ts';
import { keepWithinCaps } from '../meta-tools/loading.ts';
import { createMetaTools, metaToolNames, refuseClash } from '../meta-tools/meta-tools.ts';
import { loadMissedCalls } from '../meta-tools/missed-calls.ts';
import { newAllowance, type Step } from '../meta-tools/step.ts';
import { extendActiveTools, withoutHidden } from '../native/active-tools.ts';
import type { NativePlan } from '../native/plan.ts';
import { hostedSearchText, type MetaToolNames, systemText } from '../prompts.ts';
import type { RequestState } from '../request/request-state.ts';
import { injectedCatalog } from './injected-catalog.ts';
import type { Parts } from './parts.ts';
import { isSentWhole } from './passthrough.ts';

/** What a step sends. */
export interface SentTools {
  readonly tools: Record<string, unknown>;
  /** Where the caller restricted the tools: extended by what is added here. In native mode always. */
  readonly activeTools?: string[];
  /** In native mode: the step's, which gets a last look at what is sent. */
  readonly model?: unknown;
}

/** What is known of a step before anything is asked. */
interface StepTools extends RequestTools {
  readonly args: ProcessInputStepArgs;
  readonly state: RequestState;
  readonly permissions: Permissions;
  readonly separated: SeparatedTools;
  /** Names that are loaded; those of the step's own calls come later. */
  readonly loaded: Set<string>;
  /** Names that are sent anyway. */
  readonly residentNames: Set<string>;
  /** Resident names that the request has for certain. */
  readonly availableNames: Set<string>;
  readonly isLoaded: (name: string) => boolean;
  /** Whether the step may be a DurableAgent's. */
  readonly mayBeDurable: boolean;
}

/** Prepares the steps of all requests: decides which tools each is sent. */
export class Steps {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws ToolSearchError `meta-tool-clash` */
  async prepare(args: ProcessInputStepArgs): Promise<SentTools> {
    const { requests, policy, handover, catalogs, services } = this.#parts;
    const state = requests.of(args);
    const loaded = new Set<string>();
    const residentNames = new Set<string>();
    const availableNames = new Set<string>();
    const isLoaded = (name: string): boolean => loaded.has(name) || residentNames.has(name);
    const separated = handover.separate(state, args.tools, args.messageList);
    if (services.registry.wantsMastra) {
      const mastra = await handover.mastraFrom(separated, args.requestContext);
      if (mastra) services.registry.useMastra(mastra);
    }
    const base = await this.#parts.baseOf(state, args.requestContext, separated);
    const { catalog, resident } = catalogs.of(state, base, separated.own);
    const permissions = policy.permissionsOfStep(state, args);
    const tools: StepTools = {
      args,
      state,
      permissions,
      separated,
      loaded,
      residentNames,
      availableNames,
      isLoaded,
      catalog,
      resident,
      mayBeDurable: await handover.mayBeDurable(separated, 'tool-search', args.requestContext),
    };
    state.isSentWhole ??= await isSentWhole(catalog, permissions, services.options.passthroughBelow, services.reporter);
    state.steps += 1;
    if (state.steps === 1) this.#parts.cutRuns.atBegin(conversationOf(args));
    this.#parts.native?.rememberConversation(state, args);
    if (state.isSentWhole) return this.#sendWhole(tools);
    const form = this.#parts.native?.planFor(state, args);
    const autoLoad = form !== undefined || services.options.autoLoad;
    const metaTools = metaToolNames(services, autoLoad, form?.searchName);
    refuseClash(separated.own, form ? [...metaTools, ...PROVIDER_SEARCHES] : metaTools, services);
    if (form?.execution !== 'server') services.indexes.prepare();
    for (const name of [...metaTools, ...Object.keys(resident)]) residentNames.add(name);
    const isAvailable = (name: string): boolean =>
      !isSearched(resident[name]) && (args.activeTools?.includes(name) ?? true);
    for (const name of [...metaTools, ...Object.keys(resident).filter(isAvailable)]) availableNames.add(name);
    return this.#sendLoaded(tools, autoLoad, form);
  }

  /** All that the request may find, load and use, and what is always loaded. */
  async #sendWhole(tools: StepTools): Promise<SentTools> {
    const { catalog, resident, permissions, loaded } = tools;
    const all = [...catalog.entries].filter(({ name }) => !Object.hasOwn(resident, name));
    const loadable = await permissions.allowed(await permissions.allowed(all, 'search'), 'load');
    const wanted = new Set([...(await this.#pinned(tools)), ...loadable]);
    const entries = await permissions.allowed(
      all.filter((entry) => wanted.has(entry)),
      'active',
    );
    for (const { name } of entries) loaded.add(name);
    this.#writeSystemText(tools.args, []);
    return this.#result(tools, {}, entries);
  }

  async #sendLoaded(tools: StepTools, autoLoad: boolean, form: NativePlan | undefined): Promise<SentTools> {
    const { args, state, permissions, catalog, resident, loaded, residentNames, availableNames } = tools;
    const { services, loadedTools, native } = this.#parts;
    const pinned = await this.#pinned(tools);
    for (const names of [residentNames, availableNames]) for (const { name } of pinned) names.add(name);
    for (const { name } of await loadedTools.of(state, catalog, args, permissions)) {
      if (!residentNames.has(name)) loaded.add(name);
    }
    const messages = (): Conversation => conversationOf(args);
    const fresh = new Set<string>();
    const loadsWeak = form?.dialect !== 'anthropic';
    const step: Step = {
      ...{ catalog, permissions, state, messages, loaded, fresh },
      ...{ resident: residentNames, available: availableNames, autoLoad, loadsWeak, allowance: newAllowance() },
    };
    await native?.noteProviderSearches(step, args);
    await keepWithinCaps(step, services);
    if (services.options.loadOnMiss) await loadMissedCalls(step, services);
    const entries = [...loaded].flatMap((name) => catalog.get(name) ?? []);
    const active = await permissions.allowed(entries, 'active');
    const texts = await this.#writeTexts(step, args, form);
    if (!native || !form) return this.#result(tools, createMetaTools(step, services), [...pinned, ...active]);

    const sendable = this.#sendableIn(tools);
    const own = this.#sendables(tools, pinned);
    const metaTools = createMetaTools(step, services);
    const sent = await native.send({ form, step, args, resident, pinned: own, metaTools, active, sendable, texts });
    markSent([...Object.values(metaTools), ...sent.added]);
    state.sent = new Set(sent.activeTools);
    const activeTools = tools.mayBeDurable ? this.#shown(tools, sent.tools, sent.activeTools) : sent.activeTools;
    return { tools: sent.tools, activeTools, model: sent.model };
  }

  /** What is not shown, a DurableAgent neither runs nor names in its errors, wherever else it finds it. */
  #shown({ catalog, separated }: StepTools, sent: Readonly<Record<string, unknown>>, list?: string[]): string[] {
    const entries = [...catalog.entries].flatMap(({ name, key }) => [name, key]);
    const hidden = [...separated.handed.keys(), ...entries].filter((name) => !Object.hasOwn(sent, name));
    return withoutHidden(Object.keys(sent), hidden, list);
  }

  #result(tools: StepTools, metaTools: Record<string, unknown>, entries: readonly CatalogEntry[]): SentTools {
    const discovered = this.#sendables(tools, entries);
    markSent(Object.values(metaTools));
    const all = { ...metaTools, ...tools.resident, ...discovered };
    tools.state.sent = new Set(Object.keys(all));
    const { activeTools } = tools.args;
    const added = [...Object.keys(metaTools), ...Object.keys(discovered)];
    const extended = activeTools && extendActiveTools(activeTools, added);
    // A list that an earlier processor of this package made names all that it received.
    const isShown = tools.mayBeDurable || (extended !== undefined && extended === activeTools);
    const list = isShown ? this.#shown(tools, all, extended) : extended;
    return { tools: all, ...(list ? { activeTools: list } : {}) };
  }

  /** By name, each as it is sent. */
  #sendables(tools: StepTools, entries: readonly CatalogEntry[]): Record<string, unknown> {
    const sendable = this.#sendableIn(tools);
    const sent: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const entry of entries) {
      const tool = sendable(entry);
      if (tool) sent[entry.name] = tool;
    }
    // Not the request's own tools: they come again with its next step.
    markSent(entries.filter((entry) => !entry.isResolved).map(({ name }) => sent[name]));
    return sent;
  }

  #sendableIn({ args, separated, isLoaded, mayBeDurable }: StepTools): (entry: CatalogEntry) => object | undefined {
    const { requestContext } = args;
    // Any call of a DurableAgent may have waited for an approval.
    const info = { requestContext, isLoaded: mayBeDurable ? () => false : isLoaded };
    const forms = new Map<CatalogEntry, object | undefined>();
    return (entry) => {
      if (!forms.has(entry)) forms.set(entry, this.#parts.handover.sendable(entry, separated, args.model, info));
      return forms.get(entry);
    };
  }

  async #writeTexts(step: Step, args: ProcessInputStepArgs, form: NativePlan | undefined): Promise<readonly string[]> {
    const { services } = this.#parts;
    const { names } = services.options.metaTools;
    const asSent: MetaToolNames = form ? { ...names, search: form.searchName } : names;
    const injected = await injectedCatalog(step, asSent, services);
    const how = form?.execution === 'server' ? hostedSearchText() : systemText(asSent, step.autoLoad);
    const texts = [how, ...step.state.hints, injected];
    this.#writeSystemText(args, texts);
    return texts;
  }

  /** The tools of `alwaysLoaded` that are not resident anyway, in the order of the option. */
  #pinned({ catalog, resident, permissions }: StepTools): Promise<readonly CatalogEntry[]> {
    const entries = [...this.#parts.services.options.alwaysLoaded].flatMap((name) => catalog.get(name) ?? []);
    const missing = entries.filter(({ name }) => !Object.hasOwn(resident, name));
    return permissions.allowed(missing, 'active');
  }

  /** Under a tag of its own, cleared first: a DurableAgent keeps all system messages over its steps, a plain agent the tagged ones. */
  #writeSystemText({ messageList }: ProcessInputStepArgs, texts: readonly string[]): void {
    const tag = `tool-search:${this.#parts.services.options.metaTools.names.search}`;
    // A list that is not Mastra's own may lack the method.
    messageList.clearSystemMessages?.(tag);
    for (const text of texts) if (text !== '') messageList.addSystem(text, tag);
  }
}
