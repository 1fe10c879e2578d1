import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Permissions } from '../filter/permissions.ts';
import type { ToolCall } from '../loaded/conversation/conversation.ts';
import { withoutHidden } from '../mastra/hiding.ts';
import { markSent, type SeparatedTools } from '../mastra/marks.ts';
import type { SearchResult } from '../search/search-result.ts';
import { asRecord } from '../util/record.ts';
import type { ToolPresence } from './presence.ts';
import type { RequestState } from './request.ts';

/** The work that one call of a meta-tool, or the beginning of a step, may still do. Counted down. */
export interface Allowance {
  names: number;
  /** Providers take 128 tools in all. */
  loads: number;
  suggestions: number;
  /** Comparisons of an unknown name with one of the catalog: about half a second of work. */
  comparisons: number;
}

export function newAllowance(): Allowance {
  return { names: 100, loads: 20, suggestions: 5, comparisons: 1_000_000 };
}

/** The names under which the model knows the meta-tools. */
export interface MetaToolNames {
  readonly search: string;
  readonly load: string;
}

/** How the model of a step gets at the tools that a search finds. A mode decides. */
export interface Reach {
  /** The names of the tools that search and load, as results name them. */
  readonly names: MetaToolNames;
  /** Whether a search loads what it finds: with `search.autoLoad`, and always in native mode. */
  readonly autoLoad: boolean;
  /** Whether such a search loads where nothing clearly matches: only where the system text says so. */
  readonly loadsWeak: boolean;
  /** Absent where found tools are loaded. */
  readonly bridge?: Bridge | undefined;
}

/** How results speak of tools that are called through `call_tool`, and never loaded. */
export interface Bridge {
  readonly name: string;
  /** What the injected catalog says before its list. */
  readonly catalogIntro: string;
  /** What a search says that found so many, of which some probably fit. */
  found(count: number, fits: readonly string[]): string;
  /** What a model is told that called a tool by its own name, in place of how to call it through the bridge. */
  missed?(name: string): string;
  select(names: readonly string[], step: Step): Promise<BridgeSelection>;
}

/** The answer to a `select:` in call mode. */
export interface BridgeSelection {
  readonly results: readonly (Pick<CatalogEntry, 'name' | 'description' | 'tool'> &
    Pick<SearchResult, 'score'> & { readonly isCallable?: boolean })[];
  readonly message: string;
}

/**
 * One step of one request. It has five stops: whose request it is, which catalog it searches, what is loaded, what its mode
 * sends, and the result. Each stop fills in what the next ones read.
 */
export interface Step {
  readonly args: ProcessInputStepArgs;
  readonly state: RequestState;
  readonly origin: EventOrigin;
  readonly permissions: Permissions;

  readonly catalog: Catalog;
  /** The agent's own tools that are not searched, by name. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly separated: SeparatedTools;
  /** Whether the step may be a DurableAgent's, which runs and names only what the list of active tools holds. */
  isDurable: boolean | 'unknown';

  /** The calls in the conversation, as they were when the step, or the call of a meta-tool, began. */
  readonly calls: readonly ToolCall[];
  /** Reads the calls anew: while a step runs, the conversation grows. */
  readonly readCalls: () => readonly ToolCall[];

  readonly tools: ToolPresence;
  /** The tool of the catalog that the step's `toolChoice` names, as far as the request may use it. */
  forced: CatalogEntry | undefined;
  /** Whether a tool is known to be of no use to this request: it cannot be sent. A search skips it. */
  readonly isUnusable: (entry: CatalogEntry) => boolean;
  /** A tool as Mastra is sent it; undefined where it cannot be sent. */
  readonly compatible: (entry: CatalogEntry) => object | undefined;
  readonly allowance: Allowance;
  reach: Reach;
  /** Whether a search replaces a load of names that no tool has: it shows what may be loaded. */
  readonly isForNames?: boolean;
  /** Whether an answer may suggest another search: false after some that led to nothing. */
  readonly mayRetry?: boolean;
}

/** Notes that a tool of this processor is called, or that such a call has ended. */
export function noteCall(state: RequestState): void {
  state.whenCalled?.();
}

export function entriesOf(names: Iterable<string>, { catalog }: Step): readonly CatalogEntry[] {
  return [...names].flatMap((name) => catalog.get(name) ?? []);
}

export function activeEntries(step: Step): readonly CatalogEntry[] {
  return entriesOf(step.tools.active, step);
}

/** The tools that the run began with, as the user's words ask for them, as far as the model can call them. */
export function preselectedIn({ state, tools }: Step): readonly string[] {
  return [...state.preselected].filter((name) => tools.isCallable(name));
}

export interface ModeTools {
  readonly tools: Record<string, unknown>;
  /** The names that count as sent. */
  readonly names: Iterable<string>;
  /** Tools that were made for this step. */
  readonly added: Iterable<unknown>;
  /** The list of active tools, where the mode or the caller has one. */
  readonly activeTools?: string[] | undefined;
  /** Whether the list has to hide what this step does not send. */
  readonly hidesOthers?: boolean;
  readonly model?: unknown;
  /** The tool through which a forced tool is called that is not sent. */
  readonly bridge?: string;
}

/** The tools of a step as they are sent, with another `toolChoice` where the caller's cannot hold. */
export interface SentTools extends Pick<ModeTools, 'tools' | 'activeTools' | 'model'> {
  readonly toolChoice?: 'auto' | { readonly type: 'tool'; readonly toolName: string };
}

/** Tools by name, each as it is sent. */
export function compatibleTools(entries: readonly CatalogEntry[], step: Step): Record<string, unknown> {
  // Also for a tool that is called "__proto__".
  const tools: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const entry of entries) {
    const tool = step.compatible(entry);
    if (tool) tools[entry.name] = tool;
  }
  // Not the request's own tools: they come again with its next step.
  markSent(entries.filter((entry) => !entry.isResolved).map(({ name }) => tools[name]));
  return tools;
}

/** Makes the result of a step of what its mode sends. */
export function finish(sent: ModeTools, step: Step): SentTools {
  markSent(sent.added);
  step.state.sent = new Set(sent.names);
  let list = sent.activeTools;
  if (sent.hidesOthers === true || step.isDurable !== false) {
    // A DurableAgent looks for tools in other places too, and leaves alone what the list lacks.
    const entries = [...step.catalog.entries].flatMap(({ name, key }) => [name, key]);
    const all = [...step.separated.registered.keys(), ...entries];
    const hidden = all.filter((name) => !Object.hasOwn(sent.tools, name));
    list = withoutHidden(Object.keys(sent.tools), hidden, list);
  }
  return {
    tools: sent.tools,
    ...(list ? { activeTools: list } : {}),
    ...(sent.model === undefined ? {} : { model: sent.model }),
  };
}

/** The name of the tool that a model has to call, in a step as in a call; undefined where it may call any, or none. */
export function forcedName(toolChoice: unknown): string | undefined {
  const name = asRecord(toolChoice)?.['toolName'];
  return typeof name === 'string' ? name : undefined;
}
