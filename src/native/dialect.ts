import {
  type AnsweredSearch,
  asRecord,
  type MetaToolNames,
  type NativeModel,
  type Prompt,
  type ResolvedNative,
  type ToolPart,
} from '../kit.ts';

/** The definition of a tool, as a provider's package gets it. */
export interface Definition {
  readonly type: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly strict?: boolean;
  readonly providerOptions?: unknown;
}

/** What a model is called with, as far as it is read here: the same in all versions of the specification. */
export interface ModelCall {
  readonly prompt: Prompt;
  readonly tools?: readonly Definition[] | undefined;
  readonly toolChoice?: unknown;
  readonly providerOptions?: unknown;
}

/** A namespace, as OpenAI takes it. */
export interface Namespace {
  readonly name: string;
  readonly description: string;
}

/** A change of the tools in mid-conversation. */
export type Change =
  | { readonly type: 'addition'; readonly tool: Definition }
  | { readonly type: 'removal'; readonly name: string };

/** The side that searches: this processor, or the provider in its request. */
export type Side = 'client' | 'server';

/** A search in a prompt. */
export interface ProviderSearch {
  /** A call of a meta-tool, or of a provider's search tool, by the side that ran it. */
  readonly origin: Side | 'meta-tool';
  readonly call: ToolPart;
  readonly result: ToolPart | undefined;
  /** The names of tools in the result: those that a meta-tool loaded, or a provider found. */
  readonly found: readonly string[];
  /** Tools that were called between this search and the next, and never before. */
  readonly called: readonly string[];
  /** Whether the result may still come: the call stands in the last message, or only results stand behind it. */
  readonly isUnderWay: boolean;
  /** The search as a call of the meta-tool, without what only the provider knows. */
  asPlain(): RewrittenSearch;
}

export type RewrittenSearch = Pick<ProviderSearch, 'call' | 'result'>;

/** What a native step sent, as far as the conversation has to fit it. */
export interface NativeTools {
  readonly plan: Pick<NativePlan, 'execution'>;
  readonly model: NativeModel;
  /** The options of the step for its provider. */
  readonly providerOptions: unknown;
  readonly deferred: ReadonlySet<string>;
  /** Tools of the catalog that are sent eager: pinned ones, and loaded ones that no search in the conversation names. */
  readonly eager: ReadonlySet<string>;
  /** Whether the conversation may refer to a deferred tool. A reference to any other tool would be refused. */
  isReferable(name: string): boolean;
  /** Whether the model may read of a tool in the conversation: a referable one, or one that is sent eager. */
  isReadable(name: string): boolean;
  namespaceOf(name: string): string | undefined;
}

/** How a step uses the provider's tool search. */
export interface NativePlan {
  readonly dialect: Dialect;
  readonly execution: Side;
  /** The name of the search tool, as it is sent. */
  readonly searchName: string;
  /** Whether this processor answers the provider's own search tool: what it finds need not be in the request. */
  readonly answersSearch: boolean;
  /** Whether definitions are sent in mid-conversation. */
  readonly appends: boolean;
  /** Whether found tools are sent only as appended definitions. No tool is deferred then; a search is an ordinary call. */
  readonly appendsAll: boolean;
}

/** A tool that a search found which this processor answers. */
export interface ClientFind {
  readonly description: string;
  readonly tool: object;
  readonly namespace: Namespace | undefined;
}

/** The tools of the final request, as far as its prompt has to fit them. */
export interface FinalTools {
  readonly names: ReadonlySet<string>;
  /** Whether the request has the provider's search tool. */
  readonly hasSearch: boolean;
  readonly mustBeEager: (name: string) => boolean;
  readonly providerOptions: unknown;
  readonly metaTools: MetaToolNames;
}

/** Everything that differs between providers with a tool search. Nothing outside `dialects/` names a provider. */
export interface Dialect {
  /** The name of the provider, under which its package reads `providerOptions`. */
  readonly name: string;
  /** The names of its search tool, as conversations show its calls. */
  readonly searchNames: readonly string[];
  /** The side that ran a call of that tool, by the input; absent where the reader of conversations knows the names. */
  readonly sideOf?: (input: unknown) => Side | undefined;

