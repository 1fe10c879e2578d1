import {
  asRecord,
  type CatalogEntry,
  type Conversation,
  copyTool,
  hideTool,
  isProviderTool,
  type MastraTool,
  type NativeOffReason,
  type OpenAINamespace,
  type RequestState,
  type Step,
  showTool,
} from '../kit.ts';
import type { Dialect, NativePlan, SentTools } from './dialect.ts';
import type { NamespaceOfEntry } from './namespaces.ts';

/** A deferred copy of a tool, as a step sends it. */
export interface DeferredCopy {
  readonly name: string;
  readonly tool: object;
  /** Loaded, and permitted in the active phase. */
  readonly isLoaded: boolean;
}

/** What a native step decided. */
interface Sending {
  readonly plan: NativePlan;
  readonly step: Step;
  readonly model: unknown;
  readonly providerOptions: unknown;
  /** Every tool that is sent, by name. */
  readonly tools: Readonly<Record<string, unknown>>;
  /** The tools of `alwaysLoaded`. */
  readonly pinned: Readonly<Record<string, unknown>>;
  /** Other tools of the catalog that are sent eager. */
  readonly eager: readonly CatalogEntry[];
  readonly copies: readonly DeferredCopy[];
  readonly namespaceOf: NamespaceOfEntry | undefined;
  /** The name of the meta-tool that searches. */
  readonly metaSearch: string;
  /** Parts of the system text. */
  readonly texts: readonly string[];
  readonly earlier: ReadonlyMap<string, object>;
  /** Hides tools from a model that is chosen after this, and no others. */
  readonly hide: (names: ReadonlySet<string>) => void;
}

/** What a native step sent. */
export class SentStep implements SentTools {
  readonly plan: NativePlan;
  readonly execution: 'client' | 'server';
  /** Whether the provider is sent ids of items that it stores, rather than the items. */
  readonly isStored: boolean;
  /** Names of the deferred tools. */
  readonly deferred: ReadonlySet<string>;
  /** Deferred tools that are loaded. */
  readonly loaded: ReadonlySet<string>;
  /** Tools of the catalog that are sent eager: pinned ones, and loaded ones that no search in the conversation names. */
  readonly eager: ReadonlySet<string>;
  /** The name of the meta-tool, where the provider's search tool stands in its place. */
  readonly replacedSearch: string | undefined;
  /** Parts of the system text that are this processor's. */
  readonly texts: ReadonlySet<string>;
  /** The model that the step returned to Mastra. */
  model: unknown;
  /** Whether the conversation has been rewritten for this step. */
  isRewritten = false;
  /** Whether the package of the model loses the namespaces of calls: then what was loaded and called is sent eager. */
  losesNamespaces = false;
  /** Whether the conversation is sent without its earlier thinking. */
  forgetsThinking = false;
  /** Whether definitions are sent in mid-conversation. */
  appends: boolean;
  /** Tools that the last request defined in mid-conversation. */
  appended: ReadonlySet<string> = new Set();
  /** Tools that earlier requests defined there, and that may stay though they are not loaded any more: by name, as they would be sent. */
  readonly earlier: ReadonlyMap<string, object>;
  /** Tools of the catalog that are sent eager, or appended, because they are loaded. */
  readonly appendable: ReadonlySet<string>;
  readonly #sending: Sending;

  constructor(sending: Sending) {
    const { plan, copies, pinned, eager, metaSearch } = sending;
    this.#sending = sending;
    this.plan = plan;
    this.model = sending.model;
    this.execution = plan.execution;
    this.isStored = plan.dialect.isStored(sending.providerOptions);
    this.deferred = new Set(copies.map(({ name }) => name));
    this.loaded = new Set(copies.filter(({ isLoaded }) => isLoaded).map(({ name }) => name));
    this.eager = new Set([...Object.keys(pinned), ...eager.map(({ name }) => name)]);
    this.replacedSearch = plan.searchName === metaSearch ? undefined : metaSearch;
    this.texts = new Set(sending.texts);
    this.appends = plan.appends;
    this.earlier = sending.earlier;
    this.appendable = new Set(eager.map(({ name }) => name));
  }

  /** Whether the conversation may refer to a deferred tool. A reference to any other tool would be refused. */
  isReferable(name: string): boolean {
    const { step, plan } = this.#sending;
    if (!this.deferred.has(name)) return false;
    // What the step's own search has loaded may be referred to at once, and what the provider's search may find.
    return (
      this.loaded.has(name) || step.tools.isFresh(name) || (plan.execution === 'server' && !step.tools.isLoaded(name))
    );
  }

