import type { UnknownName } from '../prompts.ts';
import { similarNames } from '../query/suggest.ts';
import { inSlices } from '../util/time-slices.ts';
import { usable } from './loading.ts';
import type { Step } from './step.ts';

/** Suggestions for one unknown name. */
const MAX_SUGGESTIONS = 3;
/** Similar names that the filter is asked about for one unknown name. */
const MAX_SUGGESTION_CANDIDATES = 48;

/**
 * Unknown names with what their writer may have meant, as far as this request may know of it. One after the other, as
 * each costs a look at every name of the catalog; the first few of a call only.
 */
export async function withSuggestions(names: readonly string[], step: Step): Promise<UnknownName[]> {
  if (names.length === 0) return [];
  const permissions = step.permissions.inSearch();
  const { catalog } = await permissions.visible(step.catalog);
  const unknown: UnknownName[] = [];
  for (const name of names) {
    unknown.push({ name, suggestions: await suggestionsFor(name, { ...step, catalog, permissions }) });
  }
  return unknown;
}

async function suggestionsFor(name: string, step: Step): Promise<readonly string[]> {
  const { catalog, permissions, allowance } = step;
  if (allowance.suggestions <= 0 || allowance.comparisons <= 0) return [];
  allowance.suggestions -= 1;
  allowance.comparisons -= catalog.spellingCount;
  // A kind without a permitted name counts for nothing: else its silence would tell of the forbidden ones.
  for (const similar of await inSlices(similarNames(name, catalog.spellings()))) {
    const candidates = similar.slice(0, MAX_SUGGESTION_CANDIDATES);
    const entries = new Set(candidates.flatMap((candidate) => catalog.get(candidate) ?? []));
    // A loaded tool that this step withholds would be suggested to who has just asked for it.
    const callable = await usable([...entries], step);
    const allowed = await permissions.firstAllowed(callable, MAX_SUGGESTIONS, 'load');
    if (allowed.length > 0) return allowed.map((entry) => entry.name);
  }
  return [];
}
