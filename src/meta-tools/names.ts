import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { Groups } from '../catalog/groups.ts';
import type { ToolSearchFilterPhase } from '../filter/filter.ts';
import type { Permissions } from '../filter/permissions.ts';
import type { Step } from '../processor/step.ts';
import { similarNames } from '../scorers/words/suggest.ts';
import { inSlices, type SlicedWork } from '../util/time-slices.ts';
import type { UnknownName } from './prompts.ts';

/** Suggestions for one unknown name. */
const MAX_SUGGESTIONS = 3;
/** Similar names that the filter is asked about for one unknown name. */
const MAX_SUGGESTION_CANDIDATES = 48;

/** The tools that a written name, or a pattern such as `github_*`, may mean. */
interface Meaning {
  /** Whether the catalog has the name as it is written. */
  readonly isExact: boolean;
  /** The kinds of tools, from the likeliest to the least likely. */
  readonly kinds: readonly (readonly CatalogEntry[])[];
}

/**
 * The tools that each of the written names means for one request: those that all phases permit, of the first kind of
 * meaning that has one. A kind without a permitted tool does not hide the next.
 *
 * The writer of an exact name knows of the tool. Any other way to find it reveals it, so there the search phase is asked
 * first.
 */
export async function resolveNames(
  names: readonly string[],
  { catalog, permissions }: { readonly catalog: Catalog; readonly permissions: Permissions },
  phases: readonly ('search' | 'load')[],
  groups: Groups,
): Promise<readonly (readonly CatalogEntry[])[]> {
  await catalog.reach(names, permissions.asker);
  const meanings = await inSlices(meaningsOf(names, catalog, groups));
  return Promise.all(meanings.map((meaning) => permittedOf(meaning, permissions, phases)));
}

/** The meanings of each name, in slices: a pattern is compared with the whole catalog. */
function* meaningsOf(names: readonly string[], catalog: Catalog, groups: Groups): SlicedWork<readonly Meaning[]> {
  const meanings: Meaning[] = [];
  for (const name of names) {
    const exact = catalog.get(name);
    const kinds = exact ? [[exact]] : yield* groups.members(name, catalog);
    meanings.push({ isExact: exact !== undefined, kinds });
  }
  return meanings;
}

async function permittedOf(
  { isExact, kinds }: Meaning,
  permissions: Permissions,
  phases: readonly ('search' | 'load')[],
): Promise<readonly CatalogEntry[]> {
  const asked = isExact ? phases : new Set(['search', ...phases] as const);
  for (const kind of kinds) {
    const entries = await allPermit(asked, kind, permissions);
    if (entries.length > 0) return entries;
  }
  return [];
}

/** The tools that all phases permit. The phases are asked one after the other. */
export async function allPermit(
  phases: Iterable<ToolSearchFilterPhase>,
  entries: readonly CatalogEntry[],
  permissions: Permissions,
): Promise<readonly CatalogEntry[]> {
  let permitted = entries;
  for (const phase of phases) permitted = await permissions.allowed(permitted, phase);
  return permitted;
}

/**
 * Unknown names with suggestions of what their writer may have meant, as far as this request may know of it. Only the
 * first few of a call get some, one name after the other: each is compared with every name of the catalog.
 */
export async function withSuggestions(names: readonly string[], step: Step): Promise<UnknownName[]> {
  if (names.length === 0) return [];
  const permissions = step.permissions.inSearch();
  const unknown: UnknownName[] = [];
  for (const name of names) {
    // A tool that may be loaded and not used is no suggestion for itself.
    const suggestions = await suggestionsFor(name, { ...step, permissions });
    unknown.push({ name, suggestions: suggestions.filter((suggestion) => suggestion !== name) });
  }
  return unknown;
}

async function suggestionsFor(name: string, step: Step): Promise<readonly string[]> {
  const { permissions, allowance } = step;
  if (allowance.suggestions <= 0 || allowance.comparisons <= 0) return [];
  allowance.suggestions -= 1;
  const all = await step.catalog.near(name, { ...permissions.asker, origin: step.origin });
  const { catalog } = await permissions.visible(all);
  allowance.comparisons -= catalog.spellingCount;
  // A degree of similarity without a permitted name is passed over: silence would tell of the forbidden ones.
  for (const similar of await inSlices(similarNames(name, catalog.spellings()))) {
    const candidates = similar.slice(0, MAX_SUGGESTION_CANDIDATES);
    const entries = new Set(candidates.flatMap((candidate) => catalog.get(candidate) ?? []));
    // A hidden tool is no suggestion: it may be the very one that was asked for.
    const others = [...entries].filter((entry) => !step.tools.isHidden(entry.name));
    const allowed = await permissions.firstAllowed(others, MAX_SUGGESTIONS, 'load');
    if (allowed.length > 0) return allowed.map((entry) => entry.name);
  }
  return [];
}
