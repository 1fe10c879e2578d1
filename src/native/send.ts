import {
  ActiveTools,
  activeEntries,
  allPermit,
  type CatalogEntry,
  compatibleTools,
  hideTool,
  keywordsOf,
  type ModeTools,
  type NativeParts,
  partsOf,
  type ResolvedNative,
  type Step,
  type ToolSearchFilterPhase,
} from '../kit.ts';
import { changesNoted } from './append.ts';
import type { NativePlan } from './dialect.ts';
import { readableInCalls } from './finds.ts';
import { nativeStateOf, type SentStep } from './sent-step.ts';
import {
  type Deferral,
  DeferredTools,
  defer,
  isDeferrable,
  type NamespaceOfEntry,
  Namespaces,
  reportCrowded,
  sendEager,
} from './tools.ts';

/** Cache: whether each tool may be sent deferred, by run. It is decided once, for the sake of the prompt cache. */
const decided = new WeakMap<object, Map<CatalogEntry, boolean>>();

const ALL_PHASES: readonly ToolSearchFilterPhase[] = ['search', 'load', 'active'];

/** A deferred copy of a tool, as a step sends it. */
interface DeferredCopy {
  readonly name: string;
  readonly tool: object;
  /** Loaded, and permitted in the active phase. */
  readonly isLoaded: boolean;
}

/** A native step that is to be sent. */
interface NativeStep {
  readonly plan: NativePlan;
  readonly step: Step;
  readonly namespaceOf: NamespaceOfEntry | undefined;
}

/** Chooses how the tools of native steps are sent: eager, or deferred behind a search. */
export class Sender {
  readonly #parts: NativeParts;
  readonly #namespaces: Namespaces;
  readonly #deferred = new DeferredTools();

  constructor(options: ResolvedNative, parts: NativeParts) {
    this.#parts = parts;
    this.#namespaces = new Namespaces(options, parts.groups);
  }

