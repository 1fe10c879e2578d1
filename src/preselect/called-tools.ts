import type { CatalogEntry } from '../catalog/entry.ts';
import { callsOfRun, missedName, type ToolCall } from '../conversation/calls.ts';
import type { Services, Step } from '../meta-tools/step.ts';
import { Lru } from '../util/lru.ts';

/** Threads whose last run is remembered. */
const MAX_THREADS = 1_000;

/** What a run began with. */
interface Begun {
  /** The tools of it that nobody has called yet, as far as was seen. */
  readonly preselected: ReadonlySet<string>;
  /** The calls before it. */
  readonly before: ReadonlySet<string | undefined>;
}

/** Loads preselected tools that were called: they stay for the thread. */
export class CalledTools {
  readonly #services: Services;
  /** The last run of each thread: its last call may be seen by the next run alone. */
  readonly #begun = new Lru<Begun>(MAX_THREADS);

  constructor(services: Services) {
    this.#services = services;
  }

  /** Remembers what a run begins with. */
  note({ state, calls }: Step): void {
    if (state.scope === undefined) return;
    this.#begun.set(state.scope, { preselected: state.preselected, before: new Set(calls.map(({ id }) => id)) });
  }

  /** Loads what was preselected for the run under way and is called by now. */
  async keep(step: Step): Promise<void> {
    const { state, loaded, calls } = step;
    if (state.preselected.size === 0) return;
    const called = new Set(entriesOf(callsOfRun(calls), step).map(({ name }) => name));
    const kept = [...state.preselected].filter((name) => called.has(name));
    for (const name of kept) {
      state.preselected.delete(name);
      loaded.add(name);
    }
    await this.#services.registry.add(state, kept);
  }

  /**
   * Loads what was called in the run before this one when that had no further step, and in the part of this run that
   * came before a restart. The conversation may be a client's, so that the load phase is asked.
   */
  async keepEarlier(step: Step): Promise<void> {
    const { state, calls, loaded, resident, permissions } = step;
    const begun = state.scope === undefined ? undefined : this.#begun.get(state.scope);
    const since = begun ? calls.filter(({ id }) => !begun.before.has(id)) : [];
    const ofThread = entriesOf(since, step).filter(({ name }) => begun?.preselected.has(name));
    const called = [...ofThread, ...entriesOf(callsOfRun(calls), step)];
    const unknown = called.filter(({ name }) => !loaded.has(name) && !resident.has(name));
    const kept = (await permissions.allowed(new Set(unknown), 'load')).map(({ name }) => name);
    for (const name of kept) loaded.add(name);
    await this.#services.registry.add(state, kept);
  }
}

/** The tools of calls that found theirs. */
function entriesOf(calls: readonly ToolCall[], { catalog }: Step): readonly CatalogEntry[] {
  const ran = calls.filter((call) => missedName(call) === undefined);
  return ran.flatMap(({ toolName }) => (toolName === undefined ? [] : (catalog.get(toolName) ?? [])));
}
