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
  /** The tool through which found tools are called, which then are never loaded or sent; absent where they are loaded. */
  readonly bridge?: string | undefined;
  /** The sentence for so many found tools, of which some probably fit; absent where `load_tool` loads them. */
  found?(count: number, fits: readonly string[]): string;
  /** Answers a `select:`; absent where it loads. */
  select?(names: readonly string[], step: Step): Promise<Selection>;
}

/** The tools that a `select:` describes. */
export interface Selection {
  readonly results: readonly (Pick<CatalogEntry, 'name' | 'description' | 'tool'> &
    Pick<SearchResult, 'score'> & { readonly isCallable?: boolean })[];
  readonly message: string;
}

/** The tools that Mastra gave a step, taken apart. */
export interface ReceivedTools extends SeparatedTools {
  /** Whether the step may be a DurableAgent's, which runs and names only what the list of active tools holds. */
  readonly isDurable: boolean | 'unknown';
}

/**
 * One step of one request. It has five stops: whose request it is, which catalog it searches, what is loaded, what its mode
 * sends, and the result. Each stop fills in what the next ones read.
 *
 * Each call of a meta-tool has a copy, with calls, permissions, an allowance and an origin of its own.
 */
export interface Step {
  readonly args: ProcessInputStepArgs;
  readonly received: ReceivedTools;
  readonly state: RequestState;
  readonly origin: EventOrigin;
  readonly permissions: Permissions;
  readonly catalog: Catalog;
  /** The agent's own tools that are not searched, by name. */
  readonly own: Readonly<Record<string, unknown>>;
  /** The calls in the conversation, as they were when the step, or the call of a meta-tool, began. */
  readonly calls: readonly ToolCall[];
  readonly tools: ToolPresence;
  readonly allowance: Allowance;
  /** That of load mode, until the mode of the step is known. */
  mode: Reach;
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

/** The preselected tools of the run that the model can call. */
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
}

/** The tools of a step as they are sent, with another `toolChoice` where the step cannot keep the caller's. */
export interface SentTools extends Pick<ModeTools, 'tools' | 'activeTools' | 'model'> {
  readonly toolChoice?: 'auto' | { readonly type: 'tool'; readonly toolName: string };
}

/** Makes the result of a step of what its mode sends. */
export function finish(sent: ModeTools, step: Step): SentTools {
  markSent(sent.added);
  step.state.sent = new Set(sent.names);
  let list = sent.activeTools;
  if (sent.hidesOthers === true || step.received.isDurable !== false) {
    // A DurableAgent finds tools in other places too, and runs only those of the list.
    const entries = [...step.catalog.entries].flatMap(({ name, key }) => [name, key]);
    const all = [...step.received.registered.keys(), ...entries];
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