  /**
   * Decides how each tool is sent, and remembers it for the conversation.
   *
   * @param modelOf - wraps the model of the step.
   */
  async send(plan: NativePlan, step: Step, modelOf: (sent: SentStep) => unknown): Promise<ModeTools> {
    const { args, own, catalog } = step;
    const { metaTools, options } = this.#parts;
    const metaSearch = options.metaTools.names.search;
    const meta = metaTools.create(step);
    const active = activeEntries(step);
    const pinned = compatibleTools(step.pinned, step);
    const state = nativeStateOf(step.state);
    const { eager, deferred } = await this.#split(plan, step, active, state.carried);

    const namespaceOf = state.namespaceOf ?? this.#namespaces.ofRequest();
    if (namespaceOf && !state.namespaceOf && plan.dialect.namespaces) {
      const searched = plan.answersSearch ? [...catalog.entries].filter(isDeferrable) : deferred;
      reportCrowded(searched, namespaceOf, catalog);
    }
    state.namespaceOf = namespaceOf;
    const native: NativeStep = { plan, step, namespaceOf };
    const activeNames = new Set(active.map(({ name }) => name));
    const copies = deferred.map((entry): DeferredCopy => {
      const isLoaded = activeNames.has(entry.name);
      return { name: entry.name, tool: this.#copy(entry, native, isLoaded), isLoaded };
    });

    const { [metaSearch]: ownSearch, ...otherMetaTools } = meta;
    const search = this.#search(native, ownSearch);
    // What changes least comes first: the beginning of the prompt stays cached.
    const added: Record<string, unknown> = {
      ...pinned,
      [plan.searchName]: search,
      ...otherMetaTools,
      ...Object.fromEntries(eager.map((entry) => [entry.name, this.#eager(entry, native)])),
      ...Object.fromEntries(copies.map(({ name, tool }) => [name, tool])),
      [metaSearch]: metaSearch === plan.searchName ? search : ownSearch,
    };
    const tools = { ...own, ...added };
    const visible = ActiveTools.of(args.activeTools, Object.keys(own), Object.keys(added));
    const stillThere = plan.appends ? await earlierAdditions(step, plan.dialect.name) : [];
    const earlier = stillThere
      .filter(step.compatible)
      .map((entry) => [entry.name, this.#eager(entry, native)] as const);
    const sent: SentStep = {
      ...{ plan, model: args.model, providerOptions: args.providerOptions, texts: new Set(step.texts) },
      ...this.#referring(native, copies, pinned, tools),
      eager: new Set([...Object.keys(pinned), ...eager.map(({ name }) => name)]),
      appendable: new Set(eager.map(({ name }) => name)),
      earlier: new Map(earlier),
      replacedSearch: plan.searchName === metaSearch ? undefined : metaSearch,
      ...{ isRewritten: false, losesNamespaces: false, forgetsThinking: false },
      ...{ appends: plan.appends, appended: new Set() },
      fallBack: () => {
        const notLoaded = copies.filter(({ isLoaded }) => !isLoaded);
        const names = [...notLoaded.map(({ name }) => name), plan.searchName];
        visible.hideFor(this, new Set(names.filter((name) => name !== metaSearch)));
        // Another processor may have replaced the list of active tools.
        for (const { tool } of notLoaded) hideTool(tool);
        for (const { tool, isLoaded } of copies) if (isLoaded) sendEager(tool);
      },
    };
    // The meta-tool is sent for a model that is chosen after this.
    if (sent.replacedSearch !== undefined) visible.hideFor(this, new Set([sent.replacedSearch]), 'listed');
    sent.model = modelOf(sent);
    state.sent = sent;
    // A request's own tools come again with its next step.
    const sentEager = eager.filter(({ isResolved }) => !isResolved).map(({ name }) => added[name]);
    const made = [...Object.values(meta), ...copies.map(({ tool }) => tool), ...sentEager];
    return { tools, activeTools: visible.list, names: visible.list, model: sent.model, added: made };
  }

  /**
   * The tools of the catalog that are sent eager, and those that are sent deferred.
   *
   * @param active - loaded tools that the active phase permits.
   * @param carried - names of loaded tools that are sent eager; grows.
   */
  async #split(
    plan: NativePlan,
    step: Step,
    active: readonly CatalogEntry[],
    carried: Set<string>,
  ): Promise<{ readonly eager: readonly CatalogEntry[]; readonly deferred: readonly CatalogEntry[] }> {
    const { args, calls, catalog, tools, compatible, forced } = step;
    const { loadingTools } = this.#parts.options;
    const readable = plan.appendsAll ? undefined : readableInCalls(calls, plan, loadingTools, args.providerOptions);
    for (const entry of active) if (!isDeferrable(entry) || !readable?.has(entry.name)) carried.add(entry.name);
    // What is searched here need not be in the request: names and descriptions of it would be read at once.
    const isSearchedHere = plan.appendsAll || plan.answersSearch;
    const searched = isSearchedHere ? active : [...catalog.entries];
    const wanted = new Set(forced ? [...searched, forced] : searched);
    const candidates = [...wanted].filter((entry) => !tools.isResident(entry.name) && isDeferrable(entry));
    const phases: readonly ToolSearchFilterPhase[] = isSearchedHere ? ['active'] : ALL_PHASES;
    const permitted = (await this.#permitted(candidates, step, phases)).filter(compatible);
    const isEager = (entry: CatalogEntry): boolean => carried.has(entry.name) || entry === forced;
    // The filter's first answer about deferring counts for the request: a loaded tool it permits since is sent eager.
    const deferrable = new Set(permitted);
    const loaded = active.filter((entry) => (isEager(entry) || !deferrable.has(entry)) && compatible(entry));
    const eager = new Set([...loaded, ...permitted.filter((entry) => entry === forced)]);
    return { eager: [...eager], deferred: permitted.filter((entry) => !isEager(entry)) };
  }

  /**
   * The tools that the filter permits to be sent deferred. It is asked once in a request: another list of tools would be
   * another beginning of the prompt. For tools that nobody has searched for, it is asked in every phase: the provider may
   * find them, and Mastra names them to a model that calls a tool that is not there.
   */
  async #permitted(
    entries: readonly CatalogEntry[],
    { permissions, state }: Step,
    phases: readonly ToolSearchFilterPhase[],
  ): Promise<readonly CatalogEntry[]> {
    if (this.#parts.policy.isOpen) return entries;
    const deferrable = decided.get(state.run) ?? new Map<CatalogEntry, boolean>();
    decided.set(state.run, deferrable);
    const unknown = entries.filter((entry) => !deferrable.has(entry));
    if (unknown.length > 0) {
      const allowed = new Set(await allPermit(phases, unknown, permissions));
      if (permissions.isAborted) return [];
      for (const entry of unknown) deferrable.set(entry, allowed.has(entry));
    }
    return entries.filter((entry) => deferrable.get(entry));
  }

  /** To which tools the conversation may refer. */
  #referring(
    { plan, step, namespaceOf }: NativeStep,
    copies: readonly DeferredCopy[],
    pinned: Readonly<Record<string, unknown>>,
    tools: Readonly<Record<string, unknown>>,
  ): Pick<SentStep, 'deferred' | 'loaded' | 'isReferable' | 'isReadable' | 'namespaceOf'> {
    const deferred = new Set(copies.map(({ name }) => name));
    const loaded = new Set(copies.filter(({ isLoaded }) => isLoaded).map(({ name }) => name));
    const isReferable = (name: string): boolean => {
      if (!deferred.has(name)) return false;
      // What the step's own search has loaded may be referred to at once, and what the provider's search may find.
      const mayBeFound = plan.execution === 'server' && !step.tools.isLoaded(name);
      return loaded.has(name) || step.tools.isFresh(name) || mayBeFound;
    };
    return {
      ...{ deferred, loaded, isReferable },
      isReadable: (name) => (deferred.has(name) ? isReferable(name) : Object.hasOwn(tools, name)),
      namespaceOf: (name) => {
        const entry = Object.hasOwn(pinned, name) ? undefined : step.catalog.get(name);
        return entry && isDeferrable(entry) ? namespaceOf?.(entry)?.name : undefined;
      },
    };
  }

  #search({ plan, step, namespaceOf }: NativeStep, ownSearch: unknown): unknown {
    const { dialect, searchName } = plan;
    if (plan.execution === 'server') return dialect.hostedSearch(searchName);
    if (!dialect.clientSearch) return ownSearch;
    const entryOf = (name: string): CatalogEntry | undefined => {
      const entry = step.tools.isResident(name) ? undefined : step.catalog.get(name);
      return entry && isDeferrable(entry) ? entry : undefined;
    };
    return dialect.clientSearch(searchName, {
      search: this.#parts.searchTool.asProviders(step),
      toolOf: (name) => {
        const entry = entryOf(name);
        const tool = entry && step.compatible(entry);
        const isAppended = nativeStateOf(step.state).sent?.appended.has(name);
        return tool && !isAppended ? { description: entry.description, tool } : undefined;
      },
      namespaceOf: (name) => {
        const entry = entryOf(name);
        return entry && namespaceOf?.(entry);
      },
    });
  }

  /** A deferred copy. A loaded tool gets one for this step alone: it may still have to be sent eager. */
  #copy(entry: CatalogEntry, native: NativeStep, isLoaded: boolean): object {
    const deferral = this.#deferralOf(entry, native);
    const tool = native.step.compatible(entry) as object;
    return isLoaded ? defer(tool, deferral) : this.#deferred.of(tool, deferral);
  }

  /** An eager tool. It keeps its namespace when it is no longer deferred: calls in the conversation name that. */
  #eager(entry: CatalogEntry, native: NativeStep): object {
    const deferral = this.#deferralOf(entry, native);
    const tool = native.step.compatible(entry) as object;
    if (!deferral.namespace || !isDeferrable(entry)) return tool;
    const copy = defer(tool, deferral);
    sendEager(copy);
    return copy;
  }

  #deferralOf(entry: CatalogEntry, { plan: { dialect, execution }, namespaceOf }: NativeStep): Deferral {
    return {
      dialect,
      keywords: execution === 'server' ? keywordsOf(entry, this.#parts.options.keywords) : [],
      namespace: dialect.namespaces && namespaceOf?.(entry),
    };
  }
}

/**
 * Tools that the conversation notes as added, that are not loaded any more, and that the request may still find: their
 * definitions may stay where they are.
 */
async function earlierAdditions(
  { readMessages, catalog, tools, permissions }: Step,
  dialect: string,
): Promise<readonly CatalogEntry[]> {
  const noted = readMessages().flatMap((message) =>
    partsOf(message?.content).map((part) => changesNoted(part, dialect)),
  );
  const names = new Set(noted.flatMap((changes) => [...(changes?.added.keys() ?? [])]));
  const entries = [...names].flatMap((name) => (tools.isLoaded(name) ? [] : (catalog.get(name) ?? [])));
  return entries.length === 0 ? [] : allPermit(ALL_PHASES, entries.filter(isDeferrable), permissions);
}
