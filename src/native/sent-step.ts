import {
  type CatalogEntry,
  type Conversation,
  hideTool,
  type RequestState,
  type Step,
  type ToolSearchEvent,
} from '../kit.ts';
import type { NativePlan, SentTools } from './dialect.ts';
import { isDeferrable, type NamespaceOfEntry, sendEager } from './tools.ts';

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
  /** Tools that earlier requests defined in mid-conversation, and that may stay though they are not loaded any more: as they would be sent. */
  readonly earlier: ReadonlyMap<string, object>;
  /** Hides tools from a model that is chosen after this, and no others. */
  readonly hide: (names: ReadonlySet<string>) => void;
}

/** What a native step sent. */
export class SentStep implements SentTools {
  readonly plan: NativePlan;
  /** The options of the step for its provider. */
  readonly providerOptions: unknown;
  /** Names of the deferred tools. */
  readonly deferred: ReadonlySet<string>;
  /** Deferred tools that are loaded. */
  readonly loaded: ReadonlySet<string>;
  readonly eager: ReadonlySet<string>;
  /** Tools of the catalog that are sent eager, or appended, because they are loaded. */
  readonly appendable: ReadonlySet<string>;
  readonly earlier: ReadonlyMap<string, object>;
  /** The meta-tool that the provider's search tool replaces. */
  readonly replacedSearch: string | undefined;
  /** Parts of the system text. */
  readonly texts: ReadonlySet<string>;
  /** The model of the step; wrapped, once it is sent. */
  model: unknown;
  /** Whether a prompt was rewritten for this step. */
  isRewritten = false;
  /** Whether the model's package loses the namespaces of calls. */
  losesNamespaces = false;
  /** Whether the conversation is sent without its earlier thinking. */
  forgetsThinking = false;
  /** Whether definitions are sent in mid-conversation. */
  appends: boolean;
  /** Tools that the last request defined in mid-conversation. */
  appended: ReadonlySet<string> = new Set();
  readonly #sending: Sending;

  constructor(sending: Sending) {
    const { plan, step, copies, pinned, eager, metaSearch, earlier } = sending;
    const eagerNames = eager.map(({ name }) => name);
    this.#sending = sending;
    this.plan = plan;
    this.model = step.args.model;
    this.providerOptions = step.args.providerOptions;
    this.deferred = new Set(copies.map(({ name }) => name));
    this.loaded = new Set(copies.filter(({ isLoaded }) => isLoaded).map(({ name }) => name));
    this.eager = new Set([...Object.keys(pinned), ...eagerNames]);
    this.appendable = new Set(eagerNames);
    this.earlier = earlier;
    this.replacedSearch = plan.searchName === metaSearch ? undefined : metaSearch;
    this.texts = new Set(step.texts);
    this.appends = plan.appends;
  }

  isReferable(name: string): boolean {
    const { step, plan } = this.#sending;
    if (!this.deferred.has(name)) return false;
    // What the step's own search has loaded may be referred to at once, and what the provider's search may find.
    return (
      this.loaded.has(name) || step.tools.isFresh(name) || (plan.execution === 'server' && !step.tools.isLoaded(name))
    );
  }

  isReadable(name: string): boolean {
    return this.deferred.has(name) ? this.isReferable(name) : Object.hasOwn(this.#sending.tools, name);
  }

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

/** Why a request, or a model, has no tool search of a provider. */
export type NativeOffReason = Extract<ToolSearchEvent, { type: 'native-off' }>['reason'];

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
    ...{ request, off: undefined, messages: () => [], sent: undefined },
    ...{ carried: new Set(), noted: new Set(), reported: new Set(), appended: new Set() },
  };
  states.set(request, state);
  return state;
}
