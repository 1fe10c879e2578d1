import { callsOfRun, missedName, type ToolCall } from '../../loaded/conversation/calls.ts';
import type { Services, Step } from '../../meta-tools/step.ts';
import { Lru } from '../../util/lru.ts';

/** Threads whose runs are remembered, and tools of one. */
const MAX_THREADS = 1_000;
const MAX_TOOLS = 32;

/** The tools that runs of a thread began with and that are not loaded yet, each with the calls before that run. */
type Begun = Map<string, ReadonlySet<string | undefined>>;

/**
 * Loads preselected tools that were called: they stay for the thread. Through a bridge nothing is loaded, and what is
 * suggested stays as it is.
 */
export class CalledTools {
  readonly #services: Services;
  /** By thread, and not by run: the last call of a run may be seen by a later one alone, and runs may overlap. */
  readonly #begun = new Lru<Begun>(MAX_THREADS);

  constructor(services: Services) {
    this.#services = services;
  }

  /** Remembers what a run begins with. */
  note({ state: { scope, preselected }, calls }: Step): void {
    if (scope === undefined || preselected.size === 0) return;
    const begun = this.#begunIn(scope);
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
  async keep(step: Step): Promise<void> {
    const { state, loaded, calls, bridge } = step;
    if (bridge) return;
    const called = new Set(callsOfRun(calls).map((call) => calledName(call, step)));
    const kept = [...state.preselected].filter((name) => called.has(name));
    for (const name of kept) loaded.add(name);
    await this.#services.registry.add(state, kept);
    if (state.scope === undefined) return;
    const begun = this.#begunIn(state.scope);
    for (const name of begun.keys()) if (loaded.has(name)) begun.delete(name);
  }

  /**
   * Loads what was called in a run before this one when that had no further step, and in the part of this run that came
   * before a restart. The conversation may be a client's, so that the load phase is asked.
   */
  async keepEarlier(step: Step): Promise<void> {
    const { state, calls, catalog, loaded, resident, permissions, bridge } = step;
    if (bridge) return;
    const begun = state.scope === undefined ? undefined : this.#begunIn(state.scope);
    const isSince = (call: ToolCall): boolean => {
      const before = begun?.get(calledName(call, step) ?? '');
      return before !== undefined && !before.has(call.id);
    };
    const called = new Set(
      [...calls.filter(isSince), ...callsOfRun(calls)].map((call) => calledName(call, step) ?? ''),
    );
    const unknown = [...called].filter((name) => !loaded.has(name) && !resident.has(name));
    const entries = unknown.flatMap((name) => catalog.get(name) ?? []);
    const kept = (await permissions.allowed(entries, 'load')).map(({ name }) => name);
    for (const name of kept) loaded.add(name);
    await this.#services.registry.add(state, kept);
  }

  #begunIn(scope: string): Begun {
    return this.#begun.get(scope) ?? new Map();
  }
}

/** The name of the tool of the catalog that a call found; undefined for any other call. */
function calledName(call: ToolCall, { catalog }: Step): string | undefined {
  return call.toolName === undefined || missedName(call) !== undefined ? undefined : catalog.get(call.toolName)?.name;
}
