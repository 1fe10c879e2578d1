import { behindPrefix, type PrefixedTool } from '../catalog/bare-names.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/document-cache.ts';
import { type Groups, isPattern, serverOf } from '../catalog/groups.ts';
import type { LazyTools } from '../catalog/lazy-tools.ts';
import type { MastraTool } from '../catalog/tool.ts';
import type { Withheld } from '../catalog/withheld.ts';
import type { ToolSearchFilterPhase } from '../events/phase.ts';
import type { Reporter } from '../events/reporter.ts';
import { lastUses, pendingCalls } from '../loaded/conversation/conversation.ts';
import { type Caps, type Eviction, makeRoom } from '../loaded/eviction.ts';
import type { Registry } from '../loaded/registry.ts';
import type { ToolRegistration } from '../mastra/tool-registration.ts';
import type { Presence } from '../step/presence.ts';
import { entriesOf, type Step } from '../step/step.ts';
import { similarNames } from '../util/suggest.ts';
import { echo } from '../util/text.ts';
import { inSlices, type SlicedWork } from '../util/time-slices.ts';
import * as prompts from './prompts.ts';

/** The outcome of a load by names. Each list keeps the order of the request. */
export interface LoadOutcome {
  readonly loaded: readonly string[];
  readonly alreadyLoaded: readonly string[];
  /** Names for which this request may load no tool. Unknown and forbidden tools look the same to the model. */
  readonly notFound: readonly string[];
  /** Tools for which the caps had no room. */
  readonly leftOut: readonly string[];
  /** Tools beyond the number that one call may load. */
  readonly tooMany: readonly string[];
  /** Tools whose definition could not be resolved, or cannot be sent. */
  readonly failed: readonly string[];
  /** Tools that were unloaded to make room, and that this request had been sent. */
  readonly evicted: readonly string[];
  /** The tools that the model can call from the next step on. */
  readonly ready: readonly CatalogEntry[];
}

interface LoaderParts {
  readonly registry: Registry;
  readonly lazyTools: LazyTools;
  readonly registration: ToolRegistration;
  readonly withheld: Withheld;
  readonly groups: Groups;
  readonly reporter: Reporter;
  readonly options: { readonly maxLoaded: Caps };
}

/** The parts of a step that determine whether a tool can be used. */
type UsingStep = Pick<Step, 'state'> & {
  readonly args: Pick<Step['args'], 'requestContext' | 'model'>;
  readonly mode?: Pick<Step['mode'], 'bridge'>;
};

/** Whether the step sends found tools, instead of calling them through a bridge. */
function isSentIn({ mode }: UsingStep): boolean {
  return mode?.bridge === undefined;
}