  /** Whether the model may read of a tool in the conversation: a referable one, or one that is sent eager. */
  isReadable(name: string): boolean {
    return this.deferred.has(name) ? this.isReferable(name) : Object.hasOwn(this.#sending.tools, name);
  }

  /** The name of the namespace in which a tool of the catalog is sent. */
  namespaceOf(name: string): string | undefined {
    const { pinned, step, namespaceOf } = this.#sending;
    const entry = Object.hasOwn(pinned, name) ? undefined : step.catalog.get(name);
    return entry && isDeferrable(entry) ? namespaceOf?.(entry)?.name : undefined;
  }

  /** Turns the step into one of load mode, for a model without tool search that was chosen after this processor's say. */
  fallBack(): void {
    const { plan, copies, metaSearch, hide } = this.#sending;
    const notLoaded = copies.filter(({ isLoaded }) => !isLoaded);
    const names = [...notLoaded.map(({ name }) => name), plan.searchName];
    hide(new Set(names.filter((name) => name !== metaSearch)));
    // Another processor may have replaced the list of active tools.
    for (const { tool } of notLoaded) hideTool(tool);
    for (const { tool, isLoaded } of copies) if (isLoaded) sendEager(tool);
  }
}

/** What native mode remembers about a request across its steps. */
export interface NativeState {
  readonly request: Partial<Pick<RequestState, 'origin'>>;
  /** Why the rest of the request is in load mode. */
  off: NativeOffReason | undefined;
  /** Reads the conversation as it is now. */
  messages: () => Conversation;
  /** The last step; absent where that was in load mode. */
  sent: SentStep | undefined;
  /** Loaded tools that are sent eager until the request ends: each change would cost the prompt cache. */
  readonly carried: Set<string>;
  /** Tools that the provider found in this request, as far as they were reported. */
  readonly noted: Set<string>;
  /** Models that were reported to have no tool search, by reason. */
  readonly reported: Set<string>;
  /** Digests of definitions that a request without a conversation appended. */
  readonly appended: Set<string>;
  /** Namespaces of the request, settled once: OpenAI refuses two descriptions of one namespace. */
  namespaceOf?: NamespaceOfEntry | undefined;
}

/** States by their requests, and so as short-lived. */
const states = new WeakMap<object, NativeState>();

/** What native mode remembers about a request, made when it is first asked for. */
export function nativeStateOf(request: NativeState['request']): NativeState {
  const remembered = states.get(request);
  if (remembered) return remembered;
  const state: NativeState = {
    request,
    off: undefined,
    messages: () => [],
    sent: undefined,
    carried: new Set(),
    noted: new Set(),
    reported: new Set(),
    appended: new Set(),
  };
  states.set(request, state);
  return state;
}

/** How a tool is deferred. */
export interface Deferral {
  readonly dialect: Dialect;
  readonly namespace: Required<OpenAINamespace> | undefined;
  /** Words that people use for the tool, where the provider searches. */
  readonly keywords: readonly string[];
}

/** Breakpoints of a prompt cache. */
const CACHE_MARKS: readonly string[] = ['cacheControl', 'cache_control', 'cachePoint'];

/** Whether a tool can be deferred: Mastra hands no options of a provider's own tools on. */
export function isDeferrable({ tool }: CatalogEntry): boolean {
  return !isProviderTool(tool);
}

/** Deferred copies of tools, the same ones over all steps of a run: Mastra keeps with a copy what it makes of it. */
export class DeferredTools {
  readonly #copies = new WeakMap<object, Map<string, object>>();

  /** @param tool - as it would be sent eager. */
  of(tool: object, deferral: Deferral): object {
    const form = `${deferral.dialect.name} ${deferral.namespace?.name} ${deferral.namespace?.description}`;
    const copies = this.#copies.get(tool) ?? new Map<string, object>();
    const copy = copies.get(form) ?? defer(tool, deferral);
    showTool(copy);
    copies.set(form, copy);
    this.#copies.set(tool, copies);
    return copy;
  }
}

/** A deferred copy for one step alone, which {@link sendEager} may change. */
export function defer(tool: object, { dialect, namespace, keywords }: Deferral): object {
  const { providerOptions, description } = tool as { providerOptions?: unknown; description?: unknown };
  const options = copiedOptions(providerOptions, dialect.refusedOptions);
  const words = keywords.length > 0 ? { description: `${description ?? ''}\n\nAlso: ${keywords.join(', ')}` } : {};
  return copyTool(
    tool as MastraTool,
    {
      ...words,
      providerOptions: { ...options, ...dialect.deferOptions(options, namespace) },
    } as Partial<MastraTool>,
  );
}

/** Makes a deferred copy eager, in place: Mastra has the copy by now, and reads its options when the request is made. */
export function sendEager(copy: object): void {
  const { providerOptions } = copy as { providerOptions?: unknown };
  for (const options of Object.values(asRecord(providerOptions) ?? {})) delete asRecord(options)?.['deferLoading'];
}

/** An eager copy of a deferred tool. */
export function eagerCopy<Tool extends { readonly providerOptions?: unknown }>(tool: Tool): Tool {
  const copy = { ...tool, providerOptions: copiedOptions(tool.providerOptions) };
  sendEager(copy);
  return copy;
}

/** A definition without breakpoints of a prompt cache, and not deferred: in mid-conversation there is no room for either. */
export function withoutCacheMarks<Tool extends { readonly providerOptions?: unknown }>(tool: Tool): Tool {
  if (tool.providerOptions === undefined) return tool;
  const copy = { ...tool, providerOptions: copiedOptions(tool.providerOptions, CACHE_MARKS) };
  sendEager(copy);
  return copy;
}

/** The options of each provider, in objects that nobody else has. */
function copiedOptions(providerOptions: unknown, leftOut: readonly string[] = []): Record<string, object> {
  const copies = Object.entries(asRecord(providerOptions) ?? {}).map(([provider, options]) => {
    const kept = Object.entries(asRecord(options) ?? {}).filter(([key]) => !leftOut.includes(key));
    return [provider, Object.fromEntries(kept)];
  });
  return Object.fromEntries(copies);
}
