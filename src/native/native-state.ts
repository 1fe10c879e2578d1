import type { Conversation } from '../conversation/messages.ts';
import type { NativeOffReason } from '../events.ts';
import type { NativeDialect } from '../options/native.ts';
import type { NamespaceOfEntry } from './namespaces.ts';

/** What a native step sent. */
export interface SentNatively {
  readonly dialect: NativeDialect;
  readonly execution: 'client' | 'server';
  /** Whether OpenAI is sent ids of items that it stores, rather than the items. */
  readonly isStored: boolean;
  /** For which it was sent, as it is returned to Mastra. */
  model: unknown;
  /** Deferred tools that may be named in the conversation: references to others would be refused. */
  readonly referable: { has(name: string): boolean };
  /** These, and all that is sent at once: what a model may read of in the conversation. */
  readonly readable: { has(name: string): boolean };
  /** Tools of the catalog that are sent at once: the pinned ones, and loaded ones that no search in the conversation names. */
  readonly eager: ReadonlySet<string>;
  /** Whether the conversation has been rewritten for it. */
  isRewritten: boolean;
  /** The name of the search tool. */
  readonly searchName: string;
  /** Its part of the system text. */
  readonly texts: ReadonlySet<string>;
  readonly deferred: ReadonlySet<string>;
  /** The name of the namespace in which a tool of the catalog is sent. OpenAI only. */
  readonly namespaceOf: (name: string) => string | undefined;
  /** Whether the package of the model loses the namespaces of calls: then what was loaded and called is sent at once. */
  losesNamespaces: boolean;
  /** The deferred ones that are loaded. */
  readonly loaded: ReadonlySet<string>;
  /** The name of the meta-tool where the provider's search tool stands in its place. */
  readonly unused: string | undefined;
  /** Shows the meta-tool in place of the provider's, and withholds what is not loaded: for a model without tool search. */
  readonly fallBack: () => void;
}

/** What native mode remembers of a request, over its steps. */
export interface NativeState {
  /** Why the rest of the request is in load mode. */
  off: NativeOffReason | undefined;
  /** As it is now. */
  messages: () => Conversation;
  /** Of the last step; absent where that was in load mode. */
  sent: SentNatively | undefined;
  /** Loaded tools that are sent at once. They stay so until the request ends, as each change costs the prompt cache. */
  readonly carried: Set<string>;
  /** What the provider found in this request, as far as it was reported. */
  readonly noted: Set<string>;
  /** Models that were reported to have no tool search, by reason. */
  readonly reported: Set<string>;
  /** Settled once, as OpenAI refuses two descriptions of one namespace. */
  namespaceOf?: NamespaceOfEntry | undefined;
}

/** By the request's state, and so as short-lived. */
const states = new WeakMap<object, NativeState>();

/** What native mode remembers of a request, made when it is first asked for. */
export function nativeStateOf(request: object): NativeState {
  const remembered = states.get(request);
  if (remembered) return remembered;
  const state: NativeState = {
    off: undefined,
    messages: () => [],
    sent: undefined,
    carried: new Set(),
    noted: new Set(),
    reported: new Set(),
  };
  states.set(request, state);
  return state;
}
