import type { ToolSearchFilterPhase } from '../events/phase.ts';
import type { Step } from '../step/step.ts';
import { spelledAlike } from '../util/suggest.ts';
import { inSlices } from '../util/time-slices.ts';
import { behindPrefixes } from './loading.ts';

/** Limit of the missed calls that one step answers with a load. A model that makes more at once is guessing. */
export const MAX_MISSED = 10;

/** The one tool that a called name can mean. Skips degrees of similarity without a permitted tool. */
export async function meant(called: string, step: Step): Promise<string | undefined> {
  const { catalog, tools, allowance, permissions } = step;
  await catalog.reach([called], { ...permissions.asker, origin: step.origin });
  const exact = await usableOf([catalog.nameOf(called)], ['load', 'active'], step);
  if (exact.length > 0) return exact[0];
  if (allowance.comparisons <= 0) return undefined;
  const [bare, ...others] = (await behindPrefixes([called], step, ['load', 'active'])).get(called) ?? [];
  if (bare !== undefined) return others.length > 0 ? undefined : bare;
  const [{ catalog: all } = step] = await catalog.catalogsFor([called], { ...permissions.asker, origin: step.origin });
  allowance.comparisons -= all.spellingCount;
  const alike = await inSlices(spelledAlike(called, [...all.spellings(), ...tools.available]));
  const hurried = { ...step, permissions: step.permissions.inSearch() };
  for (const kind of alike) {
    // The search phase is asked as well, since the answer shows the model a name that it did not write.
    const usable = await usableOf(kind, ['search', 'load', 'active'], hurried);
    if (usable.length > 0) return usable.length === 1 ? usable[0] : undefined;
  }
  return undefined;
}

/** The names that all phases permit. Tools that the step sends need no permission. */
async function usableOf(
  names: readonly string[],
  phases: readonly ToolSearchFilterPhase[],
  { catalog, tools, permissions }: Step,
): Promise<readonly string[]> {
  const others = new Set(names.filter((name) => !tools.isResident(name)).flatMap((name) => catalog.get(name) ?? []));
  const usable = await permissions.allowed(others, phases);
  return [...names.filter((name) => tools.isAvailable(name)), ...usable.map(({ name }) => name)];
}