/** Loads tools for steps: resolves names, asks the filter, resolves definitions, applies the caps, and writes the registry. */
export class Loader {
  readonly #parts: LoaderParts;
  readonly #caps: Caps;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
    this.#caps = parts.options.maxLoaded;
  }

  /** The entry with its definition. Undefined for a lazy tool that this run has not resolved yet. */
  ready(entry: CatalogEntry, { state }: Pick<Step, 'state'>): CatalogEntry | undefined {
    return entry.isLazy ? this.#parts.lazyTools.ready(entry, state.run) : entry;
  }

  /** Whether a tool is known to be unusable: in any request, or because the step's model cannot be sent the tool. */
  isUnusable(entry: CatalogEntry, step: UsingStep): boolean {
    const known = this.ready(entry, step) ?? entry;
    return this.#parts.registration.incompatible.has(known.tool) || (isSentIn(step) && this.isWithheld(known, step));
  }

  /** Whether the provider of the step's model has refused the (resolved) tool. `call_tool` can still run such a tool. */
  isWithheld(entry: CatalogEntry, { args }: Pick<UsingStep, 'args'>): boolean {
    return this.#parts.withheld.has(entry, args.model);
  }

  /** As `isWithheld`, and also withholds the tool from now on if the model's provider is known to refuse the definition. */
  withholds(entry: CatalogEntry, step: UsingStep): boolean {
    if (this.isWithheld(entry, step)) return true;
    const { args, state } = step;
    const refusal = this.#parts.registration.refusal(entry, args.model);
    if (refusal !== undefined) this.#parts.withheld.add(entry, args.model, refusal, state.origin);
    return refusal !== undefined;
  }

  /**
   * The names of tools whose definition cannot be resolved, cannot be used in any request, or cannot be sent to the step's
   * model. Each is reported.
   *
   * @param isSent - whether the tools will be sent. Providers do not read definitions of tools called through a bridge.
   */
  async unusable(
    entries: readonly CatalogEntry[],
    step: UsingStep,
    isSent: boolean = isSentIn(step),
  ): Promise<ReadonlySet<string>> {
    if (entries.length === 0) return new Set();
    const { lazyTools, registration } = this.#parts;
    const { state, args } = step;
    const names = new Set(await lazyTools.failing(entries, state.run, args.requestContext, state.origin));
    for (const entry of entries) {
      const ready = this.ready(entry, step);
      if (!ready) continue;
      const isUsable = registration.isCompatible(ready, args.model) && !(isSent && this.withholds(ready, step));
      if (!isUsable) names.add(entry.name);
    }
    return names;
  }

  /** Asks the phase `active` about loaded tools, and resolves the permitted ones. Unloads those that cannot be sent. */
  async activate(step: Step, presences: readonly Presence[]): Promise<void> {
    const { tools, permissions } = step;
    const loaded = entriesOf(tools.namesOf(presences), step);
    if (loaded.length === 0) return;
    const active = await permissions.allowed(loaded, 'active');
    const allowed = new Set(active);
    tools.deny(loaded.filter((entry) => !allowed.has(entry)));
    const failing = await this.unusable(active, step);
    tools.unload(failing);
    await this.#forgetWithheld(
      active.filter(({ name }) => failing.has(name)),
      step,
    );
  }

  /** Unloads tools that the provider refuses from the registry, and tells the model, which may have read of the load. */
  async #forgetWithheld(entries: readonly CatalogEntry[], step: Step): Promise<void> {
    const { catalog, state } = step;
    const withheld = entries.filter((entry) => this.isWithheld(this.ready(entry, step) ?? entry, step));
    if (withheld.length === 0 || !isSentIn(step)) return;
    for (const { name } of withheld) {
      const hint = prompts.cannotBeUsed(name);
      if (!state.hints.includes(hint)) state.hints.push(hint);
    }
    await this.#parts.registry.remove(
      state,
      withheld.flatMap(({ name }) => catalog.spellingsOf(name)),
    );
  }

  /** Unloads tools until the caps hold. Caps may have been lowered, and other replicas may load for the same thread. */
  async keepWithinCaps(step: Step): Promise<void> {
    if (step.tools.loaded.length === 0) return;
    await this.#evict(this.#roomFor([], new Set(), step).evicted, step);
  }

  /** Loads tools by name or pattern. For a `select:`, `phases` includes `search`: it must not show what a search hides. */
  async byName(
    names: readonly string[],
    step: Step,
    phases: readonly ('search' | 'load')[] = ['load'],
  ): Promise<LoadOutcome> {
    const { tools, catalog, allowance, permissions, state } = step;
    const meant = await meaningsIn(names, step, phases, this.#parts.groups);
    // An aborted run may load nothing, not even tools that were permitted before the abort.
    const mayLoad = ({ name }: CatalogEntry): boolean => !permissions.isAborted && !tools.isBlocked(name);
    const asked = meant.map(({ entries }) => entries.filter(mayLoad));
    const loaded = new Set<string>();
    const alreadyLoaded = new Set<string>();
    const notFound = new Set<string>();
    const tooMany = new Set<string>();
    const unreachable = new Set<string>();
    for (const [position, entries] of asked.entries()) {
      const name = names[position] ?? '';
      const sent = meant[position]?.sent;
      if (tools.isAvailable(name)) alreadyLoaded.add(name);
      else if (sent !== undefined) alreadyLoaded.add(sent);
      else if (entries.length === 0) (catalog.failedToReach(name) ? unreachable : notFound).add(name);
      for (const entry of entries) {
        if (tools.isCallable(entry.name)) alreadyLoaded.add(entry.name);
        else if (!loaded.has(entry.name)) (loaded.size < allowance.loads ? loaded : tooMany).add(entry.name);
      }
    }
    const failed = await this.unusable(entriesOf(loaded, step), step);
    for (const name of failed) loaded.delete(name);
    const room = this.#roomFor([...loaded], alreadyLoaded, step);
    allowance.loads -= room.accepted.length;
    const evicted = room.evicted.filter((name) => !tools.isBlocked(name));
    tools.add('fresh', room.accepted);
    // A request for a preselected tool makes it a loaded tool of the thread.
    const kept = [...alreadyLoaded].filter((name) => state.preselected.has(name));
    await this.#parts.registry.add(state, [...kept, ...room.accepted]);
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
    const { tools, catalog } = step;
    let count = tools.loaded.length;
    let size = tools.loaded.reduce((sum, name) => sum + this.#tokensOf(catalog.get(name), step), 0);
    return entries.filter((entry) => {
      const tokens = this.#tokensOf(entry, step);
      if (count >= this.#caps.tools || size + tokens > this.#caps.tokens) return false;
      count += 1;
      size += tokens;
      return true;
    });
  }

  /** The estimated tokens of a definition; 0 without a cap on tokens. */
  #tokensOf(entry: CatalogEntry | undefined, step: Step): number {
    if (!entry || this.#caps.tokens === Number.POSITIVE_INFINITY) return 0;
    return definitionTokens(this.ready(entry, step) ?? entry);
  }

  /** Which added tools fit under the caps, and which tools must be evicted for them. Tools in `kept` are not evicted. */
  #roomFor(added: readonly string[], kept: ReadonlySet<string>, step: Step): Eviction {
    const { catalog, tools, calls, state } = step;
    return makeRoom({
      loaded: tools.loaded,
      added,
      caps: this.#caps,
      tokensOf: (name) => this.#tokensOf(catalog.get(name), step),
      uses: () => {
        // A conversation may name a tool by its record key or by its id.
        const nameOf = (name: string): string => catalog.nameOf(name);
        const lastUse = new Map<string, number>();
        for (const [name, position] of lastUses(calls)) lastUse.set(nameOf(name), position);
        // Preselected tools that were never used are evicted first.
        for (const name of state.preselected) if (!lastUse.has(name)) lastUse.set(name, -2);
        // The conversation does not show the loads of this step yet.
        for (const name of tools.loaded) if (tools.isFresh(name)) lastUse.set(name, Number.POSITIVE_INFINITY);
        return { lastUse, needed: new Set([...[...pendingCalls(calls)].map(nameOf), ...kept]) };
      },
    });
  }

  async #evict(names: readonly string[], step: Step): Promise<void> {
    if (names.length === 0) return;
    const areMany = step.tools.loaded.length > this.#caps.tools;
    step.tools.unload(names);
    await this.#parts.registry.remove(
      step.state,
      names.flatMap((name) => step.catalog.spellingsOf(name)),
    );
    this.#parts.reporter.report({ type: 'evict', toolNames: names, cause: areMany ? 'tools' : 'tokens' }, step.origin);
  }
}

