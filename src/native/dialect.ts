import type { AnsweredSearch, MetaToolNames, NativeModel, Prompt, ToolPart } from '../kit.ts';
import { asRecord } from '../util/record.ts';

/** The definition of a tool, as a provider's package receives it. */
export interface Definition {
  readonly type: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly strict?: boolean;
  readonly providerOptions?: unknown;
}

/** The fields of a model's call options that are read here: the same in all versions of the specification. */
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
  /** The side that ran a call of a provider's search tool, or `'meta-tool'` for a call of a meta-tool. */
  readonly origin: Side | 'meta-tool';
  readonly call: ToolPart;
  readonly result: ToolPart | undefined;
  /** The names of tools in the result: those that a meta-tool loaded, or a provider found. */
  readonly found: readonly string[];
  /** Tools that were called between this search and the next, and never before. */
  readonly called: readonly string[];
  /** Whether the result may still come: the call is in the last message, or only results follow it. */
  readonly isUnderWay: boolean;
  /** The search as a call of the meta-tool, without what only the provider knows. */
  asPlain(): RewrittenSearch;
}

export type RewrittenSearch = Pick<ProviderSearch, 'call' | 'result'>;

/** What a native step sent: the part that the conversation has to fit. */
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
  /** Whether this processor answers the provider's own search tool: tools to be found need not be in the request. */
  readonly answersSearch: boolean;
  /** Whether definitions are sent in mid-conversation. */
  readonly appends: boolean;
  /** Whether found tools are sent only as appended definitions. No tool is deferred then; a search is an ordinary call. */
  readonly appendsAll: boolean;
}

/** A tool that this processor found in answer to the provider's search tool. */
export interface ClientFind {
  readonly description: string;
  readonly tool: object;
}

/** The tools of the final request, which its prompt has to fit. */
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
  /** The names of the provider's search tool in the calls of a conversation. */
  readonly searchNames: readonly string[];
  /** Returns the side that ran a call of the search tool, by its input. Absent if the names alone show that. */
  readonly sideOf?: (input: unknown) => Side | undefined;

  /** Whether a model has this provider's tool search: the model is new enough, and so is the interface that calls it. */
  supports(model: NativeModel): boolean;
  /** Whether a model is known to take definitions in mid-conversation. The packages do not check the model. */
  takesDefinitions(model: NativeModel): boolean;
  /** The name of the provider's search tool for a model. */
  searchName(model: NativeModel): string;

  /** The provider's search tool that the provider runs within the request. */
  hostedSearch(searchName: string): object;
  /** The provider's search tool that this processor answers with these tools. Absent if models call the meta-tool. */
  clientSearch?(searchName: string, search: AnsweredSearch, toolOf: (name: string) => ClientFind | undefined): object;
  /** Turns a tool's provider options into those of a deferred tool. */
  deferOptions(options: Readonly<Record<string, object>>, namespace: Namespace | undefined): object;
  /** Options that a deferred tool must not have. */
  readonly refusedOptions: readonly string[];
  /** How calls of tools in namespaces are written. Absent if tools have no namespaces. */
  readonly namespaces?: {
    /** Writes namespaces into the calls that need them; `eager` are the catalog's tools that are sent eager. */
    named(prompt: Prompt, sent: NativeTools, eager: Iterable<string>): Prompt;
    /** The tools that a prompt calls in namespaces. */
    called(prompt: Prompt, sent: NativeTools): ReadonlySet<string>;
  };

  /** Whether a model reads the finds of a search in its rewritten conversation. A meta-tool's search has no side. */
  reads(toolName: unknown, side: Side | undefined, execution: Side): boolean;
  /** Whether the result of a search that this provider ran lacks the tools that the search found. */
  isForgotten(result: unknown): boolean;
  /** Whether the provider stores the conversation, so that the request refers to its items by id. */
  isStored(providerOptions: unknown): boolean;
  /** The tools whose definitions a model reads in a result. */
  namesRead(part: ToolPart): readonly string[];
  /** Rewrites a search for the models of this dialect. Undefined leaves the search out. */
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

/** Gateways at which Mastra's router calls the provider directly. The others have no tool search. */
const DIRECT_GATEWAYS: ReadonlySet<unknown> = new Set(['models.dev', 'netlify']);
/** Versions of the AI SDK whose packages send `deferLoading`. Older ones drop it, and would send every tool eager. */
const CURRENT_SPECIFICATIONS: ReadonlySet<unknown> = new Set(['v3', 'v4']);

/** Whether a model is called through an interface with tool search: by Mastra's router, or by one of these packages. */
export function isCalledDirectly(model: NativeModel, name: string, packages: RegExp): boolean {
  const { specificationVersion, provider = '', gatewayId, config } = model;
  if (gatewayId === undefined) return CURRENT_SPECIFICATIONS.has(specificationVersion) && packages.test(provider);
  // With a custom URL, the router uses an interface without tool search.
  return DIRECT_GATEWAYS.has(gatewayId) && asRecord(config)?.['url'] === undefined && provider === name;
}

/** A version as a comparable number: 405 is 4.5. */
export const versionOf = (major = '0', minor = '0'): number => Number(major) * 100 + Number(minor);

/** A system message that carries provider options. Its content is empty: a text would become part of the system prompt. */
export function optionsMessage(provider: string, options: object): Prompt[number] {
  return { role: 'system', content: '', providerOptions: { [provider]: options } } as Prompt[number];
}
