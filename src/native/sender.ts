import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { keywordsOf } from '../catalog/catalog-reporter.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { serverOf } from '../catalog/groups.ts';
import { allPermit } from '../meta-tools/named.ts';
import type { Services, Step } from '../meta-tools/step.ts';
import type { ResolvedNative } from '../options/native.ts';
import type { ToolSearchFilterPhase } from '../phase.ts';
import { ActiveTools } from './active-tools.ts';
import { anthropicSearch } from './anthropic.ts';
import { isStored, namesInConversation } from './covered.ts';
import { type Deferred, DeferredTools, defer, hide, isDeferrable, sendAtOnce } from './deferral.ts';
import { forcedTool, type LastLook, nativeModel } from './model.ts';
import { type NamespaceOfEntry, Namespaces } from './namespaces.ts';
import { nativeStateOf, type SentNatively } from './native-state.ts';
import { isAnsweredHere, openaiClientSearch, openaiFunction, openaiHostedSearch } from './openai.ts';
import type { NativePlan } from './plan.ts';

const ALL_PHASES: readonly ToolSearchFilterPhase[] = ['search', 'load', 'active'];

/** What a native step is made of. */
export interface NativeStep {
  readonly form: NativePlan;
  readonly step: Step;
  readonly args: ProcessInputStepArgs;
  /** The agent's own tools that are not searched. */
  readonly resident: Readonly<Record<string, unknown>>;
  /** The tools of `alwaysLoaded`, as they are sent. */
  readonly pinned: Readonly<Record<string, unknown>>;
  /** Those of load mode. */
  readonly metaTools: Readonly<Record<string, unknown>>;
  /** Loaded and allowed. */
  readonly active: readonly CatalogEntry[];
  /** A tool as it is sent at once; undefined where it cannot be sent. */
  readonly sendable: (entry: CatalogEntry) => object | undefined;
  /** What the step says in the system text. */
  readonly texts: readonly string[];
}

/** What a native step sends. */
export interface NativeTools {
  readonly tools: Record<string, unknown>;
  readonly activeTools: string[];
  /** The step's, as it is to be called. */
  readonly model: unknown;
  /** Copies of tools, made for this processor. */
  readonly added: readonly object[];
}

/** A deferred tool. */
interface Copy {
  readonly name: string;
  readonly tool: object;
  /** And allowed. */
  readonly isLoaded: boolean;
}

/** Chooses how the tools of native steps are sent: at once, or deferred behind a search. */
export class Sender {
  readonly #options: ResolvedNative;
  readonly #services: Services;
  readonly #namespaces: Namespaces | undefined;
  readonly #deferred = new DeferredTools();

  constructor(options: ResolvedNative, services: Services) {
    this.#options = options;
    this.#services = services;
    this.#namespaces = this.#createNamespaces();
  }

