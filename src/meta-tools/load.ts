import type { CatalogEntry } from '../catalog/entry.ts';
import { pendingCalls } from '../conversation/calls.ts';
import { lastUses } from '../conversation/loads.ts';
import { type Eviction, makeRoom } from '../loaded/eviction.ts';
import { resolveNames, usable } from './names.ts';
import type { Services, Step } from './step.ts';

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

/**
 * Loads tools by name, or by a pattern such as `github_*`, through filter, caps and registry.
 *
 * @param phases - `load` for names that the model wrote; `search` before it for `select:`, so that it shows nothing that
 *   a search hides.
 */
export async function loadByName(
  names: readonly string[],
  step: Step,
  services: Services,
  phases: readonly ('search' | 'load')[],
): Promise<LoadOutcome> {
  const meant = await resolveNames(names, step, phases, services);
  const permitted = await Promise.all(meant.map((entries) => usable(entries, step)));
  // An aborted run may load nothing, not even what was permitted before the abort.
  const asked = step.permissions.isAborted ? names.map(() => []) : permitted;
  const loaded = new Set<string>();
  const alreadyLoaded = new Set<string>();
  const notFound = new Set<string>();
  const tooMany = new Set<string>();
  for (const [position, entries] of asked.entries()) {
    const name = names[position] ?? '';
    if (step.available.has(name)) alreadyLoaded.add(name);
    else if (entries.length === 0) notFound.add(name);
    for (const entry of entries) {
      if (step.available.has(entry.name) || step.loaded.has(entry.name)) alreadyLoaded.add(entry.name);
      else if (!loaded.has(entry.name)) (loaded.size < step.allowance.loads ? loaded : tooMany).add(entry.name);
    }
  }
  const failed = await unusable(entriesOf(loaded, step), step, services);
  for (const name of failed) loaded.delete(name);
  const count = await tokenCounter(services);
  const room = roomFor([...loaded], alreadyLoaded, step, services, count);
  step.allowance.loads -= room.accepted.length;
  for (const name of room.accepted) {
    step.loaded.add(name);
    step.fresh.add(name);
  }
  for (const name of room.evicted) step.loaded.delete(name);
  // What the run began with stays, once it is asked for.
  const kept = [...alreadyLoaded].filter((name) => step.state.preselected.has(name));
  await services.registry.add(step.state, [...kept, ...room.accepted]);
  await evict(room.evicted, step, services);
  const evicted = room.evicted.flatMap((name) => step.catalog.get(name) ?? []);
  const ready = new Set(asked.flat().filter(({ name }) => step.loaded.has(name) || step.available.has(name)));
  return {
    ready: [...ready],
    loaded: room.accepted,
    alreadyLoaded: [...alreadyLoaded],
    notFound: [...notFound],
    leftOut: room.leftOut,
    tooMany: [...tooMany],
    failed: [...failed],
    evicted: (await step.permissions.allowed(evicted, 'active')).map(({ name }) => name),
  };
}

/**
 * Resolves the loaded tools that are stubs, as far as the filter permits them. For this step, those without a definition
 * that can be sent are not loaded.
 */
export async function resolveLoaded(step: Step, services: Services): Promise<void> {
  const active = await step.permissions.allowed(entriesOf(step.loaded, step), 'active');
  for (const name of await unusable(active, step, services)) step.loaded.delete(name);
}

/** The names of tools that have no definition, or one that no request can hold. Both are reported. */
export async function unusable(
  entries: readonly CatalogEntry[],
  { state, requestContext, model }: Pick<Step, 'state' | 'requestContext' | 'model'>,
  { stubs, sendability }: Services,
): Promise<ReadonlySet<string>> {
  const names = new Set(await stubs.failing(entries, state.run, requestContext, state.origin));
  for (const entry of entries) {
    const ready = stubs.ready(entry, state.run);
    if (ready && !sendability.isSendable(ready, model)) names.add(entry.name);
  }
  return names;
}

function entriesOf(names: Iterable<string>, { catalog }: Step): readonly CatalogEntry[] {
  return [...names].flatMap((name) => catalog.get(name) ?? []);
}

/** Unloads tools until the caps hold. They may be lower than before, and another replica may load for the same thread. */
export async function keepWithinCaps(step: Step, services: Services): Promise<void> {
  const count = await tokenCounter(services);
  const { evicted } = roomFor([], new Set(), step, services, count);
  for (const name of evicted) step.loaded.delete(name);
  await evict(evicted, step, services);
}

type TokenCounter = (entry: CatalogEntry) => number;

/** Counts the tokens of definitions: its code is a chunk, for those who bound them. */
async function tokenCounter({ options }: Services): Promise<TokenCounter> {
  if (options.maxLoaded.tokens === Number.POSITIVE_INFINITY) return () => 0;
  return (await import('../catalog/definition-tokens.ts')).definitionTokens;
}

/**
 * The tools that fit under the caps, and those that have to go for them.
 *
 * @param kept - loaded tools that the same call asked for, which must stay.
 */
function roomFor(
  added: readonly string[],
  kept: ReadonlySet<string>,
  step: Step,
  { options, stubs }: Services,
  count: TokenCounter,
): Eviction {
  const { maxLoaded, loadingTools } = options;
  return makeRoom({
    loaded: [...step.loaded],
    added,
    caps: maxLoaded,
    tokensOf: (name) => {
      const entry = step.catalog.get(name);
      return entry ? count(stubs.ready(entry, step.state.run) ?? entry) : 0;
    },
    uses: () => {
      // In a conversation, a tool may stand under its key or its id.
      const nameOf = (name: string): string => step.catalog.nameOf(name);
      const lastUse = new Map<string, number>();
      for (const [name, position] of lastUses(step.calls, loadingTools)) lastUse.set(nameOf(name), position);
      // What nobody asked for goes first.
      for (const name of step.state.preselected) if (!lastUse.has(name)) lastUse.set(name, -2);
      // The loads of this step are not in the conversation yet.
      for (const name of step.fresh) lastUse.set(name, Number.POSITIVE_INFINITY);
      return { lastUse, needed: new Set([...[...pendingCalls(step.calls)].map(nameOf), ...kept]) };
    },
  });
}

/** @param names - that went: `step.loaded` has the others alone. */
async function evict(names: readonly string[], step: Step, { registry, reporter, options }: Services): Promise<void> {
  if (names.length === 0) return;
  await registry.remove(
    step.state,
    names.flatMap((name) => step.catalog.spellingsOf(name)),
  );
  const areMany = step.loaded.size + names.length > options.maxLoaded.tools;
  reporter.report({ type: 'evict', toolNames: names, cause: areMany ? 'tools' : 'tokens' }, step.origin);
}
