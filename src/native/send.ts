import {
  ActiveTools,
  allPermit,
  type CatalogEntry,
  conversationOf,
  type Groups,
  keywordsOf,
  type MetaTools,
  type ModeTools,
  type Policy,
  partsOf,
  type Registry,
  type Reporter,
  type ResolvedNative,
  type ResolvedOptions,
  type SearchTool,
  type Step,
  serverOf,
  type ToolSearchFilterPhase,
} from '../kit.ts';
import { changesNoted } from './append/changes.ts';
import type { NativePlan } from './dialect.ts';
import { type FinalCall, nativeModel } from './final-call.ts';
import { type NamespaceOfEntry, Namespaces, reportCrowded } from './namespaces.ts';
import { readableInCalls } from './readable.ts';
import {
  type Deferral,
  type DeferredCopy,
  DeferredTools,
  defer,
  isDeferrable,
  nativeStateOf,
  SentStep,
  sendEager,
} from './sent-step.ts';

/** Cache: whether each tool may be sent deferred, by run. It is decided once, for the sake of the prompt cache. */
const decided = new WeakMap<object, Map<CatalogEntry, boolean>>();

const NONE: ReadonlySet<string> = new Set();
const ALL_PHASES: readonly ToolSearchFilterPhase[] = ['search', 'load', 'active'];

/** The parts of a processor that native mode uses. */
export interface NativeParts {
  readonly metaTools: MetaTools;
  readonly searchTool: SearchTool;
  readonly registry: Registry;
  readonly policy: Policy;
  readonly groups: Groups;
  readonly reporter: Reporter;
}

/** The options of other modes that native mode reads as well. */
export type NativeSettings = Pick<ResolvedOptions, 'metaTools' | 'loadingTools' | 'keywords'>;

/** A native step, as it is to be sent. */
interface NativeStep {
  readonly plan: NativePlan;
  readonly step: Step;
  /** The tools of `alwaysLoaded`, as they are sent. */
  readonly pinned: Readonly<Record<string, unknown>>;
  /** The meta-tools of load mode. */
  readonly metaTools: Readonly<Record<string, unknown>>;
  /** Loaded tools that the active phase permits. */
  readonly active: readonly CatalogEntry[];
}

/** A native step with the namespaces of its request. */
interface NamespacedStep extends NativeStep {
  readonly namespaceOf: NamespaceOfEntry | undefined;
}

/** Chooses how the tools of native steps are sent: eager, or deferred behind a search. */
export class Sender {
  readonly #options: ResolvedNative;
  readonly #parts: NativeParts;
  readonly #settings: NativeSettings;
  readonly #namespaces: Namespaces | undefined;
  readonly #deferred = new DeferredTools();

  constructor(options: ResolvedNative, parts: NativeParts, settings: NativeSettings) {
    this.#options = options;
    this.#parts = parts;
    this.#settings = settings;
    this.#namespaces = this.#createNamespaces();
  }

