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

/** The work budget of one meta-tool call, or of a step's beginning. Work decrements its fields. */
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

/** How a step's model reaches the tools that a search finds. Each mode supplies its own. */
export interface Reach {
  /** The names of the tools that search and load, as results name them. */
  readonly names: MetaToolNames;
  /** Whether a search loads what it finds: with `search.autoLoad`, and always in native mode. */
  readonly autoLoad: boolean;
  /** Whether an auto-loading search also loads weak matches: only where the system text says so. */
  readonly loadsWeak: boolean;
  /** The tool that calls found tools, which are then never loaded or sent. Absent in modes that load found tools. */
  readonly bridge?: string | undefined;
  /** The result's sentence for `count` found tools, of which `fits` probably match. Absent where `load_tool` loads them. */
  found?(count: number, fits: readonly string[]): string;
  /** Answers a `select:` query. Absent where `select:` loads the tools. */
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
  /** Whether the step may be a DurableAgent's. A DurableAgent runs and names only tools in `activeTools`. */
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
  /** The agent's own tools that searches leave out, by name. */
  readonly own: Readonly<Record<string, unknown>>;
  /** The conversation's tool calls at the time when the step, or the meta-tool call, began. */
  readonly calls: readonly ToolCall[];
  readonly tools: ToolPresence;
  readonly allowance: Allowance;
  /** Load mode's `Reach`, until the step's mode is known. */
  mode: Reach;
}

/** To be called when a call of one of this processor's tools begins, and when it ends. */
export function noteCall(state: RequestState): void {
  state.onCall?.();
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
  /** `activeTools`, where the mode or the caller sets it. */
  readonly activeTools?: string[] | undefined;
  /** Whether `activeTools` must hide the tools that this step does not send. */
  readonly hidesOthers?: boolean;
  readonly model?: unknown;
}

/** A step's tools as they are sent. `toolChoice` is set where the step cannot keep the caller's. */
export interface SentTools extends Pick<ModeTools, 'tools' | 'activeTools' | 'model'> {
  readonly toolChoice?: 'auto' | { readonly type: 'tool'; readonly toolName: string };
}

/** Turns what the mode sends into the step's result. */
export function finish(sent: ModeTools, step: Step): SentTools {
  markSent(sent.added);
  step.state.sent = new Set(sent.names);
  let list = sent.activeTools;
  if (sent.hidesOthers === true || step.received.isDurable !== false) {
    // A DurableAgent also finds tools outside `tools`; only `activeTools` keeps it from running them.
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

/** The tool name that a `toolChoice` forces. Undefined where the model may call any tool, or none. */
export function forcedName(toolChoice: unknown): string | undefined {
  const name = asRecord(toolChoice)?.['toolName'];
  return typeof name === 'string' ? name : undefined;
}
