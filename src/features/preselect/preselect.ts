import type { Mastra } from '@mastra/core/mastra';
import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import type { PreselectReason } from '../../events/reasons.ts';
import { callsOfRun, type ToolCall } from '../../loaded/conversation/conversation.ts';
import type { MetaToolParts } from '../../meta-tools/meta-tool.ts';
import { entriesOf, type Step } from '../../processor/step.ts';
import { Lru } from '../../util/lru.ts';
import type { Feature } from '../feature.ts';

/** The tools that a run is to begin with, and why there are none. */
export interface Decision {
  /** Tools to send for this run, that are not there yet, best first. */
  readonly entries: readonly CatalogEntry[];
  /** Names of tools that were loaded for the thread. */
  readonly loaded?: readonly string[];
  readonly reason?: PreselectReason;
  readonly confidence?: number;
  readonly choice?: string;
  readonly probability?: number;
  readonly error?: unknown;
}

export interface PreselectSource {
  /** Never rejects. */
  decide(step: Step): Promise<Decision>;
  /** Begins what can be done before the first step of a run, with its catalog. */
  prepare?(catalog: Catalog): void;
  /** Gives the Mastra instance, which knows registered classifiers. */
  useMastra?(mastra: Mastra): void;
  /** @throws ToolSearchError `unknown-tool` for options that name a tool which the catalog does not have. */
  checkNames?(catalog: Catalog): void;
}

type PreselectParts = Pick<MetaToolParts, 'loader' | 'registry' | 'reporter' | 'options'>;

/** Threads whose runs are remembered, and tools of one. */
const MAX_THREADS = 1_000;
const MAX_TOOLS = 32;

interface Order {
  readonly loaded: readonly string[];
  readonly preselected: readonly string[];
}

/**
 * Sends the tools that the user's words ask for with the first step of a run. They count as loaded for this run, behind what
 * is loaded, and stay for the thread once they are called. Through a bridge they are suggested, and nothing is loaded.
 */
export class Preselect implements Feature {
  readonly #source: PreselectSource;
  readonly #parts: PreselectParts;
  /** The tools of each run, by its request, in the order in which its first step sent them. */
  readonly #orders = new WeakMap<object, Order>();
  /** What runs of a thread began with and is not loaded yet, with the calls before. By thread, as runs may overlap. */
  readonly #begun = new Lru<Map<string, ReadonlySet<string | undefined>>>(MAX_THREADS);

  constructor(source: PreselectSource, parts: PreselectParts) {
    this.#source = source;
    this.#parts = parts;
  }

  checkNames(catalog: Catalog): void {
    this.#source.checkNames?.(catalog);
  }

  useMastra(mastra: Mastra): void {
    this.#source.useMastra?.(mastra);
  }

  beginRun(catalog: Catalog): void {
    const { tools, includeResolvedTools } = this.#parts.options;
    // With the agent's own tools, the catalog of a step is another object, and all of them would be read twice.
    if (typeof tools === 'function' && !includeResolvedTools) this.#source.prepare?.(catalog);
  }

  /** Adds the preselected tools to the loaded tools of a step. Never throws. */
  async active(step: Step): Promise<void> {
    const { state, tools } = step;
    const { loaded, preselected } = this.#orders.get(state) ?? (await this.#begin(step));
    if (!step.reach.bridge) await this.#keepCalled(step);
    const begun = [...loaded, ...preselected];
    const later = tools.loaded.filter((name) => !begun.includes(name));
    const kept = preselected.filter((name) => state.preselected.has(name));
    tools.add('preselected', kept);
    tools.reorder([...begun, ...later]);
    await this.#parts.loader.activate(step, ['preselected', 'fresh']);
  }

  async #begin(step: Step): Promise<Order> {
    const { state, tools } = step;
    if (!step.reach.bridge) await this.#keepEarlier(step);
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
    const { entries: _, loaded: kept = [], ...rest } = decision;
    const outcome = isLeftOut ? ({ ...rest, reason: 'no-room' } as const) : rest;
    this.#parts.reporter.report(
      { type: 'preselect', tools: [...kept, ...preselected], ...outcome, ms: performance.now() - start },
      step.origin,
    );
    return order;
  }

  #note({ state: { scope, preselected }, calls }: Step): void {
    if (scope === undefined || preselected.size === 0) return;
    const begun = this.#begun.get(scope) ?? new Map();
    const before = new Set(calls.map(({ id }) => id));
    for (const name of preselected) {
      // The last one is at the end.
      begun.delete(name);
      begun.set(name, before);
    }
    for (const name of [...begun.keys()].slice(0, -MAX_TOOLS)) begun.delete(name);
    this.#begun.set(scope, begun);
  }

  /** Loads what was preselected for the run under way and is called by now. */
  async #keepCalled(step: Step): Promise<void> {
    const { state, tools, calls } = step;
    const called = new Set(callsOfRun(calls).map((call) => calledName(call, step)));
    const kept = [...state.preselected].filter((name) => called.has(name));
    await this.#keep(kept, step);
    const begun = state.scope === undefined ? undefined : this.#begun.get(state.scope);
    for (const name of begun?.keys() ?? []) if (tools.isLoaded(name)) begun?.delete(name);
  }

  /** Loads what earlier runs began with, and called last. The conversation may be a client's: the load phase is asked. */
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

/** The name of the tool of the catalog that a call found; undefined for any other call. */
function calledName(call: ToolCall, { catalog }: Step): string | undefined {
  return call.toolName === undefined || call.missing !== undefined ? undefined : catalog.get(call.toolName)?.name;
}