  /** Decides which tools are sent how, and remembers it for the conversation. */
  async send(native: NativeStep, lastLookAt: (sent: SentNatively) => LastLook): Promise<NativeTools> {
    const { form, step, args, resident, pinned, active } = native;
    const state = nativeStateOf(step.state);
    const { eager, deferred } = await this.#split(native, state.carried);
    state.namespaceOf ??= this.#namespaces?.ofRequest();
    const activeNames = new Set(active.map(({ name }) => name));
    const copies = deferred.map((entry): Copy => {
      const isLoaded = activeNames.has(entry.name);
      return { name: entry.name, tool: this.#copy(entry, native, isLoaded, state.namespaceOf), isLoaded };
    });
    const added = this.#added(native, eager, copies, state.namespaceOf);
    const visible = ActiveTools.of(args.activeTools, Object.keys(resident), Object.keys(added));
    const { search: ownName } = this.#services.options.metaTools.names;
    // The meta-tool is there for a model that is chosen after this.
    const unused = form.searchName === ownName ? undefined : ownName;
    if (unused !== undefined) visible.withhold(this, new Set([unused]), 'listed');

    const deferredNames = new Set(copies.map(({ name }) => name));
    const loadedNames = new Set(copies.filter(({ isLoaded }) => isLoaded).map(({ name }) => name));
    // What the step's own search has loaded may be referred to at once, and what the provider's may find.
    const isFound = (name: string): boolean =>
      loadedNames.has(name) || step.fresh.has(name) || (form.execution === 'server' && !step.loaded.has(name));
    const tools = { ...resident, ...added };
    const sent: SentNatively = {
      dialect: form.dialect,
      execution: form.execution,
      searchName: form.searchName,
      isStored: isStored(args.providerOptions),
      model: args.model,
      referable: { has: (name) => deferredNames.has(name) && isFound(name) },
      readable: { has: (name) => (deferredNames.has(name) ? isFound(name) : Object.hasOwn(tools, name)) },
      deferred: deferredNames,
      namespaceOf: (name) => {
        const entry = Object.hasOwn(pinned, name) ? undefined : step.catalog.get(name);
        return entry && isDeferrable(entry) ? state.namespaceOf?.(entry)?.name : undefined;
      },
      losesNamespaces: false,
      unused,
      loaded: loadedNames,
      eager: new Set([...Object.keys(pinned), ...eager.map(({ name }) => name)]),
      texts: new Set(native.texts),
      isRewritten: false,
      fallBack: () => {
        const unknown = copies.filter(({ isLoaded }) => !isLoaded);
        const withheld = [...unknown.map(({ name }) => name), form.searchName].filter((name) => name !== ownName);
        visible.withhold(this, new Set(withheld));
        // Another processor may have replaced the list of active tools.
        for (const { tool } of unknown) hide(tool);
        for (const { tool, isLoaded } of copies) if (isLoaded) sendAtOnce(tool);
      },
    };
    sent.model = nativeModel(args.model, lastLookAt(sent), isAnsweredHere(form));
    state.sent = sent;
    return { tools, activeTools: visible.list, model: sent.model, added: copies.map(({ tool }) => tool) };
  }

  /** What changes least comes first: the beginning of the prompt stays cached. */
  #added(
    { form, step, pinned, metaTools, sendable }: NativeStep,
    eager: readonly CatalogEntry[],
    copies: readonly Copy[],
    namespaceOf: NamespaceOfEntry | undefined,
  ): Record<string, unknown> {
    const { searchName } = form;
    const { search: ownName } = this.#services.options.metaTools.names;
    const { [ownName]: ownSearch, ...otherMetaTools } = metaTools;
    const search = this.#search(form, ownSearch, step, sendable, namespaceOf);
    return {
      ...pinned,
      [searchName]: search,
      ...otherMetaTools,
      ...Object.fromEntries(eager.map((entry) => [entry.name, this.#atOnce(entry, form, sendable, namespaceOf)])),
      ...Object.fromEntries(copies.map(({ name, tool }) => [name, tool])),
      [ownName]: ownName === searchName ? search : ownSearch,
    };
  }

  /** A loaded tool gets a copy of the step's own: it may still have to be sent at once. */
  #copy(
    entry: CatalogEntry,
    { form, sendable }: NativeStep,
    isLoaded: boolean,
    namespaceOf: NamespaceOfEntry | undefined,
  ): object {
    const how = this.#deferredIn(form, entry, namespaceOf);
    const tool = sendable(entry) as object;
    return isLoaded ? defer(tool, how) : this.#deferred.of(tool, how);
  }

  /** What is sent at once, of the catalog, and what deferred. */
  async #split(
    { form, step, args, active, sendable }: NativeStep,
    carried: Set<string>,
  ): Promise<{ readonly eager: readonly CatalogEntry[]; readonly deferred: readonly CatalogEntry[] }> {
    const { catalog, resident } = step;
    const named = namesInConversation(step.calls, form, this.#services.options.loadingTools, args.providerOptions);
    for (const entry of active) if (!isDeferrable(entry) || !named.has(entry.name)) carried.add(entry.name);
    // With OpenAI, what is searched here need not be in the request: names and descriptions of it would be read at once.
    const known = isAnsweredHere(form) ? active : [...catalog.entries];
    const forced = forcedTool(args.toolChoice);
    const forcedEntry = forced === undefined ? undefined : catalog.get(forced);
    const asked = new Set(forcedEntry ? [...known, forcedEntry] : known);
    const candidates = [...asked].filter((entry) => !resident.has(entry.name) && isDeferrable(entry));
    const phases: readonly ToolSearchFilterPhase[] = isAnsweredHere(form) ? ['active'] : ALL_PHASES;
    const permitted = (await this.#permitted(candidates, step, phases)).filter(sendable);
    const isEager = (entry: CatalogEntry): boolean => carried.has(entry.name) || entry === forcedEntry;
    // A right that was granted since the tools to defer were settled holds for what is loaded.
    const deferrable = new Set(permitted);
    const atOnce = active.filter((entry) => (isEager(entry) || !deferrable.has(entry)) && sendable(entry));
    const eager = new Set([...atOnce, ...permitted.filter((entry) => entry === forcedEntry)]);
    return { eager: [...eager], deferred: permitted.filter((entry) => !isEager(entry)) };
  }

  #search(
    form: NativePlan,
    ownSearch: unknown,
    step: Step,
    sendable: NativeStep['sendable'],
    namespaceOf: NamespaceOfEntry | undefined,
  ): unknown {
    const { dialect, execution, variant } = form;
    if (execution === 'server') return dialect === 'openai' ? openaiHostedSearch() : anthropicSearch(variant);
    if (dialect === 'anthropic') return ownSearch;
    const entryOf = (name: string): CatalogEntry | undefined => {
      const entry = step.resident.has(name) ? undefined : step.catalog.get(name);
      return entry && isDeferrable(entry) ? entry : undefined;
    };
    return openaiClientSearch(
      step,
      this.#services,
      (name) => {
        const entry = entryOf(name);
        const tool = entry && sendable(entry);
        return tool && openaiFunction(entry, tool);
      },
      (name) => {
        const entry = entryOf(name);
        return entry && namespaceOf?.(entry);
      },
    );
  }

  /**
   * The tools that the request may be sent deferred. The filter is asked once in a request: another list of tools would
   * be another beginning of the prompt. Where tools are sent that nobody has searched for, it is asked all it would be in
   * a search as well: the provider may find them, and Mastra names them to a model that calls a tool that is not there.
   */
  async #permitted(
    entries: readonly CatalogEntry[],
    { permissions, state }: Step,
    phases: readonly ToolSearchFilterPhase[],
  ): Promise<readonly CatalogEntry[]> {
    if (this.#services.policy.isOpen) return entries;
    const { deferrable } = state.run;
    const unknown = entries.filter((entry) => !deferrable.has(entry));
    if (unknown.length > 0) {
      const allowed = new Set(await allPermit(phases, unknown, permissions));
      if (permissions.isAborted) return [];
      for (const entry of unknown) deferrable.set(entry, allowed.has(entry));
    }
    return entries.filter((entry) => deferrable.get(entry));
  }

  #deferredIn(form: NativePlan, entry: CatalogEntry, namespaceOf?: NamespaceOfEntry): Deferred {
    const { dialect, execution } = form;
    return {
      dialect,
      keywords: execution === 'server' ? keywordsOf(entry, this.#services.options.keywords) : [],
      namespace: dialect === 'openai' ? namespaceOf?.(entry) : undefined,
    };
  }

  /** A tool keeps its namespace when it is no longer deferred: the calls in the conversation name it. */
  #atOnce(
    entry: CatalogEntry,
    form: NativePlan,
    sendable: NativeStep['sendable'],
    namespaceOf?: NamespaceOfEntry,
  ): object {
    const how = this.#deferredIn(form, entry, namespaceOf);
    const tool = sendable(entry) as object;
    if (!how.namespace || !isDeferrable(entry)) return tool;
    const copy = defer(tool, how);
    sendAtOnce(copy);
    return copy;
  }

  #createNamespaces(): Namespaces | undefined {
    const { namespace, execution } = this.#options;
    if (namespace) return new Namespaces(namespace);
    if (namespace === false || execution === 'client') return undefined;
    const { groups } = this.#services;
    return new Namespaces((tool) => {
      const name = groups.of({ tool });
      if (name === '') return undefined;
      return serverOf(tool) === name ? { name, description: `Tools of the MCP server ${name}.` } : name;
    });
  }
}
