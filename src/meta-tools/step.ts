import type { Catalog } from '../catalog/catalog.ts';
import type { Groups } from '../catalog/groups.ts';
import type { ToolCall } from '../conversation/calls.ts';
import type { Permissions } from '../filter/permissions.ts';
import type { Policy } from '../filter/policy.ts';
import type { Registry } from '../loaded/registry.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { Reporter } from '../reporter.ts';
import type { RequestState } from '../request/request-state.ts';
import type { IndexCache } from '../search/index-cache.ts';

/** The parts of one processor, shared by all its requests. */
export interface Services {
  readonly options: ResolvedOptions;
  readonly policy: Policy;
  readonly registry: Registry;
  readonly indexes: IndexCache;
  readonly groups: Groups;
  readonly reporter: Reporter;
}

/** What one call of a meta-tool, or the beginning of a step, may still do. Counted down. */
export interface Allowance {
  /** Names that are looked up. */
  names: number;
  /** Tools that are loaded: providers take 128 in all. */
  loads: number;
  /** Unknown names that get suggestions. */
  suggestions: number;
  /** Names of the catalog that unknown names are compared with: about half a second of work. */
  comparisons: number;
}

export function newAllowance(): Allowance {
  return { names: 100, loads: 20, suggestions: 5, comparisons: 1_000_000 };
}

/** One step of one request, as the meta-tools see it. */
export interface Step {
  readonly catalog: Catalog;
  readonly permissions: Permissions;
  readonly state: RequestState;
  /** The calls of the conversation, as the step, or a call of a meta-tool in it, found them. */
  readonly calls: readonly ToolCall[];
  /** Reads them anew: while a step runs, its conversation grows. */
  readonly readCalls: () => readonly ToolCall[];
  /** Names that are loaded, those of this step's own calls included. */
  readonly loaded: Set<string>;
  /** The part of `loaded` that this step's own calls loaded. */
  readonly fresh: Set<string>;
  /** Names that are sent on every step and need no loading: meta-tools, the agent's own, `alwaysLoaded`. */
  readonly resident: ReadonlySet<string>;
  /** The part of `resident` that the request has for certain: neither `activeTools` nor another processor may hide it. */
  readonly available: ReadonlySet<string>;
  /** Whether a search loads what it finds: with `search.autoLoad`, and always in native mode. */
  readonly autoLoad: boolean;
  /** Whether it does so where nothing clearly matches. Not for those who are not told that, as Anthropic's models are not. */
  readonly loadsWeak: boolean;
  readonly allowance: Allowance;
  /** Whether a search may ask for another: false after some that led to nothing. */
  readonly mayRetry?: boolean;
}

/** The step, as a call of a meta-tool has it: with an allowance of its own, and maybe aborted before its step is. */
export function duringCall(step: Step, context: { readonly abortSignal?: AbortSignal } | undefined): Step {
  const permissions = step.permissions.until(context?.abortSignal);
  return { ...step, calls: step.readCalls(), permissions, allowance: newAllowance() };
}
