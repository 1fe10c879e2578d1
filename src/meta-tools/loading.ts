import { definitionTokens } from '../catalog/definition-tokens.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { pendingCalls } from '../conversation/calls.ts';
import { lastUses } from '../conversation/loads.ts';
import { type Eviction, makeRoom } from '../loaded/eviction.ts';
import { meaningsOf, permittedOf } from './named.ts';
import type { Services, Step } from './step.ts';

/** How a load went, in the order asked. */
export interface LoadOutcome {
  readonly loaded: readonly string[];
  readonly alreadyLoaded: readonly string[];
  /** Names that are unknown to this request, or forbidden, which the model cannot tell apart. */
  readonly notFound: readonly string[];
  /** Tools that are not loaded for want of room. */
  readonly leftOut: readonly string[];
  /** Tools that are not loaded because one call loads no more. */
  readonly tooMany: readonly string[];
  /** Tools that made room for the loaded ones, without those that this request did not have anyway. */
  readonly evicted: readonly string[];
  /** The tools that are loaded by now, in the order asked. */
  readonly ready: readonly CatalogEntry[];
}

/**
 * Loads tools by name, or by a pattern such as `github_*`, through the load phase of the filter. The search phase is
 * asked first where the names come from a search, so that `select:` shows nothing that a search hides.
 */
export async function loadByName(
  names: readonly string[],
  step: Step,
  services: Services,
  phases: readonly ('search' | 'load')[],
): Promise<LoadOutcome> {
  const meanings = await meaningsOf(names, step.catalog, services);
  const permitted = await Promise.all(
    meanings.map(async (meaning) => usable(await permittedOf(meaning, step.permissions, phases), step)),
  );
  // Some may have been permitted before that.
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
  const room = roomFor([...loaded], alreadyLoaded, step, services);
  step.allowance.loads -= room.accepted.length;
  for (const name of room.accepted) {
    step.loaded.add(name);
    step.fresh.add(name);
  }
  for (const name of room.evicted) step.loaded.delete(name);
  await services.registry.add(step.state, room.accepted);
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
    evicted: (await step.permissions.allowed(evicted, 'active')).map(({ name }) => name),
  };
}

/** The tools without those that this step withholds: they cannot be called, so they are not "already loaded". */
export async function usable(entries: readonly CatalogEntry[], step: Step): Promise<readonly CatalogEntry[]> {
  const { available, resident, loaded, fresh } = step;
  const isOfBefore = ({ name }: CatalogEntry): boolean => loaded.has(name) && !fresh.has(name);
  const sent = new Set(await step.permissions.allowed(entries.filter(isOfBefore), 'active'));
  return entries.filter((entry) => {
    if (resident.has(entry.name)) return available.has(entry.name);
    return !isOfBefore(entry) || sent.has(entry);
  });
}

/** Brings what is loaded under the caps: they may be lower than before, and another replica loads for the thread as well. */
export async function keepWithinCaps(step: Step, services: Services): Promise<void> {
  const { evicted } = roomFor([], new Set(), step, services);
  for (const name of evicted) step.loaded.delete(name);
  await evict(evicted, step, services);
}

/** @param kept - loaded tools that were asked for: they must not go for what was asked for with them. */
function roomFor(added: readonly string[], kept: ReadonlySet<string>, step: Step, { options }: Services): Eviction {
  const { maxLoaded, loadingTools } = options;
  return makeRoom({
    loaded: [...step.loaded],
    added,
    caps: maxLoaded,
    tokensOf: (name) => {
      const entry = step.catalog.get(name);
      return entry ? definitionTokens(entry) : 0;
    },
    uses: () => {
      // The conversation may have a tool's key, or its id.
      const nameOf = (name: string): string => step.catalog.nameOf(name);
      const lastUse = new Map<string, number>();
      for (const [name, position] of lastUses(step.calls, loadingTools)) lastUse.set(nameOf(name), position);
      // What this step has loaded is not in the conversation yet.
      for (const name of step.fresh) lastUse.set(name, Number.POSITIVE_INFINITY);
      return { lastUse, needed: new Set([...[...pendingCalls(step.calls)].map(nameOf), ...kept]) };
    },
  });
}

async function evict(names: readonly string[], step: Step, { registry, reporter }: Services): Promise<void> {
  if (names.length === 0) return;
  await registry.remove(
    step.state,
    names.flatMap((name) => step.catalog.spellingsOf(name)),
  );
  reporter.report({ type: 'evict', toolNames: names });
}