const MAX_SUGGESTIONS = 3;
/** Limit of the tools with the same name on different servers that an answer names. */
const MAX_SERVERS = 10;
/** Limit of the similar names about which the filter is asked for one unknown name. */
const MAX_SUGGESTION_CANDIDATES = 48;

/**
 * Resolves names, and patterns such as `github_*`, to tools that all phases permit, of the likeliest kind of meaning that has
 * any. Only an exact name shows that its writer knows the tool; other ways reveal tools, so they ask the search phase first.
 */
export async function resolveNames(
  names: readonly string[],
  scope: NameScope,
  phases: readonly ('search' | 'load')[],
  groups: Groups,
): Promise<readonly (readonly CatalogEntry[])[]> {
  return (await meaningsIn(names, scope, phases, groups)).map(({ entries }) => entries);
}

/** Where names are looked up: a step, or the catalog of a request without a step. */
type NameScope = Pick<Step, 'catalog' | 'permissions'> & Partial<Pick<Step, 'tools' | 'own' | 'allowance' | 'origin'>>;

interface Meaning {
  /** Permitted tools of the catalog. */
  readonly entries: readonly CatalogEntry[];
  /** A tool outside the catalog that the step sends, and that the name means without the prefix of the server. */
  readonly sent?: string;
}

async function meaningsIn(
  names: readonly string[],
  scope: NameScope,
  phases: readonly ('search' | 'load')[],
  groups: Groups,
): Promise<readonly Meaning[]> {
  const { catalog, permissions, tools } = scope;
  await catalog.reach(names, permissions.asker);
  const kindsOf = await inSlices(meaningsOf(names, catalog, groups));
  const meanings = await Promise.all(
    kindsOf.map(async (kinds, at): Promise<Meaning> => {
      const asked = catalog.get(names[at] ?? '') ? phases : new Set(['search', ...phases] as const);
      for (const kind of kinds) {
        const entries = await permissions.allowed(kind, [...asked]);
        if (entries.length > 0) return { entries };
      }
      return { entries: [] };
    }),
  );
  const missing = names.filter((name, at) => meanings[at]?.entries.length === 0 && !tools?.isAvailable(name));
  const bare = await behindPrefixes(missing, scope, phases.includes('load') ? ['load', 'active'] : []);
  return meanings.map((meaning, at) => {
    const [name, ...others] = bare.get(names[at] ?? '') ?? [];
    if (name === undefined || others.length > 0 || meaning.entries.length > 0) return meaning;
    const entry = catalog.get(name);
    return entry ? { entries: [entry] } : { entries: [], sent: name };
  });
}

/**
 * Resolves names that lack the prefix of their server, among the tools that the request may see. Only tools that `phases`
 * permit as well count, so that a forbidden tool neither makes a name ambiguous nor is named.
 */
