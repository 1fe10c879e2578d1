import type { ToolSearchFilterPhase } from '../events/phase.ts';
import type { Step } from '../step/step.ts';
import { spelledAlike } from '../util/suggest.ts';
import { inSlices } from '../util/time-slices.ts';
import { behindPrefixes } from './loading.ts';

/** Missed calls of one step that are answered with a load; a model that makes more at once is guessing. */
export const MAX_MISSED = 10;

/** The one tool that a called name can mean. A degree of similarity without a permitted tool is passed over. */
export async function meant(called: string, step: Step): Promise<string | undefined> {
  const { catalog, tools, allowance, permissions } = step;
  await catalog.reach([called], { ...permissions.asker, origin: step.origin });
  const exact = await usableOf([catalog.nameOf(called)], ['load', 'active'], step);
  if (exact.length > 0) return exact[0];
  if (allowance.comparisons <= 0) return undefined;
  const [bare, ...others] = (await behindPrefixes([called], step, ['load', 'active'])).get(called) ?? [];
  if (bare !== undefined) return others.length > 0 ? undefined : bare;
  const [{ catalog: all } = step] = await catalog.near([called], { ...permissions.asker, origin: step.origin });
  allowance.comparisons -= all.spellingCount;
  const alike = await inSlices(spelledAlike(called, [...all.spellings(), ...tools.available]));
  const hurried = { ...step, permissions: step.permissions.inSearch() };
  for (const kind of alike) {
    // The model reads a name that it did not write, so the search phase is asked as well.
    const usable = await usableOf(kind, ['search', 'load', 'active'], hurried);
    if (usable.length > 0) return usable.length === 1 ? usable[0] : undefined;
  }
  return undefined;
}

/** The given names without those that some phase denies. Tools that are sent anyway need no permission. */
async function usableOf(
  names: readonly string[],
  phases: readonly ToolSearchFilterPhase[],
  { catalog, tools, permissions }: Step,
): Promise<readonly string[]> {
  const others = new Set(names.filter((name) => !tools.isResident(name)).flatMap((name) => catalog.get(name) ?? []));
  const usable = await permissions.allowed(others, phases);
  return [...names.filter((name) => tools.isAvailable(name)), ...usable.map(({ name }) => name)];
}