  /** Decides how each tool is sent, and remembers it for the conversation. */
  async send(given: NativeStep, finalCallOf: (sent: SentStep) => FinalCall): Promise<ModeTools> {
    const { plan, step, pinned, active } = given;
    const { args, own, texts } = step;
    const state = nativeStateOf(step.state);
    const { eager, deferred } = await this.#split(given, state.carried);
    const namespaceOf = state.namespaceOf ?? this.#namespaces?.ofRequest();
    if (namespaceOf && !state.namespaceOf && plan.dialect.hasNamespaces) {
      const searched = plan.answersSearch ? [...step.catalog.entries].filter(isDeferrable) : deferred;
      reportCrowded(searched, namespaceOf, step.catalog);
    }
    state.namespaceOf = namespaceOf;
    const native: NamespacedStep = { ...given, namespaceOf };
    const activeNames = new Set(active.map(({ name }) => name));
    const copies = deferred.map((entry): DeferredCopy => {
      const isLoaded = activeNames.has(entry.name);
      return { name: entry.name, tool: this.#copy(entry, native, isLoaded), isLoaded };
    });
    const added = this.#added(native, eager, copies);
    const visible = ActiveTools.of(args.activeTools, Object.keys(own), Object.keys(added));
    const tools = { ...own, ...added };
    const { model, providerOptions } = args;
    const appendedBefore = plan.appends ? await earlierAdditions(step, plan.dialect.name) : [];
    const stillThere = appendedBefore.filter((entry) => isDeferrable(entry) && native.step.compatible(entry));
    const earlier = new Map(stillThere.map((entry) => [entry.name, this.#eager(entry, native)]));
    const sent = new SentStep({
      ...{ plan, step, model, providerOptions, tools, pinned, eager, copies, namespaceOf, texts, earlier },
      metaSearch: this.#settings.metaTools.names.search,
      hide: (names) => visible.hideFor(this, names),
    });
    // The meta-tool is sent for a model that is chosen after this.
    if (sent.replacedSearch !== undefined) visible.hideFor(this, new Set([sent.replacedSearch]), 'listed');
    sent.model = nativeModel(model, finalCallOf(sent));
    state.sent = sent;
    // A request's own tools come again with its next step.
    const sentEager = eager.filter(({ isResolved }) => !isResolved).map(({ name }) => added[name] as object);
    const made = [...copies.map(({ tool }) => tool), ...sentEager];
    const names = visible.list;
    return { tools, activeTools: names, names, model: sent.model, added: [...Object.values(given.metaTools), ...made] };
  }

  /** All tools but the agent's own. What changes least comes first: the beginning of the prompt stays cached. */
  #added(
    native: NamespacedStep,
    eager: readonly CatalogEntry[],
    copies: readonly DeferredCopy[],
  ): Record<string, unknown> {
    const { plan, pinned, metaTools } = native;
    const { searchName } = plan;
    const { search: ownName } = this.#settings.metaTools.names;
    const { [ownName]: ownSearch, ...otherMetaTools } = metaTools;
    const search = this.#search(native, ownSearch);
    return {
      ...pinned,
      [searchName]: search,
      ...otherMetaTools,
      ...Object.fromEntries(eager.map((entry) => [entry.name, this.#eager(entry, native)])),
      ...Object.fromEntries(copies.map(({ name, tool }) => [name, tool])),
      [ownName]: ownName === searchName ? search : ownSearch,
    };
  }

  /** A deferred copy. A loaded tool gets one for this step alone: it may still have to be sent eager. */
  #copy(entry: CatalogEntry, native: NamespacedStep, isLoaded: boolean): object {
    const deferral = this.#deferralOf(entry, native);
    const tool = native.step.compatible(entry) as object;
    return isLoaded ? defer(tool, deferral) : this.#deferred.of(tool, deferral);
  }

  /** The tools of the catalog that are sent eager, and those that are sent deferred. */
  async #split(
    { plan, step, active }: NativeStep,
    carried: Set<string>,
  ): Promise<{ readonly eager: readonly CatalogEntry[]; readonly deferred: readonly CatalogEntry[] }> {
    const { args, catalog, tools, compatible, forced: forcedEntry } = step;
    const { loadingTools } = this.#settings;
    const readable = plan.appendsAll ? NONE : readableInCalls(step.calls, plan, loadingTools, args.providerOptions);
    for (const entry of active) if (!isDeferrable(entry) || !readable.has(entry.name)) carried.add(entry.name);
    // What is searched here need not be in the request: names and descriptions of it would be read at once.
    const isSearchedHere = plan.appendsAll || plan.answersSearch;
    const searched = isSearchedHere ? active : [...catalog.entries];
    const wanted = new Set(forcedEntry ? [...searched, forcedEntry] : searched);
    const candidates = [...wanted].filter((entry) => !tools.isResident(entry.name) && isDeferrable(entry));
    const phases: readonly ToolSearchFilterPhase[] = isSearchedHere ? ['active'] : ALL_PHASES;
    const permitted = (await this.#permitted(candidates, step, phases)).filter(compatible);
    const isEager = (entry: CatalogEntry): boolean => carried.has(entry.name) || entry === forcedEntry;
    // The filter's first answer about deferring counts for the request: a loaded tool it permits since is sent eager.
    const deferrable = new Set(permitted);
    const loaded = active.filter((entry) => (isEager(entry) || !deferrable.has(entry)) && compatible(entry));
    const eager = new Set([...loaded, ...permitted.filter((entry) => entry === forcedEntry)]);
    return { eager: [...eager], deferred: permitted.filter((entry) => !isEager(entry)) };
  }

  #search({ plan, step, namespaceOf }: NamespacedStep, ownSearch: unknown): unknown {
    const { dialect } = plan;
    if (plan.execution === 'server') return dialect.hostedSearch(plan);
    if (!dialect.clientSearch) return ownSearch;
    const entryOf = (name: string): CatalogEntry | undefined => {
      const entry = step.tools.isResident(name) ? undefined : step.catalog.get(name);
      return entry && isDeferrable(entry) ? entry : undefined;
    };
    return dialect.clientSearch(plan, {
      step,
      searchTool: this.#parts.searchTool,
      metaTools: this.#settings.metaTools,
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

  #deferralOf(entry: CatalogEntry, { plan: { dialect, execution }, namespaceOf }: NamespacedStep): Deferral {
    return {
      dialect,
      keywords: execution === 'server' ? keywordsOf(entry, this.#settings.keywords) : [],
      namespace: dialect.hasNamespaces ? namespaceOf?.(entry) : undefined,
    };
  }

  /** An eager tool. It keeps its namespace when it is no longer deferred: calls in the conversation name that. */
  #eager(entry: CatalogEntry, native: NamespacedStep): object {
    const deferral = this.#deferralOf(entry, native);
    const tool = native.step.compatible(entry) as object;
    if (!deferral.namespace || !isDeferrable(entry)) return tool;
    const copy = defer(tool, deferral);
    sendEager(copy);
    return copy;
  }

  #createNamespaces(): Namespaces | undefined {
    const { namespace, execution } = this.#options;
    if (namespace) return new Namespaces(namespace);
    if (namespace === false || execution === 'client') return undefined;
    const { groups } = this.#parts;
    return new Namespaces((tool) => {
      const name = groups.of({ tool });
      if (name === '') return undefined;
      return serverOf(tool) === name ? { name, description: `Tools of the MCP server ${name}.` } : name;
    });
  }
}

const PHASES: readonly ToolSearchFilterPhase[] = ['search', 'load', 'active'];

/**
 * Tools that the conversation notes as added, that are not loaded any more, and that the request may still find: their
 * definitions may stay where they are.
 */
export async function earlierAdditions(
  { args, catalog, tools, permissions }: Step,
  dialect: string,
): Promise<readonly CatalogEntry[]> {
  const names = new Set<string>();
  for (const message of conversationOf(args)) {
    for (const part of partsOf(message?.content)) {
      for (const name of changesNoted(part, dialect)?.added.keys() ?? []) if (!tools.isLoaded(name)) names.add(name);
    }
  }
  const entries = [...names].flatMap((name) => catalog.get(name) ?? []);
  return entries.length === 0 ? [] : allPermit(PHASES, entries, permissions);
}
