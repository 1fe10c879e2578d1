import type { CatalogEntry } from '../catalog/entry.ts';
import { echo } from '../util/text.ts';
import { entriesOf, evict, roomFor, tokenCounter, unusable } from './load.ts';
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
  const unreachable = new Set<string>();
  for (const [position, entries] of asked.entries()) {
    const name = names[position] ?? '';
    if (step.available.has(name)) alreadyLoaded.add(name);
    else if (entries.length === 0) (step.catalog.isUnreachable?.(name) ? unreachable : notFound).add(name);
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
    failed: [...failed, ...[...unreachable].map((name) => echo(name))],
    evicted: (await step.permissions.allowed(evicted, 'active')).map(({ name }) => name),
  };
}
