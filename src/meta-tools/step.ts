import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { Groups } from '../catalog/groups.ts';
import type { Stubs } from '../catalog/stubs.ts';
import type { EventOrigin } from '../events/origin.ts';
import { type PlacedOrigin, placeIn } from '../events/place.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Permissions } from '../filter/permissions.ts';
import type { Policy } from '../filter/policy.ts';
import type { ToolCall } from '../loaded/conversation/calls.ts';
import type { Registry } from '../loaded/registry.ts';
import { originOfCall } from '../mastra/carrier.ts';
import type { Sendability } from '../mastra/sendability.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { RequestState } from '../processor/request/request-state.ts';
import type { Indexes } from '../search/indexes.ts';
import type { Learner } from '../search/learned.ts';
import * as prompts from './prompts.ts';

/** The parts of one processor, shared by all its requests. */
export interface Services {
  readonly options: ResolvedOptions;
  readonly policy: Policy;
  readonly registry: Registry;
  readonly indexes: Indexes;
  readonly groups: Groups;
  readonly stubs: Stubs;
  readonly sendability: Sendability;
  readonly reporter: Reporter;
}

/** Missed calls of one step that run, or are answered with a load; a model that makes more at once is guessing. */
export const MAX_MISSED = 10;

/** The work that one call of a meta-tool, or the beginning of a step, may still do. Counted down. */
export interface Allowance {
  /** Names to look up. */
  names: number;
  /** Tools to load: providers take 128 in all. */
  loads: number;
  /** Unknown names to make suggestions for. */
  suggestions: number;
  /** Comparisons of an unknown name with one of the catalog: about half a second of work. */
  comparisons: number;
}

export function newAllowance(): Allowance {
  return { names: 100, loads: 20, suggestions: 5, comparisons: 1_000_000 };
}

/** How tools are spoken of that are called through `call_tool`, and never loaded: with `mode: 'call'`. */
export interface Bridge {
  /** The name of `call_tool`. */
  readonly name: string;
  /** What the injected catalog says before its list. */
  readonly catalogIntro: string;
  /** What a search says that found so many. */
  found(count: number): string;
  /** Answers `select:`. */
  select(names: readonly string[], step: Step, services: Services): Promise<BridgeSelection>;
}

/** The answer to a `select:`. */
export interface BridgeSelection {
  readonly results: readonly (Pick<CatalogEntry, 'name' | 'description' | 'tool'> & {
    readonly score: number;
    readonly isAtHand?: boolean;
  })[];
  readonly message: string;
}

/** One step of one request, as the meta-tools see it. */
export interface Step {
  readonly catalog: Catalog;
  readonly permissions: Permissions;
  readonly state: RequestState;
  readonly requestContext: RequestContext | undefined;
  readonly model: unknown;
  /** Whether a tool is known to be of no use to this request: it cannot be sent. A search passes it over. */
  readonly isUnusable: (entry: CatalogEntry) => boolean;
  /** The calls in the conversation, as they were when the step, or the call of a meta-tool, began. */
  readonly calls: readonly ToolCall[];
  /** Reads the calls anew: while a step runs, its conversation grows. */
  readonly readCalls: () => readonly ToolCall[];
  /** Reads the text of the user's last message; empty where there is none. */
  readonly readUserText: () => string;
  /** Names of loaded tools, those that this step's own calls loaded included. */
  readonly loaded: Set<string>;
  /** The part of `loaded` that this step's own calls loaded. */
  readonly fresh: Set<string>;
  /** Names of tools that are sent on every step and need no loading: meta-tools, the agent's own, `alwaysLoaded`. */
  readonly resident: ReadonlySet<string>;
  /** The agent's own tools that are sent, by name. */
  readonly own: Readonly<Record<string, unknown>>;
  /** The part of `resident` that is sent for certain: neither `activeTools` nor another processor may hide it. */
  readonly available: ReadonlySet<string>;
  /** Names of meta-tools that are not sent, because the run repeats their calls. */
  readonly spent: ReadonlySet<string>;
  /** Whether a search loads what it finds: with `search.autoLoad`, and always in native mode. */
  readonly autoLoad: boolean;
  /** Whether such a search loads where nothing clearly matches. Not with Anthropic's models, which are not told so. */
  readonly loadsWeak: boolean;
  readonly allowance: Allowance;
  /** Where its events come from. */
  readonly origin: EventOrigin;
  /** Absent where found tools are loaded. */
  readonly bridge?: Bridge | undefined;
  /** What is learned from use; absent where that is off, or nobody knows whose use it is. */
  learner?: Learner;
  /** Whether a search stands in for a load of names that no tool has: it shows what may be loaded. */
  readonly isForNames?: boolean;
  /** Whether an answer may suggest another search: false after some that led to nothing. */
  readonly mayRetry?: boolean;
}

/** The step as one call of a meta-tool sees it: with an allowance of its own, and an abort of its own. */
export function duringCall(step: Step, context: { readonly abortSignal?: AbortSignal } | undefined): Step {
  step.state.noteCall?.();
  const permissions = step.permissions.until(context?.abortSignal);
  const known = originOfCall(context, step.origin);
  // Where nothing else told them, the steps that follow have the ids as well.
  step.state.origin = known;
  const origin: PlacedOrigin = { ...known, place: placeIn(step.origin)?.ofCall(context) };
  return { ...step, calls: step.readCalls(), permissions, allowance: newAllowance(), origin };
}

/**
 * The sentence for a request that has nothing to find, whatever it searches for; undefined where it has something, or
 * where there was no time to ask. A catalog without tools looks the same as one whose tools are all forbidden.
 */
export async function nothingToFind({ catalog, permissions, state }: Step): Promise<string | undefined> {
  // Nobody has seen all of a source.
  if (catalog.candidates) return undefined;
  const { permitted, left } = await permissions.inSearch().choose(catalog.entries, 1, 'search');
  if (permitted.length + left > 0 || permissions.isAborted) return undefined;
  return prompts.noTools((await state.base)?.isUnknown === true);
}
