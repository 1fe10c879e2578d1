import type { CatalogEntry } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/document-cache.ts';
import type { Groups } from '../catalog/groups.ts';
import type { LazyTools } from '../catalog/lazy-tools.ts';
import type { Reporter } from '../events/reporter.ts';
import { type LoadingCalls, lastUses, pendingCalls } from '../loaded/conversation/conversation.ts';
import { type Caps, type Eviction, makeRoom } from '../loaded/eviction.ts';
import type { Registry } from '../loaded/registry.ts';
import type { SchemaCompatibility } from '../mastra/tool-registration.ts';
import { entriesOf, type Presence, type Step } from '../processor/step.ts';
import { echo } from '../util/text.ts';
import { resolveNames } from './names.ts';

/** What came of a load by names, each list in the order asked. */
export interface LoadOutcome {
  readonly loaded: readonly string[];
  readonly alreadyLoaded: readonly string[];
  /** Names without a tool that this request may load. The model cannot tell unknown ones from forbidden ones. */
  readonly notFound: readonly string[];
  /** Tools for which the caps had no room. */
  readonly leftOut: readonly string[];
  /** Tools beyond the number that one call loads. */
  readonly tooMany: readonly string[];
  /** Tools whose definition could not be resolved, or cannot be sent. */
  readonly failed: readonly string[];
  /** Tools that were unloaded to make room, as far as this request was sent them. */
  readonly evicted: readonly string[];
  /** The tools that the model can call from the next step on. */
  readonly ready: readonly CatalogEntry[];
}

const NONE: ReadonlySet<string> = new Set();

/** Loads tools of steps: through names, filter, definitions and caps to the registry. */
export class Loader {
  readonly #registry: Registry;
  readonly #lazyTools: LazyTools;
  readonly #compatibility: SchemaCompatibility;
  readonly #groups: Groups;
  readonly #reporter: Reporter;
  readonly #caps: Caps;
  readonly #loading: LoadingCalls;

  constructor(
    parts: {
      readonly registry: Registry;
      readonly lazyTools: LazyTools;
      readonly compatibility: SchemaCompatibility;
      readonly groups: Groups;
      readonly reporter: Reporter;
    },
    caps: Caps,
    loading: LoadingCalls,
  ) {
    this.#registry = parts.registry;
    this.#lazyTools = parts.lazyTools;
    this.#compatibility = parts.compatibility;
    this.#groups = parts.groups;
    this.#reporter = parts.reporter;
    this.#caps = caps;
    this.#loading = loading;
  }

  /** The entry with its definition; undefined for a lazy tool that this run has not resolved. */
  ready(entry: CatalogEntry, { state }: Pick<Step, 'state'>): CatalogEntry | undefined {
    return this.#lazyTools.ready(entry, state.run);
  }

  /** Whether a tool is known to be one that no request can hold. */
  isUnusable(entry: CatalogEntry, step: Pick<Step, 'state'>): boolean {
    return this.#compatibility.isRefused((this.ready(entry, step) ?? entry).tool);
  }