  /** Whether a model has this provider's tool search: it is called through an interface that has it, and new enough. */
  supports(model: NativeModel): boolean;
  /** Whether a model is known to take definitions in mid-conversation. The packages do not look at the model. */
  takesDefinitions(model: NativeModel): boolean;
  /** The name of the provider's search tool for a model. */
  searchName(model: NativeModel, variant: ResolvedNative['variant']): string;

  /** The search tool that runs in the request. */
  hostedSearch(searchName: string): object;
  /** The provider's search tool that this processor answers with these tools; absent where models call the meta-tool. */
  clientSearch?(searchName: string, search: AnsweredSearch, toolOf: (name: string) => ClientFind | undefined): object;
  /** The options that a deferred tool has for its provider, of those that it has. */
  deferOptions(options: Readonly<Record<string, object>>, namespace: Namespace | undefined): object;
  /** Options that a deferred tool must not have. */
  readonly refusedOptions: readonly string[];
  /** How calls of tools in namespaces are written; absent where tools have none. */
  readonly namespaces?: {
    /** Names the namespaces in calls that need them; `eager` are the tools of the catalog that are sent so. */
    named(prompt: Prompt, sent: NativeTools, eager: Iterable<string>): Prompt;
    /** The tools that a prompt calls in namespaces. */
    called(prompt: Prompt, sent: NativeTools): ReadonlySet<string>;
  };

  /** Whether a model reads what a search found, once the conversation is rewritten for it. That of a meta-tool has no side. */
  reads(toolName: unknown, side: Side | undefined, execution: Side): boolean;
  /** Whether the result of a search that ran at this provider lacks what it found. */
  isForgotten(result: unknown): boolean;
  /** Whether the provider stores the conversation, and is sent ids of its items. */
  isStored(providerOptions: unknown): boolean;
  /** The tools whose definitions a model reads by way of a result. */
  namesRead(part: ToolPart): readonly string[];
  /** A search as the models of this dialect read it. Undefined leaves it out. */
  rewrite(search: ProviderSearch, sent: NativeTools): RewrittenSearch | undefined;
  /** Makes the final prompt fit the tools of its request. */
  fit(prompt: Prompt, tools: FinalTools): Prompt;

  /** How definitions are sent in mid-conversation. */
  readonly changes: {
    /** Whether a definition can be removed again. */
    readonly canRemove: boolean;
    /** The message in which the provider's package sends changes of the tools. */
    message(changes: readonly Change[]): Prompt[number];
  };
}

/** Where Mastra's router calls the provider itself: elsewhere it goes through an interface without tool search. */
const DIRECT_GATEWAYS: ReadonlySet<unknown> = new Set(['models.dev', 'netlify']);
/** Versions of the AI SDK whose packages send `deferLoading`. Older ones drop it, and would send every tool eager. */
const CURRENT_SPECIFICATIONS: ReadonlySet<unknown> = new Set(['v3', 'v4']);

/** Whether a model is called through an interface with tool search: by Mastra's router, or by one of these packages. */
export function isCalledDirectly(model: NativeModel, name: string, packages: RegExp): boolean {
  const { specificationVersion, provider = '', gatewayId, config } = model;
  if (gatewayId === undefined) return CURRENT_SPECIFICATIONS.has(specificationVersion) && packages.test(provider);
  // An address of the user's own is called through an interface without tool search.
  return DIRECT_GATEWAYS.has(gatewayId) && asRecord(config)?.['url'] === undefined && provider === name;
}

/** A version as a number, so that it can be compared: 405 is 4.5. */
export const versionOf = (major = '0', minor = '0'): number => Number(major) * 100 + Number(minor);

/** The message of the system that holds options of a provider. Its content stays empty: a text would be one of the system's. */
export function optionsMessage(provider: string, options: object): Prompt[number] {
  return { role: 'system', content: '', providerOptions: { [provider]: options } } as Prompt[number];
}
