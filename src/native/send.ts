import { randomUUID } from 'node:crypto';
import {
  type CatalogEntry,
  type Conversation,
  conversationOf,
  hiding,
  keywordsOf,
  type ModeTools,
  type NativeModel,
  type NativeParts,
  partsOf,
  type ResolvedNative,
  type Step,
  type ToolSearchEvent,
} from '../kit.ts';
import { changesNoted } from './append.ts';
import type { NativePlan, NativeTools } from './dialect.ts';
import { readableInCalls } from './finds.ts';
import {
  type Deferral,
  defer,
  isDeferrable,
  type NamespaceOfEntry,
  namespacesOf,
  reportCrowded,
  sendEager,
} from './tools.ts';

/**
 * A part that a request can do without: definitions in mid-conversation, earlier thinking, and the deferral of tools whose
 * calls lose their namespace.
 */
export type LeftOut = 'appending' | 'boundThinking' | 'namespace';

/** What a native step sent. */
export interface SentStep extends NativeTools {
  readonly plan: NativePlan;
  /** Deferred tools that are loaded. */
  readonly loaded: ReadonlySet<string>;
  /** Tools of the catalog that are sent eager, or appended, because they are loaded. */
  readonly appendable: ReadonlySet<string>;
  /** Tools that earlier requests defined in mid-conversation, and that may stay there though they are no longer loaded. */
  readonly earlier: ReadonlyMap<string, object>;
  /** Whether a tool of the catalog cannot be sent to the model, not even if an earlier request defined it. */
  readonly isUnsendable: (name: string) => boolean;
  /** The meta-tool that the provider's search tool replaces. */
  readonly replacedSearch: string | undefined;
  /** The texts that the step adds to the system text. */
  readonly texts: ReadonlySet<string>;
  /** The model of the step; once the step is prepared, the wrapped model. */
  model: NativeModel;
  isRewritten: boolean;
  /** What the provider refused, so that the step's requests go without it. */
  readonly leftOut: Set<LeftOut>;
  /** Tools that the last request defined in mid-conversation. */
  appended: ReadonlySet<string>;
  /** Turns the step into one of load mode: a model without tool search was chosen after this processor ran. */
  fallBack(): void;
}

/** Why a request, or a model, has no tool search of a provider. */
export type OffReason = Extract<ToolSearchEvent, { type: 'native-off' }>['reason'];

/** What native mode remembers about a request across its steps. */
export class NativeState {
  /** The key of the conversation for a request without one. */
  readonly key: string = randomUUID();
  /** Why the rest of the request is in load mode. */
  off: OffReason | undefined;
  readMessages: () => Conversation = () => [];
  /** The last step. Undefined if that step was in load mode. */
  sent: SentStep | undefined;
  /** Loaded tools that are sent eager until the request ends: each change would cost the prompt cache. */
  readonly carried: Set<string> = new Set();
  /** Tools found by the provider that were already handled in this request, so that each is reported once. */
  readonly noted: Set<string> = new Set();
  /** Models that were reported to have no tool search, by reason. */
  readonly reported: Set<string> = new Set();
  /** Namespaces of the request, settled once: OpenAI refuses two descriptions of one namespace. */
  namespaceOf: NamespaceOfEntry | undefined;
}

const states = new WeakMap<object, NativeState>();

/** The state of native mode for a request, created on first use. */
export function nativeStateOf(request: Step['state']): NativeState {
  const state = states.get(request) ?? new NativeState();
  states.set(request, state);
  return state;
}

/** Whether each tool may be sent deferred, by run. Deciding only once keeps the provider's prompt cache valid. */
const decided = new WeakMap<object, Map<CatalogEntry, boolean>>();

const ALL_PHASES = ['search', 'load', 'active'] as const;

/** Chooses how the tools of native steps are sent: eager, or deferred behind a search. */
export class Sender {
  readonly #parts: NativeParts;
  readonly #namespaces: () => NamespaceOfEntry | undefined;
  /** Deferred copies, shared by all steps of a run: Mastra caches with each copy what it derives from the copy. */
  readonly #copies = new WeakMap<object, Map<string, object>>();

  constructor(options: ResolvedNative, parts: NativeParts) {
    this.#parts = parts;
    this.#namespaces = namespacesOf(options, parts.groups);
  }