  /** The names of tools that have no definition, or one that no request can hold. Both are reported. */
  async unusable(
    entries: readonly CatalogEntry[],
    step: Pick<Step, 'state'> & { readonly args: Pick<Step['args'], 'requestContext' | 'model'> },
  ): Promise<ReadonlySet<string>> {
    if (entries.length === 0) return NONE;
    const { state, args } = step;
    const names = new Set(await this.#lazyTools.failing(entries, state.run, args.requestContext, state.origin));
    for (const entry of entries) {
      const ready = this.ready(entry, step);
      if (ready && !this.#compatibility.isCompatible(ready, args.model)) names.add(entry.name);
    }
    return names;
  }

  /**
   * Asks the filter's phase `active` for loaded tools, and resolves the definitions of what it permits. Tools without a
   * definition that can be sent are not loaded in this step.
   */
  async activate(step: Step, presences: readonly Presence[]): Promise<void> {
    const { tools, permissions } = step;
    const loaded = entriesOf(tools.namesOf(presences), step);
    if (loaded.length === 0) return;
    const active = await permissions.allowed(loaded, 'active');
    const allowed = new Set(active);
    tools.mark(
      'denied',
      loaded.filter((entry) => !allowed.has(entry)).map(({ name }) => name),
    );
    tools.unload(await this.unusable(active, step));
  }

  /** Unloads tools until the caps hold. They may be lower than before, and another replica may load for the same thread. */
  async keepWithinCaps(step: Step): Promise<void> {
    if (step.tools.loaded.length === 0) return;
    await this.#evict(this.#roomFor([], new Set(), step).evicted, step);
  }

  /**
   * Loads tools by name, or by a pattern such as `github_*`.
   *
   * @param phases - `load` for names that the model wrote; `search` before it for `select:`, which must not show what a
   *   search hides.
   */
  async byName(
    names: readonly string[],
    step: Step,
    phases: readonly ('search' | 'load')[] = ['load'],
  ): Promise<LoadOutcome> {
    const { tools, catalog, allowance, permissions, state } = step;
    const meant = await resolveNames(names, step, phases, this.#groups);
    // An aborted run may load nothing, not even what was permitted before the abort.
    const asked = meant.map((entries) =>
      permissions.isAborted ? [] : entries.filter(({ name }) => !tools.isHidden(name)),
    );
    const loaded = new Set<string>();
    const alreadyLoaded = new Set<string>();
    const notFound = new Set<string>();
    const tooMany = new Set<string>();
    const unreachable = new Set<string>();
    for (const [position, entries] of asked.entries()) {
      const name = names[position] ?? '';
      if (tools.isAvailable(name)) alreadyLoaded.add(name);
      else if (entries.length === 0) (catalog.isUnreachable(name) ? unreachable : notFound).add(name);
      for (const entry of entries) {
        if (tools.isCallable(entry.name)) alreadyLoaded.add(entry.name);
        else if (!loaded.has(entry.name)) (loaded.size < allowance.loads ? loaded : tooMany).add(entry.name);
      }
    }
    const failed = await this.unusable(entriesOf(loaded, step), step);
    for (const name of failed) loaded.delete(name);
    const room = this.#roomFor([...loaded], alreadyLoaded, step);
    allowance.loads -= room.accepted.length;
    const evicted = room.evicted.filter((name) => !tools.isHidden(name));
    tools.add('fresh', room.accepted);
    // What the run began with stays, once it is asked for.
    const kept = [...alreadyLoaded].filter((name) => state.preselected.has(name));
    await this.#registry.add(state, [...kept, ...room.accepted]);
    await this.#evict(room.evicted, step);
    return {
      ready: [...new Set(asked.flat().filter(({ name }) => tools.isCallable(name)))],
      loaded: room.accepted,
      alreadyLoaded: [...alreadyLoaded],
      notFound: [...notFound],
      leftOut: room.leftOut,
      tooMany: [...tooMany],
      failed: [...failed, ...[...unreachable].map((name) => echo(name))],
      evicted,
    };
  }

  /** The entries that fit under the caps without evicting anything. */
  fitting(entries: readonly CatalogEntry[], step: Step): readonly CatalogEntry[] {
    const loaded = step.tools.loaded;
    let count = loaded.length;
    let size = loaded.reduce((sum, name) => sum + this.#tokensOf(step.catalog.get(name), step), 0);
    return entries.filter((entry) => {
      const tokens = this.#tokensOf(entry, step);
      const fits = count < this.#caps.tools && size + tokens <= this.#caps.tokens;
      if (fits) {
        count += 1;
        size += tokens;
      }
      return fits;
    });
  }

  /** The estimated tokens of a definition; 0 where nobody bounds them. */
  #tokensOf(entry: CatalogEntry | undefined, step: Step): number {
    if (!entry || this.#caps.tokens === Number.POSITIVE_INFINITY) return 0;
    return definitionTokens(this.ready(entry, step) ?? entry);
  }

  /**
   * The tools that fit under the caps, and those that have to go for them.
   *
   * @param kept - loaded tools that the same call asked for, which must stay.
   */
  #roomFor(added: readonly string[], kept: ReadonlySet<string>, step: Step): Eviction {
    const { catalog, tools, calls, state } = step;
    return makeRoom({
      loaded: tools.loaded,
      added,
      caps: this.#caps,
      tokensOf: (name) => this.#tokensOf(catalog.get(name), step),
      uses: () => {
        // In a conversation, a tool may have its key or its id.
        const nameOf = (name: string): string => catalog.nameOf(name);
        const lastUse = new Map<string, number>();
        for (const [name, position] of lastUses(calls, this.#loading)) lastUse.set(nameOf(name), position);
        // What nobody asked for goes first.
        for (const name of state.preselected) if (!lastUse.has(name)) lastUse.set(name, -2);
        // The loads of this step are not in the conversation yet.
        for (const name of tools.loaded) if (tools.isFresh(name)) lastUse.set(name, Number.POSITIVE_INFINITY);
        return { lastUse, needed: new Set([...[...pendingCalls(calls)].map(nameOf), ...kept]) };
      },
    });
  }

  /** Unloads tools that had to make room, and reports them. */
  async #evict(names: readonly string[], step: Step): Promise<void> {
    if (names.length === 0) return;
    const areMany = step.tools.loaded.length > this.#caps.tools;
    step.tools.unload(names);
    await this.#registry.remove(
      step.state,
      names.flatMap((name) => step.catalog.spellingsOf(name)),
    );
    this.#reporter.report({ type: 'evict', toolNames: names, cause: areMany ? 'tools' : 'tokens' }, step.origin);
  }
}