export async function behindPrefixes(
  names: readonly string[],
  scope: NameScope,
  phases: readonly ToolSearchFilterPhase[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { catalog, tools, own = {}, allowance, origin } = scope;
  const permissions = scope.permissions.inSearch();
  const asked = names.filter((name) => name !== '' && !isPattern(name));
  const found = new Map<string, readonly string[]>();
  for (const place of await catalog.catalogsFor(asked, { ...permissions.asker, origin })) {
    if (allowance && allowance.comparisons <= 0) continue;
    if (allowance) allowance.comparisons -= place.catalog.spellingCount;
    const { catalog: visible } = await permissions.visible(place.catalog);
    const sent = Object.entries(own).filter(([name]) => tools?.isAvailable(name));
    const ofServers = await inSlices(behindPrefix(place.names, prefixedTools(visible, sent)));
    for (const [name, meant] of ofServers) {
      const entries = meant.flatMap((each) => visible.get(each) ?? []).filter((entry) => !tools?.isBlocked(entry.name));
      const permitted = new Set(phases.length > 0 ? await permissions.allowed(entries, phases) : entries);
      const isThere = (each: string): boolean => {
        const entry = visible.get(each);
        return entry ? permitted.has(entry) : true;
      };
      found.set(name, meant.filter(isThere));
    }
  }
  return found;
}

function* prefixedTools(
  catalog: Catalog,
  sent: readonly (readonly [name: string, tool: unknown])[],
): Iterable<PrefixedTool> {
  for (const entry of catalog.entries) {
    const { name, originalName: spelling = name } = entry;
    yield { name, spelling, server: catalog.readDocument(entry).server };
  }
  for (const [name, tool] of sent) {
    if (!catalog.get(name)) yield { name, server: serverOf(tool as MastraTool) ?? '' };
  }
}

/** The possible meanings of each name, likeliest first. Runs in slices, since a pattern is compared with all names. */
function* meaningsOf(
  names: readonly string[],
  catalog: Catalog,
  groups: Groups,
): SlicedWork<(readonly (readonly CatalogEntry[])[])[]> {
  const meanings: (readonly (readonly CatalogEntry[])[])[] = [];
  for (const name of names) {
    const exact = catalog.get(name);
    meanings.push(exact ? [[exact]] : yield* groups.members(name, catalog));
  }
  return meanings;
}

/** Adds suggestions to unknown names. One name at a time, since each is compared with the whole catalog. */
export async function withSuggestions(names: readonly string[], step: Step): Promise<prompts.UnknownName[]> {
  if (names.length === 0) return [];
  const hurried = { ...step, permissions: step.permissions.inSearch() };
  const unknown: prompts.UnknownName[] = [];
  for (const name of names) {
    const several = await ofSeveralServers(name, hurried);
    const suggestions = several.length > 0 ? several : await suggestionsFor(name, hurried);
    // A tool that may be loaded but not used would be suggested for its own name.
    const others = suggestions.filter((suggestion) => suggestion !== name);
    unknown.push({ name, suggestions: others, ...(several.length > 0 ? { isAmbiguous: true } : {}) });
  }
  return unknown;
}

/** The tools of several servers that a name without a prefix may mean; empty if it means at most one. */
async function ofSeveralServers(name: string, step: Step): Promise<readonly string[]> {
  if (step.allowance.suggestions <= 0) return [];
  const meant = (await behindPrefixes([name], step, ['load', 'active'])).get(name) ?? [];
  return meant.length > 1 ? meant.slice(0, MAX_SERVERS) : [];
}

async function suggestionsFor(name: string, step: Step): Promise<readonly string[]> {
  const { permissions, allowance } = step;
  if (allowance.suggestions <= 0 || allowance.comparisons <= 0) return [];
  allowance.suggestions -= 1;
  const [place = step] = await step.catalog.catalogsFor([name], { ...permissions.asker, origin: step.origin });
  const { catalog } = await permissions.visible(place.catalog);
  allowance.comparisons -= catalog.spellingCount;
  // Skips a degree of similarity without permitted names: no suggestions at all would reveal the forbidden ones.
  for (const similar of await inSlices(similarNames(name, catalog.spellings()))) {
    const candidates = similar.slice(0, MAX_SUGGESTION_CANDIDATES);
    const entries = new Set(candidates.flatMap((candidate) => catalog.get(candidate) ?? []));
    // A hidden tool is not suggested: the unknown name may be its own.
    const others = [...entries].filter((entry) => !step.tools.isBlocked(entry.name));
    const allowed = await permissions.allowed(others, 'load', MAX_SUGGESTIONS);
    if (allowed.length > 0) return allowed.map((entry) => entry.name);
  }
  return [];
}