  /** Decides how each tool is sent, and remembers it for the conversation. `modelOf` wraps the model of the step. */
  async send(
    plan: NativePlan,
    step: Step,
    { pinned, texts }: { readonly pinned: Readonly<Record<string, unknown>>; readonly texts: readonly string[] },
    modelOf: (sent: SentStep) => NativeModel,
  ): Promise<ModeTools> {
    const { args, own, catalog, tools: presence } = step;
    const { dialect, execution, searchName } = plan;
    const { forms } = this.#parts;
    const metaSearch = this.#parts.options.metaTools.names.search;
    const meta = this.#parts.metaTools.create(step);
    const active = presence.active.flatMap((name) => catalog.get(name) ?? []);
    const state = nativeStateOf(step.state);
    const { eager, deferred } = await this.#split(plan, step, active, state.carried);

    let namespaceOf: NamespaceOfEntry | undefined;
    if (dialect.namespaces) {
      namespaceOf = state.namespaceOf ?? this.#namespaces();
      if (namespaceOf && !state.namespaceOf) reportCrowded(deferred, namespaceOf, catalog);
      state.namespaceOf = namespaceOf;
    }
    const deferralOf = (entry: CatalogEntry): Deferral => ({
      dialect,
      keywords: execution === 'server' ? keywordsOf(entry, this.#parts.options.keywords) : [],
      namespace: namespaceOf?.(entry),
    });
    /** The eager form of a tool. The tool keeps its namespace, because calls in the conversation name the namespace. */
    const sentEager = (entry: CatalogEntry): object => {
      const tool = forms.of(entry, step) as object;
      const deferral = deferralOf(entry);
      return deferral.namespace && isDeferrable(entry) ? sendEager(defer(tool, deferral)) : tool;
    };
    const copies = deferred.map((entry) => {
      const isLoaded = active.includes(entry);
      const tool = forms.of(entry, step) as object;
      // A loaded tool gets a copy for this step alone: it may still have to be sent eager.
      return { name: entry.name, isLoaded, tool: (isLoaded ? defer : this.#copy)(tool, deferralOf(entry)) };
    });

    const { [metaSearch]: ownSearch, ...otherMetaTools } = meta;
    const search = this.#search(plan, step, ownSearch);
    // What changes least comes first: the beginning of the prompt stays cached.
    const added: Record<string, unknown> = {
      ...pinned,
      [searchName]: search,
      ...otherMetaTools,
      ...Object.fromEntries(eager.map((entry) => [entry.name, sentEager(entry)])),
      ...Object.fromEntries(copies.map(({ name, tool }) => [name, tool])),
      [metaSearch]: metaSearch === searchName ? search : ownSearch,
    };
    const tools = { ...own, ...added };
    const visible = hiding.ActiveTools.of(args.activeTools, Object.keys(own), Object.keys(added));
    const stillThere = plan.appends ? await earlierAdditions(step, dialect.name) : [];
    const deferredNames = new Set(deferred.map(({ name }) => name));
    const loaded = new Set(copies.filter(({ isLoaded }) => isLoaded).map(({ name }) => name));
    const isReferable = (name: string): boolean => {
      if (!deferredNames.has(name)) return false;
      // Tools that this step's search has just loaded, or that the provider may find, may be referred to at once.
      const mayBeFound = execution === 'server' && !presence.isLoaded(name);
      return loaded.has(name) || presence.isFresh(name) || mayBeFound;
    };
    const replacedSearch = searchName === metaSearch ? undefined : metaSearch;
    const sent: SentStep = {
      ...{ plan, loaded, replacedSearch, isReferable, deferred: deferredNames, texts: new Set(texts) },
      ...{ model: (args.model ?? {}) as NativeModel, providerOptions: args.providerOptions },
      isReadable: (name) => (deferredNames.has(name) ? isReferable(name) : Object.hasOwn(tools, name)),
      namespaceOf: (name) => {
        const entry = Object.hasOwn(pinned, name) ? undefined : catalog.get(name);
        return entry && isDeferrable(entry) ? namespaceOf?.(entry)?.name : undefined;
      },
      eager: new Set([...Object.keys(pinned), ...eager.map(({ name }) => name)]),
      appendable: new Set(eager.map(({ name }) => name)),
      earlier: new Map(
        stillThere.filter((entry) => forms.of(entry, step)).map((entry) => [entry.name, sentEager(entry)]),
      ),
      isUnsendable: (name) => {
        const entry = catalog.get(name);
        return entry !== undefined && !forms.of(entry, step);
      },
      ...{ isRewritten: false, leftOut: new Set(), appended: new Set() },
      fallBack: () => {
        const names = [
          ...copies.flatMap(({ name, isLoaded }) => (isLoaded ? [] : [name])),
          ...(replacedSearch === undefined ? [] : [searchName]),
        ];
        visible.hide(this, names);
        // Another processor may have replaced `activeTools`, so the copies themselves are changed too.
        for (const { tool, isLoaded } of copies) (isLoaded ? sendEager : hiding.hideTool)(tool);
      },
    };
    // The meta-tool stays in the step, hidden, in case a model without tool search is chosen later.
    if (replacedSearch !== undefined) visible.hide(this, [replacedSearch], 'listed');
    sent.model = modelOf(sent);
    state.sent = sent;
    // Resolved tools are the agent's own: they come again with the next step, so they do not count as added.
    const eagerCopies = eager.filter(({ isResolved }) => !isResolved).map(({ name }) => added[name]);
    const made = [...Object.values(meta), ...copies.map(({ tool }) => tool), ...eagerCopies];
    return { tools, activeTools: visible.list, names: visible.list, model: args.model && sent.model, added: made };
  }

  /** Splits the catalog's tools into eager ones (among `active`, and the forced one) and deferred ones. */
  async #split(
    plan: NativePlan,
    step: Step,
    active: readonly CatalogEntry[],
    carried: Set<string>,
  ): Promise<{ readonly eager: readonly CatalogEntry[]; readonly deferred: readonly CatalogEntry[] }> {
    const { args, calls, catalog, tools } = step;
    const { forced } = tools;
    const compatible = (entry: CatalogEntry): object | undefined => this.#parts.forms.of(entry, step);
    const readable = plan.appendsAll ? undefined : readableInCalls(calls, plan, args.providerOptions);
    for (const entry of active) if (!isDeferrable(entry) || !readable?.has(entry.name)) carried.add(entry.name);
    // If this processor searches, the request omits tools that were not found: the model would read them at once.
    const isSearchedHere = plan.appendsAll || plan.answersSearch;
    const searched = isSearchedHere ? active : [...catalog.entries];
    const wanted = new Set(forced ? [...searched, forced] : searched);
    const candidates = [...wanted].filter((entry) => !tools.isResident(entry.name) && isDeferrable(entry));
    const permitted = (await this.#permitted(candidates, step, isSearchedHere ? ['active'] : ALL_PHASES)).filter(
      compatible,
    );
    const isEager = (entry: CatalogEntry): boolean => carried.has(entry.name) || entry === forced;
    // The filter's first answer counts for the whole request: a loaded tool that it permits only later is sent eager.
    const deferrable = new Set(permitted);
    const loaded = active.filter((entry) => (isEager(entry) || !deferrable.has(entry)) && compatible(entry));
    const eager = new Set([...loaded, ...permitted.filter((entry) => entry === forced)]);
    return { eager: [...eager], deferred: permitted.filter((entry) => !isEager(entry)) };
  }

  /**
   * The tools that the filter permits to be sent deferred. The filter is asked once per request: another list of tools would
   * change the beginning of the prompt. For tools that nobody has searched for, the filter is asked in every phase: the
   * provider may find them, and Mastra names them to a model that calls an unknown tool.
   */
  async #permitted(
    entries: readonly CatalogEntry[],
    { permissions, state }: Step,
    phases: readonly (typeof ALL_PHASES)[number][],
  ): Promise<readonly CatalogEntry[]> {
    if (this.#parts.policy.isOpen) return entries;
    const deferrable = decided.get(state.run) ?? new Map<CatalogEntry, boolean>();
    decided.set(state.run, deferrable);
    const unknown = entries.filter((entry) => !deferrable.has(entry));
    if (unknown.length > 0) {
      const allowed = new Set(await permissions.allowed(unknown, phases));
      if (permissions.isAborted) return [];
      for (const entry of unknown) deferrable.set(entry, allowed.has(entry));
    }
    return entries.filter((entry) => deferrable.get(entry));
  }

  /** The search tool of a step: the provider's, or the meta-tool. */
  #search(plan: NativePlan, step: Step, ownSearch: unknown): unknown {
    const { dialect, searchName } = plan;
    if (plan.execution === 'server') return dialect.hostedSearch(searchName);
    if (!dialect.clientSearch) return ownSearch;
    return dialect.clientSearch(searchName, this.#parts.searchTool.asProviders(step), (name) => {
      const entry = step.tools.isResident(name) ? undefined : step.catalog.get(name);
      const tool = entry && isDeferrable(entry) && this.#parts.forms.of(entry, step);
      if (!tool || nativeStateOf(step.state).sent?.appended.has(name)) return undefined;
      return { description: entry.description, tool };
    });
  }

  readonly #copy = (tool: object, deferral: Deferral): object => {
    const form = `${deferral.dialect.name} ${deferral.namespace?.name} ${deferral.namespace?.description}`;
    const copies = this.#copies.get(tool) ?? new Map<string, object>();
    const copy = copies.get(form) ?? defer(tool, deferral);
    hiding.showTool(copy);
    copies.set(form, copy);
    this.#copies.set(tool, copies);
    return copy;
  };
}

/** Tools that the conversation added, no longer loaded but still searchable. Their definitions may stay. */
async function earlierAdditions(
  { args, catalog, tools, permissions }: Step,
  dialect: string,
): Promise<readonly CatalogEntry[]> {
  const names = new Set(
    conversationOf(args)
      .flatMap((message) => partsOf(message?.content))
      .flatMap((part) => [...(changesNoted(part, dialect)?.added.keys() ?? [])]),
  );
  const entries = [...names].flatMap((name) => (tools.isLoaded(name) ? [] : (catalog.get(name) ?? [])));
  return entries.length === 0 ? [] : permissions.allowed(entries.filter(isDeferrable), ALL_PHASES);
}
