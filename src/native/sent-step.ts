import { randomUUID } from 'node:crypto';
import type { Conversation, RequestState, ToolSearchEvent } from '../kit.ts';
import type { NativePlan, NativeTools } from './dialect.ts';
import type { NamespaceOfEntry } from './tools.ts';

/** What a native step sent. */
export interface SentStep extends NativeTools {
  readonly plan: NativePlan;
  /** Deferred tools that are loaded. */
  readonly loaded: ReadonlySet<string>;
  /** Tools of the catalog that are sent eager, or appended, because they are loaded. */
  readonly appendable: ReadonlySet<string>;
  /**
   * Tools that earlier requests defined in mid-conversation, and that may stay though they are not loaded any more: by name,
   * as they would be sent.
   */
  readonly earlier: ReadonlyMap<string, object>;
  /** The meta-tool that the provider's search tool replaces. */
  readonly replacedSearch: string | undefined;
  /** Parts of the system text. */
  readonly texts: ReadonlySet<string>;
  /** The model of the step; wrapped, once it is sent. */
  model: unknown;
  /** Whether a prompt was rewritten for this step. */
  isRewritten: boolean;
  /** Whether the model's package loses the namespaces of calls. */
  losesNamespaces: boolean;
  /** Whether the conversation is sent without its earlier thinking. */
  forgetsThinking: boolean;
  /** Whether definitions are sent in mid-conversation. */
  appends: boolean;
  /** Tools that the last request defined in mid-conversation. */
  appended: ReadonlySet<string>;
  /** Turns the step into one of load mode, for a model without tool search that was chosen after this processor's say. */
  fallBack(): void;
}

/** Why a request, or a model, has no tool search of a provider. */
export type OffReason = Extract<ToolSearchEvent, { type: 'native-off' }>['reason'];

/** What native mode remembers about a request across its steps. */
export class NativeState {
  readonly request: Partial<Pick<RequestState, 'origin'>>;
  /** Stands for the conversation of a request without one. */
  readonly key: string = randomUUID();
  /** Why the rest of the request is in load mode. */
  off: OffReason | undefined;
  /** Reads the conversation as it is now. */
  messages = (): Conversation => [];
  /** The last step; absent where that was in load mode. */
  sent: SentStep | undefined;
  /** Loaded tools that are sent eager until the request ends: each change would cost the prompt cache. */
  readonly carried: Set<string> = new Set();
  /** Tools that the provider found in this request, as far as they were reported. */
  readonly noted: Set<string> = new Set();
  /** Models that were reported to have no tool search, by reason. */
  readonly reported: Set<string> = new Set();
  /** Namespaces of the request, settled once: OpenAI refuses two descriptions of one namespace. */
  namespaceOf: NamespaceOfEntry | undefined;

  constructor(request: NativeState['request']) {
    this.request = request;
  }
}

/** States by their requests, and so as short-lived. */
const states = new WeakMap<object, NativeState>();

/** What native mode remembers about a request, made when it is first asked for. */
export function nativeStateOf(request: NativeState['request']): NativeState {
  const state = states.get(request) ?? new NativeState(request);
  states.set(request, state);
  return state;
}
