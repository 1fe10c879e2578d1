import type { CatalogEntry } from '../catalog/entry.ts';
import { pendingCalls } from '../loaded/conversation/calls.ts';
import { lastUses } from '../loaded/conversation/loads.ts';
import { type Eviction, makeRoom } from '../loaded/eviction.ts';
import type { Services, Step } from './step.ts';

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

/** The tools of names that the catalog of a step has. */
export function entriesOf(names: Iterable<string>, { catalog }: Step): readonly CatalogEntry[] {
  return [...names].flatMap((name) => catalog.get(name) ?? []);
}

/** Unloads tools until the caps hold. They may be lower than before, and another replica may load for the same thread. */
export async function keepWithinCaps(step: Step, services: Services): Promise<void> {
  const count = await tokenCounter(services);
  const { evicted } = roomFor([], new Set(), step, services, count);
  for (const name of evicted) step.loaded.delete(name);
  await evict(evicted, step, services);
}

export type TokenCounter = (entry: CatalogEntry) => number;

/** Counts the tokens of definitions: its code is a chunk, for those who bound them. */
export async function tokenCounter({ options }: Services): Promise<TokenCounter> {
  if (options.maxLoaded.tokens === Number.POSITIVE_INFINITY) return () => 0;
  return (await import('../catalog/definition-tokens.ts')).definitionTokens;
}

/**
 * The tools that fit under the caps, and those that have to go for them.
 *
 * @param kept - loaded tools that the same call asked for, which must stay.
 */
export function roomFor(
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

/**
 * Unloads tools that had to make room, and reports them.
 *
 * @param names - that went: `step.loaded` has the others alone. */
export async function evict(
  names: readonly string[],
  step: Step,
  { registry, reporter, options }: Services,
): Promise<void> {
  if (names.length === 0) return;
  await registry.remove(
    step.state,
    names.flatMap((name) => step.catalog.spellingsOf(name)),
  );
  const areMany = step.loaded.size + names.length > options.maxLoaded.tools;
  reporter.report({ type: 'evict', toolNames: names, cause: areMany ? 'tools' : 'tokens' }, step.origin);
}
