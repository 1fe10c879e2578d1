import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import type { PreselectReason } from '../../events/reasons.ts';
import { callsOfRun, type ToolCall } from '../../loaded/conversation/conversation.ts';
import type { MetaToolOptions, MetaToolParts } from '../../meta-tools/meta-tool.ts';
import type { SearchServices } from '../../search/find.ts';
import { entriesOf, type Step } from '../../step/step.ts';
import { Lru } from '../../util/lru.ts';
import type { Feature } from '../feature.ts';

/** The tools that a run begins with, or the reason why there are none. */
export interface Decision {
  /** Tools to send for this run, best first, without tools that the step already has. */
  readonly entries: readonly CatalogEntry[];
  readonly reason?: PreselectReason;
  readonly confidence?: number;
  readonly error?: unknown;
}

export interface PreselectSource {
  /** Never rejects. */
  decide(step: Step): Promise<Decision>;
  /** Prepares for the first step of a run with this catalog. */
  prepare?(catalog: Catalog): void;
}

/** What preselect needs of the processor. */
export interface PreselectParts extends Pick<MetaToolParts, 'loader' | 'registry' | 'groups' | keyof SearchServices> {
  readonly options: MetaToolOptions & {
    /** The option `tools`. A function returns new tools for each run. */
    readonly tools: unknown;
    readonly includeResolvedTools: boolean;
    readonly timeouts: { readonly preselect?: number | undefined; readonly index: number };
  };
}

/** Limits: remembered threads, and remembered tools of one thread. */
const MAX_THREADS = 1_000;
const MAX_TOOLS = 32;

interface Order {
  readonly loaded: readonly string[];
  readonly preselected: readonly string[];
}

/**
 * Sends tools that match the user's message from the first step of a run on. In this run these tools count as loaded, and are
 * listed after the loaded ones; a call loads the tool for the thread. In modes with a bridge the tools are only suggested.
 */
export class Preselect implements Feature {
  readonly #source: PreselectSource;
  readonly #parts: PreselectParts;
  /** The tools of each run, keyed by request state, in the order in which the first step sent the tools. */
  readonly #orders = new WeakMap<object, Order>();
  /** By thread: preselected tools that are not loaded yet, each with the ids of earlier calls. Runs may overlap. */
  readonly #begun = new Lru<Map<string, ReadonlySet<string | undefined>>>(MAX_THREADS);

  constructor(source: PreselectSource, parts: PreselectParts) {
    this.#source = source;
    this.#parts = parts;
  }

  beginRun(catalog: Catalog): void {
    const { tools, includeResolvedTools } = this.#parts.options;
    // With `includeResolvedTools` a step uses another catalog object, so preparing this one would index all tools twice.
    if (typeof tools === 'function' && !includeResolvedTools) this.#source.prepare?.(catalog);
  }

  /** Adds the preselected tools to the loaded tools of a step. Never throws. */
  async active(step: Step): Promise<void> {
    const { state, tools } = step;
    const { loaded, preselected } = this.#orders.get(state) ?? (await this.#begin(step));
    if (!step.mode.bridge) await this.#keepCalled(step);
    const begun = [...loaded, ...preselected];
    const later = tools.loaded.filter((name) => !begun.includes(name));
    const kept = preselected.filter((name) => state.preselected.has(name));
    tools.add('preselected', kept);
    tools.reorder([...begun, ...later]);
    await this.#parts.loader.activate(step, ['preselected', 'fresh']);
  }

  async #begin(step: Step): Promise<Order> {
    const { state, tools } = step;
    if (!step.mode.bridge) await this.#keepEarlier(step);
    const start = performance.now();
    const loaded = tools.loaded;
    const decision = await this.#source.decide(step);
    const entries = this.#parts.loader.fitting(decision.entries, step);
    const preselected = entries.map(({ name }) => name);
    for (const name of preselected) state.preselected.add(name);
    const order = { loaded, preselected };
    this.#orders.set(state, order);
    this.#note(step);
    const isLeftOut = decision.entries.length > 0 && entries.length === 0;
    const { entries: _, ...rest } = decision;
    const outcome = isLeftOut ? ({ ...rest, reason: 'no-room' } as const) : rest;
    this.#parts.reporter.report(
      { type: 'preselect', tools: preselected, ...outcome, ms: performance.now() - start },
      step.origin,
    );
    return order;
  }

  #note({ state: { scope, preselected }, calls }: Step): void {
    if (scope === undefined || preselected.size === 0) return;
    const begun = this.#begun.get(scope) ?? new Map();
    const before = new Set(calls.map(({ id }) => id));
    for (const name of preselected) {
      // Deleting first moves the name to the end: the oldest names are dropped below.
      begun.delete(name);
      begun.set(name, before);
    }
    for (const name of [...begun.keys()].slice(0, -MAX_TOOLS)) begun.delete(name);
    this.#begun.set(scope, begun);
  }

  /** Loads the preselected tools that the current run has called. */
  async #keepCalled(step: Step): Promise<void> {
    const { state, tools, calls } = step;
    const called = new Set(callsOfRun(calls).map((call) => calledName(call, step)));
    const kept = [...state.preselected].filter((name) => called.has(name));
    await this.#keep(kept, step);
    const begun = state.scope === undefined ? undefined : this.#begun.get(state.scope);
    for (const name of begun?.keys() ?? []) if (tools.isLoaded(name)) begun?.delete(name);
  }

  /** Loads tools that earlier runs preselected and called. Clients may forge a conversation, so the load phase is asked. */
  async #keepEarlier(step: Step): Promise<void> {
    const { state, calls, tools, permissions } = step;
    const begun = state.scope === undefined ? undefined : this.#begun.get(state.scope);
    const isSince = (call: ToolCall): boolean => {
      const before = begun?.get(calledName(call, step) ?? '');
      return before !== undefined && !before.has(call.id);
    };
    const called = [...calls.filter(isSince), ...callsOfRun(calls)].map((call) => calledName(call, step) ?? '');
    const unknown = [...new Set(called)].filter((name) => !tools.has(name));
    const allowed = await permissions.allowed(entriesOf(unknown, step), 'load');
    await this.#keep(
      allowed.map(({ name }) => name),
      step,
    );
  }

  async #keep(names: readonly string[], { state, tools }: Step): Promise<void> {
    tools.add('preselected', names);
    await this.#parts.registry.add(state, names);
  }
}

/** The name of the catalog tool that a call ran; undefined for any other call. */
function calledName(call: ToolCall, { catalog }: Step): string | undefined {
  return call.toolName === undefined || call.missing !== undefined ? undefined : catalog.get(call.toolName)?.name;
}
